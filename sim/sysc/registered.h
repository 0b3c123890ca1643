// State that several clocked processes share, made independent of the order in which a cycle
// evaluates them: what one process does in cycle t, the others see from t + 1 on.
#ifndef SIM_SYSC_REGISTERED_H_
#define SIM_SYSC_REGISTERED_H_

#include <cstdint>

namespace bw::sysc {

// The one clock of the machine.
struct CycleClock {
  uint64_t now = 0;
};

// A count with one owner, who may add to it, and readers, who see it one cycle late.
class RegisteredCounter {
 public:
  void Add(uint64_t now, uint64_t amount = 1) {
    if (stamp_ != now) {
      before_ = total_;
      stamp_ = now;
    }
    total_ += amount;
  }
  // With everything of the current cycle; for the owner.
  uint64_t Total() const { return total_; }
  // Without what the current cycle added; for everybody else.
  uint64_t Before(uint64_t now) const { return stamp_ == now ? before_ : total_; }
  void Reset() { *this = RegisteredCounter(); }

 private:
  uint64_t total_ = 0, before_ = 0;
  uint64_t stamp_ = ~uint64_t{0};  // cycle of the last Add
};

// A value that its owner may set in any cycle; in cycle t readers get what was set in t - 1, and
// `T{}` when nothing was.
template <typename T>
class RegisteredValue {
 public:
  void Set(uint64_t now, T value) {
    value_[now & 1] = value;
    stamp_[now & 1] = now;
  }
  T Get(uint64_t now) const {
    const uint64_t slot = (now - 1) & 1;
    return now > 0 && stamp_[slot] == now - 1 ? value_[slot] : T{};
  }
  void Reset() { *this = RegisteredValue(); }

 private:
  T value_[2] = {};
  uint64_t stamp_[2] = {~uint64_t{0}, ~uint64_t{0}};
};

}  // namespace bw::sysc

#endif  // SIM_SYSC_REGISTERED_H_
