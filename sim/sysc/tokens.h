// Token counters, one an ordered pair of queues. A token posted in cycle t can be taken from t + 1.
#ifndef SIM_SYSC_TOKENS_H_
#define SIM_SYSC_TOKENS_H_

#include <array>
#include <cstdint>

#include "compiler/isa/instruction.h"
#include "sim/sysc/registered.h"

namespace bw::sysc {

class Tokens {
 public:
  void Configure(const CycleClock& clock) {
    clock_ = &clock;
    for (auto& row : posted_) {
      for (RegisteredCounter& pair : row) pair.Reset();
    }
    taken_ = {};
  }
  void Post(isa::Queue from, uint8_t mask) {
    for (size_t to = 0; to < isa::kQueues; ++to) {
      if ((mask >> to & 1) != 0) posted_[Index(from)][to].Add(clock_->now);
    }
  }
  // The first queue of `mask` that has no token for `to`, or -1 when all have one.
  int Missing(isa::Queue to, uint8_t mask) const {
    for (size_t from = 0; from < isa::kQueues; ++from) {
      if ((mask >> from & 1) == 0) continue;
      if (posted_[from][Index(to)].Before(clock_->now) == taken_[from][Index(to)]) {
        return static_cast<int>(from);
      }
    }
    return -1;
  }
  void Take(isa::Queue to, uint8_t mask) {
    for (size_t from = 0; from < isa::kQueues; ++from) taken_[from][Index(to)] += mask >> from & 1;
  }

 private:
  static size_t Index(isa::Queue queue) { return static_cast<size_t>(queue); }

  const CycleClock* clock_ = nullptr;
  std::array<std::array<RegisteredCounter, isa::kQueues>, isa::kQueues> posted_;
  std::array<std::array<uint64_t, isa::kQueues>, isa::kQueues> taken_{};
};

}  // namespace bw::sysc

#endif  // SIM_SYSC_TOKENS_H_
