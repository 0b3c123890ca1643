#include "compiler/schedule/memory_plan.h"

#include <algorithm>
#include <numeric>

namespace bw::schedule {
namespace {

uint64_t RoundUp(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

bool AliveTogether(const Buffer& a, const Buffer& b) {
  return a.first <= b.last && b.first <= a.last;
}

}  // namespace

MemoryPlan PlanMemory(const std::vector<Buffer>& buffers, uint64_t capacity) {
  std::vector<size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return buffers[a].bytes > buffers[b].bytes; });
  MemoryPlan plan;
  plan.offsets.assign(buffers.size(), kUnplaced);
  std::vector<size_t> placed;
  for (const size_t i : order) {
    const Buffer& buffer = buffers[i];
    std::vector<Gap> taken;
    for (const size_t j : placed) {
      if (AliveTogether(buffer, buffers[j])) {
        taken.push_back({plan.offsets[j], plan.offsets[j] + buffers[j].bytes});
      }
    }
    std::sort(taken.begin(), taken.end(),
              [](const Gap& a, const Gap& b) { return a.begin < b.begin; });
    uint64_t at = RoundUp(buffer.headroom, buffer.align);
    for (const Gap& gap : taken) {
      if (at + buffer.bytes <= gap.begin) break;
      at = std::max(at, RoundUp(gap.end, buffer.align));
    }
    if (at + buffer.bytes > capacity) {
      plan.complete = false;
      continue;
    }
    plan.offsets[i] = at;
    plan.peak = std::max(plan.peak, at + buffer.bytes);
    placed.push_back(i);
  }
  return plan;
}

std::vector<Gap> FreeGaps(const std::vector<Buffer>& buffers, const MemoryPlan& plan, int64_t step,
                          uint64_t capacity) {
  std::vector<Gap> taken;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (plan.offsets[i] == kUnplaced || buffers[i].bytes == 0) continue;
    if (buffers[i].first <= step && step <= buffers[i].last) {
      taken.push_back({plan.offsets[i], plan.offsets[i] + buffers[i].bytes});
    }
  }
  std::sort(taken.begin(), taken.end(),
            [](const Gap& a, const Gap& b) { return a.begin < b.begin; });
  std::vector<Gap> gaps;
  uint64_t at = 0;
  for (const Gap& gap : taken) {
    if (gap.begin > at) gaps.push_back({at, gap.begin});
    at = std::max(at, gap.end);
  }
  if (at < capacity) gaps.push_back({at, capacity});
  return gaps;
}

std::optional<uint64_t> GapAllocator::Take(uint64_t bytes, uint64_t headroom, uint64_t align) {
  std::optional<uint64_t> at = TakeFrom(std::max(cursor_, headroom), bytes, align);
  if (!at) at = TakeFrom(headroom, bytes, align);
  if (at) cursor_ = *at + bytes;
  return at;
}

std::optional<uint64_t> GapAllocator::TakeFrom(uint64_t least, uint64_t bytes, uint64_t align) {
  for (size_t i = 0; i < gaps_.size(); ++i) {
    const Gap gap = gaps_[i];
    const uint64_t at = RoundUp(std::max(gap.begin, least), align);
    if (at + bytes > gap.end) continue;
    gaps_[i].end = at;
    gaps_.insert(gaps_.begin() + static_cast<std::ptrdiff_t>(i) + 1, {at + bytes, gap.end});
    return at;
  }
  return std::nullopt;
}

uint64_t GapAllocator::FreeBytes() const {
  uint64_t bytes = 0;
  for (const Gap& gap : gaps_) bytes += gap.end - gap.begin;
  return bytes;
}

}  // namespace bw::schedule
