#include "models/arith/requantise.h"

#include <gemmlowp/fixedpoint/fixedpoint.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "tests/unit/arith/oracle_of.h"

namespace bw::arith {
namespace {

constexpr int64_t kNoLo = -(int64_t{1} << 60);
constexpr int64_t kNoHi = int64_t{1} << 60;

int64_t OracleRequantise(int64_t x, const Requant& r, Rounding mode) {
  return AsInt64(oracle::Clip(OracleProduct(x, r.m, r.s, mode) + r.zp, r.lo, r.hi));
}

double FromBits(uint32_t word) {
  float f = 0;
  std::memcpy(&f, &word, sizeof f);
  return f;
}

int64_t Unclipped(int64_t x, const FixedScale& scale, Rounding mode) {
  return Requantise(x, MakeRequant(scale, 0, kNoLo, kNoHi), mode);
}

TEST(Requantise, NarrowWidthsAgreeWithTheOracleExhaustively) {
  int64_t checked = 0;
  for (Rounding mode : kAllRoundings) {
    for (int s = 0; s <= 8; ++s) {
      for (int64_t m = 0; m < 64; ++m) {
        const Requant r{m, s, 3, -100, 90};
        for (int64_t x = -2048; x < 2048; ++x) {
          ++checked;
          const int64_t got = Requantise(x, r, mode);
          if (got == OracleRequantise(x, r, mode)) continue;
          FAIL() << ToString(mode) << " x " << x << " m " << m << " s " << s << ": " << got
                 << ", not " << OracleRequantise(x, r, mode);
        }
      }
    }
  }
  EXPECT_EQ(checked, 6LL * 9 * 64 * 4096);
}

TEST(Requantise, DirectedVector66TellsDoubleFromEverySingleRounding) {
  const double r = FromBits(0x3de786ba);
  EXPECT_NEAR(66 * r, 7.4613, 5e-5);
  for (int bits = 8; bits <= 31; ++bits) {
    for (Rounding mode : kSingleRoundings) {
      EXPECT_EQ(Unclipped(66, Decompose(r, bits, ScaleRule::kNearest), mode), 7) << bits;
    }
  }
  EXPECT_EQ(Unclipped(66, Decompose(r, 31, ScaleRule::kNearest), Rounding::kDouble), 8);
}

TEST(Requantise, DirectedVectorMinus1852TellsBitsFromNearest) {
  const double r = FromBits(0x3d1549c5);
  EXPECT_NEAR(-1852 * r, -67.50041, 5e-6);
  for (Rounding mode : kNearestRoundings) {
    EXPECT_EQ(Unclipped(-1852, Decompose(r, 16, ScaleRule::kBits), mode), -67);
    EXPECT_EQ(Unclipped(-1852, Decompose(r, 16, ScaleRule::kNearest), mode), -68);
    EXPECT_EQ(Unclipped(-1852, Decompose(r, 31, ScaleRule::kNearest), mode), -68);
  }
}

TEST(Requantise, DirectedVector13713TellsDoubleFromSingle) {
  const double r = FromBits(0x3aea2bb8);
  EXPECT_NEAR(13713 * r, 24.49939, 5e-6);
  for (Rounding mode : kNearestRoundings) {
    EXPECT_EQ(Unclipped(13713, Decompose(r, 31, ScaleRule::kNearest), mode), 24);
  }
  EXPECT_EQ(Unclipped(13713, Decompose(r, 31, ScaleRule::kNearest), Rounding::kDouble), 25);
}

TEST(Requantise, DirectedVector19582TellsMultipliersApart) {
  const double r = FromBits(0x3b25a9b5);
  EXPECT_NEAR(19582 * r, 49.49968, 5e-6);
  for (Rounding mode : kNearestRoundings) {
    EXPECT_EQ(Unclipped(19582, Decompose(r, 31, ScaleRule::kNearest), mode), 49);
    EXPECT_EQ(Unclipped(19582, Decompose(r, 16, ScaleRule::kNearest), mode), 50);
    EXPECT_EQ(Unclipped(19582, Decompose(r, 16, ScaleRule::kBits), mode), 49);
  }
  EXPECT_EQ(Unclipped(19582, Decompose(r, 31, ScaleRule::kNearest), Rounding::kDouble), 50);
}

TEST(Requantise, DirectedVector7984TellsDoubleFromSingle) {
  const FixedScale scale{1583594044, 40};
  EXPECT_NEAR(7984 * scale.ToReal(), 11.4991, 5e-5);
  for (Rounding mode : kNearestRoundings) EXPECT_EQ(Unclipped(7984, scale, mode), 11);
  EXPECT_EQ(Unclipped(7984, scale, Rounding::kDouble), 12);
}

// Exact ties need m * x odd times 2^(s-1): m = 2^(B-1) gives them at any s.
TEST(Requantise, TiesOfBothSignsFollowTheMode) {
  for (int bits : {8, 16, 31}) {
    const int64_t m = int64_t{1} << (bits - 1);
    for (int64_t odd : {1, 3, 5, 127, 253}) {
      for (int64_t x : {odd, -odd}) {
        const Requant r{m, bits, 0, kNoLo, kNoHi};  // x / 2
        for (Rounding mode : kAllRoundings) {
          EXPECT_EQ(Requantise(x, r, mode), OracleRequantise(x, r, mode)) << ToString(mode) << x;
        }
        const int64_t down = AsInt64(oracle::FloorDivide(x, 2));
        EXPECT_EQ(Requantise(x, r, Rounding::kHalfUp), down + 1);
        EXPECT_EQ(Requantise(x, r, Rounding::kHalfAway), x < 0 ? down : down + 1);
        EXPECT_EQ(Requantise(x, r, Rounding::kHalfEven) % 2, 0);
      }
    }
  }
}

TEST(Requantise, EndsOfEveryWidthAgreeWithTheOracle) {
  int checked = 0;
  for (int acc_bits : {16, 24, 32, 40, 48}) {
    const int64_t end = int64_t{1} << (acc_bits - 1);
    for (int mult_bits : {1, 8, 16, 31}) {
      for (int64_t m : {int64_t{1} << (mult_bits - 1), (int64_t{1} << mult_bits) - 1}) {
        for (int s : {-15, -1, 0, 1, 15, 16, 31, 32, 47, 48, 62, 63, 79}) {
          for (int64_t x : {-end, -end + 1, int64_t{-1}, int64_t{0}, int64_t{1}, end - 1}) {
            for (int64_t zp : {-128, 0, 127}) {
              const Requant r{m, s, zp, -128, 127};
              const Requant open{m, s, zp, kNoLo, kNoHi};
              for (Rounding mode : kAllRoundings) {
                ASSERT_EQ(Requantise(x, r, mode), OracleRequantise(x, r, mode))
                    << ToString(mode) << " x " << x << " m " << m << " s " << s;
                ASSERT_EQ(Requantise(x, open, mode), OracleRequantise(x, open, mode))
                    << ToString(mode) << " x " << x << " m " << m << " s " << s;
                checked += 2;
              }
            }
          }
        }
      }
    }
  }
  EXPECT_GT(checked, 50000);
}

TEST(Requantise, LeftShiftsSaturateInsteadOfWrapping) {
  const int64_t end = int64_t{1} << 46;
  const Requant r{(int64_t{1} << 31) - 1, -15, 5, -128, 127};
  for (Rounding mode : kAllRoundings) {
    EXPECT_EQ(Requantise(end, r, mode), 127);
    EXPECT_EQ(Requantise(-end, r, mode), -128);
    EXPECT_EQ(Requantise(0, r, mode), 5);
    EXPECT_EQ(RoundProduct(end, r.m, -15, mode), std::numeric_limits<int64_t>::max());
    EXPECT_EQ(RoundProduct(-end, r.m, -15, mode), std::numeric_limits<int64_t>::min());
    EXPECT_EQ(RoundProduct(-3, 129, -2, mode), -3 * 129 * 4);
    EXPECT_EQ(RoundProduct(std::numeric_limits<int64_t>::min(), r.m, -32, mode),
              std::numeric_limits<int64_t>::min());
  }
}

TEST(Requantise, ZeroPointIsAddedBeforeTheClip) {
  const Requant r{32768, 15, 100, -128, 127};  // x + 100
  EXPECT_EQ(Requantise(20, r, Rounding::kHalfUp), 120);
  EXPECT_EQ(Requantise(27, r, Rounding::kHalfUp), 127);
  EXPECT_EQ(Requantise(28, r, Rounding::kHalfUp), 127);
  EXPECT_EQ(Requantise(-228, r, Rounding::kHalfUp), -128);
  EXPECT_EQ(Requantise(-229, r, Rounding::kHalfUp), -128);
  EXPECT_EQ(Requantise(-200, r, Rounding::kHalfUp), -100);  // a clip before it would give -28
}

TEST(Requantise, ResultsJustInsideAndOutsideTheClip) {
  const Requant r{32768, 16, 0, -127, 127};  // x / 2
  EXPECT_EQ(Requantise(253, r, Rounding::kHalfUp), 127);
  EXPECT_EQ(Requantise(252, r, Rounding::kHalfUp), 126);
  EXPECT_EQ(Requantise(255, r, Rounding::kHalfUp), 127);
  EXPECT_EQ(Requantise(-254, r, Rounding::kHalfUp), -127);
  EXPECT_EQ(Requantise(-256, r, Rounding::kHalfUp), -127);
  const Requant relu6{32768, 15, -128, -128, 51};  // hi of one channel below the type's
  EXPECT_EQ(Requantise(179, relu6, Rounding::kHalfUp), 51);
  EXPECT_EQ(Requantise(180, relu6, Rounding::kHalfUp), 51);
  EXPECT_EQ(Requantise(178, relu6, Rounding::kHalfUp), 50);
}

TEST(Requantise, ZeroMultiplierGivesTheZeroPoint) {
  const Requant r{0, 0, -7, -128, 127};
  for (Rounding mode : kAllRoundings) {
    for (int64_t x : {-(int64_t{1} << 47), int64_t{-1}, int64_t{0}, (int64_t{1} << 47) - 1}) {
      EXPECT_EQ(Requantise(x, r, mode), -7) << ToString(mode);
    }
  }
}

TEST(Requantise, RandomParametersAgreeWithTheOracle) {
  Random random(7);
  for (int i = 0; i < 600000; ++i) {
    const int mult_bits = static_cast<int>(random.Between(8, 31));
    const int64_t m = random.Between(int64_t{1} << (mult_bits - 1), (int64_t{1} << mult_bits) - 1);
    const int64_t x = random.Bits(static_cast<int>(random.Between(2, 48)));
    const Rounding mode = kAllRoundings[i % 6];
    const int s = static_cast<int>(random.Between(-15, 62));
    const int64_t zp = random.Between(-32768, 32767);
    const Requant r{m, s, zp, random.Between(-(1LL << 31), 0), random.Between(0, 1LL << 31)};
    ASSERT_EQ(Requantise(x, r, mode), OracleRequantise(x, r, mode))
        << ToString(mode) << " x " << x << " m " << m << " s " << s;
  }
}

TEST(Requantise, ModeKnownAtCompileTimeGivesTheSame) {
  Random random(8);
  for (int i = 0; i < 20000; ++i) {
    const Requant r{random.Between(1 << 15, (1 << 16) - 1),
                    static_cast<int32_t>(random.Between(-15, 40)), 3, -128, 127};
    const int64_t x = random.Bits(32);
    ASSERT_EQ(RequantiseAs<Rounding::kFloor>(x, r), Requantise(x, r, Rounding::kFloor));
    ASSERT_EQ(RequantiseAs<Rounding::kTruncate>(x, r), Requantise(x, r, Rounding::kTruncate));
    ASSERT_EQ(RequantiseAs<Rounding::kHalfUp>(x, r), Requantise(x, r, Rounding::kHalfUp));
    ASSERT_EQ(RequantiseAs<Rounding::kHalfAway>(x, r), Requantise(x, r, Rounding::kHalfAway));
    ASSERT_EQ(RequantiseAs<Rounding::kHalfEven>(x, r), Requantise(x, r, Rounding::kHalfEven));
    ASSERT_EQ(RequantiseAs<Rounding::kDouble>(x, r), Requantise(x, r, Rounding::kDouble));
  }
}

int32_t Gemmlowp(int32_t x, int32_t m, int s) {
  const int left = s < 31 ? 31 - s : 0;
  const int right = s > 31 ? s - 31 : 0;
  return gemmlowp::RoundingDivideByPOT(
      gemmlowp::SaturatingRoundingDoublingHighMul(x * (1 << left), m), right);
}

TEST(Requantise, DoubleEqualsGemmlowp) {
  Random random(9);
  const auto check = [](int32_t x, int32_t m, int s) {
    const Requant r{m, s, 0, kNoLo, kNoHi};
    ASSERT_EQ(Requantise(x, r, Rounding::kDouble), Gemmlowp(x, m, s)) << x << " " << m << " " << s;
  };
  for (int i = 0; i < 2000000; ++i) {
    const int s = static_cast<int>(random.Between(16, 62));
    const int left = s < 31 ? 31 - s : 0;
    const int bits = static_cast<int>(random.Between(2, 32 - left));  // x << left stays in int32
    const auto x = static_cast<int32_t>(random.Bits(bits));
    check(x, static_cast<int32_t>(random.Between(1 << 30, (1LL << 31) - 1)), s);
  }
  for (int s = 31; s <= 62; ++s) {
    for (int64_t x :
         {-(1LL << 31), -(1LL << 31) + 1, -3LL, -2LL, -1LL, 0LL, 1LL, 2LL, 3LL, (1LL << 31) - 1}) {
      for (int64_t m : {1LL << 30, (1LL << 30) + 1, (1LL << 31) - 1}) {
        check(static_cast<int32_t>(x), static_cast<int32_t>(m), s);
      }
    }
    // Ties of the second rounding: the first one exact with m = 2^30.
    for (int64_t odd : {1, 3, 5, 7}) {
      const int64_t x = s > 31 && s < 60 ? odd << (s - 31) : odd;
      if (x > std::numeric_limits<int32_t>::max()) continue;
      check(static_cast<int32_t>(x), 1 << 30, s);
      check(static_cast<int32_t>(-x), 1 << 30, s);
    }
  }
}

TEST(RequantiseFloat32, RoundsTheFloatProductHalfEven) {
  EXPECT_EQ(RequantiseFloat32(5, 0.5F, 0, -128, 127), 2);
  EXPECT_EQ(RequantiseFloat32(7, 0.5F, 0, -128, 127), 4);
  EXPECT_EQ(RequantiseFloat32(-5, 0.5F, 0, -128, 127), -2);
  EXPECT_EQ(RequantiseFloat32(-7, 0.5F, 0, -128, 127), -4);
  EXPECT_EQ(RequantiseFloat32(-7, 0.5F, 10, -128, 127), 6);
  EXPECT_EQ(RequantiseFloat32(1000, 1, -3, -128, 127), 127);
  EXPECT_EQ(RequantiseFloat32(int64_t{1} << 47, 3e38F, 0, -128, 127), 127);  // infinity clips
  EXPECT_EQ(RequantiseFloat32(-(int64_t{1} << 47), 3e38F, 0, -128, 127), -128);
}

TEST(RequantiseFloat32, LosesTheLowBitsOfLargeAccumulators) {
  // 2^24 + 1 is not a float32: the accumulator itself is rounded first.
  EXPECT_EQ(RequantiseFloat32((1 << 24) + 1, 1, 0, kNoLo, kNoHi), 1 << 24);
  EXPECT_EQ(RequantiseFloat32((1 << 24) + 3, 1, 0, kNoLo, kNoHi), (1 << 24) + 4);
}

TEST(RequantiseFloat32, AgreesWithTheExactValueOfTheFloatProduct) {
  Random random(10);
  for (int i = 0; i < 200000; ++i) {
    const auto scale = static_cast<float>(random.Scale(-14, -4));
    const int64_t x = random.Bits(20);
    const double product = static_cast<float>(static_cast<float>(x) * scale);
    const auto expected = oracle::RoundExactScale(
        product < 0 ? -1 : 1, std::fabs(product) + (product == 0), oracle::Rule::kTieEven);
    const int64_t wanted = product == 0 ? 0 : AsInt64(expected);
    ASSERT_EQ(RequantiseFloat32(x, scale, 0, kNoLo, kNoHi), wanted) << x << " " << scale;
  }
}

}  // namespace
}  // namespace bw::arith
