// An instruction with the registers that it finds, on a machine with little memory.
#ifndef TESTS_UNIT_ISA_OPERATION_H_
#define TESTS_UNIT_ISA_OPERATION_H_

#include <string>

#include "compiler/isa/descriptor.h"

namespace bw::isa {

inline hwconfig::HwConfig SmallConfig() {
  hwconfig::HwConfig config;
  config.name = "small";
  config.spm_bytes = 1024;
  config.acc_entries = 64;
  config.ppu_param_entries = 16;
  config.dram_bytes = 65536;
  config.lut_segments = 16;
  config.lut_tables = 2;
  return config;
}

class Operation {
 public:
  Operation(Opcode opcode, Queue queue) {
    instruction.opcode = opcode;
    instruction.queue = queue;
  }
  template <typename Reg>
  Operation& Set(Reg reg, int64_t value, int offset = 0) {
    registers[static_cast<size_t>(reg) + static_cast<size_t>(offset)] = static_cast<int32_t>(value);
    return *this;
  }
  Instruction instruction;
  Registers registers{};
};

inline Operation LoadOf() {
  Operation s(Opcode::kLd, Queue::kLoad);
  for (int i = 0; i < kCounters; ++i) s.Set(LoadReg::kcnt0, 1, i).Set(LoadReg::khi0, 1, i);
  s.Set(LoadReg::kdbits, 8).Set(LoadReg::kmbits, 8).Set(LoadReg::ksgn, 1);
  return s;
}

inline Operation StoreOf() {
  Operation s(Opcode::kSt, Queue::kStore);
  for (int i = 0; i < kCounters; ++i) s.Set(StoreReg::kcnt0, 1, i);
  s.Set(StoreReg::kdbits, 8).Set(StoreReg::kmbits, 8);
  return s;
}

inline Operation MacOf(Opcode opcode = Opcode::kMm) {
  Operation s(opcode, Queue::kMac);
  for (int i = 0; i < 6; ++i) s.Set(MacReg::km0, 1, i);
  s.Set(MacReg::kxlim, 1).Set(MacReg::kylim, 1).Set(MacReg::kabits, 8).Set(MacReg::kbbits, 8);
  return s;
}

inline Operation PpuOf(Opcode opcode) {
  Operation s(opcode, Queue::kPpu);
  for (int i = 0; i < kCounters; ++i) s.Set(PpuReg::kc0, 1, i);
  s.Set(PpuReg::kxlim, 1).Set(PpuReg::kylim, 1).Set(PpuReg::kabits, 8).Set(PpuReg::kbbits, 8);
  s.Set(PpuReg::kdbits, 8).Set(PpuReg::kasgn, 1).Set(PpuReg::kbsgn, 1);
  return s;
}

inline std::string TransferMessage(const Operation& s) {
  const auto made = MakeTransfer(s.instruction, s.registers, SmallConfig());
  return made.ok() ? "no error" : ToString(made.errors());
}
inline std::string MacMessage(const Operation& s) {
  const auto made = MakeMac(s.instruction, s.registers, SmallConfig());
  return made.ok() ? "no error" : ToString(made.errors());
}
inline std::string PpuMessage(const Operation& s) {
  const auto made = MakePpu(s.instruction, s.registers, SmallConfig());
  return made.ok() ? "no error" : ToString(made.errors());
}

}  // namespace bw::isa

#endif  // TESTS_UNIT_ISA_OPERATION_H_
