// What one engine is to do, put together from an instruction and its queue's registers. ISS, SystemC
// and the hazard checker all read operations through these, so that a register means one thing.
#ifndef COMPILER_ISA_DESCRIPTOR_H_
#define COMPILER_ISA_DESCRIPTOR_H_

#include <array>
#include <cstdint>

#include "compiler/isa/instruction.h"
#include "models/arith/eltwise.h"
#include "models/arith/lut.h"
#include "models/arith/requantise.h"
#include "models/arith/rounding.h"
#include "models/hwconfig/hw_config.h"
#include "models/status/result.h"

namespace bw::isa {

inline constexpr int kCounters = 6;

// A scratchpad operand: container width and sign of its values.
struct Container {
  int bits = 8;  // 4, 8, 16 or 32
  bool is_signed = true;
};

struct TransferDescriptor {  // ld and st
  uint64_t dram_bit = 0;     // base, bits
  uint64_t local_bit = 0;    // base, bits
  std::array<int64_t, kCounters> count{}, dram_stride{}, local_stride{}, lo{}, hi{};
  int64_t fill = 0;
  int dram_bits = 8;
  Container container;
  int64_t Elements() const;
};

struct TableDescriptor {  // ldp and ldt
  uint64_t dram_byte = 0;
  uint32_t entry = 0, count = 0;
};

struct MacDescriptor {
  bool depthwise = false, pack = false;
  AccInit init{};
  uint64_t a_bit = 0, b_bit = 0;
  uint32_t acc = 0, bias_byte = 0;
  int64_t m0 = 1, m1 = 1, n = 1, k0 = 1, k1 = 1, k2 = 1;
  int64_t am0 = 0, am1 = 0, ak0 = 0, ak1 = 0, ak2 = 0, an = 0;
  int64_t bk0 = 0, bk1 = 0, bk2 = 0, bn = 0;
  int64_t cm0 = 0, cm1 = 0;
  int64_t x0 = 0, xm = 0, xk = 0, xlim = 1, y0 = 0, ym = 0, yk = 0, ylim = 1;
  Container a, b;
  int64_t a_zero_point = 0, b_zero_point = 0;
  bool b_zero_point_vector = false;
  uint32_t b_zero_point_byte = 0;
};

struct PpuDescriptor {
  Opcode op{};
  Memory a_mem{}, b_mem{};
  uint64_t a_base = 0, b_base = 0, d_bit = 0;  // a, b: bits (spm) or entries (acc)
  uint32_t param = 0, param_stride = 0;
  std::array<int64_t, kCounters> count{};  // c0 c1 c2 c3 r0 r1
  std::array<int64_t, kCounters> a_stride{};
  std::array<int64_t, 4> b_stride{}, d_stride{};
  int64_t x0 = 0, xm = 0, xr = 0, xlim = 1, y0 = 0, ym = 0, yr = 0, ylim = 1;
  Container a, b;
  int d_bits = 8;
  int64_t a_zero_point = 0, b_zero_point = 0;
  arith::EltwiseAdd add;  // eadd: alignment, stage 1, subtract
  arith::LutParams lut;
  uint32_t table = 0;
  arith::Rounding rounding = arith::Rounding::kHalfUp;
  bool negative_set = false;
  bool HasB() const { return op == Opcode::kEadd || op == Opcode::kEmul; }
};

// One entry of the PPU parameter memory, and its 24-byte image in DRAM (little endian):
// m u32, m2 u32, zp s32, lo s32, hi s32, s s8, s2 s8, two zero bytes.
struct PpuParam {
  int64_t m = 0, m2 = 0, zp = 0, lo = 0, hi = 0;
  int32_t s = 0, s2 = 0;
};
inline constexpr int kPpuParamBytes = 24;
// What models/arith takes; an executor that loads anything else stops with an error.
constexpr bool IsValid(const PpuParam& p) {
  return p.m >= 0 && p.m < int64_t{1} << 31 && p.m2 >= 0 && p.m2 < int64_t{1} << 31 &&
         p.s >= -32 && p.s <= 63 && p.s2 >= -32 && p.s2 <= 63 && p.lo <= p.hi;
}
PpuParam ReadPpuParam(const uint8_t* bytes);
void WritePpuParam(const PpuParam& param, uint8_t* bytes);

// These check everything that can be checked before running: counts >= 1, containers, every address
// that the nest can touch inside its memory (by interval arithmetic on the strides), parameter and
// table ranges. Errors name the register or field, its value and the limit; the caller adds the
// instruction's index. Registers without effect are not looked at, and read as 0: the stride of a
// counter that counts to 1, operand B of an operation with one operand, r0, r1 without a window.
// Windows of loads are clamped to the counts. No two results may fall on one place.
Result<TransferDescriptor> MakeTransfer(const Instruction&, const Registers&, const hwconfig::HwConfig&);
Result<TableDescriptor> MakeTable(const Instruction&, const hwconfig::HwConfig&);
Result<MacDescriptor> MakeMac(const Instruction&, const Registers&, const hwconfig::HwConfig&);
Result<PpuDescriptor> MakePpu(const Instruction&, const Registers&, const hwconfig::HwConfig&);

}  // namespace bw::isa

#endif  // COMPILER_ISA_DESCRIPTOR_H_
