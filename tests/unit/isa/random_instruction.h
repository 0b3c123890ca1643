// Random instructions in which every field takes its ends and values between.
#ifndef TESTS_UNIT_ISA_RANDOM_INSTRUCTION_H_
#define TESTS_UNIT_ISA_RANDOM_INSTRUCTION_H_

#include <random>

#include "compiler/isa/tables.h"

namespace bw::isa {

inline int64_t RandomValue(const FieldInfo& field, std::mt19937_64& random) {
  switch (random() % 4) {
    case 0:
      return field.min;
    case 1:
      return field.max;
    default:
      return std::uniform_int_distribution<int64_t>(field.min, field.max)(random);
  }
}

// Keeps to what Decode allows: no token to the own queue, no values behind the count of a cfg.
inline Instruction RandomInstruction(const OpcodeInfo& info, std::mt19937_64& random) {
  Instruction made;
  for (const FieldInfo* field : CommonFields()) field->set(made, RandomValue(*field, random));
  for (const FieldInfo* field : info.fields) field->set(made, RandomValue(*field, random));
  made.opcode = info.opcode;
  if (!info.any_queue) made.queue = info.queue;
  const auto others = static_cast<uint8_t>(15U & ~(1U << static_cast<unsigned>(made.queue)));
  made.wait &= others;
  made.post &= others;
  if (made.opcode == Opcode::kCfg) {
    made.cfg.first = static_cast<uint8_t>(made.cfg.first % (kRegisters - 2));
    for (size_t i = made.cfg.count; i < 3; ++i) made.cfg.v[i] = 0;
  }
  return made;
}

}  // namespace bw::isa

#endif  // TESTS_UNIT_ISA_RANDOM_INSTRUCTION_H_
