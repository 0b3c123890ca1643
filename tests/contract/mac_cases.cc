#include <algorithm>
#include <cstdlib>

#include "tests/contract/executor_contract.h"

namespace bw::contract {
namespace {

using isa::AccInit;
using isa::MacReg;
using isa::Memory;
using isa::Opcode;
using isa::PpuReg;
using testing::ProgramBuilder;
using testing::Random;

constexpr uint64_t kResult = 65536;  // DRAM
constexpr uint32_t kA = 2048, kB = 8192, kBias = 14000, kZeroPoints = 15000, kD = 16384;

// Sign, container and zero point of both operands.
void SetOperands(ProgramBuilder& p, int64_t a_bits, int64_t b_bits, Random& random) {
  const auto zero_point = [&](int64_t bits) {
    return random.Flip() ? 0 : random.In(-(int64_t{1} << (bits - 1)), (int64_t{1} << bits) - 1);
  };
  p.SetAll(MacReg::kabits, {a_bits, random.Flip(), zero_point(a_bits)});
  p.SetAll(MacReg::kbbits, {b_bits, random.Flip(), zero_point(b_bits)});
  p.Set(MacReg::kbzpv, 0);
}

struct Tile {
  int64_t m0 = 1, m1 = 1, n = 1, k0 = 1, k1 = 1, k2 = 1;
};

void SetTile(ProgramBuilder& p, const Tile& t) {
  p.SetAll(MacReg::km0, {t.m0, t.m1, t.n, t.k0, t.k1, t.k2});
  p.Set(MacReg::kcm0, t.n).Set(MacReg::kcm1, t.n * t.m0);
}

void NoWindow(ProgramBuilder& p) {
  p.SetAll(MacReg::kx0, {0, 0, 0, 1}).SetAll(MacReg::ky0, {0, 0, 0, 1});
}

// The accumulators, divided by 2^shift and rounded, as 32-bit words to DRAM.
void StoreAccumulators(ProgramBuilder& p, int64_t entries, int shift = 0) {
  p.LoadParams({{1, 0, 0, INT32_MIN, INT32_MAX, shift, 0}}, 0);
  p.SetAll(PpuReg::kc0, {entries, 1, 1, 1, 1, 1});
  p.Set(PpuReg::kas0, 1).Set(PpuReg::kds0, 32).Set(PpuReg::kazp, 0);
  p.Set(PpuReg::kdbits, 32).Set(PpuReg::kpstr, 0);
  isa::Instruction rq;
  rq.opcode = Opcode::kRq;
  rq.queue = isa::Queue::kPpu;
  rq.ppu.a_mem = Memory::kAcc;
  rq.ppu.d_base = kD;
  p.Emit(rq);
  p.StoreBytes(kResult, kD, entries * 4);
}

// [m][k] x [n][k], with rows of A and B anywhere.
void MatrixProduct(ProgramBuilder& p, Random& random, int64_t a_bits, int64_t b_bits) {
  p.LoadBytes(0, 0, 16384);
  const Tile t{random.In(1, 9), 1, random.In(1, 11), random.In(1, 13), 1, 1};
  SetTile(p, t);
  SetOperands(p, a_bits, b_bits, random);
  NoWindow(p);
  const bool transposed = random.Flip();
  p.Set(MacReg::kam0, (t.k0 * a_bits + 7) / 8 * 8).Set(MacReg::kak0, a_bits);
  p.Set(MacReg::kbk0, transposed ? (t.n * b_bits + 7) / 8 * 8 : b_bits);
  p.Set(MacReg::kbn, transposed ? b_bits : (t.k0 * b_bits + 7) / 8 * 8);
  p.Mac(Opcode::kMm, kA, kB, 0, AccInit::kZero, 0, random.Flip());
  StoreAccumulators(p, t.m0 * t.n);
}

// Channels-last convolution with pads, strides, dilation; bias and zero points a channel.
void Convolution(ProgramBuilder& p, Random& random) {
  p.LoadBytes(0, 0, 16384);
  const int64_t a_bits = random.Pick<int64_t>({4, 8, 16}),
                b_bits = random.Pick<int64_t>({4, 8, 16});
  const Tile t{random.In(1, 4),     random.In(1, 4), random.In(1, 9),
               2 * random.In(1, 3), random.In(1, 3), random.In(1, 3)};
  SetTile(p, t);
  SetOperands(p, a_bits, b_bits, random);
  const int64_t xm = random.In(1, 2), xk = random.In(1, 2), left = random.In(0, 2);
  const int64_t ym = random.In(1, 2), yk = random.In(1, 2), top = random.In(0, 2);
  const int64_t width = random.In(1, 7), height = random.In(1, 7);
  const int64_t pixel = t.k0 * a_bits, row = pixel * width;
  p.SetAll(MacReg::kam0, {xm * pixel, ym * row, a_bits, xk * pixel, yk * row});
  p.SetAll(MacReg::kbk0,
           {b_bits, t.k0 * b_bits, t.k0 * t.k1 * b_bits, t.k0 * t.k1 * t.k2 * b_bits});
  p.SetAll(MacReg::kx0, {-left, xm, xk, width});
  p.SetAll(MacReg::ky0, {-top, ym, yk, height});
  if (random.Flip()) p.Set(MacReg::kbzpv, 1).Set(MacReg::kbzpa, kZeroPoints);
  const int64_t corner = kA * 8 - (left * pixel + top * row);
  BW_CHECK(corner >= 0 && corner % 8 == 0, "corner {}", corner);
  p.Mac(Opcode::kMm, static_cast<uint32_t>(corner / 8), kB, 3,
        random.Flip() ? AccInit::kBias : AccInit::kZero, kBias, random.Flip());
  StoreAccumulators(p, 3 + t.m0 * t.m1 * t.n);
}

void Depthwise(ProgramBuilder& p, Random& random) {
  p.LoadBytes(0, 0, 16384);
  const int64_t a_bits = random.Pick<int64_t>({4, 8, 16}),
                b_bits = random.Pick<int64_t>({4, 8, 16});
  const Tile t{random.In(1, 4), random.In(1, 4), 2 * random.In(1, 6), 1,
               random.In(1, 3), random.In(1, 3)};
  SetTile(p, t);
  SetOperands(p, a_bits, b_bits, random);
  const int64_t xm = random.In(1, 2), ym = random.In(1, 2);
  const int64_t xk = random.In(1, 2), yk = random.In(1, 2);
  const int64_t left = random.In(0, 2), top = random.In(0, 2);
  const int64_t width = random.In(1, 7), height = random.In(1, 7);
  const int64_t pixel = t.n * a_bits, row = pixel * width;
  p.SetAll(MacReg::kam0, {xm * pixel, ym * row, 0, xk * pixel, yk * row, a_bits});
  p.SetAll(MacReg::kbk0, {0, t.n * b_bits, t.n * t.k1 * b_bits, b_bits});
  p.SetAll(MacReg::kx0, {-left, xm, xk, width}).SetAll(MacReg::ky0, {-top, ym, yk, height});
  if (random.Flip()) p.Set(MacReg::kbzpv, 1).Set(MacReg::kbzpa, kZeroPoints);
  const int64_t corner = kA * 8 - (left * pixel + top * row);
  p.Mac(Opcode::kDw, static_cast<uint32_t>(corner / 8), kB, 0,
        random.Flip() ? AccInit::kBias : AccInit::kZero, kBias);
  StoreAccumulators(p, t.m0 * t.m1 * t.n);
}

// A long sum in two instructions; the accumulators lie column by column, with gaps.
void KeepAndScatter(ProgramBuilder& p, Random& random) {
  p.LoadBytes(0, 0, 16384);
  const Tile t{random.In(2, 4), random.In(2, 3), random.In(1, 5), random.In(1, 40), 1, 1};
  SetTile(p, t);
  SetOperands(p, 8, 8, random);
  NoWindow(p);
  const int64_t gap = random.In(0, 2);
  p.Set(MacReg::kcm1, t.n + gap).Set(MacReg::kcm0, (t.n + gap) * t.m1);
  p.SetAll(MacReg::kam0, {8 * t.k0, 8 * t.k0 * t.m0, 8});
  p.Set(MacReg::kbk0, 8).Set(MacReg::kbn, 8 * t.k0);
  p.Mac(Opcode::kMm, kA, kB, 0, AccInit::kBias, kBias);
  p.Mac(Opcode::kMm, kA + 100, kB + 200, 0, AccInit::kKeep);
  // Gaps hold whatever was there: each output is read on its own.
  p.LoadParams({{1, 0, 0, INT32_MIN, INT32_MAX, 0, 0}}, 0);
  p.SetAll(PpuReg::kc0, {t.n, t.m0, t.m1, 1, 1, 1});
  p.SetAll(PpuReg::kas0, {1, (t.n + gap) * t.m1, t.n + gap});
  p.SetAll(PpuReg::kds0, {32, 32 * t.n, 32 * t.n * t.m0});
  p.Set(PpuReg::kdbits, 32).Set(PpuReg::kpstr, 0);
  isa::Instruction rq;
  rq.opcode = Opcode::kRq;
  rq.queue = isa::Queue::kPpu;
  rq.ppu.a_mem = Memory::kAcc;
  rq.ppu.d_base = kD;
  p.Emit(rq);
  p.StoreBytes(kResult, kD, t.n * t.m0 * t.m1 * 4);
}

// More rows and columns than the array has, in both packings.
void LargerThanTheArray(ProgramBuilder& p, Random& random) {
  p.LoadBytes(0, 0, 16384);
  const Tile t{random.In(3, 5), 2, random.In(9, 18), random.In(5, 11), 2, 2};
  SetTile(p, t);
  SetOperands(p, 8, 8, random);
  const int64_t pixel = t.k0 * 8, row = pixel * (t.m0 + 1);
  p.SetAll(MacReg::kam0, {pixel, row, 8, pixel, row});
  p.SetAll(MacReg::kbk0, {8, pixel, 2 * pixel, 4 * pixel});
  p.SetAll(MacReg::kx0, {0, 1, 1, t.m0}).SetAll(MacReg::ky0, {0, 1, 1, t.m1});
  p.Mac(Opcode::kMm, kA, kB, 0, AccInit::kZero, 0, random.Flip());
  StoreAccumulators(p, t.m0 * t.m1 * t.n);
}

void WrappingSums(ProgramBuilder& p, Random& random) {
  p.LoadBytes(0, 0, 16384);
  const Tile t{4, 1, 6, 60, 1, 1};
  SetTile(p, t);
  SetOperands(p, 8, 8, random);
  NoWindow(p);
  p.Set(MacReg::kam0, 8 * 60).Set(MacReg::kak0, 8).Set(MacReg::kbk0, 8).Set(MacReg::kbn, 8 * 60);
  p.Mac(Opcode::kMm, kA, kB, 0, AccInit::kBias, kBias);
  p.Mac(Opcode::kMm, kA + 64, kB, 0, AccInit::kKeep);
  StoreAccumulators(p, 24);
}

void WideSums(ProgramBuilder& p, Random& random) {
  p.LoadBytes(0, 0, 16384);
  const Tile t{4, 1, 6, 40, 1, 1};
  SetTile(p, t);
  SetOperands(p, 16, 16, random);
  NoWindow(p);
  p.Set(MacReg::kam0, 16 * 40).Set(MacReg::kak0, 16);
  p.Set(MacReg::kbk0, 16).Set(MacReg::kbn, 16 * 40);
  p.Mac(Opcode::kMm, kA, kB, 0, AccInit::kZero);
  StoreAccumulators(p, 24, 8);
}

ContractCase Product(const std::string& name, int64_t a_bits, int64_t b_bits) {
  return {name, [=](ProgramBuilder& p, Random& r) { MatrixProduct(p, r, a_bits, b_bits); }, {}};
}

}  // namespace

std::vector<ContractCase> MacCases() {
  return {Product("MmMultipliesBytes", 8, 8),
          Product("MmMultipliesNibbles", 4, 4),
          Product("MmMultipliesBytesByNibbles", 8, 4),
          Product("MmMultipliesWords", 16, 16),
          {"MmConvolves", Convolution, {}, 30},
          {"DwConvolvesEachChannel", Depthwise, {}, 20},
          {"MmKeepsAndScattersAccumulators", KeepAndScatter, {}},
          {"MmCoversMoreThanTheArray", LargerThanTheArray, {}},
          {"AccumulatorsWrap", WrappingSums, {{"acc_bits", "18", ""}}, 6},
          {"AccumulatorsHoldWideSums",
           WideSums,
           {{"acc_bits", "44", ""},
            {"act_bits", "16", ""},
            {"weight_bits", "16", ""},
            {"ppu.stage1_bits", "20", ""}},
           6}};
}

}  // namespace bw::contract
