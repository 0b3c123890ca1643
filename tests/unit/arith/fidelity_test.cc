// How often each way of computing differs from the exact real result rounded half up: the rates
// that NUMERICS.md sections 3 and 5 state, with generous bounds, on seeded random data.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "models/arith/eltwise.h"
#include "models/arith/profile.h"
#include "models/arith/requantise.h"
#include "tests/unit/arith/oracle_of.h"

namespace bw::arith {
namespace {

constexpr Rounding kUp = Rounding::kHalfUp;

struct Tally {
  int64_t total = 0;
  int64_t different = 0;
  int64_t worst = 0;
  void Count(int64_t got, int64_t exact) {
    ++total;
    different += got != exact;
    worst = std::max(worst, std::abs(got - exact));
  }
  double Percent() const {
    return 100.0 * static_cast<double>(different) / static_cast<double>(total);
  }
};

// Convolution-like: r = s_in * s_w / s_out with exponent e, accumulators that spread over the
// output.
template <typename Way>
Tally Compare(uint64_t seed, int e, int count, Way way) {
  Random random(seed);
  Tally tally;
  for (int i = 0; i < count; ++i) {
    const double r = random.Scale(e, e);
    const int64_t x = static_cast<int64_t>(std::round(random.Normal() * 45 / r));
    const int64_t exact =
        AsInt64(oracle::Clip(oracle::RoundExactScale(x, r, oracle::Rule::kTieUp), -127, 127));
    tally.Count(way(x, r), exact);
  }
  return tally;
}

int64_t ByProfile(const char* name, int64_t x, double r) {
  const Profile& p = *FindProfile(name);
  const FixedScale scale = Decompose(r, p.mult_bits, p.scale_rule);
  return Requantise(x, MakeRequant(scale, 0, -127, 127), p.rounding);
}

TEST(Fidelity, ProfilesDifferFromExactAsOftenAsStated) {
  struct Claim {
    const char* profile;
    double least, most;  // percent
  };
  for (const Claim& claim :
       {Claim{"tosa32", 0, 0}, Claim{"mantissa16", 0.008, 0.08}, Claim{"tosa16", 0.02, 0.14}}) {
    for (int e : {-5, -8, -11}) {
      const Tally tally = Compare(
          20, e, 200000, [&](int64_t x, double r) { return ByProfile(claim.profile, x, r); });
      EXPECT_GE(tally.Percent(), claim.least) << claim.profile << " e " << e;
      EXPECT_LE(tally.Percent(), claim.most) << claim.profile << " e " << e;
      EXPECT_LE(tally.worst, 1) << claim.profile;
    }
  }
}

TEST(Fidelity, DoubleRoundingFollowsTheRightShift) {
  for (int e : {-5, -6, -7, -8}) {
    const int right = -e - 1;  // S = 30 - e = 31 + right
    const Tally tally = Compare(
        21, e, 200000, [](int64_t x, double r) { return ByProfile("tflite_double", x, r); });
    const double stated = 100 * std::ldexp(1.0, -(right + 1));
    EXPECT_GT(tally.Percent(), 0.5 * stated) << right;
    EXPECT_LT(tally.Percent(), 2 * stated) << right;
    EXPECT_EQ(tally.worst, 1);
  }
}

TEST(Fidelity, ShiftingBeforeMultiplyingIsFarWorse) {
  // One bit more than the output needs is kept, then the multiply, then the last bits go.
  const auto shift_first = [](int64_t x, double r) {
    const FixedScale scale = Decompose(r, 16, ScaleRule::kNearest);
    const int before = scale.s - 15 - 1;
    const int64_t kept = RoundShift(x, before, kUp);
    return Requantise(kept, {scale.m, scale.s - before, 0, -127, 127}, kUp);
  };
  for (int e : {-5, -8, -11}) {
    const Tally tally = Compare(22, e, 200000, shift_first);
    EXPECT_GT(tally.Percent(), 8) << e;
    EXPECT_LT(tally.Percent(), 34) << e;
    EXPECT_EQ(tally.worst, 1) << e;
  }
}

// qa * sa + qb * sb in steps of so, rounded half up; the scales are multiples of 2^-40, so that the
// sum is an exact fraction.
struct AddCase {
  int64_t na, nb, no;  // scales times 2^40
  int64_t qa, qb;
  double Scale(int64_t n) const { return std::ldexp(static_cast<double>(n), -40); }
  int64_t Exact() const {
    const oracle::Wide sum =
        static_cast<oracle::Wide>(qa) * na + static_cast<oracle::Wide>(qb) * nb;
    return AsInt64(oracle::Clip(oracle::Round(sum, no, oracle::Rule::kTieUp), -127, 127));
  }
};

template <typename Way>
Tally CompareAdds(uint64_t seed, bool two_stage, Way way) {
  Random random(seed);
  Tally tally;
  for (int i = 0; i < 2000; ++i) {
    AddCase c{};
    c.na = random.Between(int64_t{1} << 31, int64_t{1} << 33);
    c.nb = random.Between(int64_t{1} << 31, int64_t{1} << 33);
    // An output range between the larger operand's and the sum's.
    const int64_t larger = std::max(c.na, c.nb);
    c.no = random.Between(larger, c.na + c.nb);
    const EltwiseAddPlan plan = MakeEltwiseAdd(c.Scale(c.na), c.Scale(c.nb), c.Scale(c.no), 8, 15,
                                               two_stage, 16, 16, ScaleRule::kNearest);
    for (int j = 0; j < 200; ++j) {
      c.qa = random.Between(-127, 127);
      c.qb = random.Between(-127, 127);
      tally.Count(way(c.qa, c.qb, plan), c.Exact());
    }
  }
  return tally;
}

TEST(Fidelity, AddInOneStageIsOffAsOftenAsStated) {
  const Tally tally =
      CompareAdds(23, false, [](int64_t qa, int64_t qb, const EltwiseAddPlan& plan) {
        return Requantise(AddAligned(qa, qb, plan.add, kUp),
                          MakeRequant(plan.out.scale, 0, -127, 127), kUp);
      });
  EXPECT_GT(tally.Percent(), 0.01);
  EXPECT_LT(tally.Percent(), 0.06);
  EXPECT_EQ(tally.worst, 1);
}

Tally TwoStages(Rounding stage1, Rounding last) {
  return CompareAdds(24, true, [=](int64_t qa, int64_t qb, const EltwiseAddPlan& plan) {
    const int64_t sum = Align(qa, plan.add.a, kUp) + Align(qb, plan.add.b, kUp);
    const int64_t t = Stage1(sum, plan.add.stage1_shift, plan.add.stage1_bits, stage1);
    return Requantise(t, MakeRequant(plan.out.scale, 0, -127, 127), last);
  });
}

TEST(Fidelity, AddInTwoStagesIsOffAsOftenAsStated) {
  const Tally up_up = TwoStages(kUp, kUp);
  EXPECT_GT(up_up.Percent(), 0.06);
  EXPECT_LT(up_up.Percent(), 0.24);
  const Tally floor_up = TwoStages(Rounding::kFloor, kUp);
  EXPECT_GT(floor_up.Percent(), 0.12);
  EXPECT_LT(floor_up.Percent(), 0.46);
  EXPECT_GT(floor_up.Percent(), up_up.Percent());
  const Tally floor_floor = TwoStages(Rounding::kFloor, Rounding::kFloor);
  EXPECT_GT(floor_floor.Percent(), 30);
  EXPECT_LT(floor_floor.Percent(), 50);
}

TEST(Fidelity, Float32ScalesChangeSomeDecompositions) {
  Random random(25);
  int differ16 = 0;
  int differ31 = 0;
  constexpr int kCount = 200000;
  for (int i = 0; i < kCount; ++i) {
    const double sa = random.Scale(-9, -5);
    const double sb = random.Scale(-9, -5);
    const double so = random.Scale(-9, -5);
    const double wide = sa * sb / so;
    const float narrow = static_cast<float>(sa) * static_cast<float>(sb) / static_cast<float>(so);
    differ16 +=
        !(Decompose(wide, 16, ScaleRule::kNearest) == Decompose(narrow, 16, ScaleRule::kNearest));
    differ31 +=
        !(Decompose(wide, 31, ScaleRule::kNearest) == Decompose(narrow, 31, ScaleRule::kNearest));
  }
  EXPECT_GT(differ16, kCount / 2000);
  EXPECT_LT(differ16, kCount / 200);
  EXPECT_GT(differ31, kCount * 9 / 10);
}

}  // namespace
}  // namespace bw::arith
