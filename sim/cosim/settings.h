// What lowering aims at, from the recipe and the hardware.
#ifndef SIM_COSIM_SETTINGS_H_
#define SIM_COSIM_SETTINGS_H_

#include "compiler/calibrate/recipe.h"
#include "compiler/lower/settings.h"
#include "models/arith/profile.h"
#include "models/hwconfig/hw_config.h"

namespace bw::cosim {

// `recipe` has been checked against `config` (LoadRecipe). `profile` is recipe.ProfileOn(config)
// and must outlive the result.
lower::Settings MakeSettings(const calibrate::Recipe& recipe, const hwconfig::HwConfig& config,
                             const arith::Profile& profile);

}  // namespace bw::cosim

#endif  // SIM_COSIM_SETTINGS_H_
