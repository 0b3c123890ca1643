// A bounded queue between two clocked processes. A pushed entry is visible in the next cycle; a
// popped one frees its place in the next cycle. So two places carry one entry a cycle, and the
// order in which producer and consumer run within a cycle makes no difference.
#ifndef SIM_SYSC_RING_H_
#define SIM_SYSC_RING_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/status/check.h"
#include "sim/sysc/random_stall.h"
#include "sim/sysc/registered.h"

namespace bw::sysc {

template <typename T>
class Ring {
 public:
  void Configure(const CycleClock& clock, size_t capacity, RandomStall stall = {}) {
    BW_CHECK(capacity >= 1, "capacity {}", capacity);
    clock_ = &clock;
    capacity_ = capacity;
    stall_ = stall;
    size_t places = 1;
    while (places < capacity) places *= 2;
    if (slots_.size() != places) slots_ = std::vector<T>(places);
    pushed_.Reset();
    popped_.Reset();
  }

  // In a stalled cycle nothing moves, on either side.
  bool Stalled() const { return stall_.At(clock_->now); }

  // Producer. The entry is built in place; it goes with Push.
  bool HasSpace() const { return pushed_.Total() - popped_.Before(clock_->now) < capacity_; }
  bool CanPush() const { return HasSpace() && !Stalled(); }
  T& Next() { return slots_[pushed_.Total() & (slots_.size() - 1)]; }
  void Push() {
    BW_CHECK(HasSpace(), "push to a full ring of {}", capacity_);
    pushed_.Add(clock_->now);
  }

  // Consumer.
  bool HasEntry() const { return pushed_.Before(clock_->now) != popped_.Total(); }
  bool CanPop() const { return HasEntry() && !Stalled(); }
  T& Front() { return slots_[popped_.Total() & (slots_.size() - 1)]; }
  const T& Front() const { return slots_[popped_.Total() & (slots_.size() - 1)]; }
  void Pop() {
    BW_CHECK(HasEntry(), "pop from an empty ring of {}", capacity_);
    popped_.Add(clock_->now);
  }

 private:
  const CycleClock* clock_ = nullptr;
  size_t capacity_ = 0;
  RandomStall stall_;
  std::vector<T> slots_;  // a power of two of them
  RegisteredCounter pushed_, popped_;
};

}  // namespace bw::sysc

#endif  // SIM_SYSC_RING_H_
