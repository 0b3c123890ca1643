// Turns the registers that operations need into cfg instructions, writing only what changes.
#ifndef COMPILER_SCHEDULE_REGISTERS_H_
#define COMPILER_SCHEDULE_REGISTERS_H_

#include <array>
#include <bitset>
#include <vector>

#include "compiler/isa/instruction.h"
#include "compiler/schedule/operation.h"

namespace bw::schedule {

// What the compiler knows of the registers of all queues. Nothing at the start: a program may run
// again on a machine that has run it before.
class RegisterState {
 public:
  // The cfg instructions, at most three registers each, that bring `queue` to `values`.
  std::vector<isa::Instruction> Configure(isa::Queue queue,
                                          const std::vector<RegisterValue>& values);

 private:
  struct File {
    isa::Registers value{};
    std::bitset<isa::kRegisters> known;
  };
  std::array<File, isa::kQueues> files_;
};

// Fills `cfg` of every operation. Operations of a queue must come in the order of execution.
void PlaceConfiguration(std::vector<Operation>& operations, RegisterState& state);

}  // namespace bw::schedule

#endif  // COMPILER_SCHEDULE_REGISTERS_H_
