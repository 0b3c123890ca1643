#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/isa/operation.h"

namespace bw::isa {
namespace {

using ::testing::HasSubstr;

TEST(Ppu, RegistersWithoutEffectAreNotLookedAt) {
  Operation s = PpuOf(Opcode::kRq);
  s.Set(PpuReg::kbbits, 0).Set(PpuReg::kr0, 0).Set(PpuReg::kas0, 3).Set(PpuReg::kxlim, 0);
  EXPECT_EQ(PpuMessage(s), "no error");
  const auto made = MakePpu(s.instruction, s.registers, SmallConfig());
  EXPECT_EQ(made->count[4], 1);
  EXPECT_EQ(made->a_stride[0], 0);
  EXPECT_EQ(made->xlim, 1);
}

TEST(Ppu, NamesWhatIsWrong) {
  Operation s = PpuOf(Opcode::kRq).Set(PpuReg::kc0, 4).Set(PpuReg::kas0, 8).Set(PpuReg::kds0, 8);
  s.Set(PpuReg::kpstr, 1);
  s.instruction.ppu.param = 13;
  EXPECT_EQ(PpuMessage(s),
            "param: 13 reaches entries 13..16 of the parameter memory, which has 0..15\n");
  s.instruction.ppu.param = 12;
  s.instruction.ppu.mode = static_cast<uint8_t>(arith::Rounding::kDouble);
  EXPECT_EQ(PpuMessage(s), "mode: double is not among ppu.modes of this hardware\n");
  s.instruction.ppu.mode = 0;
  EXPECT_EQ(PpuMessage(s.Set(PpuReg::kds0, 0)),
            "ppu.ds0..3: two results would be written to the same place\n");
  s.instruction.ppu.a_mem = Memory::kAcc;
  s.instruction.ppu.a_base = 50;
  s.Set(PpuReg::kds0, 8).Set(PpuReg::kas0, 5);
  EXPECT_EQ(PpuMessage(s),
            "a_base: 50 reaches entries 50..65 of the accumulators, which has "
            "0..63\n");
}

TEST(Ppu, ZeroPointsNeedHardwareThatHasThem) {
  Operation s = PpuOf(Opcode::kRq).Set(PpuReg::kazp, 3);
  hwconfig::HwConfig config = SmallConfig();
  EXPECT_TRUE(MakePpu(s.instruction, s.registers, config).ok());
  config.ppu_zero_point = false;
  const auto made = MakePpu(s.instruction, s.registers, config);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(ToString(made.errors()),
            "ppu.azp: 3, but this hardware has no zero points (ppu.zero_point: false)\n");
}

TEST(Ppu, WidthsThatLeaveTheArithmeticAreErrors) {
  Operation mul = PpuOf(Opcode::kEmul).Set(PpuReg::kabits, 32).Set(PpuReg::kbbits, 32);
  EXPECT_EQ(PpuMessage(mul), "no error");
  EXPECT_EQ(PpuMessage(mul.Set(PpuReg::kazp, 1)),
            "ppu.abits, ppu.bbits: operands of 33 and 32 bits; their product has 64 at most\n");

  Operation add = PpuOf(Opcode::kEadd).Set(PpuReg::kabits, 32).Set(PpuReg::kalsh, 31);
  EXPECT_EQ(PpuMessage(add), "ppu.alsh: 31 makes the operand 63 bits wide, more than 62\n");
  add.Set(PpuReg::kalsh, 20).Set(PpuReg::kamul, 1).Set(PpuReg::kam, 0x7fffffff);
  EXPECT_EQ(PpuMessage(add), "ppu.ashift: 0 makes the operand 84 bits wide, more than 62\n");
  EXPECT_EQ(PpuMessage(add.Set(PpuReg::kashift, 31)), "no error");

  Operation sum = PpuOf(Opcode::kPsum).Set(PpuReg::kabits, 32);
  sum.Set(PpuReg::kr0, 1 << 20).Set(PpuReg::kr1, 1 << 20);
  EXPECT_EQ(PpuMessage(sum),
            "ppu.r0, ppu.r1: a window of 1048576 x 1048576 positions; at most 16777216\n");
  sum.Set(PpuReg::kr0, 1 << 12).Set(PpuReg::kr1, 1 << 12).Set(PpuReg::kabits, 32);
  sum.instruction.ppu.a_mem = Memory::kAcc;
  hwconfig::HwConfig wide = SmallConfig();
  wide.acc_bits = 47;
  const auto made = MakePpu(sum.instruction, sum.registers, wide);
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(ToString(made.errors()),
              HasSubstr("ppu.r0, ppu.r1: the sum of 4096 x 4096 values is up to 73 bits wide"));
}

TEST(Ppu, LookupsStayInTheirTable) {
  Operation s = PpuOf(Opcode::kLut).Set(PpuReg::ktlow, -8).Set(PpuReg::kthigh, 7);
  s.Set(PpuReg::ktseg, 16);
  EXPECT_EQ(PpuMessage(s), "no error");
  EXPECT_EQ(PpuMessage(s.Set(PpuReg::kthigh, 9)),
            "ppu.thigh: keys -8..9 in steps of 2^0 need more than 16 segments\n");
  EXPECT_EQ(PpuMessage(s.Set(PpuReg::kthigh, 7).Set(PpuReg::ktseg, 17)),
            "ppu.tseg: 17 is outside 1..16\n");
  s.Set(PpuReg::ktseg, 16);
  s.instruction.ppu.table = 2;
  EXPECT_EQ(PpuMessage(s), "table: 2 reaches entries 2..2 of the lookup tables, which has 0..1\n");
}

TEST(Ppu, AMaximumNeedsAPosition) {
  Operation s = PpuOf(Opcode::kPmax).Set(PpuReg::kc1, 3).Set(PpuReg::kr0, 2);
  s.Set(PpuReg::kx0, 0).Set(PpuReg::kxm, 2).Set(PpuReg::kxr, 1).Set(PpuReg::kxlim, 5);
  s.Set(PpuReg::kas0, 8, 1).Set(PpuReg::kas0, 8, 4).Set(PpuReg::kds1, 8);
  EXPECT_EQ(PpuMessage(s), "no error");
  EXPECT_EQ(PpuMessage(s.Set(PpuReg::kxlim, 4)),
            "ppu.xlim, ppu.ylim: a window lies outside as a whole and has no maximum\n");
}

TEST(PpuParam, RoundTripsThroughItsBytes) {
  const PpuParam param{0x7fffffff, 33193, -128, -32768, 2147483647, 62, -15};
  uint8_t bytes[kPpuParamBytes];
  WritePpuParam(param, bytes);
  const PpuParam back = ReadPpuParam(bytes);
  EXPECT_EQ(back.m, param.m);
  EXPECT_EQ(back.m2, param.m2);
  EXPECT_EQ(back.zp, param.zp);
  EXPECT_EQ(back.lo, param.lo);
  EXPECT_EQ(back.hi, param.hi);
  EXPECT_EQ(back.s, param.s);
  EXPECT_EQ(back.s2, param.s2);
  EXPECT_EQ(bytes[0], 0xff);
  EXPECT_EQ(bytes[8], 0x80);  // little endian, zp at byte 8
  EXPECT_EQ(bytes[20], 62);
  EXPECT_EQ(bytes[23], 0);
  bytes[3] = 0x80;  // m = 2^31 and more
  EXPECT_FALSE(IsValid(ReadPpuParam(bytes)));
}

}  // namespace
}  // namespace bw::isa
