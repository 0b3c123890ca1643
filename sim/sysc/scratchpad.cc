#include "sim/sysc/scratchpad.h"

#include <algorithm>
#include <cstring>

namespace bw::sysc {
namespace {

isa::Queue OwnerOf(size_t port) {
  switch (static_cast<SpmPortId>(port)) {
    case SpmPortId::kLoad:
      return isa::Queue::kLoad;
    case SpmPortId::kStore:
      return isa::Queue::kStore;
    case SpmPortId::kMacA:
    case SpmPortId::kMacB:
      return isa::Queue::kMac;
    case SpmPortId::kPpuA:
    case SpmPortId::kPpuB:
    case SpmPortId::kPpuD:
      return isa::Queue::kPpu;
  }
  __builtin_unreachable();
}

bool Writes(size_t port) {
  const auto id = static_cast<SpmPortId>(port);
  return id == SpmPortId::kPpuD || id == SpmPortId::kLoad;
}

int Log2(int64_t power_of_two) { return __builtin_ctzll(static_cast<uint64_t>(power_of_two)); }

// Stall points of the ports; rings have theirs from 100 on.
constexpr uint64_t kFirstStallPoint = 1;

}  // namespace

void Scratchpad::Configure(MachineContext& context) {
  context_ = &context;
  word_shift_ = Log2(context.config.spm_bank_bytes);
  bank_mask_ = static_cast<uint32_t>(context.config.spm_banks - 1);
  bytes_.assign(static_cast<size_t>(context.config.spm_bytes) + 8, 0);
  for (size_t i = 0; i < kSpmPorts; ++i) {
    ports_[i].Configure(context.clock, Writes(i), context.StallPoint(kFirstStallPoint + i));
  }
}

void Scratchpad::FindWords(SpmAccess& access) const {
  access.words_left = 0;
  for (int r = 0; r < access.runs; ++r) {
    const SpmAccess::Run& run = access.run[static_cast<size_t>(r)];
    const uint32_t first = run.bit / 8 >> word_shift_;
    const uint32_t last = (run.bit / 8 + run.bytes - 1) >> word_shift_;
    for (uint32_t word = first; word <= last; ++word) {
      const auto begin = access.word.begin(), end = begin + access.words_left;
      if (std::find(begin, end, word) == end) {
        access.word[static_cast<size_t>(access.words_left++)] = word;
      }
    }
  }
}

void Scratchpad::Copy(SpmAccess& access, const SpmAccess::Run& run, uint32_t first, uint32_t last) {
  const uint32_t begin = run.bit / 8;
  first = std::max(first, begin);
  last = std::min(last, begin + run.bytes);
  if (first >= last) return;
  uint8_t* memory = bytes_.data() + first;
  uint8_t* data = access.data.data() + run.offset + (first - begin);
  const size_t size = last - first;
  if (!access.write) {
    std::memcpy(data, memory, size);
    return;
  }
  if (access.bits >= 8) {
    std::memcpy(memory, data, size);
    return;
  }
  // Nibbles at the ends keep their neighbours.
  for (size_t i = 0; i < size; ++i) {
    const uint32_t byte = first + static_cast<uint32_t>(i);
    const uint64_t end_bit = run.bit + static_cast<uint64_t>(run.elements) * 4;
    const bool low = byte * 8 >= run.bit;
    const bool high = byte * 8 + 8 <= end_bit;
    const unsigned mask = (low ? 0x0fU : 0U) | (high ? 0xf0U : 0U);
    memory[i] = static_cast<uint8_t>((memory[i] & ~mask) | (data[i] & mask));
  }
}

void Scratchpad::Move(SpmAccess& access, uint32_t first, uint32_t last) {
  for (int r = 0; r < access.runs; ++r) {
    Copy(access, access.run[static_cast<size_t>(r)], first, last);
  }
}

void Scratchpad::Serve(size_t index, uint64_t& busy_banks) {
  SpmPort& port = ports_[index];
  if (!port.HasPending()) return;
  SpmAccess& access = port.Pending();
  if (access.words_left < 0) FindWords(access);
  for (int w = 0; w < access.words_left;) {
    const uint32_t word = access.word[static_cast<size_t>(w)];
    const uint64_t bank = uint64_t{1} << (word & bank_mask_);
    if ((busy_banks & bank) != 0) {
      ++w;
      continue;
    }
    busy_banks |= bank;
    Move(access, word << word_shift_, (word + 1) << word_shift_);
    if (context_->spm_observer != nullptr) {
      context_->spm_observer->OnServe(context_->clock.now, static_cast<SpmPortId>(index), access,
                                      word << word_shift_, uint32_t{1} << word_shift_);
    }
    access.word[static_cast<size_t>(w)] = access.word[static_cast<size_t>(--access.words_left)];
  }
  if (access.words_left > 0) {
    port.MarkConflict();
    return;
  }
  const int64_t last_of = access.last_of;
  port.MarkServed();
  if (last_of >= 0) context_->retirement.Landed(OwnerOf(index), static_cast<uint32_t>(last_of));
}

void Scratchpad::Clock() {
  uint64_t busy_banks = 0;
  size_t index = context_->clock.now % kSpmPorts;
  for (size_t i = 0; i < kSpmPorts; ++i) {
    Serve(index, busy_banks);
    index = index + 1 == kSpmPorts ? 0 : index + 1;
  }
}

}  // namespace bw::sysc
