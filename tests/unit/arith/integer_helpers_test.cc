// Accumulator wrap, saturation, table lookup, means, and quantisation of reals.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "models/arith/accumulate.h"
#include "models/arith/lut.h"
#include "models/arith/pool.h"
#include "models/arith/quantise.h"
#include "tests/unit/arith/oracle_of.h"

namespace bw::arith {
namespace {

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

TEST(WrapToBits, IsCongruentAndInRange) {
  EXPECT_EQ(WrapToBits(32767, 16), 32767);
  EXPECT_EQ(WrapToBits(32768, 16), -32768);
  EXPECT_EQ(WrapToBits(-32769, 16), 32767);
  EXPECT_EQ(WrapToBits(kMin, 64), kMin);
  EXPECT_EQ(WrapToBits(kMax, 1), -1);
  Random random(30);
  for (int i = 0; i < 100000; ++i) {
    const int bits = static_cast<int>(random.Between(1, 63));
    const int64_t v = random.Bits(64);
    const oracle::Wide modulus = oracle::PowerOfTwo(bits);
    const int64_t wrapped = WrapToBits(v, bits);
    ASSERT_TRUE((static_cast<oracle::Wide>(v) - wrapped) % modulus == 0) << v << " " << bits;
    ASSERT_TRUE(wrapped >= -modulus / 2 && wrapped < modulus - modulus / 2) << v << " " << bits;
    ASSERT_EQ(FitsBits(v, bits), wrapped == v);
  }
}

TEST(WrapToBits, OrderOfAdditionsDoesNotMatter) {
  Random random(31);
  int64_t once = 0;
  int64_t each = 0;
  for (int i = 0; i < 1000; ++i) {
    const int64_t term = random.Bits(60);
    once = WrappingAdd(once, term);
    each = WrapToBits(WrappingAdd(each, term), 24);
  }
  EXPECT_EQ(WrapToBits(once, 24), each);
  EXPECT_EQ(WrappingAdd(kMax, 1), kMin);
}

TEST(Saturate, CountsOnlyWhatItChanges) {
  uint64_t events = 0;
  EXPECT_EQ(Saturate(32767, 16, &events), 32767);
  EXPECT_EQ(Saturate(-32768, 16, &events), -32768);
  EXPECT_EQ(events, 0U);
  EXPECT_EQ(Saturate(32768, 16, &events), 32767);
  EXPECT_EQ(Saturate(-32769, 16, &events), -32768);
  EXPECT_EQ(Saturate(kMin, 32, &events), -2147483648LL);
  EXPECT_EQ(Saturate(kMax, 32, &events), 2147483647);
  EXPECT_EQ(events, 4U);
  EXPECT_EQ(Saturate(kMax, 63), (int64_t{1} << 62) - 1);
  EXPECT_EQ(Saturate(5, 1), 0);
  EXPECT_EQ(Saturate(-5, 1), -1);
}

TEST(RoundedMean, IsTheNearestIntegerWithTiesUp) {
  EXPECT_EQ(RoundedMean(5, 2), 3);
  EXPECT_EQ(RoundedMean(-5, 2), -2);
  for (int64_t count = 1; count <= 130; ++count) {
    for (int64_t sum = -700; sum <= 700; ++sum) {
      ASSERT_EQ(RoundedMean(sum, count), AsInt64(oracle::Round(sum, count, oracle::Rule::kTieUp)));
      ASSERT_EQ(RoundedMeanAway(sum, count),
                AsInt64(oracle::Round(sum, count, oracle::Rule::kTieAway)));
    }
  }
  const int64_t big = (int64_t{1} << 47) - 1;
  EXPECT_EQ(RoundedMean(big, 3), AsInt64(oracle::Round(big, 3, oracle::Rule::kTieUp)));
  EXPECT_EQ(RoundedMean(-big, 7), AsInt64(oracle::Round(-big, 7, oracle::Rule::kTieUp)));
}

TEST(LutLookup, ExactTableReturnsItsEntries) {
  std::vector<int32_t> table(256);
  for (int q = -128; q < 128; ++q) table[static_cast<size_t>(q + 128)] = 3 * q - 7;
  const LutParams exact;
  ASSERT_TRUE(IsValid(exact));
  EXPECT_EQ(LutEntries(exact), 256);
  for (int q = -128; q < 128; ++q) EXPECT_EQ(LutLookup(q, exact, table.data()), 3 * q - 7);
  EXPECT_EQ(LutLookup(1000, exact, table.data()), 3 * 127 - 7);
  EXPECT_EQ(LutLookup(-1000, exact, table.data()), 3 * -128 - 7);
}

TEST(LutLookup, InterpolatesExactlyWithTiesUp) {
  // 16 segments of 2^4 over [-128, 128].
  const LutParams p{-128, 128, 4, 16, true, false};
  ASSERT_TRUE(IsValid(p));
  ASSERT_EQ(LutEntries(p), 17);
  Random random(32);
  std::vector<int32_t> table(17);
  for (int32_t& entry : table) entry = static_cast<int32_t>(random.Bits(32));
  table[3] = std::numeric_limits<int32_t>::min();
  table[4] = std::numeric_limits<int32_t>::max();
  for (int64_t x = -140; x <= 140; ++x) {
    const int64_t key = AsInt64(oracle::Clip(x, -128, 128)) + 128;
    const int64_t n = std::min<int64_t>(key / 16, 15);
    const auto left = static_cast<oracle::Wide>(table[static_cast<size_t>(n)]);
    const auto right = static_cast<oracle::Wide>(table[static_cast<size_t>(n + 1)]);
    const auto expected =
        left + oracle::Round((right - left) * (key - 16 * n), 16, oracle::Rule::kTieUp);
    ASSERT_EQ(LutLookup(x, p, table.data()), AsInt64(expected)) << x;
  }
}

TEST(LutLookup, NearestTakesTheNearerNode) {
  const LutParams p{-8, 8, 2, 4, false, false};
  ASSERT_TRUE(IsValid(p));
  ASSERT_EQ(LutEntries(p), 5);
  const int32_t table[] = {10, 11, 12, 13, 14};
  EXPECT_EQ(LutLookup(-8, p, table), 10);
  EXPECT_EQ(LutLookup(-7, p, table), 10);
  EXPECT_EQ(LutLookup(-6, p, table), 11);  // a tie goes up
  EXPECT_EQ(LutLookup(5, p, table), 13);
  EXPECT_EQ(LutLookup(6, p, table), 14);
  EXPECT_EQ(LutLookup(100, p, table), 14);
}

TEST(LutLookup, ContinuesWithAsymptotesOnlyWhenAsked) {
  LutParams p{-8, 8, 2, 4, true, true};
  const int32_t table[] = {-1, -2, 0, 3, 7};
  EXPECT_EQ(LutLookup(-9, p, table), 0);
  EXPECT_EQ(LutLookup(-8, p, table), -1);
  EXPECT_EQ(LutLookup(8, p, table), 7);
  EXPECT_EQ(LutLookup(9, p, table), 9);
  p.ramp_outside = false;
  EXPECT_EQ(LutLookup(-9, p, table), -1);
  EXPECT_EQ(LutLookup(9, p, table), 7);
}

TEST(LutParams, RefusesKeysBeyondTheTable) {
  EXPECT_TRUE(IsValid({0, 1024, 2, 256, true, false}));
  EXPECT_FALSE(IsValid({0, 1025, 2, 256, true, false}));
  EXPECT_FALSE(IsValid({1, 0, 2, 256, true, false}));
  EXPECT_FALSE(IsValid({0, 10, -1, 256, true, false}));
  EXPECT_FALSE(IsValid({0, 10, 31, 256, true, false}));
  EXPECT_FALSE(IsValid({0, 0, 0, 0, true, false}));
  EXPECT_TRUE(IsValid({-(1LL << 31), (1LL << 31) - 1, 24, 256, true, false}));
}

TEST(QuantiseReal, RoundsTiesAwayThenAddsTheZeroPointThenClips) {
  EXPECT_EQ(QuantiseReal(0.5, 1, 0, -128, 127), 1);
  EXPECT_EQ(QuantiseReal(-0.5, 1, 0, -128, 127), -1);
  EXPECT_EQ(QuantiseReal(0.49999999999999994, 1, 0, -128, 127), 0);
  EXPECT_EQ(QuantiseReal(2.5, 1, -3, -128, 127), 0);
  EXPECT_EQ(QuantiseReal(200, 1, -100, -128, 127), 100);
  EXPECT_EQ(QuantiseReal(1e300, 1e-300, 0, -127, 127), 127);  // infinity
  EXPECT_EQ(QuantiseReal(-1e30, 1, 5, -127, 127), -127);
  EXPECT_EQ(QuantiseReal(std::nan(""), 1, 5, -127, 127), 5);
}

TEST(QuantiseOnnx, RoundsTiesToEvenInFloat32) {
  EXPECT_EQ(QuantiseOnnx(0.5F, 1, 0, -128, 127), 0);
  EXPECT_EQ(QuantiseOnnx(1.5F, 1, 0, -128, 127), 2);
  EXPECT_EQ(QuantiseOnnx(-2.5F, 1, 128, 0, 255), 126);
  EXPECT_EQ(QuantiseOnnx(std::numeric_limits<float>::infinity(), 1, 3, 0, 255), 255);
  EXPECT_EQ(QuantiseOnnx(-1e30F, 1, 3, 0, 255), 0);
}

TEST(RoundReal, SaturatesAndTellsTheTieRulesApart) {
  for (double v : {-2.5, -1.5, -0.5, 0.5, 1.5, 2.5}) {
    const auto halves = static_cast<int64_t>(2 * v);
    EXPECT_EQ(RoundReal(v), AsInt64(oracle::Round(halves, 2, oracle::Rule::kTieAway))) << v;
    EXPECT_EQ(RoundRealEven(v), AsInt64(oracle::Round(halves, 2, oracle::Rule::kTieEven))) << v;
  }
  for (double v : {-0.75, -0.25, 0.25, 0.75, 7.999999999, -7.000000001}) {
    EXPECT_EQ(RoundRealEven(v), std::lround(v)) << v;
  }
  EXPECT_EQ(RoundRealEven(std::nextafter(-0.5, 0.0)), 0);
  EXPECT_EQ(RoundRealEven(std::nextafter(-0.5, -1.0)), -1);
  EXPECT_EQ(RoundReal(1e19), kMax);
  EXPECT_EQ(RoundRealEven(-std::numeric_limits<double>::infinity()), kMin);
  EXPECT_EQ(RoundRealEven(9007199254740993.0), 9007199254740992);
}

TEST(ScaleFromMaxAbs, DividesByTheGreatestQuantisedValue) {
  EXPECT_EQ(ScaleFromMaxAbs(12.7, 8), 12.7 / 127);
  EXPECT_EQ(ScaleFromMaxAbs(7, 4), 1);
  EXPECT_EQ(ScaleFromMaxAbs(1, 2), 1);
  EXPECT_EQ(ScaleFromMaxAbs(0, 8), 1);
  EXPECT_EQ(Dequantise(-3, 0.5), -1.5);
  EXPECT_EQ(Dequantise(-3, 0.5, 2), -2.5);
}

}  // namespace
}  // namespace bw::arith
