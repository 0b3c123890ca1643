// Config as text: canonical YAML, hash, parameter table.
#include <fmt/format.h>

#include <algorithm>

#include "models/hwconfig/field.h"
#include "models/hwconfig/hw_config.h"

namespace bw::hwconfig {

void ForEachParameter(const HwConfig& config, const std::function<void(const Parameter&)>& visit) {
  const HwConfig defaults;
#define BW_HW_PARAM(key, member, type, value, min, max, unit, doc)    \
  visit({key, field::TypeName(field::Kind::k##type),                  \
         field::Print(field::Kind::k##type, config.member),           \
         field::Print(field::Kind::k##type, defaults.member),         \
         field::Allowed(field::Kind::k##type, {min, max}), unit, doc, \
         field::Choices(field::Kind::k##type),                        \
         field::Number(field::Kind::k##type, config.member)});
#include "models/hwconfig/hw_config.def"
#undef BW_HW_PARAM
}

std::string ToYaml(const HwConfig& config) {
  std::string text;
  std::string group;
  ForEachParameter(config, [&](const Parameter& parameter) {
    const size_t dot = parameter.key.find('.');
    if (dot == std::string::npos) {
      group.clear();
      text += fmt::format("{}: {}\n", parameter.key, parameter.value);
      return;
    }
    if (parameter.key.substr(0, dot) != group) {
      group = parameter.key.substr(0, dot);
      text += fmt::format("{}:\n", group);
    }
    text += fmt::format("  {}: {}\n", parameter.key.substr(dot + 1), parameter.value);
  });
  return text;
}

std::string HashHex(const HwConfig& config) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : ToYaml(config)) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return fmt::format("{:016x}", hash);
}

std::string DescribeNpu() {
  std::vector<std::vector<std::string>> rows = {{"key", "default", "allowed", "unit", "meaning"}};
  ForEachParameter(HwConfig(), [&](const Parameter& parameter) {
    const bool needed = parameter.default_value.empty();
    rows.push_back({parameter.key, needed ? "(required)" : parameter.default_value,
                    parameter.allowed, parameter.unit, parameter.doc});
  });
  std::vector<size_t> widths(rows.front().size(), 0);
  constexpr size_t kWidest = 28;  // longer cells push their own row only
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      if (row[i].size() <= kWidest) widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string text;
  for (const auto& row : rows) {
    for (size_t i = 0; i + 1 < row.size(); ++i) text += fmt::format("{:<{}}  ", row[i], widths[i]);
    text += row.back() + "\n";
  }
  return text;
}

}  // namespace bw::hwconfig
