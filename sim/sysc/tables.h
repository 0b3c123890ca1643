// PPU parameters and lookup tables on their way from the load engine to the PPU's memories.
#ifndef SIM_SYSC_TABLES_H_
#define SIM_SYSC_TABLES_H_

#include <array>
#include <cstdint>

#include "compiler/isa/instruction.h"
#include "sim/sysc/dram_controller.h"
#include "sim/sysc/spm_access.h"

namespace bw::sysc {

// One cycle's entries, as they lie in DRAM.
struct TableBeat {
  isa::Memory memory = isa::Memory::kParam;  // or kLut
  uint32_t entry = 0, count = 0;
  uint32_t instruction = 0;
  bool last = false;
  std::array<uint8_t, kMaxBusBytes> bytes;
};

}  // namespace bw::sysc

#endif  // SIM_SYSC_TABLES_H_
