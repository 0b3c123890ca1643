// The quantisation recipe: how a float network becomes an integer one (configs/quant/*.yaml).
#ifndef COMPILER_CALIBRATE_RECIPE_H_
#define COMPILER_CALIBRATE_RECIPE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/arith/profile.h"
#include "models/hwconfig/hw_config.h"
#include "models/status/result.h"

namespace bw::calibrate {

enum class Mode : uint8_t { kInt8 };  // integers of act_bits between all operators
enum class Weights : uint8_t { kPerChannel, kPerTensor };
enum class Calibration : uint8_t { kMinMax };

// Names as in YAML: "int8", "per_channel", "minmax", ...
std::string_view ToString(Mode mode);
std::string_view ToString(Weights weights);
std::string_view ToString(Calibration calibration);

// C++ types of the kinds in recipe.def.
namespace kind {
using Name = std::string;
using Mode = calibrate::Mode;
using Profile = std::string;  // "config", or a choice of the hardware's key `profile`
using Width = int64_t;        // 0, or 2..16
using Weights = calibrate::Weights;
using Calibration = calibrate::Calibration;
}  // namespace kind

// One member a row of recipe.def.
struct Recipe {
#define BW_RECIPE_KEY(key, member, type, value, doc) kind::type member = value;
#include "compiler/calibrate/recipe.def"
#undef BW_RECIPE_KEY

  // What the recipe comes to on a hardware that it was checked against.
  int ActBits(const hwconfig::HwConfig& config) const;
  int WeightBits(const hwconfig::HwConfig& config) const;
  arith::Profile ProfileOn(const hwconfig::HwConfig& config) const;
};

// Reads a recipe and checks it, also against the hardware: widths within its maxima, a profile that
// it has. All problems at once, as LoadHwConfig.
Result<Recipe> LoadRecipe(const std::string& path, const hwconfig::HwConfig& config,
                          const std::vector<hwconfig::Override>& overrides = {});
Result<Recipe> ParseRecipe(const std::string& text, const std::string& filename,
                           const hwconfig::HwConfig& config,
                           const std::vector<hwconfig::Override>& overrides = {});

// Canonical text with every key; ParseRecipe reads it back.
std::string ToYaml(const Recipe& recipe);
// The table of all keys: key, default, allowed values, doc.
std::string DescribeRecipe();

// Hardware parameters and recipe keys share one --set namespace. "quant.KEY" is always the
// recipe's; a bare KEY is the recipe's when no hardware parameter has that name, so `weights` but
// not `act_bits`.
bool IsRecipeKey(std::string_view key);

struct SplitOverrides {
  std::vector<hwconfig::Override> npu;
  std::vector<hwconfig::Override> recipe;  // keys without "quant."
};
// Sorts the arguments of --set. Arguments that are not KEY=VALUE, or whose key nobody knows, are
// errors, all at once.
Result<SplitOverrides> SplitSets(const std::vector<std::string>& sets);

}  // namespace bw::calibrate

#endif  // COMPILER_CALIBRATE_RECIPE_H_
