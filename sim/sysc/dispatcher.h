// Fetches a segment's instructions from DRAM, in bursts into a prefetch buffer, and hands out one a
// cycle, in order, to the queues of the engines. A full queue holds up all that come behind.
#ifndef SIM_SYSC_DISPATCHER_H_
#define SIM_SYSC_DISPATCHER_H_

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <systemc>

#include "sim/sysc/dram_controller.h"
#include "sim/sysc/engine_front.h"

namespace bw::sysc {

class Dispatcher : public sc_core::sc_module, public Clocked {
 public:
  using Fronts = std::array<EngineFront*, isa::kQueues>;
  Dispatcher(const sc_core::sc_module_name& name, DramController& dram, Fronts fronts);

  void Configure(MachineContext& context);
  // Instructions first .. first + count - 1, of which the last is halt.
  void BeginSegment(uint32_t first, uint32_t count);
  // Whether the segment's halt has retired.
  bool finished() const { return finished_; }
  void Clock() override;
  // For a deadlock: what is held up here, worded by `error`.
  void AddWaiting(Errors& errors, const std::function<Error(uint32_t, std::string)>& error) const;

 private:
  void Receive();
  void Request();
  Cause Dispatch();
  Cause Halt(const isa::Instruction& halt);

  DramController& dram_;
  Fronts fronts_;
  MachineContext* context_ = nullptr;
  std::deque<uint8_t> buffer_;                       // bytes of instructions that have arrived
  uint32_t next_ = 0, end_ = 0;                      // to dispatch
  uint64_t requested_ = 0, received_ = 0, all_ = 0;  // bytes of the segment
  uint64_t first_byte_ = 0;
  uint64_t dispatched_ = 0;  // into queues, in this run
  bool holding_ = false;     // `held_` has been decoded and waits for its queue
  isa::Instruction held_;
  bool finished_ = true;
};

}  // namespace bw::sysc

#endif  // SIM_SYSC_DISPATCHER_H_
