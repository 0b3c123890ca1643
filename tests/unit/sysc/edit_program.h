// Changes to programs after they are built, for tests of what the builder would not do.
#ifndef TESTS_UNIT_SYSC_EDIT_PROGRAM_H_
#define TESTS_UNIT_SYSC_EDIT_PROGRAM_H_

#include <cstdint>
#include <functional>

#include "compiler/isa/program.h"
#include "models/status/check.h"

namespace bw::sysc {

// Index of the `nth` instruction with this opcode.
inline uint32_t Find(const isa::Program& program, isa::Opcode opcode, int nth = 0) {
  for (uint32_t i = 0; i < program.code.size(); ++i) {
    if (isa::Decode(program.code[i]).value().opcode == opcode && nth-- == 0) return i;
  }
  BW_CHECK(false, "no instruction {}", isa::Mnemonic(opcode));
}

inline void Edit(isa::Program& program, uint32_t index,
                 const std::function<void(isa::Instruction&)>& change) {
  isa::Instruction instruction = isa::Decode(program.code[index]).value();
  change(instruction);
  program.code[index] = isa::Encode(instruction);
}

inline uint8_t Bit(isa::Queue queue) {
  return static_cast<uint8_t>(1U << static_cast<unsigned>(queue));
}

// A token from one instruction to a later one of another queue.
inline void Connect(isa::Program& program, uint32_t from, uint32_t to) {
  const isa::Queue first = isa::Decode(program.code[from]).value().queue;
  const isa::Queue second = isa::Decode(program.code[to]).value().queue;
  Edit(program, from, [&](isa::Instruction& in) { in.post |= Bit(second); });
  Edit(program, to, [&](isa::Instruction& in) { in.wait |= Bit(first); });
}

inline void Disconnect(isa::Program& program, uint32_t from, uint32_t to) {
  const isa::Queue first = isa::Decode(program.code[from]).value().queue;
  const isa::Queue second = isa::Decode(program.code[to]).value().queue;
  Edit(program, from,
       [&](isa::Instruction& in) { in.post = static_cast<uint8_t>(in.post & ~Bit(second)); });
  Edit(program, to,
       [&](isa::Instruction& in) { in.wait = static_cast<uint8_t>(in.wait & ~Bit(first)); });
}

}  // namespace bw::sysc

#endif  // TESTS_UNIT_SYSC_EDIT_PROGRAM_H_
