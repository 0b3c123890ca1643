// An engine's way into the scratchpad: a few accesses under way, served in order.
#ifndef SIM_SYSC_SPM_PORT_H_
#define SIM_SYSC_SPM_PORT_H_

#include <array>
#include <cstdint>

#include "sim/sysc/random_stall.h"
#include "sim/sysc/registered.h"
#include "sim/sysc/spm_access.h"

namespace bw::sysc {

// Ports, in no order of rank: arbitration is round robin.
enum class SpmPortId : uint8_t { kPpuD, kMacA, kMacB, kPpuA, kPpuB, kLoad, kStore };
inline constexpr size_t kSpmPorts = 7;

// The access sits in its slot from Issue to Take (reads) or to its service (writes), so that
// nothing is copied on the way.
class SpmPort {
 public:
  void Configure(const CycleClock& clock, bool writes, RandomStall stall) {
    clock_ = &clock;
    writes_ = writes;
    stall_ = stall;
    issued_.Reset();
    served_.Reset();
    taken_.Reset();
    conflict_.Reset();
  }

  // Engine: ask.
  bool HasSpace() const {
    const RegisteredCounter& freed = writes_ ? served_ : taken_;
    return issued_.Total() - freed.Before(clock_->now) < timing::kPortDepth;
  }
  SpmAccess& Next() { return Slot(issued_.Total()); }
  void Issue() {
    BW_CHECK(HasSpace(), "more than {} accesses under way", timing::kPortDepth);
    issued_.Add(clock_->now);
  }
  // Engine: use the oldest read.
  bool HasServed() const { return served_.Before(clock_->now) != taken_.Total(); }
  SpmAccess& Served() { return Slot(taken_.Total()); }
  void Take() { taken_.Add(clock_->now); }
  // In a stalled cycle the engine neither asks nor takes.
  bool Stalled() const { return stall_.At(clock_->now); }
  // Whether the oldest access had to leave a bank to another port, or needed one twice, in the last
  // cycle.
  bool Conflicted() const { return conflict_.Get(clock_->now); }
  bool Idle() const { return issued_.Total() == served_.Before(clock_->now); }

  // Scratchpad.
  bool HasPending() const { return issued_.Before(clock_->now) != served_.Total(); }
  SpmAccess& Pending() { return Slot(served_.Total()); }
  void MarkServed() { served_.Add(clock_->now); }
  void MarkConflict() { conflict_.Set(clock_->now, true); }

 private:
  static_assert((timing::kPortDepth & (timing::kPortDepth - 1)) == 0, "slots are masked");
  SpmAccess& Slot(uint64_t count) { return slots_[count & (timing::kPortDepth - 1)]; }

  const CycleClock* clock_ = nullptr;
  bool writes_ = false;
  RandomStall stall_;
  RegisteredCounter issued_, served_, taken_;
  RegisteredValue<bool> conflict_;
  std::array<SpmAccess, timing::kPortDepth> slots_;
};

}  // namespace bw::sysc

#endif  // SIM_SYSC_SPM_PORT_H_
