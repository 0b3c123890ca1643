// The front of each engine: its instruction queue, registers and token waits. Instructions start in
// order; configuration and fences are done here.
#ifndef SIM_SYSC_ENGINE_FRONT_H_
#define SIM_SYSC_ENGINE_FRONT_H_

#include <cstdint>

#include "compiler/isa/instruction.h"
#include "models/hwconfig/hw_config.h"
#include "sim/sysc/machine_context.h"
#include "sim/sysc/ring.h"
#include "sim/sysc/statistics.h"

namespace bw::sysc {

struct QueuedInstruction {
  isa::Instruction instruction;
  uint32_t index = 0;
};

class EngineFront {
 public:
  explicit EngineFront(isa::Queue queue) : queue_(queue) {}

  void Configure(MachineContext& context);
  // Dispatch pushes here.
  Ring<QueuedInstruction>& queue() { return ring_; }
  const isa::Registers& registers() const { return registers_; }

  // Looks at the oldest instruction, once a cycle. Returns an operation that may start (then the
  // engine calls Start in this cycle, or leaves it), or null; cause() then says why. Executes cfg
  // and fence itself.
  const QueuedInstruction* Look();
  void Start();
  // What an engine without work of its own waits for, after Look.
  Cause cause() const { return cause_; }

 private:
  isa::Queue queue_;
  MachineContext* context_ = nullptr;
  Ring<QueuedInstruction> ring_;
  isa::Registers registers_{};
  Cause cause_ = Cause::kDispatchEmpty;
};

}  // namespace bw::sysc

#endif  // SIM_SYSC_ENGINE_FRONT_H_
