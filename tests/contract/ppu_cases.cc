#include <algorithm>

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
constexpr uint32_t kA = 0, kB = 8192, kD = 16384;
constexpr int64_t kDBytes = 8192;

// Random accumulators 0..511: sums of products of what was loaded to the scratchpad.
void FillAccumulators(ProgramBuilder& p) {
  p.SetAll(MacReg::km0, {32, 1, 16, 3, 1, 1});
  p.Set(MacReg::kam0, 24).Set(MacReg::kak0, 8).Set(MacReg::kbk0, 8).Set(MacReg::kbn, 24);
  p.Set(MacReg::kcm0, 16);
  p.SetAll(MacReg::kx0, {0, 0, 0, 1}).SetAll(MacReg::ky0, {0, 0, 0, 1});
  p.SetAll(MacReg::kabits, {8, 1, 0}).SetAll(MacReg::kbbits, {8, 1, 0});
  p.Mac(Opcode::kMm, 100, 4000, 0, AccInit::kBias, 6000);
}

isa::PpuParam RandomParam(Random& random, int64_t limit) {
  isa::PpuParam p;
  p.m = random.In(1 << 15, (1 << 16) - 1);
  p.m2 = random.In(1 << 15, (1 << 16) - 1);
  // Mostly shifts that leave small results, now and then the ends.
  p.s = static_cast<int32_t>(random.In(0, 9) == 0 ? random.Pick<int64_t>({-15, 0, 62})
                                                  : random.In(12, 44));
  p.s2 = static_cast<int32_t>(random.In(12, 44));
  p.zp = random.Flip() ? 0 : random.In(-limit, limit - 1);
  p.lo = random.Flip() ? -limit : random.In(-limit, 0);
  p.hi = random.Flip() ? limit - 1 : random.In(0, limit - 1);
  return p;
}

// Limit of results that fill a container.
int64_t LimitOf(int64_t bits) { return int64_t{1} << (bits - 1); }

struct Operation {
  Opcode opcode;
  isa::Instruction in;
  int64_t d_bits = 8;
  bool has_b = false;
};

// One random operand: from the accumulators or the scratchpad.
Memory SetOperand(ProgramBuilder& p, Random& random, char which, bool acc_allowed,
                  const std::vector<int64_t>& containers, int64_t& bits) {
  const bool a = which == 'a';
  const bool acc = acc_allowed && random.Flip();
  bits = random.Pick(containers);
  p.Set(a ? PpuReg::kabits : PpuReg::kbbits, bits);
  p.Set(a ? PpuReg::kasgn : PpuReg::kbsgn, random.Flip());
  const int64_t zero_point = random.Flip() ? 0
                                           : random.In(-std::min<int64_t>(LimitOf(bits), 40000),
                                                       std::min<int64_t>(LimitOf(bits), 40000) - 1);
  p.Set(a ? PpuReg::kazp : PpuReg::kbzp, zero_point);
  return acc ? Memory::kAcc : Memory::kSpm;
}

// Steps of c0..c3 of an operand; 0 broadcasts.
void SetSteps(ProgramBuilder& p, Random& random, PpuReg first, Memory memory, int64_t bits) {
  const int64_t unit = memory == Memory::kAcc ? 1 : bits;
  for (int i = 0; i < 4; ++i) {
    const int64_t most = memory == Memory::kAcc ? 16 : 12;
    p.Set(first, random.In(0, 3) == 0 ? 0 : unit * random.In(1, most), i);
  }
}

// Counts, result layout, parameters; then the instruction and a store of all results.
void Finish(ProgramBuilder& p, Random& random, Operation op) {
  const std::vector<int64_t> count = {random.In(1, 11), random.In(1, 4), random.In(1, 3),
                                      random.In(1, 2)};
  p.SetAll(PpuReg::kc0, count);
  p.Set(PpuReg::kdbits, op.d_bits);
  // Rows start on bytes; the axes in either order.
  const int64_t row = (count[0] * op.d_bits + 7) / 8 * 8;
  const bool swapped = random.Flip();
  p.SetAll(PpuReg::kds0, {op.d_bits, swapped ? row * count[2] : row, swapped ? row : row * count[1],
                          row * count[1] * count[2]});
  p.Set(PpuReg::kpstr, random.Flip());
  op.in.opcode = op.opcode;
  op.in.queue = isa::Queue::kPpu;
  op.in.ppu.d_base = kD;
  op.in.ppu.param = static_cast<uint16_t>(random.In(0, 20));
  p.Emit(op.in);
  p.StoreBytes(kResult, kD, kDBytes);
}

void Begin(ProgramBuilder& p, Random& random, int64_t d_bits) {
  p.LoadBytes(static_cast<uint64_t>(random.In(0, 99)), 0, 16384);
  p.LoadBytes(1000, kD, kDBytes);
  std::vector<isa::PpuParam> params;
  for (int i = 0; i < 40; ++i) params.push_back(RandomParam(random, LimitOf(d_bits)));
  p.LoadParams(params, 0);
  FillAccumulators(p);
}

void Requantise(ProgramBuilder& p, Random& random) {
  Operation op{Opcode::kRq, {}, random.Pick<int64_t>({4, 8, 16, 32})};
  Begin(p, random, op.d_bits);
  int64_t bits = 0;
  op.in.ppu.a_mem = SetOperand(p, random, 'a', true, {4, 8, 16, 32}, bits);
  op.in.ppu.a_base = kA;
  op.in.ppu.mode = static_cast<uint8_t>(random.In(0, 4));
  op.in.ppu.neg = random.Flip();
  SetSteps(p, random, PpuReg::kas0, op.in.ppu.a_mem, bits);
  Finish(p, random, op);
}

void TwoOperands(ProgramBuilder& p, Random& random, Operation op,
                 const std::vector<int64_t>& containers, bool acc_allowed) {
  int64_t a_bits = 0, b_bits = 0;
  op.in.ppu.a_mem = SetOperand(p, random, 'a', acc_allowed, containers, a_bits);
  op.in.ppu.b_mem = SetOperand(p, random, 'b', acc_allowed, containers, b_bits);
  op.in.ppu.a_base = kA;
  op.in.ppu.b_base = op.in.ppu.b_mem == Memory::kAcc ? 7 : kB;
  op.in.ppu.mode = static_cast<uint8_t>(random.In(0, 4));
  op.in.ppu.neg = random.Flip();
  SetSteps(p, random, PpuReg::kas0, op.in.ppu.a_mem, a_bits);
  SetSteps(p, random, PpuReg::kbs0, op.in.ppu.b_mem, b_bits);
  Finish(p, random, op);
}

void SetAlign(ProgramBuilder& p, Random& random, PpuReg first, bool multiply) {
  p.SetAll(first, {multiply ? 0 : random.In(0, 17), multiply, random.In(1 << 15, (1 << 16) - 1),
                   random.In(0, 4)});
}

// NUMERICS.md section 5: one operand shifted, the other multiplied; or both multiplied.
void Add(ProgramBuilder& p, Random& random, bool two_stages) {
  Operation op{Opcode::kEadd, {}, 8};
  Begin(p, random, op.d_bits);
  const bool both = random.In(0, 4) == 0;
  const bool a_larger = random.Flip();
  SetAlign(p, random, PpuReg::kalsh, both || !a_larger);
  SetAlign(p, random, PpuReg::kblsh, both || a_larger);
  p.Set(PpuReg::ks1bits, two_stages ? 16 : 0).Set(PpuReg::ks1shift, random.In(0, 8));
  op.in.ppu.sub = random.Flip();
  TwoOperands(p, random, op, {4, 8}, false);
}

void Multiply(ProgramBuilder& p, Random& random) {
  Operation op{Opcode::kEmul, {}, random.Pick<int64_t>({8, 16, 32})};
  Begin(p, random, op.d_bits);
  TwoOperands(p, random, op, {4, 8, 16}, random.Flip() && p.config().acc_bits <= 24);
}

// Windows of a c1 x c2 map with pads; c0 channels, c3 maps.
void Pool(ProgramBuilder& p, Random& random, Opcode opcode) {
  Operation op{opcode, {}, 8};
  const bool sum = opcode == Opcode::kPsum;
  if (!sum) op.d_bits = random.Pick<int64_t>({8, 16, 32});
  Begin(p, random, op.d_bits);
  int64_t bits = 0;
  op.in.ppu.a_mem = SetOperand(p, random, 'a', true, {4, 8, 16}, bits);
  const int64_t unit = op.in.ppu.a_mem == Memory::kAcc ? 1 : bits;
  const int64_t channels = 2, width = random.In(3, 5), height = random.In(2, 4);
  const int64_t xm = random.In(1, 2), r0 = random.In(2, 3), left = random.In(0, 1);
  const int64_t ym = random.In(1, 2), r1 = random.In(2, 3), top = random.In(0, 1);
  const int64_t pixel = unit * channels, row = pixel * width;
  // Room in front for the pads, which are not read.
  op.in.ppu.a_base = op.in.ppu.a_mem == Memory::kAcc ? 64 : 512;
  op.in.ppu.a_base -=
      static_cast<uint32_t>((left * pixel + top * row) / (op.in.ppu.a_mem == Memory::kAcc ? 1 : 8));
  p.SetAll(PpuReg::kas0, {unit, xm * pixel, ym * row, row * height, pixel, row});
  p.SetAll(PpuReg::kx0, {-left, xm, 1, width}).SetAll(PpuReg::ky0, {-top, ym, 1, height});
  // Up to the last window that still holds a position.
  const std::vector<int64_t> count = {2,
                                      random.In(1, (width - 1 + left) / xm + 1),
                                      random.In(1, (height - 1 + top) / ym + 1),
                                      random.In(1, 2),
                                      r0,
                                      r1};
  p.SetAll(PpuReg::kc0, count).Set(PpuReg::kdbits, op.d_bits).Set(PpuReg::kpstr, 1);
  const int64_t out = op.d_bits;
  p.SetAll(PpuReg::kds0, {out, 2 * out, 2 * out * count[1], 2 * out * count[1] * count[2]});
  op.in.opcode = opcode;
  op.in.queue = isa::Queue::kPpu;
  op.in.ppu.d_base = kD;
  op.in.ppu.mode = static_cast<uint8_t>(random.In(0, 4));
  p.Emit(op.in);
  // The next operation has no window: r0 and r1 are 1 again.
  p.Set(PpuReg::kr0, 1).Set(PpuReg::kr1, 1);
  p.StoreBytes(kResult, kD, kDBytes);
}

void Lookup(ProgramBuilder& p, Random& random) {
  Operation op{Opcode::kLut, {}, random.Pick<int64_t>({8, 16, 32})};
  Begin(p, random, op.d_bits);
  std::vector<int32_t> table;
  for (int i = 0; i < 257; ++i) table.push_back(static_cast<int32_t>(random.In(-70000, 70000)));
  const int number = static_cast<int>(random.In(0, 1));
  p.LoadTable(table, static_cast<uint32_t>(number * 257));
  const int64_t k = random.In(0, 6), segments = random.In(1, 256);
  const int64_t low = random.In(-4000, 100);
  p.SetAll(PpuReg::ktlow, {low, low + random.In(0, segments << k), k, segments, random.Flip()});
  int64_t bits = 0;
  op.in.ppu.a_mem = SetOperand(p, random, 'a', true, {4, 8, 16, 32}, bits);
  op.in.ppu.a_base = kA;
  op.in.ppu.table = static_cast<uint8_t>(number);
  SetSteps(p, random, PpuReg::kas0, op.in.ppu.a_mem, bits);
  Finish(p, random, op);
}

}  // namespace

std::vector<ContractCase> PpuCases() {
  const auto add = [](bool two) { return [=](ProgramBuilder& p, Random& r) { Add(p, r, two); }; };
  const auto pool = [](Opcode op) { return [=](ProgramBuilder& p, Random& r) { Pool(p, r, op); }; };
  return {{"RqScalesToEveryContainer", Requantise, {}, 40},
          {"EaddInOneStage", add(false), {}, 25},
          {"EaddInTwoStages", add(true), {}, 25},
          {"EmulMultiplies", Multiply, {}, 25},
          {"EmulMultipliesAccumulators", Multiply, {{"acc_bits", "24", ""}}, 25},
          {"PmaxLeavesOutWhatIsOutside", pool(Opcode::kPmax), {}, 25},
          {"PsumLeavesOutWhatIsOutside", pool(Opcode::kPsum), {}, 25},
          {"LutInterpolatesOrTakesTheNearest", Lookup, {}, 30}};
}

}  // namespace bw::contract
