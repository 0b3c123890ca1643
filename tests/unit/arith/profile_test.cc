#include "models/arith/profile.h"

#include <gtest/gtest.h>

#include <map>
#include <string_view>

#include "models/arith/requantise.h"

namespace bw::arith {
namespace {

TEST(Profile, EveryNameOfTheTableIsFound) {
  struct Row {
    int bits;
    ScaleRule rule;
    Rounding rounding;
    ClipKind clip;
    int shift_max;
  };
  const std::map<std::string_view, Row> table = {
      {"mantissa16", {16, ScaleRule::kNearest, Rounding::kHalfUp, ClipKind::kSymmetric, 0}},
      {"tosa32", {31, ScaleRule::kNearest, Rounding::kHalfUp, ClipKind::kTypeRange, 62}},
      {"tosa16", {15, ScaleRule::kTosa16, Rounding::kHalfUp, ClipKind::kTypeRange, 62}},
      {"tflite_double", {31, ScaleRule::kNearest, Rounding::kDouble, ClipKind::kTypeRange, 62}},
      {"nvdla", {15, ScaleRule::kNearest, Rounding::kHalfAway, ClipKind::kTypeRange, 0}},
      {"pow2", {1, ScaleRule::kPow2, Rounding::kHalfUp, ClipKind::kTypeRange, 0}},
      {"fp32_even", {24, ScaleRule::kNearest, Rounding::kHalfEven, ClipKind::kTypeRange, 0}},
  };
  EXPECT_EQ(Profiles().size(), table.size());
  for (const auto& [name, row] : table) {
    const Profile* profile = FindProfile(name);
    ASSERT_NE(profile, nullptr) << name;
    EXPECT_EQ(profile->mult_bits, row.bits) << name;
    EXPECT_EQ(profile->scale_rule, row.rule) << name;
    EXPECT_EQ(profile->rounding, row.rounding) << name;
    EXPECT_EQ(profile->clip, row.clip) << name;
    EXPECT_EQ(profile->shift_max, row.shift_max) << name;
    EXPECT_EQ(profile->subtract_offset, name == "nvdla") << name;
    EXPECT_EQ(profile->float_scale, name == "fp32_even") << name;
  }
  EXPECT_EQ(DefaultProfile().name, "mantissa16");
  EXPECT_EQ(FindProfile("mantissa"), nullptr);
  EXPECT_EQ(ProfileNames(), "mantissa16, tosa32, tosa16, tflite_double, nvdla, pow2, fp32_even");
}

TEST(Profile, DoubleRoundingHasThirtyOneBitMultipliers) {
  for (const Profile& profile : Profiles()) {
    EXPECT_TRUE(profile.rounding != Rounding::kDouble || profile.mult_bits == 31) << profile.name;
  }
}

TEST(RangeOf, SymmetricLeavesOutTheLowestValue) {
  EXPECT_EQ(RangeOf(ClipKind::kSymmetric, 8, true), (ClipRange{-127, 127}));
  EXPECT_EQ(RangeOf(ClipKind::kTypeRange, 8, true), (ClipRange{-128, 127}));
  EXPECT_EQ(RangeOf(ClipKind::kSymmetric, 8, false), (ClipRange{0, 255}));
  EXPECT_EQ(RangeOf(ClipKind::kTypeRange, 4, false), (ClipRange{0, 15}));
  EXPECT_EQ(RangeOf(ClipKind::kTypeRange, 32, true), (ClipRange{-2147483648LL, 2147483647}));
  EXPECT_EQ(RangeOf(ClipKind::kSymmetric, 2, true), (ClipRange{-1, 1}));
}

TEST(Profile, NvdlaSubtractsItsOffsetAndRoundsAway) {
  const Profile& nvdla = *FindProfile("nvdla");
  const FixedScale half = Decompose(0.5, nvdla.mult_bits, nvdla.scale_rule);
  EXPECT_EQ(half, (FixedScale{16384, 15}));
  EXPECT_LT(half.m, 1 << 15);  // fits a signed 16-bit multiplier
  const Requant r = MakeRequant(half, 0, -128, 127);
  EXPECT_EQ(Requantise(10 - 13, r, nvdla.rounding), -2);  // -1.5
  EXPECT_EQ(Requantise(13 - 10, r, nvdla.rounding), 2);
}

}  // namespace
}  // namespace bw::arith
