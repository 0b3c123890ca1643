// The arithmetic that lowering aims at, put together from the recipe and the hardware's config.
#ifndef COMPILER_LOWER_SETTINGS_H_
#define COMPILER_LOWER_SETTINGS_H_

#include <cstdint>
#include <string>

#include "models/arith/profile.h"
#include "models/arith/rounding.h"
#include "models/arith/scale.h"

namespace bw::lower {

struct Settings {
  const arith::Profile* profile = &arith::DefaultProfile();
  arith::Rounding rounding = arith::Rounding::kHalfUp;
  int mult_bits = 16;
  arith::ScaleLimits limits;
  int act_bits = 8;
  int weight_bits = 8;
  int acc_bits = 32;
  bool per_channel_weights = true;
  // Elementwise add, NUMERICS.md section 5.
  int elt_base_shift = 15;
  bool elt_two_stage = true;
  int stage1_bits = 16;
  // Lookup tables.
  int lut_segments = 256;
  bool lut_interpolate = true;
};

}  // namespace bw::lower

#endif  // COMPILER_LOWER_SETTINGS_H_
