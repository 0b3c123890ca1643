// One instruction on its way to a program: what it does, what it touches, where it belongs. The
// emitters append operations in an order that is right when executed one after the other; the
// passes of this folder reorder them, and add tokens so that four queues running at once give the
// same.
#ifndef COMPILER_SCHEDULE_OPERATION_H_
#define COMPILER_SCHEDULE_OPERATION_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "compiler/isa/instruction.h"

namespace bw::schedule {

// Half-open range of one memory: bytes (DRAM, scratchpad) or entries (the others). A range may hold
// more than what is touched, never less. With a pitch, only the first `width` bytes of each `pitch`
// are touched: some channels of many pixels.
struct Access {
  isa::Memory memory = isa::Memory::kSpm;
  uint64_t begin = 0, end = 0;
  uint64_t pitch = 0, width = 0;
};

// Whether the two can touch the same place.
bool Overlap(const Access& a, const Access& b);

struct RegisterValue {
  uint8_t index = 0;
  int32_t value = 0;
};

struct Operation {
  isa::Instruction instruction;          // tokens are added by PlaceTokens
  std::vector<RegisterValue> registers;  // what it needs in its queue's registers
  std::vector<isa::Instruction> cfg;     // made from `registers` by PlaceConfiguration
  std::vector<Access> reads, writes;
  uint32_t layer = 0, tile = 0;
  uint32_t cycles = 0;   // estimate: how long its queue is taken
  uint32_t latency = 0;  // estimate: from then until others may rely on it
  uint32_t id = 0;       // position in the emitted order; stays when operations are reordered

  isa::Queue queue() const { return instruction.queue; }
};

// Whether the order of the two matters: one writes what the other touches.
bool Conflict(const Operation& a, const Operation& b);

}  // namespace bw::schedule

#endif  // COMPILER_SCHEDULE_OPERATION_H_
