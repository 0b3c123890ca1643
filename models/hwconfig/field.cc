#include "models/hwconfig/field.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/hwconfig/strict_yaml.h"
#include "models/status/check.h"

namespace bw::hwconfig::field {
namespace {

std::vector<std::string> RoundingChoices() {
  std::vector<std::string> names;
  for (const arith::Rounding mode : arith::kAllRoundings) names.emplace_back(ToString(mode));
  return names;
}

bool IsPowerOfTwo(int64_t value) { return value > 0 && (value & (value - 1)) == 0; }

// Neighbours of `value` among the powers of two, within the range.
std::string NearPowers(int64_t value, Range range) {
  int64_t below = 1;
  while (below * 2 <= value) below *= 2;
  if (below < range.min) return fmt::format("write {}", below * 2);
  if (below * 2 > range.max) return fmt::format("write {}", below);
  return fmt::format("write {} or {}", below, below * 2);
}

// Enumerations whose enumerators are numbered 0, 1, ... in the order of Choices(kind).
template <typename Enum>
bool ReadEnum(const YamlNode& node, const std::string& key, Kind kind, Errors* errors,
              Enum* value) {
  const std::optional<size_t> index = ReadChoice(node, key, Choices(kind), errors);
  if (index.has_value()) *value = static_cast<Enum>(*index);
  return index.has_value();
}

}  // namespace

std::string TypeName(Kind kind) {
  switch (kind) {
    case Kind::kText:
      return "text";
    case Kind::kInt:
    case Kind::kMultBits:
      return "integer";
    case Kind::kPowerOfTwo:
      return "power of two";
    case Kind::kFlag:
      return "flag";
    case Kind::kDataflow:
    case Kind::kRounding:
    case Kind::kProfile:
    case Kind::kLutMode:
      return "choice";
    case Kind::kRoundingList:
      return "list";
  }
  BW_CHECK(false, "kind = {}", static_cast<int>(kind));
  return "";
}

std::vector<std::string> Choices(Kind kind) {
  switch (kind) {
    case Kind::kDataflow:
      return {"ws", "os"};
    case Kind::kLutMode:
      return {"exact", "nearest", "interpolate"};
    case Kind::kRounding:
    case Kind::kRoundingList:
      return RoundingChoices();
    case Kind::kProfile:
      return ProfileChoices();
    case Kind::kText:
    case Kind::kInt:
    case Kind::kPowerOfTwo:
    case Kind::kMultBits:
    case Kind::kFlag:
      return {};
  }
  BW_CHECK(false, "kind = {}", static_cast<int>(kind));
  return {};
}

std::string Allowed(Kind kind, Range range) {
  switch (kind) {
    case Kind::kText:
      return "a name";
    case Kind::kInt:
      return fmt::format("{}..{}", range.min, range.max);
    case Kind::kPowerOfTwo:
      return fmt::format("powers of two, {}..{}", range.min, range.max);
    case Kind::kMultBits:
      return fmt::format("{}..{}, or 1", range.min, range.max);
    case Kind::kFlag:
      return "true, false";
    case Kind::kRoundingList:
      return fmt::format("list of {}", fmt::join(Choices(kind), ", "));
    case Kind::kDataflow:
    case Kind::kRounding:
    case Kind::kProfile:
    case Kind::kLutMode:
      return fmt::format("{}", fmt::join(Choices(kind), ", "));
  }
  BW_CHECK(false, "kind = {}", static_cast<int>(kind));
  return "";
}

std::string Print(Kind, const std::string& value) { return PrintName(value); }
std::string Print(Kind, int64_t value) { return fmt::format("{}", value); }
std::string Print(Kind, bool value) { return value ? "true" : "false"; }
std::string Print(Kind, Dataflow value) { return std::string(ToString(value)); }
std::string Print(Kind, LutMode value) { return std::string(ToString(value)); }
std::string Print(Kind, arith::Rounding value) { return std::string(ToString(value)); }
std::string Print(Kind, const std::vector<arith::Rounding>& value) {
  std::vector<std::string_view> names;
  for (const arith::Rounding mode : value) names.push_back(ToString(mode));
  return fmt::format("[{}]", fmt::join(names, ", "));
}

int64_t Number(Kind kind, const std::string& value) {
  const std::vector<std::string> choices = Choices(kind);
  const auto found = std::find(choices.begin(), choices.end(), value);
  return found == choices.end() ? 0 : found - choices.begin();
}
int64_t Number(Kind, int64_t value) { return value; }
int64_t Number(Kind, bool value) { return value ? 1 : 0; }
int64_t Number(Kind, Dataflow value) { return static_cast<int64_t>(value); }
int64_t Number(Kind, LutMode value) { return static_cast<int64_t>(value); }
int64_t Number(Kind, arith::Rounding value) { return static_cast<int64_t>(value); }
int64_t Number(Kind, const std::vector<arith::Rounding>& value) {
  int64_t mask = 0;
  for (const arith::Rounding mode : value) mask |= int64_t{1} << static_cast<int>(mode);
  return mask;
}

bool Read(const YamlNode& node, const std::string& key, Kind kind, Range, Errors* errors,
          std::string* value) {
  if (kind == Kind::kText) {
    std::optional<std::string> name = ReadName(node, key, errors);
    if (name.has_value()) *value = *name;
    return name.has_value();
  }
  const std::vector<std::string> choices = Choices(kind);
  const std::optional<size_t> index = ReadChoice(node, key, choices, errors);
  if (index.has_value()) *value = choices[*index];
  return index.has_value();
}

bool Read(const YamlNode& node, const std::string& key, Kind kind, Range range, Errors* errors,
          int64_t* value) {
  // The multiplier's odd 1 is let through first, then the gap up to `min` is refused.
  const int64_t least = kind == Kind::kMultBits ? 1 : range.min;
  const std::string allowed = Allowed(kind, range);
  const std::optional<int64_t> read = ReadInt(node, key, least, range.max, errors, allowed);
  if (!read.has_value()) return false;
  if (kind == Kind::kMultBits && *read != 1 && *read < range.min) {
    errors->push_back(ValueError(node, key, "is out of range", allowed));
    return false;
  }
  if (kind == Kind::kPowerOfTwo && !IsPowerOfTwo(*read)) {
    errors->push_back(
        ValueError(node, key, "is not a power of two", allowed, NearPowers(*read, range)));
    return false;
  }
  *value = *read;
  return true;
}

bool Read(const YamlNode& node, const std::string& key, Kind, Range, Errors* errors, bool* value) {
  const std::optional<bool> flag = ReadFlag(node, key, errors);
  if (flag.has_value()) *value = *flag;
  return flag.has_value();
}

bool Read(const YamlNode& node, const std::string& key, Kind kind, Range, Errors* errors,
          Dataflow* value) {
  return ReadEnum(node, key, kind, errors, value);
}
bool Read(const YamlNode& node, const std::string& key, Kind kind, Range, Errors* errors,
          LutMode* value) {
  return ReadEnum(node, key, kind, errors, value);
}
bool Read(const YamlNode& node, const std::string& key, Kind kind, Range, Errors* errors,
          arith::Rounding* value) {
  const std::optional<size_t> index = ReadChoice(node, key, Choices(kind), errors);
  if (index.has_value()) *value = arith::kAllRoundings[*index];
  return index.has_value();
}
bool Read(const YamlNode& node, const std::string& key, Kind kind, Range, Errors* errors,
          std::vector<arith::Rounding>* value) {
  const std::optional<std::vector<size_t>> indices = ReadChoices(node, key, Choices(kind), errors);
  if (!indices.has_value()) return false;
  value->clear();
  for (const size_t index : *indices) value->push_back(arith::kAllRoundings[index]);
  return true;
}

}  // namespace bw::hwconfig::field
