// The accumulators. Entry e lies in bank e % array.cols; each bank adds for the MAC array and reads
// for the PPU once a cycle. A vector of the array never meets a bank twice; a read of the PPU may,
// and then takes several cycles. Reads see what was there at the start of the cycle.
#ifndef SIM_SYSC_ACC_SRAM_H_
#define SIM_SYSC_ACC_SRAM_H_

#include <array>
#include <cstdint>
#include <systemc>
#include <vector>

#include "sim/ppu/ppu_core.h"
#include "sim/sysc/machine_context.h"
#include "sim/sysc/ring.h"

namespace bw::sysc {

// A row of sums on its way down the array.
struct PartialSums {
  uint64_t due = 0;  // cycle in which it reaches the accumulators
  uint32_t entry = 0;
  int count = 0;
  bool overwrite = false;  // else add to what is there
  int64_t last_of = kNoInstruction;
  std::array<int64_t, timing::kMaxVector> sum;
};

// A read of the PPU: entries first + i * stride.
struct AccAccess {
  int64_t first = 0, stride = 1;
  int count = 0;
  int served = 0;
  std::array<int64_t, ppu::kMaxLanes> value;
};

// Like SpmPort.
class AccPort {
 public:
  void Configure(const CycleClock& clock, RandomStall stall) {
    clock_ = &clock;
    stall_ = stall;
    issued_.Reset();
    served_.Reset();
    taken_.Reset();
    conflict_.Reset();
  }
  bool HasSpace() const {
    return issued_.Total() - taken_.Before(clock_->now) < timing::kPortDepth;
  }
  AccAccess& Next() { return Slot(issued_.Total()); }
  void Issue() { issued_.Add(clock_->now); }
  bool HasServed() const { return served_.Before(clock_->now) != taken_.Total(); }
  const AccAccess& Served() { return Slot(taken_.Total()); }
  void Take() { taken_.Add(clock_->now); }
  bool Stalled() const { return stall_.At(clock_->now); }
  bool Conflicted() const { return conflict_.Get(clock_->now); }

  bool HasPending() const { return issued_.Before(clock_->now) != served_.Total(); }
  AccAccess& Pending() { return Slot(served_.Total()); }
  void MarkServed() { served_.Add(clock_->now); }
  void MarkConflict() { conflict_.Set(clock_->now, true); }

 private:
  AccAccess& Slot(uint64_t count) { return slots_[count & (timing::kPortDepth - 1)]; }

  const CycleClock* clock_ = nullptr;
  RandomStall stall_;
  RegisteredCounter issued_, served_, taken_;
  RegisteredValue<bool> conflict_;
  std::array<AccAccess, timing::kPortDepth> slots_;
};

class AccSram : public sc_core::sc_module, public Clocked {
 public:
  explicit AccSram(const sc_core::sc_module_name& name) : sc_module(name) {}

  void Configure(MachineContext& context);
  // As many rows as the array holds, so that only a random stall can refuse one.
  Ring<PartialSums>& sums() { return sums_; }
  AccPort& port(size_t operand) { return ports_[operand]; }  // 0: A, 1: B
  const std::vector<int64_t>& entries() const { return entries_; }

  void Clock() override;

 private:
  void ServeReads();
  void Commit(const PartialSums& row);

  MachineContext* context_ = nullptr;
  Ring<PartialSums> sums_;
  std::array<AccPort, 2> ports_;
  std::vector<int64_t> entries_;  // wrapped to acc_bits
  std::vector<uint8_t> bank_busy_;
};

}  // namespace bw::sysc

#endif  // SIM_SYSC_ACC_SRAM_H_
