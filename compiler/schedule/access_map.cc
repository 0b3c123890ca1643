#include "compiler/schedule/access_map.h"

#include <algorithm>
#include <iterator>

namespace bw::schedule {
namespace {

void Join(QueueClock& into, const QueueClock& from) {
  for (size_t q = 0; q < into.size(); ++q) into[q] = std::max(into[q], from[q]);
}

}  // namespace

QueueClock AccessMap::Dependences(const Operation& operation) const {
  QueueClock needs = kNoClock;
  const auto collect = [&](const Access& access, bool write) {
    const Ranges& ranges = memories_[static_cast<size_t>(access.memory)];
    auto it = ranges.upper_bound(access.begin);
    if (it != ranges.begin() && std::prev(it)->second.end > access.begin) --it;
    for (; it != ranges.end() && it->first < access.end; ++it) {
      Join(needs, it->second.last.write);
      if (write) Join(needs, it->second.last.read);
    }
  };
  for (const Access& access : operation.reads) collect(access, false);
  for (const Access& access : operation.writes) collect(access, true);
  return needs;
}

void AccessMap::Cut(Ranges& ranges, uint64_t at) {
  auto it = ranges.upper_bound(at);
  if (it == ranges.begin()) return;
  --it;
  if (it->first == at || it->second.end <= at) return;
  ranges.emplace_hint(std::next(it), at, Range{it->second.end, it->second.last});
  it->second.end = at;
}

template <typename F>
void AccessMap::Update(Ranges& ranges, uint64_t begin, uint64_t end, F f) {
  if (begin >= end) return;
  Cut(ranges, begin);
  Cut(ranges, end);
  uint64_t at = begin;
  auto it = ranges.lower_bound(begin);
  while (at < end) {
    if (it == ranges.end() || it->first > at) {
      const uint64_t stop = it == ranges.end() ? end : std::min(end, it->first);
      it = ranges.emplace_hint(it, at, Range{stop, {}});
    }
    f(it->second.last);
    at = it->second.end;
    ++it;
  }
}

void AccessMap::Record(const Operation& operation, int64_t position) {
  const auto queue = static_cast<size_t>(operation.queue());
  for (const Access& access : operation.reads) {
    Update(memories_[static_cast<size_t>(access.memory)], access.begin, access.end,
           [&](Last& last) { last.read[queue] = position; });
  }
  // A write ends the story of what was there: whoever comes later depends on it alone, and it on
  // everyone before.
  for (const Access& access : operation.writes) {
    Update(memories_[static_cast<size_t>(access.memory)], access.begin, access.end,
           [&](Last& last) {
             last = Last{};
             last.write[queue] = position;
           });
  }
}

}  // namespace bw::schedule
