#include "models/arith/scale.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "tests/unit/arith/oracle_of.h"

namespace bw::arith {
namespace {

using ::testing::HasSubstr;

TEST(Decompose, GivesTheWorkedExamples) {
  const double sa = 0.5348 / 127;
  const double sb = 0.7731 / 127;
  EXPECT_EQ(Decompose(sa * sb / (0.20568408 / 127), 16, ScaleRule::kNearest),
            (FixedScale{33193, 21}));
  EXPECT_EQ(Decompose(sa / (sb / 32768), 16, ScaleRule::kNearest), (FixedScale{45335, 1}));
}

TEST(Decompose, PowersOfTwoHaveTheSmallestMultiplier) {
  for (int bits : {1, 2, 8, 15, 16, 24, 31}) {
    for (int e = -40; e <= 15; ++e) {
      const FixedScale expected{int64_t{1} << (bits - 1), bits - 1 - e};
      EXPECT_EQ(Decompose(std::ldexp(1.0, e), bits, ScaleRule::kNearest), expected) << bits;
      EXPECT_EQ(Decompose(std::ldexp(1.0, e), bits, ScaleRule::kBits), expected) << bits;
    }
  }
}

TEST(Decompose, ZeroGivesZeroMultiplierAndShift) {
  for (ScaleRule rule :
       {ScaleRule::kNearest, ScaleRule::kBits, ScaleRule::kTosa16, ScaleRule::kPow2}) {
    EXPECT_EQ(Decompose(0, 16, rule), (FixedScale{0, 0}));
  }
  EXPECT_EQ(Decompose(1e-60, 16, ScaleRule::kBits), (FixedScale{0, 0}));  // 0 in float32
}

TEST(Decompose, MantissaCarriesToTheNextExponent) {
  for (int bits = 1; bits <= 31; ++bits) {
    const double below_two =
        2 - std::ldexp(1.0, -bits);  // half a step under 2: a tie, which goes up
    EXPECT_EQ(Decompose(below_two, bits, ScaleRule::kNearest),
              (FixedScale{int64_t{1} << (bits - 1), bits - 2}));
    EXPECT_EQ(Decompose(std::nextafter(below_two, 0.0), bits, ScaleRule::kNearest),
              (FixedScale{(int64_t{1} << bits) - 1, bits - 1}));
    if (bits < 24) {  // truncation never carries
      EXPECT_EQ(Decompose(below_two, bits, ScaleRule::kBits),
                (FixedScale{(int64_t{1} << bits) - 1, bits - 1}));
    }
  }
}

TEST(Decompose, BitsRoundsToFloat32FirstThenTruncates) {
  // Beyond the largest float32 below 2 by more than half its step: float32 gives 2 itself.
  const double near_two = 2 - std::ldexp(1.0, -26);
  EXPECT_EQ(Decompose(near_two, 16, ScaleRule::kBits), (FixedScale{32768, 14}));
  // From the bits of the float32 itself: hidden one, then the high 15 bits of the fraction.
  Random random(4);
  for (int i = 0; i < 100000; ++i) {
    const auto r = static_cast<float>(random.Scale(-40, 10));
    uint32_t word = 0;
    std::memcpy(&word, &r, sizeof word);
    const int64_t m = (1 << 15) + static_cast<int64_t>((word & 0x7FFFFF) / 256);
    const int unbiased = static_cast<int>(word / 0x800000) - 127;
    ASSERT_EQ(Decompose(r, 16, ScaleRule::kBits), (FixedScale{m, 15 - unbiased})) << r;
  }
}

// |m * 2^-s - r| in steps of 2^-s, exactly.
double StepsOff(double r, const FixedScale& scale) {
  return static_cast<double>(scale.m) - std::ldexp(r, scale.s);
}

TEST(Decompose, IsNormalisedAndWithinHalfAStep) {
  Random random(5);
  for (int i = 0; i < 2000000; ++i) {
    const int bits = static_cast<int>(random.Between(8, 31));
    const double r = random.Scale(-60, 40);
    const FixedScale nearest = Decompose(r, bits, ScaleRule::kNearest);
    ASSERT_GE(nearest.m, int64_t{1} << (bits - 1)) << r;
    ASSERT_LT(nearest.m, int64_t{1} << bits) << r;
    const double off = StepsOff(r, nearest);
    ASSERT_GT(off, -0.5) << r << " " << bits;
    ASSERT_LE(off, 0.5) << r << " " << bits;
    if (i % 8 != 0) continue;
    const FixedScale truncated = Decompose(r, bits, ScaleRule::kBits);
    ASSERT_GE(truncated.m, int64_t{1} << (bits - 1)) << r;
    ASSERT_LT(truncated.m, int64_t{1} << bits) << r;
    const double below = StepsOff(static_cast<float>(r), truncated);
    ASSERT_GT(below, -1) << r;
    ASSERT_LE(below, 0) << r;
  }
}

TEST(Decompose, IsMonotone) {
  Random random(6);
  for (int i = 0; i < 500000; ++i) {
    const double r = random.Scale(-20, 4);
    const double above = r * (1 + random.Unit() * 1e-4);
    for (ScaleRule rule : {ScaleRule::kNearest, ScaleRule::kBits, ScaleRule::kTosa16}) {
      ASSERT_LE(Decompose(r, 15, rule).ToReal(), Decompose(above, 15, rule).ToReal()) << r;
    }
  }
}

TEST(Decompose, SubnormalsAreNormalisedToo) {
  const double smallest = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(Decompose(smallest, 16, ScaleRule::kNearest), (FixedScale{32768, 15 + 1074}));
  EXPECT_EQ(Decompose(3 * smallest, 16, ScaleRule::kNearest), (FixedScale{49152, 15 + 1073}));
  const float small_float = std::numeric_limits<float>::denorm_min() * 5;
  EXPECT_EQ(Decompose(small_float, 16, ScaleRule::kBits), (FixedScale{40960, 15 + 147}));
}

TEST(Decompose, Tosa16RoundsTheRoundedMultiplier) {
  EXPECT_EQ(Decompose(1.0, 31, ScaleRule::kTosa16), (FixedScale{16384, 14}));
  // 31-bit multipliers on both sides of the limit; none carries.
  const auto from31 = [](int64_t m31) {
    return Decompose(std::ldexp(static_cast<double>(m31), -30), 15, ScaleRule::kTosa16);
  };
  EXPECT_EQ(from31(0x7FFEFFFF), (FixedScale{0x7FFF, 14}));
  EXPECT_EQ(from31(0x7FFF0000), (FixedScale{0x7FFF, 14}));
  EXPECT_EQ(from31(0x7FFFFFFF), (FixedScale{0x7FFF, 14}));
  EXPECT_EQ(from31(0x40007FFF), (FixedScale{0x4000, 14}));
  EXPECT_EQ(from31(0x40008000), (FixedScale{0x4001, 14}));
  // Twice rounded: 15 bits at once would go down, the 31-bit rounding makes it a tie, which goes
  // up.
  const double twice = std::ldexp(0x40008000 - 0.25, -30);
  EXPECT_EQ(Decompose(twice, 15, ScaleRule::kNearest), (FixedScale{0x4000, 14}));
  EXPECT_EQ(Decompose(twice, 15, ScaleRule::kTosa16), (FixedScale{0x4001, 14}));
}

TEST(Decompose, Pow2TakesTheNearestMantissa) {
  EXPECT_EQ(Decompose(1.4999999, 16, ScaleRule::kPow2), (FixedScale{1, 0}));
  EXPECT_EQ(Decompose(1.5, 16, ScaleRule::kPow2), (FixedScale{1, -1}));
  EXPECT_EQ(Decompose(0.3, 16, ScaleRule::kPow2), (FixedScale{1, 2}));
  EXPECT_EQ(Decompose(0.375, 16, ScaleRule::kPow2), (FixedScale{1, 1}));
}

TEST(DecomposeWithin, TakesEveryShiftUpToTheLimits) {
  const ScaleLimits limits{20, 3};
  const auto status = [&](int e) {
    return DecomposeWithin(std::ldexp(1.25, e), 16, ScaleRule::kNearest, limits);
  };
  EXPECT_EQ(status(-5).status, ScaleStatus::kOk);  // s = 15 + 5
  EXPECT_EQ(status(-5).scale, (FixedScale{40960, 20}));
  EXPECT_EQ(status(-6).status, ScaleStatus::kVanished);
  EXPECT_EQ(status(-6).scale, (FixedScale{0, 0}));
  EXPECT_EQ(status(18).status, ScaleStatus::kOk);  // s = 15 - 18
  EXPECT_EQ(status(18).scale, (FixedScale{40960, -3}));
  EXPECT_EQ(status(19).status, ScaleStatus::kTooLarge);
  EXPECT_TRUE(status(-6).usable());
  EXPECT_FALSE(status(19).usable());
  EXPECT_EQ(DecomposeWithin(0, 16, ScaleRule::kNearest, limits).status, ScaleStatus::kOk);
}

TEST(DecomposeWithin, NamesTheSmallestOutputScaleThatFits) {
  const ScaleLimits limits{62, 15};
  for (ScaleRule rule :
       {ScaleRule::kNearest, ScaleRule::kBits, ScaleRule::kTosa16, ScaleRule::kPow2}) {
    const double numerator = 3.7;
    const double so = 1e-12;
    const ScaleDecision decision = DecomposeWithin(numerator / so, 16, rule, limits);
    ASSERT_EQ(decision.status, ScaleStatus::kTooLarge) << ToString(rule);
    const double smallest = decision.SmallestOutputScale(so);
    EXPECT_EQ(DecomposeWithin(numerator / smallest, 16, rule, limits).status, ScaleStatus::kOk);
    EXPECT_EQ(DecomposeWithin(numerator / (smallest / 1.6), 16, rule, limits).status,
              ScaleStatus::kTooLarge);
    EXPECT_EQ(DecomposeWithin(decision.largest, 16, rule, limits).scale.ToReal(), decision.largest);
  }
}

TEST(DecomposeWithin, RefusesWhatIsNotAScale) {
  for (double r : {-1.0, -1e-300, std::numeric_limits<double>::infinity(), std::nan("")}) {
    const ScaleDecision decision = DecomposeWithin(r, 16, ScaleRule::kNearest, {});
    EXPECT_EQ(decision.status, ScaleStatus::kInvalid) << r;
    EXPECT_FALSE(decision.usable());
  }
  EXPECT_EQ(DecomposeWithin(1e300, 16, ScaleRule::kBits, {}).status, ScaleStatus::kTooLarge);
}

TEST(DecomposeWithin, ExplainsInWords) {
  EXPECT_EQ(DecomposeWithin(0.5, 16, ScaleRule::kNearest, {}).Explain(), "");
  EXPECT_EQ(DecomposeWithin(1e-20, 16, ScaleRule::kNearest, {}).Explain(),
            "scale 1e-20 needs a right shift of 82, more than the 62 of ppu.shift_max: taken as 0");
  EXPECT_EQ(DecomposeWithin(3e10, 16, ScaleRule::kNearest, {}).Explain(),
            "scale 3e+10 needs a left shift of 19, more than the 15 of ppu.left_shift_max; the "
            "largest scale that fits is 2.14745088e+09");
  EXPECT_THAT(DecomposeWithin(-2, 16, ScaleRule::kNearest, {}).Explain(), HasSubstr("scale -2"));
}

TEST(ScaleRule, NamesRoundTrip) {
  for (ScaleRule rule :
       {ScaleRule::kNearest, ScaleRule::kBits, ScaleRule::kTosa16, ScaleRule::kPow2}) {
    EXPECT_EQ(ParseScaleRule(ToString(rule)), rule);
  }
  EXPECT_EQ(ParseScaleRule("Nearest"), std::nullopt);
}

}  // namespace
}  // namespace bw::arith
