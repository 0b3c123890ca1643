// Matrix products whose operands lie in the scratchpad so that no bank is asked twice in a cycle.
#ifndef TESTS_UNIT_SYSC_MATRIX_PROGRAM_H_
#define TESTS_UNIT_SYSC_MATRIX_PROGRAM_H_

#include <cstdint>

#include "tests/support/program_builder.h"

namespace bw::sysc {

// Bank words of 16 bytes in 64 banks: rows of A start at even multiples of 128 bytes and those of B
// at odd ones, so that A has half of the banks and B the other half.
inline hwconfig::HwConfig WithoutConflicts() {
  hwconfig::HwConfig config;
  config.name = "without_conflicts";
  config.spm_banks = 64;
  config.spm_bank_bytes = 16;
  config.spm_bytes = 131072;
  return config;
}

inline constexpr uint32_t kMatrixA = 0, kMatrixB = 128;
inline constexpr uint32_t kMatrixResult = 65536;   // scratchpad
inline constexpr uint64_t kMatrixOutput = 524288;  // DRAM
inline constexpr int64_t kMatrixPitch = 256;       // bytes from row to row, of A and of B

// acc[m][n] = A B, m x k times k x n with k, n <= 128 and m * n <= acc.entries.
inline void EmitProduct(testing::ProgramBuilder& p, int64_t m, int64_t n, int64_t k) {
  using isa::MacReg;
  p.SetAll(MacReg::km0, {m, 1, n, k, 1, 1});
  p.Set(MacReg::kam0, kMatrixPitch * 8).Set(MacReg::kak0, 8);
  p.Set(MacReg::kbk0, kMatrixPitch * 8).Set(MacReg::kbn, 8);
  p.Set(MacReg::kcm0, n);
  p.Set(MacReg::kxlim, 1).Set(MacReg::kylim, 1);
  p.SetAll(MacReg::kabits, {8, 1, 0}).SetAll(MacReg::kbbits, {8, 1, 0});
  p.Mac(isa::Opcode::kMm, kMatrixA, kMatrixB, 0, isa::AccInit::kZero);
}

// The accumulators as 32-bit values to the scratchpad, entry 0 of the parameters being 1.
inline void EmitReadOut(testing::ProgramBuilder& p, int64_t m, int64_t n) {
  using isa::PpuReg;
  p.SetAll(PpuReg::kc0, {n, m, 1, 1});
  p.SetAll(PpuReg::kas0, {1, n, 0, 0});
  p.SetAll(PpuReg::kds0, {32, 32 * n, 0, 0});
  p.Set(PpuReg::kdbits, 32);
  isa::Instruction in;
  in.opcode = isa::Opcode::kRq;
  in.queue = isa::Queue::kPpu;
  in.ppu.a_mem = isa::Memory::kAcc;
  in.ppu.d_base = kMatrixResult;
  p.Emit(in);
}

inline isa::PpuParam One() {
  isa::PpuParam param;
  param.m = 1;
  param.lo = INT32_MIN;
  param.hi = INT32_MAX;
  return param;
}

}  // namespace bw::sysc

#endif  // TESTS_UNIT_SYSC_MATRIX_PROGRAM_H_
