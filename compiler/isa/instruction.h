// Instructions as values, and the registers of the four queues; made from isa.def.
#ifndef COMPILER_ISA_INSTRUCTION_H_
#define COMPILER_ISA_INSTRUCTION_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "models/status/result.h"

namespace bw::isa {

enum class Queue : uint8_t {
#define BW_QUEUE(name, code, doc) k##name = code,
#include "compiler/isa/isa.def"
};
inline constexpr int kQueues = 4;

enum class Opcode : uint8_t {
#define BW_INSTR(name, opcode, queue, doc) k##name = opcode,
#include "compiler/isa/isa.def"
};

enum class Memory : uint8_t { kSpm = 0, kAcc = 1, kParam = 2, kLut = 3, kDram = 4 };
enum class AccInit : uint8_t { kZero = 0, kBias = 1, kKeep = 2 };

// Register indices: Reg<Queue> enumerators, e.g. LoadReg::kcnt0, MacReg::kam0, PpuReg::kpstr.
enum class LoadReg : uint8_t {
#define BW_REG(queue, name, index, doc) BW_REG_##queue(name, index)
#define BW_REG_Load(name, index) k##name = index,
#define BW_REG_Mac(name, index)
#define BW_REG_Ppu(name, index)
#define BW_REG_Store(name, index)
#include "compiler/isa/isa.def"
#undef BW_REG_Load
#undef BW_REG_Mac
#undef BW_REG_Ppu
#undef BW_REG_Store
};
enum class MacReg : uint8_t {
#define BW_REG(queue, name, index, doc) BW_REG_##queue(name, index)
#define BW_REG_Load(name, index)
#define BW_REG_Mac(name, index) k##name = index,
#define BW_REG_Ppu(name, index)
#define BW_REG_Store(name, index)
#include "compiler/isa/isa.def"
#undef BW_REG_Load
#undef BW_REG_Mac
#undef BW_REG_Ppu
#undef BW_REG_Store
};
enum class PpuReg : uint8_t {
#define BW_REG(queue, name, index, doc) BW_REG_##queue(name, index)
#define BW_REG_Load(name, index)
#define BW_REG_Mac(name, index)
#define BW_REG_Ppu(name, index) k##name = index,
#define BW_REG_Store(name, index)
#include "compiler/isa/isa.def"
#undef BW_REG_Load
#undef BW_REG_Mac
#undef BW_REG_Ppu
#undef BW_REG_Store
};
enum class StoreReg : uint8_t {
#define BW_REG(queue, name, index, doc) BW_REG_##queue(name, index)
#define BW_REG_Load(name, index)
#define BW_REG_Mac(name, index)
#define BW_REG_Ppu(name, index)
#define BW_REG_Store(name, index) k##name = index,
#include "compiler/isa/isa.def"
#undef BW_REG_Load
#undef BW_REG_Mac
#undef BW_REG_Ppu
#undef BW_REG_Store
};
inline constexpr int kRegisters = 64;  // of each queue; unused indices are reserved

// The 128 bits, low half first.
struct Word {
  uint64_t lo = 0, hi = 0;
  friend bool operator==(const Word& a, const Word& b) { return a.lo == b.lo && a.hi == b.hi; }
};

// Field access by position; used by everything that is made from isa.def. width 1..40, a field may
// cross the middle of the word.
int64_t GetField(const Word& word, int lsb, int width, bool is_signed);
void SetField(Word& word, int lsb, int width, int64_t value);  // BW_CHECKs that value fits

// A decoded instruction. Only the members of its opcode mean anything; the others are 0.
struct Instruction {
  Opcode opcode{};
  Queue queue{};
  uint8_t wait = 0;  // bit q: consume one token from queue q
  uint8_t post = 0;  // bit q: post one token to queue q

  struct Cfg { uint8_t first = 0, count = 0; std::array<int32_t, 3> v{}; } cfg;
  struct Ld { uint64_t dram = 0; uint32_t local = 0; uint8_t dram_bit = 0; } ld;
  struct Ldp { uint64_t dram = 0; uint32_t entry = 0, count = 0; } ldp;  // ldp and ldt
  struct St { uint64_t dram = 0; uint32_t local = 0; } st;
  struct Mac { uint32_t a_base = 0, b_base = 0, acc_base = 0, bias_base = 0; AccInit init{}; bool pack = false; } mac;
  struct Ppu {
    uint32_t a_base = 0, b_base = 0, d_base = 0;
    uint16_t param = 0;
    Memory a_mem{}, b_mem{};
    uint8_t mode = 0, table = 0;
    bool sub = false, neg = false;
  } ppu;
};

Word Encode(const Instruction& instruction);
// Fails on an unknown opcode, a queue that the opcode does not have, non-zero spare bits, a token
// bit for the own queue, an enumerator out of range; the message names the field and its value.
Result<Instruction> Decode(const Word& word);

std::string_view Mnemonic(Opcode opcode);  // lower case
std::string_view QueueName(Queue queue);   // lower case
// "load.cnt0", or "load.r57" for a reserved index.
std::string RegisterName(Queue queue, int index);

// One register file: what `cfg` writes.
using Registers = std::array<int32_t, kRegisters>;
void ApplyCfg(const Instruction& instruction, Registers& registers);

}  // namespace bw::isa

#endif  // COMPILER_ISA_INSTRUCTION_H_
