// The hardware parameters, their YAML form and their table (ARCHITECTURE.md sections 2 and 4).
#ifndef MODELS_HWCONFIG_HW_CONFIG_H_
#define MODELS_HWCONFIG_HW_CONFIG_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "models/arith/profile.h"
#include "models/arith/rounding.h"
#include "models/hwconfig/strict_yaml.h"
#include "models/status/result.h"

namespace bw::hwconfig {

enum class Dataflow : uint8_t { kWs, kOs };
enum class LutMode : uint8_t { kExact, kNearest, kInterpolate };
std::string_view ToString(Dataflow dataflow);  // "ws", "os"
std::string_view ToString(LutMode mode);       // "exact", "nearest", "interpolate"

// floor, truncate, half_up, half_away, half_even: all but `double`, which needs a 31-bit
// multiplier.
std::vector<arith::Rounding> SingleRoundings();

// C++ types of the kinds in hw_config.def.
namespace kind {
using Text = std::string;
using Int = int64_t;
using PowerOfTwo = int64_t;
using MultBits = int64_t;
using Flag = bool;
using Dataflow = hwconfig::Dataflow;
using Rounding = arith::Rounding;
using RoundingList = std::vector<arith::Rounding>;  // in the order of rounding.def
using Profile = std::string;                        // a name of profile.def, or "native"
using LutMode = hwconfig::LutMode;
}  // namespace kind

// One member a row of hw_config.def, with its default: `array.rows` is array_rows.
struct HwConfig {
#define BW_HW_PARAM(key, member, type, value, min, max, unit, doc) kind::type member = value;
#include "models/hwconfig/hw_config.def"
#undef BW_HW_PARAM

  bool HasMode(arith::Rounding mode) const;  // among ppu.modes
};

bool operator==(const HwConfig& a, const HwConfig& b);
inline bool operator!=(const HwConfig& a, const HwConfig& b) { return !(a == b); }

// Reads and checks a config. `overrides` replace values of the file and are checked like them. All
// problems at once: unknown, missing and duplicate keys, types, ranges, and the rules of
// hw_rules.h.
Result<HwConfig> LoadHwConfig(const std::string& path, const std::vector<Override>& overrides = {});
// The same for text; `filename` is for messages.
Result<HwConfig> ParseHwConfig(const std::string& text, const std::string& filename,
                               const std::vector<Override>& overrides = {});

// Canonical text with every parameter, in the order of hw_config.def. ParseHwConfig reads it back.
std::string ToYaml(const HwConfig& config);
// 16 hex digits: 64-bit FNV-1a over ToYaml. Equal for equal configs, on every machine.
std::string HashHex(const HwConfig& config);

// The arithmetic of the profile `name` on this hardware; `native` is made from ppu.mult_bits and
// ppu.rounding. The name must be known (profile.def or "native"). Whether the hardware can do it is
// checked by ProfileIsBuilt (hw_rules.h).
arith::Profile ResolveProfile(const HwConfig& config, std::string_view name);
// Names that the key `profile` takes, and that ResolveProfile knows.
std::vector<std::string> ProfileChoices();

// One parameter of one config.
struct Parameter {
  std::string key;                   // "array.rows"
  std::string type;                  // "text", "integer", "power of two", "flag", "choice", "list"
  std::string value;                 // as in YAML
  std::string default_value;         // as in YAML; empty when there is none
  std::string allowed;               // "1..256", "ws, os", ...
  std::string unit;                  // "bits", "bytes", ...; may be empty
  std::string doc;                   // one line
  std::vector<std::string> choices;  // of choices and lists
  // Integers: the value. Flags: 0 or 1. Choices: index into `choices`. Lists: bit i = choice i is
  // in it. Text: 0. (For roundings the index is the code of rounding.def.)
  int64_t number = 0;
};
void ForEachParameter(const HwConfig& config, const std::function<void(const Parameter&)>& visit);
bool IsHwKey(std::string_view key);

// The table of all parameters: key, default, allowed values, unit, doc.
std::string DescribeNpu();

}  // namespace bw::hwconfig

#endif  // MODELS_HWCONFIG_HW_CONFIG_H_
