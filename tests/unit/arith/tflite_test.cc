// The arithmetic of TFLite's reference kernels against gemmlowp, from which they are built.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "models/arith/tflite_activation.h"
#include "models/arith/tflite_fixed_point.h"
#include "models/arith/tflite_quantise.h"
#include "models/arith/tflite_softmax.h"
#include "tests/support/tflite_oracle.h"
#include "tests/unit/arith/oracle_of.h"

namespace bw::arith {
namespace {

namespace tf = oracle_tflite;
using ::testing::Each;
using ::testing::ElementsAre;
using tf::F0;

constexpr int32_t kLeast = std::numeric_limits<int32_t>::min();
constexpr int32_t kMost = std::numeric_limits<int32_t>::max();
constexpr ClipRange kInt8 = {-128, 127}, kUint8 = {0, 255};

// 32-bit numbers of all magnitudes, and those around powers of two and the ends.
template <typename Check>
void ForManyNumbers(uint64_t seed, int count, Check check) {
  Random random(seed);
  for (int i = 0; i < count; ++i) {
    check(static_cast<int32_t>(random.Bits(static_cast<int>(random.Between(1, 32)))));
  }
  for (int bit = 0; bit <= 31; ++bit) {
    for (int64_t near = -3; near <= 3; ++near) {
      for (const int64_t v : {(int64_t{1} << bit) + near, -(int64_t{1} << bit) + near}) {
        if (v >= kLeast && v <= kMost) check(static_cast<int32_t>(v));
      }
    }
  }
}

TEST(TfliteFixedPoint, ProductsAndShiftsAreGemmlowps) {
  Random random(1);
  ForManyNumbers(2, 1000000, [&](int32_t a) {
    const auto b = static_cast<int32_t>(random.Bits(static_cast<int>(random.Between(1, 32))));
    ASSERT_EQ(TfliteHighMul(a, b), gemmlowp::SaturatingRoundingDoublingHighMul(a, b))
        << a << " " << b;
    const auto s = static_cast<int>(random.Between(0, 31));
    ASSERT_EQ(TfliteShiftRight(a, s), gemmlowp::RoundingDivideByPOT(a, s)) << a << " " << s;
    ASSERT_EQ(TfliteShiftLeft(a, 5), gemmlowp::SaturatingRoundingMultiplyByPOT<5>(a)) << a;
  });
  for (const int32_t a : {kLeast, kLeast + 1, -(1 << 30), -1, 0, 1, 1 << 30, kMost}) {
    for (const int32_t b : {kLeast, kLeast + 1, -(1 << 30), -1, 0, 1, 1 << 30, kMost}) {
      EXPECT_EQ(TfliteHighMul(a, b), gemmlowp::SaturatingRoundingDoublingHighMul(a, b));
    }
  }
}

TEST(TfliteFixedPoint, SixteenBitProductsAreGemmlowps) {
  for (int32_t a = INT16_MIN; a <= INT16_MAX; ++a) {
    for (const int32_t b : {INT16_MIN, INT16_MIN + 1, -16384, -3, 0, 1, 5461, 16384, INT16_MAX}) {
      ASSERT_EQ(TfliteHighMul16(static_cast<int16_t>(a), static_cast<int16_t>(b)),
                gemmlowp::SaturatingRoundingDoublingHighMul(static_cast<int16_t>(a),
                                                            static_cast<int16_t>(b)));
    }
  }
}

TEST(TfliteFixedPoint, FunctionsAreGemmlowps) {
  ForManyNumbers(3, 1000000, [](int32_t v) {
    if (v == kLeast) return;
    const int32_t below = v > 0 ? -v : v, above = -below;
    ASSERT_EQ(
        TfliteExp(below, 5),
        gemmlowp::exp_on_negative_values(gemmlowp::FixedPoint<int32_t, 5>::FromRaw(below)).raw())
        << v;
    ASSERT_EQ(TfliteExp(below, 0), gemmlowp::exp_on_negative_values(F0::FromRaw(below)).raw());
    ASSERT_EQ(TfliteOneOverOnePlus(above),
              gemmlowp::one_over_one_plus_x_for_x_in_0_1(F0::FromRaw(above)).raw());
    ASSERT_EQ(TfliteOneMinusOverOnePlus(above),
              gemmlowp::one_minus_x_over_one_plus_x_for_x_in_0_1(F0::FromRaw(above)).raw());
    const auto q4 = gemmlowp::FixedPoint<int32_t, 4>::FromRaw(v);
    ASSERT_EQ(TfliteLogisticOf(v, 4), gemmlowp::logistic(q4).raw()) << v;
    ASSERT_EQ(TfliteTanhOf(v, 4), gemmlowp::tanh(q4).raw()) << v;
  });
}

TEST(TfliteFixedPoint, ApproximatesTheFunctions) {
  for (const double x : {0.001, 0.3, 1.0, 2.5, 7.9}) {
    const auto q4 = static_cast<int32_t>(std::ldexp(x, 27));
    EXPECT_NEAR(std::ldexp(TfliteExp(-q4, 4), -31), std::exp(-x), 1e-6);
    EXPECT_NEAR(std::ldexp(TfliteLogisticOf(q4, 4), -31), 1 / (1 + std::exp(-x)), 1e-6);
    EXPECT_NEAR(std::ldexp(TfliteTanhOf(-q4, 4), -31), std::tanh(-x), 1e-6);
  }
}

TEST(TfliteMultiplier, IsFactorAndShiftOfTflite) {
  Random random(4);
  for (int i = 0; i < 200000; ++i) {
    const double real = random.Scale(-36, 20) * (i % 2 == 0 ? 1 : -1);
    const TfliteMultiplier got = MakeTfliteMultiplier(real);
    const tf::Factor wanted = tf::FactorOf(real);
    ASSERT_EQ(got.m, wanted.m) << real;
    ASSERT_EQ(got.shift, wanted.shift) << real;
    const int bits = 31 - std::max(wanted.shift, 0);
    const auto x = static_cast<int32_t>(random.Bits(static_cast<int>(random.Between(1, bits))));
    ASSERT_EQ(TfliteMultiply(x, got), tf::Times(x, wanted)) << real << " " << x;
  }
  EXPECT_EQ(MakeTfliteMultiplier(0).m, 0);
  EXPECT_EQ(MakeTfliteMultiplier(std::nextafter(1.0, 0.0)).m, 1 << 30);  // rounds up to 2^31
  EXPECT_EQ(MakeTfliteMultiplier(std::nextafter(1.0, 0.0)).shift, 1);
  EXPECT_EQ(MakeTfliteMultiplier(0x1p-33).m, 0);
  EXPECT_EQ(MakeTfliteMultiplier(0x1p-32).m, 1 << 30);
}

TEST(TfliteMultiplier, IsTheProfilesScaleWherePositive) {
  Random random(5);
  for (int i = 0; i < 100000; ++i) {
    const double real = random.Scale(-31, 15);
    EXPECT_EQ(MakeTfliteMultiplier(real).Fixed(), Decompose(real, 31, ScaleRule::kNearest));
  }
}

std::vector<int32_t> Row(const std::vector<int32_t>& x, float scale, float beta) {
  std::vector<int32_t> y(x.size());
  TfliteSoftmax(x.data(), static_cast<int64_t>(x.size()), 1,
                *MakeTfliteExpTable(double{scale} * double{beta}), y.data());
  return y;
}

TEST(TfliteSoftmax, EqualsTheReferenceOnRandomRows) {
  Random random(6);
  int64_t compared = 0;
  for (int i = 0; i < 30000; ++i) {
    const auto scale = static_cast<float>(random.Scale(-24, 5));
    const float beta = i % 3 == 0 ? 1.0F : static_cast<float>(random.Scale(-1, 2));
    std::vector<int32_t> x(static_cast<size_t>(random.Between(1, 40)));
    const int bits = static_cast<int>(random.Between(1, 8));
    for (int32_t& v : x) v = static_cast<int32_t>(random.Bits(bits));
    ASSERT_EQ(Row(x, scale, beta), tf::Softmax(x, scale, beta)) << scale << " " << beta;
    compared += static_cast<int64_t>(x.size());
  }
  EXPECT_GT(compared, 300000);
}

// Every distance that two int8 numbers can have, at scales of which the cut falls inside.
TEST(TfliteSoftmax, EqualsTheReferenceAtEveryDistance) {
  for (float scale = 1.0F / 16777216; scale < 64; scale *= 1.37F) {
    for (int32_t d = 0; d <= 255; ++d) {
      const std::vector<int32_t> x = {127, 127 - d};
      ASSERT_EQ(Row(x, scale, 1), tf::Softmax(x, scale, 1)) << scale << " " << d;
    }
  }
}

TEST(TfliteSoftmax, LongRowsOfEqualsShareAlikeUpToTheLimit) {
  EXPECT_THAT(Row(std::vector<int32_t>(kTfliteSoftmaxMostElements, 5), 0.1F, 1), Each(-128));
  const std::vector<int32_t> most(511, 5);  // that TFLite always takes
  EXPECT_EQ(Row(most, 0.1F, 1), tf::Softmax(most, 0.1F, 1));
  EXPECT_THAT(Row({3, 3, 3, 3}, 0.1F, 1), Each(-64));
  EXPECT_THAT(Row({7}, 0.1F, 1), Each(127));  // 1.0 is 128 steps above the zero point: saturates
}

TEST(TfliteSoftmax, StepsThroughMemory) {
  const int32_t x[] = {10, 99, 20, 99, 30, 99};
  int32_t y[6] = {0, 1, 0, 1, 0, 1};
  TfliteSoftmax(x, 3, 2, *MakeTfliteExpTable(double{0.1F}), y);
  const auto wanted = tf::Softmax({10, 20, 30}, 0.1F, 1);
  EXPECT_THAT(y, ElementsAre(wanted[0], 1, wanted[1], 1, wanted[2], 1));
}

TEST(TfliteSoftmax, RefusesScalesThatTfliteRefuses) {
  EXPECT_FALSE(MakeTfliteExpTable(0x1p-26).has_value());
  EXPECT_TRUE(MakeTfliteExpTable(0x1.000002p-26).has_value());
  EXPECT_FALSE(MakeTfliteExpTable(0).has_value());
  EXPECT_EQ(MakeTfliteExpTable(1e9)->size(), 1u);  // only the largest counts
}

TEST(TfliteActivation, LogisticAndTanhEqualTheReferenceForEveryInput) {
  Random random(7);
  for (int i = 0; i < 4000; ++i) {
    const TfliteQuant in{static_cast<float>(random.Scale(-20, 4)),
                         static_cast<int32_t>(random.Between(-128, 127))};
    const TfliteSigmoidal logistic(TfliteSigmoidal::Kind::kLogistic, in);
    const TfliteSigmoidal tanh(TfliteSigmoidal::Kind::kTanh, in);
    for (int32_t q = -128; q <= 127; ++q) {
      ASSERT_EQ(logistic(q), tf::Sigmoidal(q, in.scale, in.zero_point, false)) << in.scale;
      ASSERT_EQ(tanh(q), tf::Sigmoidal(q, in.scale, in.zero_point, true)) << in.scale;
    }
  }
}

TEST(TfliteActivation, HardSwishEqualsTheReferenceForEveryInput) {
  Random random(8);
  int compared = 0;
  for (int i = 0; i < 4000; ++i) {
    const TfliteQuant in{static_cast<float>(random.Scale(-12, 5)),
                         static_cast<int32_t>(random.Between(-128, 127))};
    const TfliteQuant out{static_cast<float>(random.Scale(-12, 3)),
                          static_cast<int32_t>(random.Between(-128, 127))};
    if (!TfliteHardSwish::IsPossible(in, out)) continue;
    const TfliteHardSwish f(in, out);
    for (int32_t q = -128; q <= 127; ++q, ++compared) {
      ASSERT_EQ(f(q), tf::HardSwish(q, in.scale, in.zero_point, out.scale, out.zero_point))
          << in.scale << " " << in.zero_point << " " << out.scale << " " << q;
    }
  }
  EXPECT_GT(compared, 500000);
  EXPECT_FALSE(TfliteHardSwish::IsPossible({128.0F, 0}, {0.5F, 0}));
}

TEST(TfliteActivation, LeakyReluHasOneFactorForEachSign) {
  Random random(9);
  for (int i = 0; i < 4000; ++i) {
    const TfliteQuant in{static_cast<float>(random.Scale(-10, 2)),
                         static_cast<int32_t>(random.Between(-128, 127))};
    const TfliteQuant out{static_cast<float>(random.Scale(-10, 2)),
                          static_cast<int32_t>(random.Between(-128, 127))};
    const float alpha = static_cast<float>(random.Unit() * 4 - 2);
    const TfliteLeakyRelu f(in, out, alpha);
    const tf::Factor up = tf::FactorOf(double{in.scale / out.scale});
    const tf::Factor down = tf::FactorOf(double{in.scale * alpha / out.scale});
    for (int32_t q = -128; q <= 127; ++q) {
      const int32_t x = q - in.zero_point;
      const int32_t wanted = tf::Times(x, x >= 0 ? up : down) + out.zero_point;
      ASSERT_EQ(f(q), std::clamp(wanted, -128, 127)) << in.scale << " " << alpha << " " << q;
    }
  }
}

TEST(TfliteActivation, TablesHoldEveryInputInOrder) {
  const auto identity = TfliteTable([](int32_t q) { return q; });
  ASSERT_EQ(identity.size(), 256u);
  EXPECT_EQ(identity.front(), -128);
  EXPECT_EQ(identity.back(), 127);
}

// What TFLite's two libraries give for one network: the same but for a single step here and there.
TEST(TfliteActivation, DesktopTablesDifferFromTheReferenceByOneAtMost) {
  std::map<int, int> differences;
  Random random(12);
  for (int i = 0; i < 1000; ++i) {
    const TfliteQuant in{static_cast<float>(random.Scale(-7, -3)),
                         static_cast<int32_t>(random.Between(-128, 127))};
    const auto desktop = TfliteFloatTable(in, kTfliteLogisticOutput,
                                          [](float x) { return 1.0F / (1.0F + std::exp(-x)); });
    const auto micro = TfliteTable(TfliteSigmoidal(TfliteSigmoidal::Kind::kLogistic, in));
    const auto desktop_tanh =
        TfliteFloatTable(in, kTfliteTanhOutput, [](float x) { return std::tanh(x); });
    const auto micro_tanh = TfliteTable(TfliteSigmoidal(TfliteSigmoidal::Kind::kTanh, in));
    for (size_t k = 0; k < 256; ++k) {
      ++differences[std::abs(desktop[k] - micro[k])];
      ++differences[std::abs(desktop_tanh[k] - micro_tanh[k])];
    }
  }
  EXPECT_EQ(differences.rbegin()->first, 1);
  EXPECT_LE(differences[1], 10) << "of " << differences[0];
}

TEST(TfliteQuantise, RealsRoundHalfAwayInFloat32) {
  EXPECT_EQ(TfliteQuantise(0.5F, {1, 0}, kInt8), 1);
  EXPECT_EQ(TfliteQuantise(-0.5F, {1, 0}, kInt8), -1);
  EXPECT_EQ(TfliteQuantise(2.5F, {1, -3}, kInt8), 0);
  EXPECT_EQ(TfliteQuantise(1e30F, {1, 5}, kInt8), 127);
  EXPECT_EQ(TfliteQuantise(-1e30F, {1, 5}, kUint8), 0);
  // 0.15 / 0.1 is 1.5 in float32, and less in double.
  EXPECT_EQ(TfliteQuantise(0.15F, {0.1F, 0}, kInt8), 2);
  EXPECT_EQ(TfliteDequantise(-128, {0.5F, -28}), -50.0F);
}

TEST(TfliteQuantise, IntegersRequantiseInTwoRoundings) {
  Random random(10);
  for (int i = 0; i < 3000; ++i) {
    const TfliteQuant from{static_cast<float>(random.Scale(-10, 2)),
                           static_cast<int32_t>(random.Between(-128, 127))};
    const TfliteQuant to{static_cast<float>(random.Scale(-10, 2)),
                         static_cast<int32_t>(random.Between(0, 255))};
    const Requant r = TfliteRequantise(from, to, kUint8);
    const tf::Factor factor = tf::FactorOf(double{from.scale} / double{to.scale});
    for (int32_t q = -128; q <= 127; ++q) {
      const int32_t wanted = tf::Times(q - from.zero_point, factor) + to.zero_point;
      ASSERT_EQ(Requantise(q - from.zero_point, r, Rounding::kDouble), std::clamp(wanted, 0, 255));
    }
  }
  // The same scale, zero points 128 apart: int8 becomes uint8 by its top bit.
  const Requant flip = TfliteRequantise({0.1F, -128}, {0.1F, 0}, kUint8);
  for (int32_t q = -128; q <= 127; ++q) {
    EXPECT_EQ(Requantise(q + 128, flip, Rounding::kDouble), (q ^ 0x80) & 0xFF);
  }
}

TEST(TfliteQuantise, FusedActivationsClampAtRoundedLimits) {
  const TfliteQuant out{0.0235F, -128};
  EXPECT_EQ(TfliteActivationRange(TfliteFused::kNone, out, kInt8), kInt8);
  EXPECT_EQ(TfliteActivationRange(TfliteFused::kRelu, {0.1F, -20}, kInt8), (ClipRange{-20, 127}));
  EXPECT_EQ(TfliteActivationRange(TfliteFused::kRelu6, {0.1F, -20}, kInt8), (ClipRange{-20, 40}));
  EXPECT_EQ(TfliteActivationRange(TfliteFused::kRelu6, out, kInt8), (ClipRange{-128, 127}));
  EXPECT_EQ(TfliteActivationRange(TfliteFused::kReluN1To1, {0.1F, 3}, kInt8), (ClipRange{-7, 13}));
  EXPECT_EQ(TfliteActivationRange(TfliteFused::kRelu6, {0.1F, 10}, kUint8), (ClipRange{10, 70}));
}

TEST(TfliteMean, IsOneRequantisationOfTheSum) {
  Random random(11);
  for (int i = 0; i < 20000; ++i) {
    const TfliteQuant from{static_cast<float>(random.Scale(-8, 0)),
                           static_cast<int32_t>(random.Between(-128, 127))};
    const TfliteQuant to{static_cast<float>(random.Scale(-8, 0)),
                         static_cast<int32_t>(random.Between(-128, 127))};
    const int64_t count = random.Between(1, 4096);
    tf::Factor factor = tf::FactorOf(double{from.scale} / double{to.scale});
    int shift = 0;
    while (count >> (shift + 1) != 0) ++shift;
    shift = std::min(shift, 31 + factor.shift);
    factor.m = static_cast<int32_t>((int64_t{factor.m} << shift) / count);
    factor.shift -= shift;
    const Requant r = TfliteMean(from, to, count, kInt8);
    for (int k = 0; k < 20; ++k) {
      const auto sum = static_cast<int32_t>(random.Between(-255 * count, 255 * count));
      if (std::abs(std::ldexp(sum, std::max(factor.shift, 0))) > kMost) continue;
      const int32_t wanted = std::clamp(tf::Times(sum, factor) + to.zero_point, -128, 127);
      ASSERT_EQ(Requantise(sum, r, Rounding::kDouble), wanted) << count << " " << sum;
    }
  }
}

TEST(TfliteMean, OlderFormDividesLast) {
  const TfliteQuant q{0.1F, 0};
  EXPECT_EQ(TfliteMeanDividedLast(3, q, q, 2, kInt8), 2);
  EXPECT_EQ(TfliteMeanDividedLast(-3, q, q, 2, kInt8), -2);
  EXPECT_EQ(TfliteMeanDividedLast(-1, q, q, 3, kInt8), 0);
  EXPECT_EQ(TfliteMeanDividedLast(1000, q, {0.05F, 4}, 10, kInt8), 127);
}

// Exhaustively over the sums of `count` int8 numbers, in every mode that may compute it.
TEST(TfliteQuotient, IsExactInEveryNearestMode) {
  for (int64_t count = 1; count <= 300; ++count) {
    const auto scale = TfliteQuotient(count, 128 * count, 31);
    ASSERT_TRUE(scale.has_value()) << count;
    for (int64_t x = -128 * count; x <= 128 * count; ++x) {
      const int64_t wanted = (x > 0 ? x + count / 2 : x - count / 2) / count;
      for (const Rounding mode :
           {Rounding::kHalfUp, Rounding::kHalfAway, Rounding::kHalfEven, Rounding::kDouble}) {
        if (count == 1 || mode == Rounding::kHalfUp || (x % 7 == 0) || (2 * x) % count == 0) {
          ASSERT_EQ(RoundProduct(x, scale->m, scale->s, mode), wanted)
              << x << " / " << count << " " << ToString(mode);
        }
      }
    }
  }
}

TEST(TfliteQuotient, IsAsNarrowAsItCanBeAndSaysWhenItDoesNotFit) {
  EXPECT_EQ(TfliteQuotient(6, 768, 31), (FixedScale{2731, 14}));
  EXPECT_EQ(TfliteQuotient(64, 128 * 64, 16), (FixedScale{32769, 21}));
  EXPECT_FALSE(TfliteQuotient(64, 128 * 64, 15).has_value());
  EXPECT_TRUE(TfliteQuotient(2896, 128 * 2896, 31).has_value());
  EXPECT_FALSE(TfliteQuotient(2897, 128 * 2897, 31).has_value());
}

}  // namespace
}  // namespace bw::arith
