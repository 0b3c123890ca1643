#include "models/arith/rounding.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include "tests/unit/arith/oracle_of.h"

namespace bw::arith {
namespace {

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

TEST(Rounding, HalvesGoAsTheTableSays) {
  const int64_t p[] = {-5, -3, -1, 1, 3, 5};
  const std::map<Rounding, std::vector<int64_t>> table = {
      {Rounding::kFloor, {-3, -2, -1, 0, 1, 2}},   {Rounding::kTruncate, {-2, -1, 0, 0, 1, 2}},
      {Rounding::kHalfUp, {-2, -1, 0, 1, 2, 3}},   {Rounding::kHalfAway, {-3, -2, -1, 1, 2, 3}},
      {Rounding::kHalfEven, {-2, -2, 0, 0, 2, 2}}, {Rounding::kDouble, {-2, -1, 0, 1, 2, 3}},
  };
  for (const auto& [mode, expected] : table) {
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(RoundShift(p[i], 1, mode), expected[i]) << ToString(mode) << " of " << p[i];
    }
  }
}

TEST(Rounding, ShiftOfZeroReturnsTheNumber) {
  for (Rounding mode : kAllRoundings) {
    for (int64_t p : {kMin, kMin + 1, int64_t{-1}, int64_t{0}, int64_t{1}, kMax - 1, kMax}) {
      EXPECT_EQ(RoundShift(p, 0, mode), p) << ToString(mode);
      EXPECT_EQ(RoundShiftWide(p, 0, mode), p) << ToString(mode);
    }
  }
}

TEST(Rounding, EverySmallNumberAgreesWithTheDefinition) {
  for (Rounding mode : kSingleRoundings) {
    for (int s = 0; s <= 15; ++s) {
      for (int64_t p = -4096; p <= 4096; ++p) {
        const auto expected = oracle::Round(p, oracle::PowerOfTwo(s), RuleOf(mode));
        ASSERT_EQ(RoundShift(p, s, mode), AsInt64(expected))
            << ToString(mode) << " " << p << " " << s;
      }
    }
  }
}

// Every tie that int64 has at every shift, its neighbours, and the ends.
std::vector<int64_t> Directed(int s) {
  std::vector<int64_t> numbers = {kMin, kMin + 1, kMin + 2, -2, -1, 0, 1, 2, kMax - 1, kMax};
  if (s == 0 || s > 63) return numbers;
  const int64_t half = int64_t{1} << (s - 1);
  for (int64_t whole : {0, 1, 2, 3}) {
    for (int64_t off : {-1, 0, 1}) {
      const oracle::Wide p = static_cast<oracle::Wide>(whole) * 2 * half + half + off;
      if (p > kMax) continue;
      numbers.push_back(static_cast<int64_t>(p));
      numbers.push_back(static_cast<int64_t>(-p));
    }
  }
  return numbers;
}

TEST(Rounding, TiesAndEndsAgreeWithTheDefinitionAtEveryShift) {
  int checked = 0;
  for (Rounding mode : kSingleRoundings) {
    for (int s = 0; s <= 120; ++s) {
      for (int64_t p : Directed(s)) {
        const auto expected = AsInt64(oracle::Round(p, oracle::PowerOfTwo(s), RuleOf(mode)));
        ASSERT_EQ(RoundShift(p, s, mode), expected) << ToString(mode) << " " << p << " >> " << s;
        ASSERT_EQ(AsInt64(RoundShiftWide(p, s, mode)), expected) << ToString(mode) << " " << s;
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, 10000);
}

TEST(Rounding, ShiftsFarBeyondTheWidthGiveTheLimit) {
  for (int s : {64, 65, 127, 128, 129, 1000}) {
    EXPECT_EQ(RoundShift(-1, s, Rounding::kFloor), -1);
    EXPECT_EQ(RoundShift(kMax, s, Rounding::kFloor), 0);
    EXPECT_EQ(AsInt64(RoundShiftWide(-1, s, Rounding::kFloor)), -1);
    for (Rounding mode : {Rounding::kTruncate, Rounding::kHalfUp, Rounding::kHalfEven}) {
      EXPECT_EQ(RoundShift(kMin, s, mode), 0) << ToString(mode) << s;
      EXPECT_EQ(RoundShift(kMax, s, mode), 0) << ToString(mode) << s;
    }
    // -2^63 / 2^64 is a tie; every other quotient is nearer to zero.
    EXPECT_EQ(RoundShift(kMin, s, Rounding::kHalfAway), s == 64 ? -1 : 0) << s;
  }
  const Int128 smallest = -static_cast<Int128>(kMax) * 4 * (Int128{1} << 62) - (Int128{1} << 64);
  ASSERT_EQ(smallest, -(Int128{1} << 126) * 2);
  EXPECT_EQ(AsInt64(RoundShiftWide(smallest, 128, Rounding::kHalfAway)), -1);
  EXPECT_EQ(AsInt64(RoundShiftWide(smallest + 1, 128, Rounding::kHalfAway)), 0);
  EXPECT_EQ(AsInt64(RoundShiftWide(smallest, 129, Rounding::kHalfAway)), 0);
  EXPECT_EQ(AsInt64(RoundShiftWide(smallest, 127, Rounding::kHalfUp)), -1);
}

TEST(Rounding, RandomNumbersAgreeWithTheDefinition) {
  Random random(1);
  for (int i = 0; i < 400000; ++i) {
    const int64_t p = random.Bits(static_cast<int>(random.Between(2, 64)));
    const int s = static_cast<int>(random.Between(0, 63));
    const Rounding mode = kSingleRoundings[i % 5];
    const auto expected = oracle::Round(p, oracle::PowerOfTwo(s), RuleOf(mode));
    ASSERT_EQ(RoundShift(p, s, mode), AsInt64(expected)) << ToString(mode) << " " << p << " " << s;
  }
}

TEST(Rounding, WideProductsAgreeWithTheDefinition) {
  Random random(2);
  for (int i = 0; i < 200000; ++i) {
    const oracle::Wide p =
        static_cast<oracle::Wide>(random.Bits(48)) * random.Bits(32) + random.Bits(20);
    const int s = static_cast<int>(random.Between(0, 100));
    const Rounding mode = kSingleRoundings[i % 5];
    const auto expected = oracle::Round(p, oracle::PowerOfTwo(s), RuleOf(mode));
    ASSERT_TRUE(RoundShiftWide(p, s, mode) == expected) << ToString(mode) << " " << s;
  }
}

TEST(Rounding, DoubleRoundsTwiceAboveThirtyOneBitsOnly) {
  Random random(3);
  int differs_from_half_up = 0;
  for (int i = 0; i < 200000; ++i) {
    const int64_t p = random.Bits(60);
    const int s = static_cast<int>(random.Between(0, 62));
    const int64_t got = RoundShift(p, s, Rounding::kDouble);
    ASSERT_EQ(got, AsInt64(oracle::RoundTwice(p, 1, s))) << p << " " << s;
    const bool differs = got != RoundShift(p, s, Rounding::kHalfUp);
    ASSERT_FALSE(differs && s <= 31) << p << " " << s;
    differs_from_half_up += differs;
  }
  EXPECT_GT(differs_from_half_up, 0);
}

TEST(Rounding, ModeKnownAtCompileTimeGivesTheSame) {
  static_assert(RoundShiftAs<Rounding::kHalfEven>(int64_t{5}, 1) == 2);
  static_assert(RoundShiftAs<Rounding::kHalfAway>(int64_t{-5}, 1) == -3);
  static_assert(RoundShift(-5, 1, Rounding::kFloor) == -3);
  static_assert(RoundShift(kMin, 63, Rounding::kHalfUp) == -1);
}

TEST(Rounding, NamesAndCodesAreFixed) {
  const std::map<std::string_view, int> codes = {{"floor", 0},     {"truncate", 1},  {"half_up", 2},
                                                 {"half_away", 3}, {"half_even", 4}, {"double", 5}};
  EXPECT_EQ(std::size(kAllRoundings), codes.size());
  std::set<std::string_view> meanings;
  for (Rounding mode : kAllRoundings) {
    ASSERT_EQ(codes.count(ToString(mode)), 1U) << ToString(mode);
    EXPECT_EQ(codes.at(ToString(mode)), static_cast<int>(mode));
    EXPECT_EQ(ParseRounding(ToString(mode)), mode);
    meanings.insert(Meaning(mode));
  }
  EXPECT_EQ(meanings.size(), codes.size());
  EXPECT_EQ(ParseRounding("half-up"), std::nullopt);
  EXPECT_EQ(ParseRounding(""), std::nullopt);
  EXPECT_EQ(RoundingNames(), "floor, truncate, half_up, half_away, half_even, double");
}

}  // namespace
}  // namespace bw::arith
