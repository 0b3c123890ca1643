#include "models/hwconfig/hw_config.h"

#include <algorithm>

#include "models/hwconfig/field.h"
#include "models/hwconfig/hw_rules.h"
#include "models/status/check.h"
#include "models/status/file.h"

namespace bw::hwconfig {
namespace {

constexpr std::string_view kNative = "native";

// One entry a row of hw_config.def, which reads into the member of `config`.
std::vector<SchemaKey> MakeSchema(HwConfig* config) {
  return {
#define BW_HW_PARAM(key, member, type, value, min, max, unit, doc)                                \
  SchemaKey{                                                                                      \
      key, field::Kind::k##type == field::Kind::kText,                                            \
      [config](const YamlNode& node, Errors* errors) {                                            \
        return field::Read(node, key, field::Kind::k##type, {min, max}, errors, &config->member); \
      }},
#include "models/hwconfig/hw_config.def"
#undef BW_HW_PARAM
  };
}

}  // namespace

std::string_view ToString(Dataflow dataflow) {
  switch (dataflow) {
    case Dataflow::kWs:
      return "ws";
    case Dataflow::kOs:
      return "os";
  }
  BW_CHECK(false, "dataflow = {}", static_cast<int>(dataflow));
  return "";
}

std::string_view ToString(LutMode mode) {
  switch (mode) {
    case LutMode::kExact:
      return "exact";
    case LutMode::kNearest:
      return "nearest";
    case LutMode::kInterpolate:
      return "interpolate";
  }
  BW_CHECK(false, "mode = {}", static_cast<int>(mode));
  return "";
}

std::vector<arith::Rounding> SingleRoundings() {
  std::vector<arith::Rounding> modes;
  for (const arith::Rounding mode : arith::kAllRoundings) {
    if (mode != arith::Rounding::kDouble) modes.push_back(mode);
  }
  return modes;
}

bool HwConfig::HasMode(arith::Rounding mode) const {
  return std::find(ppu_modes.begin(), ppu_modes.end(), mode) != ppu_modes.end();
}

bool operator==(const HwConfig& a, const HwConfig& b) {
  bool equal = true;
#define BW_HW_PARAM(key, member, type, value, min, max, unit, doc) \
  equal = equal && a.member == b.member;
#include "models/hwconfig/hw_config.def"
#undef BW_HW_PARAM
  return equal;
}

std::vector<std::string> ProfileChoices() {
  std::vector<std::string> names;
  for (const arith::Profile& profile : arith::Profiles()) names.emplace_back(profile.name);
  names.emplace_back(kNative);
  return names;
}

arith::Profile ResolveProfile(const HwConfig& config, std::string_view name) {
  if (name == kNative) {
    arith::Profile native = arith::DefaultProfile();
    native.name = kNative;
    native.mult_bits = static_cast<int>(config.ppu_mult_bits);
    native.rounding = config.ppu_rounding;
    native.same_as = "the hardware's own multiplier and rounding";
    return native;
  }
  const arith::Profile* profile = arith::FindProfile(name);
  BW_CHECK(profile != nullptr, "profile {}", name);
  return *profile;
}

bool IsHwKey(std::string_view key) {
  for (const std::string_view known : {
#define BW_HW_PARAM(name, member, type, value, min, max, unit, doc) std::string_view(name),
#include "models/hwconfig/hw_config.def"
#undef BW_HW_PARAM
       }) {
    if (key == known) return true;
  }
  return false;
}

Result<HwConfig> ParseHwConfig(const std::string& text, const std::string& filename,
                               const std::vector<Override>& overrides) {
  HwConfig config;
  Errors errors;
  const ReadOutcome outcome =
      ReadDocument(text, filename, overrides, "hardware parameter", MakeSchema(&config), &errors);
  for (const Violation& violation : BrokenRules(config)) {
    AddViolation(violation, filename, outcome, &errors);
  }
  SortByPlace(&errors);
  if (!errors.empty()) return errors;
  return config;
}

Result<HwConfig> LoadHwConfig(const std::string& path, const std::vector<Override>& overrides) {
  BW_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  return ParseHwConfig(text, path, overrides);
}

}  // namespace bw::hwconfig
