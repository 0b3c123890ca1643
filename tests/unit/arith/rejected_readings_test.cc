// Readings of the source methods that NUMERICS.md rejects, with the numbers that they give on the
// worked example. They live here alone: each shows that the example tells the reading apart.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "models/arith/eltwise.h"
#include "models/arith/quantise.h"
#include "models/arith/requantise.h"

namespace bw::arith {
namespace {

using ::testing::ElementsAre;

constexpr double kSa = 0.5348 / 127;
constexpr double kSb = 0.7731 / 127;
constexpr double kMulSo = 0.20568408 / 127;
constexpr double kAddSo = 0.9642 / 127;
constexpr int64_t kQa[] = {127, 45, 19};
constexpr int64_t kQb[] = {63, 127, 2};
constexpr Rounding kUp = Rounding::kHalfUp;

uint32_t FloatWord(double r) {
  const auto f = static_cast<float>(r);
  uint32_t word = 0;
  std::memcpy(&word, &f, sizeof word);
  return word;
}

int UnbiasedExponent(double r) { return static_cast<int>(FloatWord(r) >> 23) - 127; }

FixedScale WithoutHiddenOne(double r) {
  return {(FloatWord(r) & 0x7FFFFF) >> 8, 15 - UnbiasedExponent(r)};
}

// Bits 8..23 of the float32: bit 23 is the lowest bit of the exponent.
FixedScale ExponentBitLeaksIn(double r) {
  return {(FloatWord(r) >> 8) & 0xFFFF, 15 - UnbiasedExponent(r)};
}

using Decomposer = FixedScale (*)(double);

std::vector<int64_t> Multiply(const FixedScale& scale, Rounding mode = kUp) {
  std::vector<int64_t> y;
  for (int i = 0; i < 3; ++i) {
    y.push_back(Requantise(kQa[i] * kQb[i], MakeRequant(scale, 0, -127, 127), mode));
  }
  return y;
}

std::vector<int64_t> AddInOneStage(Decomposer decompose) {
  const double s0 = kSb / 32768;
  EltwiseAdd add;
  const FixedScale align = decompose(kSa / s0);
  add.a = {0, 0, align.m, align.s, true};
  add.b.left_shift = 15;
  const Requant out = MakeRequant(decompose(s0 / kAddSo), 0, -127, 127);
  std::vector<int64_t> y;
  for (int i = 0; i < 3; ++i) {
    y.push_back(Requantise(AddAligned(kQa[i], kQb[i], add, kUp), out, kUp));
  }
  return y;
}

std::vector<int64_t> AddInTwoStages(int s1) {
  EltwiseAddPlan plan = MakeEltwiseAdd(kSa, kSb, kAddSo, 8, 15, true, 16, 16, ScaleRule::kNearest);
  plan.add.stage1_shift = s1;
  const FixedScale out = Decompose(std::ldexp(plan.ratio, s1), 16, ScaleRule::kNearest);
  std::vector<int64_t> y;
  for (int i = 0; i < 3; ++i) {
    y.push_back(
        Requantise(AddAligned(kQa[i], kQb[i], plan.add, kUp), MakeRequant(out, 0, -127, 127), kUp));
  }
  return y;
}

constexpr double kMulRatio = kSa * kSb / kMulSo;

TEST(RejectedReading, FractionWithoutTheHiddenOne) {
  EXPECT_THAT(Multiply(WithoutHiddenOne(kMulRatio)), ElementsAre(2, 1, 0));
  EXPECT_THAT(AddInOneStage(WithoutHiddenOne), ElementsAre(26, 41, 2));
}

TEST(RejectedReading, BiasedExponentShiftsByMinus106) {
  EXPECT_EQ(15 - static_cast<int>(FloatWord(kMulRatio) >> 23), -106);
}

TEST(RejectedReading, LowestExponentBitLeaksIn) {
  // The exponent of the example's ratio happens to be odd, so that its bit looks like the hidden
  // one.
  EXPECT_THAT(Multiply(ExponentBitLeaksIn(kMulRatio)), ElementsAre(127, 90, 1));
  const double doubled = 2 * kMulSo;
  const double ratio = kSa * kSb / doubled;
  EXPECT_THAT(Multiply(ExponentBitLeaksIn(ratio)), ElementsAre(1, 1, 0));
  EXPECT_THAT(Multiply(Decompose(ratio, 16, ScaleRule::kNearest)), ElementsAre(63, 45, 0));
  EXPECT_THAT(Multiply(Decompose(ratio, 16, ScaleRule::kBits)), ElementsAre(63, 45, 0));
}

TEST(RejectedReading, PrintedStageOneShiftIsAlwaysZero) {
  const double ratio = kSb / 32768 / kAddSo;
  for (double ro : {ratio, 1e-6, 0.5, 255.0}) {
    EXPECT_LE(std::floor(std::log2(ro / 256)), -1);  // clipped to 0
  }
  EXPECT_THAT(AddInTwoStages(0), ElementsAre(1, 1, 1));
}

TEST(RejectedReading, StageOneShiftOneSmaller) {
  EXPECT_THAT(AddInTwoStages(8), ElementsAre(121, 127, 12));
  EXPECT_THAT(AddInTwoStages(7), ElementsAre(103, 103, 12));
}

TEST(RejectedReading, FloorInTheLastStep) {
  const FixedScale mul = Decompose(kMulRatio, 16, ScaleRule::kNearest);
  EXPECT_THAT(Multiply(mul, Rounding::kFloor), ElementsAre(126, 90, 0));
  for (bool two_stage : {false, true}) {
    const EltwiseAddPlan plan =
        MakeEltwiseAdd(kSa, kSb, kAddSo, 8, 15, two_stage, 16, 16, ScaleRule::kNearest);
    std::vector<int64_t> y;
    for (int i = 0; i < 3; ++i) {
      y.push_back(Requantise(AddAligned(kQa[i], kQb[i], plan.add, kUp),
                             MakeRequant(plan.out.scale, 0, -127, 127), Rounding::kFloor));
    }
    EXPECT_THAT(y, ElementsAre(120, 126, 12)) << two_stage;
  }
}

TEST(RejectedReading, RescalingEachOperandBeforeTheAdd) {
  const FixedScale a = Decompose(kSa / kAddSo, 16, ScaleRule::kNearest);
  const FixedScale b = Decompose(kSb / kAddSo, 16, ScaleRule::kNearest);
  const auto last = [&](Rounding mode) {
    return Requantise(kQa[2], MakeRequant(a, 0, -127, 127), mode) +
           Requantise(kQb[2], MakeRequant(b, 0, -127, 127), mode);
  };
  EXPECT_EQ(last(Rounding::kHalfUp), 13);
  EXPECT_EQ(last(Rounding::kHalfAway), 13);
  EXPECT_EQ(last(Rounding::kHalfEven), 13);
  EXPECT_EQ(last(Rounding::kFloor), 11);
  EXPECT_EQ(last(Rounding::kTruncate), 11);
}

}  // namespace
}  // namespace bw::arith
