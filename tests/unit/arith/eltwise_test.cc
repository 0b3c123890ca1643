// The worked example of NUMERICS.md section 5 with every intermediate value, and the claims that
// the text makes about the two stages.
#include "models/arith/eltwise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "models/arith/quantise.h"
#include "tests/unit/arith/oracle_of.h"

namespace bw::arith {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;

constexpr double kLhs[] = {0.5348, 0.1911, 0.0784};
constexpr double kRhs[] = {0.3846, 0.7731, 0.0100};
constexpr double kMulSo = 0.20568408 / 127;
constexpr double kAddSo = 0.9642 / 127;
constexpr Rounding kUp = Rounding::kHalfUp;

std::vector<int64_t> QuantiseAll(const double (&real)[3], double s) {
  std::vector<int64_t> q;
  for (double f : real) q.push_back(QuantiseReal(f, s, 0, -127, 127));
  return q;
}

struct Example {
  double sa = ScaleFromMaxAbs(0.5348, 8);
  double sb = ScaleFromMaxAbs(0.7731, 8);
  std::vector<int64_t> qa = QuantiseAll(kLhs, sa);
  std::vector<int64_t> qb = QuantiseAll(kRhs, sb);

  EltwiseAddPlan Plan(bool two_stage) const {
    return MakeEltwiseAdd(sa, sb, kAddSo, 8, 15, two_stage, 16, 16, ScaleRule::kNearest);
  }
  std::vector<int64_t> Aligned(const EltwiseAddPlan& plan, Rounding mode) const {
    std::vector<int64_t> sums;
    for (size_t i = 0; i < 3; ++i) sums.push_back(AddAligned(qa[i], qb[i], plan.add, mode));
    return sums;
  }
  std::vector<int64_t> Products() const {
    std::vector<int64_t> products;
    for (size_t i = 0; i < 3; ++i) products.push_back(MulOperands(qa[i], qb[i], 0, 0));
    return products;
  }
};

std::vector<int64_t> RequantiseAll(const std::vector<int64_t>& x, const FixedScale& scale,
                                   Rounding mode = kUp) {
  std::vector<int64_t> y;
  for (int64_t v : x) y.push_back(Requantise(v, MakeRequant(scale, 0, -127, 127), mode));
  return y;
}

std::vector<double> DequantiseAll(const std::vector<int64_t>& q, double s) {
  std::vector<double> real;
  for (int64_t v : q) real.push_back(Dequantise(v, s));
  return real;
}

TEST(WorkedExample, ScalesAndQuantisedOperands) {
  const Example e;
  EXPECT_EQ(e.sa, 0.004211023622047245);
  EXPECT_EQ(e.sb, 0.00608740157480315);
  EXPECT_THAT(e.qa, ElementsAre(127, 45, 19));
  EXPECT_THAT(e.qb, ElementsAre(63, 127, 2));
}

TEST(WorkedExample, Multiply) {
  const Example e;
  const ScaleDecision out = MakeEltwiseMul(e.sa, e.sb, kMulSo, 16, ScaleRule::kNearest);
  EXPECT_EQ(out.status, ScaleStatus::kOk);
  EXPECT_EQ(out.scale, (FixedScale{33193, 21}));
  EXPECT_THAT(e.Products(), ElementsAre(8001, 5715, 38));
  const auto y = RequantiseAll(e.Products(), out.scale);
  EXPECT_THAT(y, ElementsAre(127, 90, 1));
  EXPECT_THAT(DequantiseAll(y, kMulSo),
              Pointwise(DoubleNear(5e-9), {0.20568408, 0.14576037, 0.00161956}));
}

TEST(WorkedExample, AddAlignsTheOperandWithTheSmallerScale) {
  const Example e;
  const EltwiseAddPlan plan = e.Plan(false);
  EXPECT_EQ(plan.align.scale, (FixedScale{45335, 1}));
  EXPECT_TRUE(plan.add.a.multiply);
  EXPECT_EQ(plan.add.a.m, 45335);
  EXPECT_EQ(plan.add.a.s, 1);
  EXPECT_EQ(plan.add.a.left_shift, 0);
  EXPECT_FALSE(plan.add.b.multiply);
  EXPECT_EQ(plan.add.b.left_shift, 15);
  std::vector<int64_t> lhs;
  std::vector<int64_t> rhs;
  for (int64_t q : e.qa) lhs.push_back(Align(q, plan.add.a, kUp));
  for (int64_t q : e.qb) rhs.push_back(Align(q, plan.add.b, kUp));
  EXPECT_THAT(lhs, ElementsAre(2878773, 1020038, 430683));
  EXPECT_THAT(rhs, ElementsAre(2064384, 4161536, 65536));
  EXPECT_THAT(e.Aligned(plan, kUp), ElementsAre(4943157, 5181574, 496219));
}

TEST(WorkedExample, AddInOneStage) {
  const Example e;
  EXPECT_EQ(kAddSo, 0.007592125984251968);
  const EltwiseAddPlan plan = e.Plan(false);
  EXPECT_EQ(plan.add.stage1_bits, 0);
  EXPECT_EQ(plan.out.scale, (FixedScale{52547, 31}));
  const auto y = RequantiseAll(e.Aligned(plan, kUp), plan.out.scale);
  EXPECT_THAT(y, ElementsAre(121, 127, 12));
  EXPECT_THAT(DequantiseAll(y, kAddSo),
              Pointwise(DoubleNear(5e-9), {0.91864724, 0.96420000, 0.09110551}));
}

TEST(WorkedExample, AddInTwoStages) {
  const Example e;
  const EltwiseAddPlan plan = e.Plan(true);
  EXPECT_EQ(plan.add.stage1_bits, 16);
  EXPECT_EQ(plan.add.stage1_shift, 8);
  EXPECT_EQ(plan.out.scale, (FixedScale{52547, 23}));
  EXPECT_THAT(e.Aligned(plan, kUp), ElementsAre(19309, 20241, 1938));
  EXPECT_THAT(RequantiseAll(e.Aligned(plan, kUp), plan.out.scale), ElementsAre(121, 127, 12));
}

TEST(EltwiseAdd, OperandOrderDoesNotMatter) {
  const Example e;
  const EltwiseAddPlan swapped =
      MakeEltwiseAdd(e.sb, e.sa, kAddSo, 8, 15, false, 16, 16, ScaleRule::kNearest);
  EXPECT_FALSE(swapped.add.a.multiply);
  EXPECT_TRUE(swapped.add.b.multiply);
  EXPECT_EQ(swapped.out.scale, e.Plan(false).out.scale);
  EXPECT_EQ(AddAligned(63, 127, swapped.add, kUp), 4943157);
}

TEST(EltwiseAdd, EqualScalesAlignExactly) {
  for (int base_shift : {15, 16, 17}) {
    const EltwiseAddPlan plan = MakeEltwiseAdd(0.1, 0.1, 0.2, 8, base_shift, false, 16,
                                               base_shift + 1, ScaleRule::kNearest);
    EXPECT_GE(plan.align.scale.s, 0);
    for (int64_t q = -128; q <= 127; ++q) {
      EXPECT_EQ(AddAligned(q, -q, plan.add, kUp), 0);
      EXPECT_EQ(AddAligned(q, q, plan.add, kUp), 2 * q * (1 << base_shift));
    }
  }
}

TEST(EltwiseAdd, SubtractsWithZeroPoints) {
  EltwiseAddPlan plan = MakeEltwiseAdd(0.5, 0.25, 1, 8, 15, false, 16, 16, ScaleRule::kNearest);
  plan.add.a.zp = 3;
  plan.add.b.zp = -5;
  plan.add.subtract = true;
  // (10 - 3) * 0.5 - (7 + 5) * 0.25 = 0.5 in steps of 0.5 / 2^15.
  EXPECT_EQ(AddAligned(10, 7, plan.add, kUp), 32768);
  EXPECT_EQ(MulOperands(10, 7, 3, -5), 84);
}

TEST(EltwiseAdd, AlignedOperandsAndSumHaveTheStatedWidths) {
  Random random(11);
  for (int i = 0; i < 20000; ++i) {
    const double sa = random.Scale(-12, 0);
    const double sb = random.Scale(-12, 0);
    const EltwiseAddPlan plan =
        MakeEltwiseAdd(sa, sb, random.Scale(-12, 0), 8, 15, false, 16, 16, ScaleRule::kNearest);
    ASSERT_GE(plan.align.scale.s, 0);
    for (int64_t qa : {-127, 127}) {
      for (int64_t qb : {-127, 127}) {
        ASSERT_LE(std::abs(Align(qa, plan.add.a, kUp)), 127 << 15);  // int23
        ASSERT_LE(std::abs(Align(qb, plan.add.b, kUp)), 127 << 15);
        ASSERT_LE(std::abs(AddAligned(qa, qb, plan.add, kUp)), 127 << 16);  // int24
      }
    }
  }
}

TEST(EltwiseAdd, ReportsScalesThatDoNotFit) {
  EXPECT_EQ(MakeEltwiseAdd(1e-20, 1, 1, 8, 15, false, 16, 16, ScaleRule::kNearest).align.status,
            ScaleStatus::kVanished);
  EXPECT_EQ(MakeEltwiseAdd(1, 1, 1e-20, 8, 15, false, 16, 16, ScaleRule::kNearest).out.status,
            ScaleStatus::kTooLarge);
  EXPECT_EQ(MakeEltwiseMul(1, 1, 1e-20, 16, ScaleRule::kNearest).status, ScaleStatus::kTooLarge);
}

TEST(Stage1Shift, IsTheFormulaForTheDefaults) {
  // clip(floor(-7 - log2(ro)), 0, 8)
  EXPECT_EQ(Stage1Shift(std::ldexp(1.0, -14), 8, 15, 16), 7);
  EXPECT_EQ(Stage1Shift(std::ldexp(1.0001, -14), 8, 15, 16), 6);
  EXPECT_EQ(Stage1Shift(std::ldexp(1.9999, -15), 8, 15, 16), 7);
  EXPECT_EQ(Stage1Shift(std::ldexp(1.0, -15), 8, 15, 16), 8);
  EXPECT_EQ(Stage1Shift(std::ldexp(1.0, -20), 8, 15, 16), 8);
  EXPECT_EQ(Stage1Shift(std::ldexp(1.0, -7), 8, 15, 16), 0);
  EXPECT_EQ(Stage1Shift(1.0, 8, 15, 16), 0);
}

TEST(Stage1Shift, FloorIsExactNextToPowersOfTwo) {
  int floating_log2_is_wrong = 0;
  for (int e = -15; e <= -7; ++e) {
    const double at = std::ldexp(1.0, e);
    EXPECT_EQ(Stage1Shift(at, 8, 15, 16), -7 - e);
    EXPECT_EQ(Stage1Shift(std::nextafter(at, 0.0), 8, 15, 16), std::min(-7 - e, 8));
    const double above = std::nextafter(at, 1.0);
    EXPECT_EQ(Stage1Shift(above, 8, 15, 16), std::max(-8 - e, 0));
    floating_log2_is_wrong += std::floor(-7 - std::log2(above)) != -8 - e;
  }
  EXPECT_GT(floating_log2_is_wrong, 0);  // the reason for taking it from the exponent
}

// 2^s1 * ro > 2^(A-W) wherever the cap does not bite, so a sum that stands for the greatest output
// is below 2^(A-1) * 2^(W-A) = 2^(W-1).
TEST(Stage1Shift, GreatestOutputStaysBelowTheClip) {
  Random random(12);
  int capped = 0;
  for (int i = 0; i < 500000; ++i) {
    const int a = static_cast<int>(random.Between(4, 12));
    const int w = a + static_cast<int>(random.Between(1, 12));
    const int k = static_cast<int>(random.Between(15, 17));
    const int cap = k + a + 1 - w;
    if (cap < 0) continue;
    double ratio = random.Scale(-30, 4);
    if (i % 4 == 0) ratio = std::ldexp(1.0, static_cast<int>(random.Between(-30, 4)));
    const int s1 = Stage1Shift(ratio, a, k, w);
    ASSERT_GE(s1, 0);
    ASSERT_LE(s1, cap);
    const double step = std::ldexp(ratio, s1);  // exact
    if (step > std::ldexp(1.0, a - w)) {
      // And s1 is the least such shift: half of it would do only if s1 is already 0.
      ASSERT_TRUE(s1 == 0 || std::ldexp(ratio, s1 - 1) <= std::ldexp(1.0, a - w)) << ratio;
      continue;
    }
    // The cap bites, which needs so >= 2 * max(sa, sb): ro * 2^K <= 1/2. No sum can then pass it.
    ++capped;
    ASSERT_EQ(s1, cap);
    ASSERT_LE(std::ldexp(ratio, k), 0.5) << ratio;
    const int64_t greatest_sum = 2 * ((int64_t{1} << (a - 1)) - 1) * (int64_t{1} << k);
    ASSERT_LT(RoundShift(greatest_sum, s1, kUp), int64_t{1} << (w - 1));
  }
  EXPECT_GT(capped, 1000);
}

TEST(Stage1Shift, CapBitesExactlyFromTwiceTheLargerScaleOn) {
  const auto wanted_without_cap = [](double ratio) { return Stage1Shift(ratio, 8, 40, 16); };
  for (double larger : {0.004211023622047245, 1.0, 3.7}) {
    const double s0 = larger / 32768;
    EXPECT_EQ(wanted_without_cap(s0 / (2 * larger)), 9);
    EXPECT_EQ(wanted_without_cap(s0 / (1.999 * larger)), 8);
    EXPECT_EQ(Stage1Shift(s0 / (2 * larger), 8, 15, 16), 8);
  }
  EXPECT_EQ(RoundShift(2 * 127 * 32768, 8, kUp), 32512);
}

// Every pair of operands at scales where the clip can bite: wherever it does, the output is at its
// own limit with and without it.
TEST(EltwiseAdd, StageOneClipNeverBitesBeforeTheOutputSaturates) {
  Random random(13);
  int64_t bites = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const double sa = random.Scale(-8, -6);
    const double sb = random.Scale(-8, -6);
    const double so = std::max(sa, sb) * random.Scale(-4, 1);
    const EltwiseAddPlan plan =
        MakeEltwiseAdd(sa, sb, so, 8, 15, true, 16, 16, ScaleRule::kNearest);
    EltwiseAdd open = plan.add;
    open.stage1_bits = 40;
    const Requant out = MakeRequant(plan.out.scale, 0, -127, 127);
    for (int64_t qa = -127; qa <= 127; ++qa) {
      for (int64_t qb = -127; qb <= 127; ++qb) {
        const int64_t clipped = AddAligned(qa, qb, plan.add, kUp);
        const int64_t free = AddAligned(qa, qb, open, kUp);
        if (clipped == free) continue;
        ++bites;
        ASSERT_EQ(std::abs(Requantise(free, out, kUp)), 127) << sa << " " << sb << " " << so;
        ASSERT_EQ(Requantise(clipped, out, kUp), Requantise(free, out, kUp)) << so;
      }
    }
  }
  EXPECT_GT(bites, 1000);
}

TEST(TfliteAdd, AlignsBothOperandsAtTwentyBits) {
  const EltwiseAddPlan plan = MakeTfliteAdd(0.02, 0.03, 0.04, 31, ScaleRule::kNearest);
  EXPECT_EQ(plan.add.a.left_shift, 20);
  EXPECT_EQ(plan.add.b.left_shift, 20);
  EXPECT_TRUE(plan.add.a.multiply && plan.add.b.multiply);
  EXPECT_EQ(plan.align_b.scale, (FixedScale{int64_t{1} << 30, 31}));  // 0.03 / (2 * 0.03)
  EXPECT_NEAR(plan.align.scale.ToReal(), 1.0 / 3, 1e-9);
  EXPECT_NEAR(plan.out.scale.ToReal(), 0.06 / (1048576 * 0.04), 1e-15);
  // 10 * 0.02 + 20 * 0.03 = 0.8 = 20 output steps.
  const int64_t sum = AddAligned(10, 20, plan.add, Rounding::kDouble);
  EXPECT_EQ(Requantise(sum, MakeRequant(plan.out.scale, 0, -128, 127), Rounding::kDouble), 20);
}

TEST(TfliteMul, MakesTheScaleInFloat32) {
  Random random(14);
  int differs = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto sa = static_cast<float>(random.Scale(-8, -6));
    const auto sb = static_cast<float>(random.Scale(-8, -6));
    const auto so = static_cast<float>(random.Scale(-8, -6));
    const FixedScale wide = MakeEltwiseMul(sa, sb, so, 31, ScaleRule::kNearest).scale;
    const FixedScale narrow = MakeTfliteMul(sa, sb, so, 31, ScaleRule::kNearest).scale;
    EXPECT_EQ(narrow.m % 128, 0);  // 24 bits of 31
    differs += !(narrow == wide);
  }
  EXPECT_GT(differs, 900);  // nearly all at B = 31
}

}  // namespace
}  // namespace bw::arith
