#include "sim/cosim/settings.h"

#include <gtest/gtest.h>

#include <string>

namespace bw::cosim {
namespace {

const std::string kConfigs = std::string(BW_SOURCE_DIR) + "/configs/";

lower::Settings With(const std::vector<hwconfig::Override>& npu,
                     const std::vector<hwconfig::Override>& quant, arith::Profile* profile) {
  const auto config = hwconfig::LoadHwConfig(kConfigs + "npu/edge.yaml", npu).value();
  const auto recipe = calibrate::LoadRecipe(kConfigs + "quant/int8.yaml", config, quant).value();
  *profile = recipe.ProfileOn(config);
  return MakeSettings(recipe, config, *profile);
}

TEST(Settings, WidthsOfZeroAreTheHardwares) {
  arith::Profile profile;
  const lower::Settings s = With({{"act_bits", "12", ""}, {"weight_bits", "6", ""}}, {}, &profile);
  EXPECT_EQ(s.act_bits, 12);
  EXPECT_EQ(s.weight_bits, 6);
  EXPECT_EQ(s.profile, &profile);
}

TEST(Settings, TheRecipeMayAskForLess) {
  arith::Profile profile;
  const lower::Settings s =
      With({}, {{"act_bits", "5", ""}, {"weights", "per_tensor", ""}}, &profile);
  EXPECT_EQ(s.act_bits, 5);
  EXPECT_EQ(s.weight_bits, 8);
  EXPECT_FALSE(s.per_channel_weights);
}

TEST(Settings, LimitsAreTheTighterOfProfileAndHardware) {
  arith::Profile profile;
  const lower::Settings s =
      With({{"ppu.shift_max", "40", ""}, {"ppu.left_shift_max", "3", ""}}, {}, &profile);
  EXPECT_EQ(s.limits.shift_max, 40);
  EXPECT_EQ(s.limits.left_shift_max, 3);
  EXPECT_EQ(s.mult_bits, 16);
  EXPECT_EQ(s.rounding, arith::Rounding::kHalfUp);
}

}  // namespace
}  // namespace bw::cosim
