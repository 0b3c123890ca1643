#include "sim/cosim/settings.h"

#include <algorithm>

namespace bw::cosim {

lower::Settings MakeSettings(const calibrate::Recipe& recipe, const hwconfig::HwConfig& config,
                             const arith::Profile& profile) {
  lower::Settings settings;
  settings.profile = &profile;
  settings.rounding = profile.rounding;
  settings.mult_bits = profile.mult_bits;
  const auto hardware_limit = static_cast<int>(config.ppu_shift_max);
  settings.limits.shift_max =
      profile.shift_max == 0 ? hardware_limit : std::min(profile.shift_max, hardware_limit);
  settings.limits.left_shift_max = static_cast<int>(config.ppu_left_shift_max);
  settings.act_bits = recipe.ActBits(config);
  settings.weight_bits = recipe.WeightBits(config);
  settings.acc_bits = static_cast<int>(config.acc_bits);
  settings.per_channel_weights = recipe.weights == calibrate::Weights::kPerChannel;
  settings.elt_base_shift = static_cast<int>(config.ppu_elt_base_shift);
  settings.elt_two_stage = config.ppu_elt_two_stage;
  settings.stage1_bits = static_cast<int>(config.ppu_stage1_bits);
  settings.lut_segments = static_cast<int>(config.lut_segments);
  settings.lut_interpolate = config.lut_mode == hwconfig::LutMode::kInterpolate;
  return settings;
}

}  // namespace bw::cosim
