// Who touched which part of the memories last, for each queue.
#ifndef COMPILER_SCHEDULE_ACCESS_MAP_H_
#define COMPILER_SCHEDULE_ACCESS_MAP_H_

#include <array>
#include <cstdint>
#include <map>

#include "compiler/schedule/operation.h"

namespace bw::schedule {

// For each queue the position of an operation, or -1.
using QueueClock = std::array<int64_t, isa::kQueues>;
inline constexpr QueueClock kNoClock = {-1, -1, -1, -1};

class AccessMap {
 public:
  // The last operation of each queue that must retire before one with these accesses may start:
  // read after write, write after read, write after write. Its own queue is in it as well.
  QueueClock Dependences(const Operation& operation) const;
  // Notes that `operation` is the `position`-th; positions must rise.
  void Record(const Operation& operation, int64_t position);

 private:
  struct Last {
    QueueClock write = kNoClock, read = kNoClock;
  };
  struct Range {
    uint64_t end = 0;
    Last last;
  };
  using Ranges = std::map<uint64_t, Range>;  // by begin; disjoint

  // Makes range ends fall on `at`.
  static void Cut(Ranges& ranges, uint64_t at);
  // Applies f to every part of [begin, end), making the missing parts.
  template <typename F>
  static void Update(Ranges& ranges, uint64_t begin, uint64_t end, F f);

  std::array<Ranges, 5> memories_;  // by isa::Memory
};

}  // namespace bw::schedule

#endif  // COMPILER_SCHEDULE_ACCESS_MAP_H_
