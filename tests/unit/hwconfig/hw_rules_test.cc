#include "models/hwconfig/hw_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bw::hwconfig {
namespace {

using arith::Rounding;
using ::testing::HasSubstr;

std::string Text(const RuleResult& result) {
  if (!result.has_value()) return "holds";
  return result->keys.front() + ": " + result->message + " (" + result->hint + ")";
}

TEST(HwRules, RescaleProductFits) {
  HwConfig config;
  config.acc_bits = 48;
  config.ppu_mult_bits = 15;
  EXPECT_EQ(Text(RescaleProductFits(config)), "holds");
  config.ppu_mult_bits = 16;
  EXPECT_EQ(Text(RescaleProductFits(config)),
            "ppu.mult_bits: acc_bits + ppu.mult_bits is 48 + 16 = 64; allowed up to 63 (set "
            "ppu.mult_bits to 15 or less, or acc_bits to 47 or less)");
}

TEST(HwRules, MacProductFits) {
  HwConfig config;
  config.acc_bits = 18;
  EXPECT_EQ(Text(MacProductFits(config)), "holds");
  config.acc_bits = 17;
  EXPECT_EQ(Text(MacProductFits(config)),
            "acc_bits: one product of 8 + 1 activation bits and 8 + 1 weight bits has 18 bits; "
            "allowed up to acc_bits, 17 (set acc_bits to 18 or more)");
}

TEST(HwRules, ElementwiseProductFits) {
  HwConfig config;
  config.act_bits = 16;
  config.ppu_elt_base_shift = 17;
  config.ppu_mult_bits = 29;
  EXPECT_EQ(Text(ElementwiseProductFits(config)), "holds");
  config.ppu_elt_two_stage = false;
  EXPECT_EQ(Text(ElementwiseProductFits(config)),
            "ppu.elt_two_stage: in one stage a sum of 35 bits meets a multiplier of 29: 64 bits; "
            "allowed up to 63 (set ppu.elt_two_stage to true, or a smaller ppu.mult_bits)");
  config.ppu_zero_point = false;
  EXPECT_EQ(Text(ElementwiseProductFits(config)), "holds");
}

TEST(HwRules, Stage1IsWider) {
  HwConfig config;
  config.act_bits = 15;
  EXPECT_EQ(Text(Stage1IsWider(config)), "holds");
  config.act_bits = 16;
  EXPECT_EQ(Text(Stage1IsWider(config)),
            "ppu.stage1_bits: value 16 must be greater than act_bits, 16 (set ppu.stage1_bits to "
            "17 or more)");
}

TEST(HwRules, AlignShiftFits) {
  HwConfig config;
  config.ppu_mult_bits = 15;
  config.ppu_left_shift_max = 1;
  EXPECT_EQ(Text(AlignShiftFits(config)), "holds");
  config.ppu_left_shift_max = 0;
  EXPECT_EQ(Text(AlignShiftFits(config)),
            "ppu.left_shift_max: aligning for an elementwise add takes a left shift of "
            "ppu.elt_base_shift + 1 - ppu.mult_bits = 1; allowed up to 0 (set ppu.left_shift_max "
            "to 1 or more)");
  config.ppu_mult_bits = 1;
  config.ppu_elt_base_shift = 16;
  EXPECT_THAT(Text(AlignShiftFits(config)), HasSubstr("= 16; allowed up to 0 (set a smaller "
                                                      "ppu.elt_base_shift)"));
}

TEST(HwRules, RoundingIsBuilt) {
  HwConfig config;
  EXPECT_EQ(Text(RoundingIsBuilt(config)), "holds");
  config.ppu_modes = {Rounding::kFloor, Rounding::kHalfEven};
  EXPECT_EQ(Text(RoundingIsBuilt(config)),
            "ppu.rounding: value half_up is not built in; allowed ppu.modes, floor, half_even (add "
            "half_up to ppu.modes)");
}

TEST(HwRules, DoubleHasWideMultiplier) {
  HwConfig config;
  config.ppu_modes = {Rounding::kDouble};
  config.ppu_mult_bits = 31;
  EXPECT_EQ(Text(DoubleHasWideMultiplier(config)), "holds");
  config.ppu_mult_bits = 30;
  EXPECT_EQ(Text(DoubleHasWideMultiplier(config)),
            "ppu.modes: mode double is defined for ppu.mult_bits 31 only (is 30) (set "
            "ppu.mult_bits to 31, or leave double out of ppu.modes)");
}

TEST(HwRules, ProfileIsBuilt) {
  HwConfig config;
  EXPECT_EQ(Text(ProfileIsBuilt(config, "mantissa16", "profile")), "holds");
  EXPECT_EQ(Text(ProfileIsBuilt(config, "native", "profile")), "holds");
  EXPECT_EQ(Text(ProfileIsBuilt(config, "fp32_even", "profile")),
            "profile: profile fp32_even scales in floating point: it is no hardware profile (set "
            "profile to one of: mantissa16, native)");
  EXPECT_EQ(Text(ProfileIsBuilt(config, "nvdla", "profile")),
            "profile: profile nvdla needs ppu.mult_bits 15 (is 16) (set ppu.mult_bits=15, or set "
            "profile to one of: mantissa16, native)");
  config.ppu_shift_max = 40;
  EXPECT_EQ(Text(ProfileIsBuilt(config, "tflite_double", "quant.profile")),
            "quant.profile: profile tflite_double needs ppu.mult_bits 31 (is 16) and rounding mode "
            "double among ppu.modes (are floor, truncate, half_up, half_away, half_even) and "
            "ppu.shift_max 62 (is 40) (set ppu.mult_bits=31 and ppu.modes=[floor, truncate, "
            "half_up, half_away, half_even, double] and ppu.shift_max=62, or set profile to one "
            "of: mantissa16, native)");
}

TEST(HwRules, EveryIntegerProfileCanBeBuilt) {
  int built = 0;
  for (const arith::Profile& profile : arith::Profiles()) {
    HwConfig config;
    config.profile = profile.name;
    config.ppu_mult_bits = profile.mult_bits;
    config.ppu_modes = {Rounding::kHalfUp};
    if (!config.HasMode(profile.rounding)) config.ppu_modes.push_back(profile.rounding);
    EXPECT_EQ(BrokenRules(config).empty(), !profile.float_scale) << profile.name;
    built += profile.float_scale ? 0 : 1;
  }
  EXPECT_EQ(built, 6);
}

TEST(HwRules, ExactLookupFits) {
  HwConfig config;
  config.lut_mode = LutMode::kExact;
  EXPECT_EQ(Text(ExactLookupFits(config)), "holds");
  config.act_bits = 10;
  EXPECT_EQ(Text(ExactLookupFits(config)),
            "lut.mode: an exact table for 10-bit activations has 1024 entries; allowed up to "
            "lut.segments, 256 (set lut.segments to 1024)");
  config.act_bits = 13;
  EXPECT_THAT(Text(ExactLookupFits(config)), HasSubstr("(set lut.mode to interpolate)"));
  config.lut_mode = LutMode::kNearest;
  EXPECT_EQ(Text(ExactLookupFits(config)), "holds");
}

TEST(HwRules, AlphaRangeIsOrdered) {
  HwConfig config;
  config.alpha_shift = 4;
  EXPECT_EQ(Text(AlphaRangeIsOrdered(config)), "holds");
  config.alpha_shift = 3;
  EXPECT_EQ(Text(AlphaRangeIsOrdered(config)),
            "alpha.shift_min: value 4 is greater than alpha.shift, 3 (set alpha.shift_min to 3 or "
            "less)");
}

TEST(HwRules, ScratchpadFillsBanks) {
  HwConfig config;
  config.spm_bytes = 1152;  // 9 * 8 * 16
  EXPECT_EQ(Text(ScratchpadFillsBanks(config)), "holds");
  config.spm_bytes = 1153;
  EXPECT_EQ(Text(ScratchpadFillsBanks(config)),
            "spm.bytes: value 1153 is not a multiple of spm.banks * spm.bank_bytes = 128 (set "
            "spm.bytes to 1280)");
}

TEST(HwRules, MemoriesHoldOneRowOfTheArray) {
  HwConfig config;
  config.array_cols = 64;
  config.acc_entries = 64;
  config.ppu_param_entries = 64;
  EXPECT_EQ(Text(AccumulatorsHoldOneRow(config)), "holds");
  EXPECT_EQ(Text(ParametersHoldOneRow(config)), "holds");
  config.array_cols = 65;
  EXPECT_EQ(Text(AccumulatorsHoldOneRow(config)),
            "acc.entries: value 64 is less than array.cols, 65 (set acc.entries to 65 or more)");
  EXPECT_EQ(Text(ParametersHoldOneRow(config)),
            "ppu.param_entries: value 64 is less than array.cols, 65 (set ppu.param_entries to 65 "
            "or more)");
}

TEST(HwRules, BurstFillsBus) {
  HwConfig config;
  config.dma_burst_bytes = 64;
  config.dram_bytes_per_cycle = 64;
  EXPECT_EQ(Text(BurstFillsBus(config)), "holds");
  config.dram_bytes_per_cycle = 65;
  EXPECT_EQ(Text(BurstFillsBus(config)),
            "dma.burst_bytes: value 64 is less than dram.bytes_per_cycle, 65 (set a larger "
            "dma.burst_bytes)");
}

// Each rule above must also be asked when a file is read.
TEST(HwRules, AllAreAsked) {
  HwConfig config;
  config.act_bits = 16;  // Stage1IsWider, MacProductFits, ExactLookupFits
  config.weight_bits = 16;
  config.acc_bits = 33;
  config.ppu_mult_bits = 31;  // RescaleProductFits, ElementwiseProductFits
  config.ppu_elt_two_stage = false;
  config.ppu_elt_base_shift = 17;
  config.ppu_modes = {Rounding::kFloor};  // RoundingIsBuilt, ProfileIsBuilt
  config.lut_mode = LutMode::kExact;
  config.alpha_shift = 1;   // AlphaRangeIsOrdered
  config.spm_bytes = 1025;  // ScratchpadFillsBanks
  config.array_cols = 256;  // AccumulatorsHoldOneRow, ParametersHoldOneRow
  config.acc_entries = 64;
  config.ppu_param_entries = 16;
  config.dma_burst_bytes = 16;  // BurstFillsBus
  config.dram_bytes_per_cycle = 17;
  EXPECT_EQ(BrokenRules(config).size(), 12u);
  HwConfig small;
  small.ppu_mult_bits = 8;  // AlignShiftFits, ProfileIsBuilt
  small.ppu_left_shift_max = 0;
  small.ppu_modes = {Rounding::kHalfUp, Rounding::kDouble};  // DoubleHasWideMultiplier
  EXPECT_EQ(BrokenRules(small).size(), 3u);
}

}  // namespace
}  // namespace bw::hwconfig
