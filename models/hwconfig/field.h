// How each kind of hw_config.def reads, prints and describes itself. Private to models/hwconfig.
#ifndef MODELS_HWCONFIG_FIELD_H_
#define MODELS_HWCONFIG_FIELD_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "models/hwconfig/hw_config.h"

namespace bw::hwconfig::field {

enum class Kind {
  kText,
  kInt,
  kPowerOfTwo,
  kMultBits,
  kFlag,
  kDataflow,
  kRounding,
  kRoundingList,
  kProfile,
  kLutMode
};

struct Range {
  int64_t min;
  int64_t max;
};

std::string TypeName(Kind kind);
// Names that a choice or list takes; empty for the other kinds.
std::vector<std::string> Choices(Kind kind);
std::string Allowed(Kind kind, Range range);

// Value as in YAML, and as a number (Parameter::number).
std::string Print(Kind kind, const std::string& value);
std::string Print(Kind kind, int64_t value);
std::string Print(Kind kind, bool value);
std::string Print(Kind kind, Dataflow value);
std::string Print(Kind kind, LutMode value);
std::string Print(Kind kind, arith::Rounding value);
std::string Print(Kind kind, const std::vector<arith::Rounding>& value);
int64_t Number(Kind kind, const std::string& value);
int64_t Number(Kind kind, int64_t value);
int64_t Number(Kind kind, bool value);
int64_t Number(Kind kind, Dataflow value);
int64_t Number(Kind kind, LutMode value);
int64_t Number(Kind kind, arith::Rounding value);
int64_t Number(Kind kind, const std::vector<arith::Rounding>& value);

// Stores a sound value of `node` and returns true, or adds an error for `key`.
bool Read(const YamlNode& node, const std::string& key, Kind kind, Range range, Errors* errors,
          std::string* value);
bool Read(const YamlNode& node, const std::string& key, Kind kind, Range range, Errors* errors,
          int64_t* value);
bool Read(const YamlNode& node, const std::string& key, Kind kind, Range range, Errors* errors,
          bool* value);
bool Read(const YamlNode& node, const std::string& key, Kind kind, Range range, Errors* errors,
          Dataflow* value);
bool Read(const YamlNode& node, const std::string& key, Kind kind, Range range, Errors* errors,
          LutMode* value);
bool Read(const YamlNode& node, const std::string& key, Kind kind, Range range, Errors* errors,
          arith::Rounding* value);
bool Read(const YamlNode& node, const std::string& key, Kind kind, Range range, Errors* errors,
          std::vector<arith::Rounding>* value);

}  // namespace bw::hwconfig::field

#endif  // MODELS_HWCONFIG_FIELD_H_
