#include "compiler/calibrate/recipe.h"

#include <fmt/format.h>

#include "models/hwconfig/hw_rules.h"
#include "models/hwconfig/strict_yaml.h"
#include "models/status/file.h"

namespace bw::calibrate {
namespace {

using hwconfig::HwConfig;
using hwconfig::Override;
using hwconfig::YamlNode;

constexpr int64_t kMinWidth = 2;
constexpr int64_t kMaxWidth = 16;
constexpr std::string_view kPrefix = "quant.";

// Each kind of recipe.def: the names that it takes (or a description), how it reads and prints.

std::vector<std::string> ProfileNames() {
  std::vector<std::string> names = hwconfig::ProfileChoices();
  names.insert(names.begin(), "config");
  return names;
}

std::string AllowedName() { return "a name"; }
std::string AllowedMode() { return "int8"; }
std::string AllowedProfile() { return fmt::format("{}", fmt::join(ProfileNames(), ", ")); }
std::string AllowedWidth() { return fmt::format("{}..{}, or 0", kMinWidth, kMaxWidth); }
std::string AllowedWeights() { return "per_channel, per_tensor"; }
std::string AllowedCalibration() { return "minmax"; }

bool ReadName(const YamlNode& node, const std::string& key, Errors* errors, std::string* value) {
  const std::optional<std::string> name = hwconfig::ReadName(node, key, errors);
  if (name.has_value()) *value = *name;
  return name.has_value();
}

bool ReadMode(const YamlNode& node, const std::string& key, Errors* errors, Mode* value) {
  if (node.kind == YamlNode::Kind::kScalar && node.text == "alpha") {
    errors->push_back(hwconfig::ValueError(node, key, "is not supported by this version",
                                           AllowedMode(), "set mode to int8"));
    return false;
  }
  if (!hwconfig::ReadChoice(node, key, {"int8"}, errors).has_value()) return false;
  *value = Mode::kInt8;
  return true;
}

bool ReadProfile(const YamlNode& node, const std::string& key, Errors* errors, std::string* value) {
  const std::vector<std::string> names = ProfileNames();
  const std::optional<size_t> index = hwconfig::ReadChoice(node, key, names, errors);
  if (index.has_value()) *value = names[*index];
  return index.has_value();
}

bool ReadWidth(const YamlNode& node, const std::string& key, Errors* errors, int64_t* value) {
  const std::optional<int64_t> width =
      hwconfig::ReadInt(node, key, 0, kMaxWidth, errors, AllowedWidth());
  if (!width.has_value()) return false;
  if (*width != 0 && *width < kMinWidth) {
    errors->push_back(hwconfig::ValueError(node, key, "is out of range", AllowedWidth()));
    return false;
  }
  *value = *width;
  return true;
}

bool ReadWeights(const YamlNode& node, const std::string& key, Errors* errors, Weights* value) {
  const std::optional<size_t> index =
      hwconfig::ReadChoice(node, key, {"per_channel", "per_tensor"}, errors);
  if (index.has_value()) *value = *index == 0 ? Weights::kPerChannel : Weights::kPerTensor;
  return index.has_value();
}

bool ReadCalibration(const YamlNode& node, const std::string& key, Errors* errors,
                     Calibration* value) {
  if (!hwconfig::ReadChoice(node, key, {"minmax"}, errors).has_value()) return false;
  *value = Calibration::kMinMax;
  return true;
}

std::string PrintName(const std::string& value) { return hwconfig::PrintName(value); }
std::string PrintMode(Mode value) { return std::string(ToString(value)); }
std::string PrintProfile(const std::string& value) { return value; }
std::string PrintWidth(int64_t value) { return fmt::format("{}", value); }
std::string PrintWeights(Weights value) { return std::string(ToString(value)); }
std::string PrintCalibration(Calibration value) { return std::string(ToString(value)); }

std::vector<hwconfig::SchemaKey> MakeSchema(Recipe* recipe) {
  return {
#define BW_RECIPE_KEY(key, member, type, value, doc)                           \
  hwconfig::SchemaKey{key, std::string_view(key) == "name",                    \
                      [recipe](const YamlNode& node, Errors* errors) {         \
                        return Read##type(node, key, errors, &recipe->member); \
                      }},
#include "compiler/calibrate/recipe.def"
#undef BW_RECIPE_KEY
  };
}

std::vector<std::string> RecipeKeys() {
  return {
#define BW_RECIPE_KEY(key, member, type, value, doc) key,
#include "compiler/calibrate/recipe.def"
#undef BW_RECIPE_KEY
  };
}

bool IsBareRecipeKey(std::string_view key) {
  for (const std::string& known : RecipeKeys()) {
    if (key == known) return true;
  }
  return false;
}

hwconfig::RuleResult WidthFits(int64_t width, int64_t maximum, const std::string& key) {
  if (width <= maximum) return std::nullopt;
  return hwconfig::Violation{
      {key},
      fmt::format("value {} is wider than the hardware; allowed {}..{}, or 0", width, kMinWidth,
                  maximum),
      fmt::format("set the hardware's {} to {} or more", key, width)};
}

std::vector<hwconfig::Violation> BrokenRules(const Recipe& recipe, const HwConfig& config) {
  std::vector<hwconfig::Violation> broken;
  for (const hwconfig::RuleResult& result :
       {WidthFits(recipe.act_bits, config.act_bits, "act_bits"),
        WidthFits(recipe.weight_bits, config.weight_bits, "weight_bits")}) {
    if (result.has_value()) broken.push_back(*result);
  }
  if (recipe.profile != "config") {
    if (auto result = hwconfig::ProfileIsBuilt(config, recipe.profile, "profile")) {
      result->keys = {"profile"};  // the others are the hardware's, which was given elsewhere
      broken.push_back(*result);
    }
  }
  return broken;
}

// Every name that --set takes, for suggestions.
std::vector<std::string> SettableNames() {
  std::vector<std::string> names;
  hwconfig::ForEachParameter(
      HwConfig(), [&](const hwconfig::Parameter& parameter) { names.push_back(parameter.key); });
  for (const std::string& key : RecipeKeys()) {
    if (!hwconfig::IsHwKey(key)) names.push_back(key);
  }
  for (const std::string& key : RecipeKeys()) names.push_back(std::string(kPrefix) + key);
  return names;
}

}  // namespace

int Recipe::ActBits(const HwConfig& config) const {
  return static_cast<int>(act_bits == 0 ? config.act_bits : act_bits);
}

int Recipe::WeightBits(const HwConfig& config) const {
  return static_cast<int>(weight_bits == 0 ? config.weight_bits : weight_bits);
}

arith::Profile Recipe::ProfileOn(const HwConfig& config) const {
  return hwconfig::ResolveProfile(config, profile == "config" ? config.profile : profile);
}

Result<Recipe> ParseRecipe(const std::string& text, const std::string& filename,
                           const HwConfig& config, const std::vector<Override>& overrides) {
  Recipe recipe;
  Errors errors;
  const hwconfig::ReadOutcome outcome =
      hwconfig::ReadDocument(text, filename, overrides, "recipe key", MakeSchema(&recipe), &errors);
  for (const hwconfig::Violation& violation : BrokenRules(recipe, config)) {
    hwconfig::AddViolation(violation, filename, outcome, &errors);
  }
  hwconfig::SortByPlace(&errors);
  if (!errors.empty()) return errors;
  return recipe;
}

Result<Recipe> LoadRecipe(const std::string& path, const HwConfig& config,
                          const std::vector<Override>& overrides) {
  BW_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  return ParseRecipe(text, path, config, overrides);
}

std::string ToYaml(const Recipe& recipe) {
  std::string text;
#define BW_RECIPE_KEY(key, member, type, value, doc) \
  text += fmt::format("{}: {}\n", key, Print##type(recipe.member));
#include "compiler/calibrate/recipe.def"
#undef BW_RECIPE_KEY
  return text;
}

std::string DescribeRecipe() {
  const Recipe recipe;
  std::string text;
  const auto add = [&](std::string_view key, std::string_view value, std::string_view allowed,
                       std::string_view doc) {
    text += fmt::format("{:<12}  {:<12}  {:<24}  {}\n", key, value.empty() ? "(required)" : value,
                        allowed, doc);
  };
  add("key", "default", "allowed", "meaning");
#define BW_RECIPE_KEY(key, member, type, value, doc) \
  add(key, Print##type(recipe.member), Allowed##type(), doc);
#include "compiler/calibrate/recipe.def"
#undef BW_RECIPE_KEY
  return text;
}

bool IsRecipeKey(std::string_view key) {
  if (key.substr(0, kPrefix.size()) == kPrefix) return IsBareRecipeKey(key.substr(kPrefix.size()));
  return IsBareRecipeKey(key) && !hwconfig::IsHwKey(key);
}

Result<SplitOverrides> SplitSets(const std::vector<std::string>& sets) {
  SplitOverrides split;
  Errors errors;
  for (const std::string& text : sets) {
    const Result<Override> parsed = hwconfig::ParseOverride(text);
    if (!parsed.ok()) {
      errors.insert(errors.end(), parsed.errors().begin(), parsed.errors().end());
      continue;
    }
    Override change = *parsed;
    if (IsRecipeKey(change.key)) {
      if (change.key.compare(0, kPrefix.size(), kPrefix) == 0) change.key.erase(0, kPrefix.size());
      split.recipe.push_back(change);
    } else if (hwconfig::IsHwKey(change.key)) {
      split.npu.push_back(change);
    } else {
      const std::string nearest = hwconfig::NearestName(change.key, SettableNames());
      errors.push_back({"--set " + text, 0, 0, change.key,
                        "neither a hardware parameter nor a recipe key",
                        nearest.empty() ? "bitwright describe npu lists them"
                                        : fmt::format("did you mean {}?", nearest)});
    }
  }
  if (!errors.empty()) return errors;
  return split;
}

std::string_view ToString(Mode mode) {
  switch (mode) {
    case Mode::kInt8:
      return "int8";
  }
  __builtin_unreachable();
}

std::string_view ToString(Weights weights) {
  switch (weights) {
    case Weights::kPerChannel:
      return "per_channel";
    case Weights::kPerTensor:
      return "per_tensor";
  }
  __builtin_unreachable();
}

std::string_view ToString(Calibration calibration) {
  switch (calibration) {
    case Calibration::kMinMax:
      return "minmax";
  }
  __builtin_unreachable();
}

}  // namespace bw::calibrate
