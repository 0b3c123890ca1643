#include "models/hwconfig/strict_yaml.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <tuple>
#include <utility>

namespace bw::hwconfig {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsNameChar(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-' ||
         c == '.';
}

// -?(0|[1-9][0-9]*), except -0
bool IsPlainDecimal(std::string_view text) {
  const bool negative = !text.empty() && text.front() == '-';
  if (negative) text.remove_prefix(1);
  if (text.empty() || !std::all_of(text.begin(), text.end(), IsDigit)) return false;
  return text.front() != '0' || (text.size() == 1 && !negative);
}

// What to write in place of a value that some readers take for an integer.
std::string IntegerHint(const YamlNode& node) {
  const std::string& text = node.text;
  if (node.kind != YamlNode::Kind::kScalar) return "";
  if (node.quoted) return "leave the quotes out";
  if (text.size() > 1 && text[0] == '0' && std::all_of(text.begin(), text.end(), IsDigit)) {
    return "some readers take a leading 0 for octal: leave it out";
  }
  return "write decimal digits only";
}

size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, change}));
    }
  }
  return row[b.size()];
}

std::string DidYouMean(std::string_view name, const std::vector<std::string>& known) {
  const std::string nearest = NearestName(name, known);
  return nearest.empty() ? "" : fmt::format("did you mean {}?", nearest);
}

std::string Listed(const std::vector<std::string>& choices) {
  return fmt::format("{}", fmt::join(choices, ", "));
}

}  // namespace

std::string NearestName(std::string_view name, const std::vector<std::string>& known) {
  const std::string tail = fmt::format(".{}", name);
  for (const std::string& candidate : known) {  // the group was left out
    if (candidate.size() > tail.size() &&
        candidate.compare(candidate.size() - tail.size(), tail.size(), tail) == 0) {
      return candidate;
    }
  }
  std::string best;
  size_t best_distance = std::max<size_t>(1, name.size() / 3) + 1;
  if (name.size() > 100) return best;
  for (const std::string& candidate : known) {
    const size_t distance = EditDistance(name, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

Result<Override> ParseOverride(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    return Error{
        "--set", 0, 0, "", fmt::format("{} is not KEY=VALUE", text), "as in --set array.rows=8"};
  }
  return Override{text.substr(0, equals), text.substr(equals + 1), text};
}

Error ValueError(const YamlNode& node, const std::string& key, const std::string& wrong,
                 const std::string& allowed, const std::string& hint) {
  const Location& where = node.where;
  return {where.file,
          where.line,
          where.column,
          key,
          fmt::format("value {} {}; allowed {}", node.Describe(), wrong, allowed),
          hint};
}

std::optional<int64_t> ReadInt(const YamlNode& node, const std::string& key, int64_t min,
                               int64_t max, Errors* errors, const std::string& allowed) {
  const std::string range = allowed.empty() ? fmt::format("{}..{}", min, max) : allowed;
  if (node.kind != YamlNode::Kind::kScalar || node.quoted || !IsPlainDecimal(node.text)) {
    errors->push_back(ValueError(node, key, "is not a decimal integer", range, IntegerHint(node)));
    return std::nullopt;
  }
  int64_t value = 0;
  const char* end = node.text.data() + node.text.size();
  const auto [rest, failure] = std::from_chars(node.text.data(), end, value);
  if (failure != std::errc() || rest != end || value < min || value > max) {
    errors->push_back(ValueError(node, key, "is out of range", range));
    return std::nullopt;
  }
  return value;
}

std::optional<bool> ReadFlag(const YamlNode& node, const std::string& key, Errors* errors) {
  if (node.kind == YamlNode::Kind::kScalar && !node.quoted) {
    if (node.text == "true") return true;
    if (node.text == "false") return false;
  }
  errors->push_back(ValueError(node, key, "is not a flag", "true, false"));
  return std::nullopt;
}

std::optional<size_t> ReadChoice(const YamlNode& node, const std::string& key,
                                 const std::vector<std::string>& choices, Errors* errors) {
  if (node.kind != YamlNode::Kind::kScalar) {
    errors->push_back(ValueError(node, key, "is not one name", Listed(choices)));
    return std::nullopt;
  }
  const auto found = std::find(choices.begin(), choices.end(), node.text);
  if (found == choices.end()) {
    errors->push_back(
        ValueError(node, key, "is unknown", Listed(choices), DidYouMean(node.text, choices)));
    return std::nullopt;
  }
  return static_cast<size_t>(found - choices.begin());
}

std::optional<std::vector<size_t>> ReadChoices(const YamlNode& node, const std::string& key,
                                               const std::vector<std::string>& choices,
                                               Errors* errors) {
  if (node.kind != YamlNode::Kind::kList) {
    const std::string hint =
        node.kind == YamlNode::Kind::kScalar ? fmt::format("write [{}]", node.text) : "";
    errors->push_back(ValueError(node, key, "is not a list", "a list of " + Listed(choices), hint));
    return std::nullopt;
  }
  if (node.items.empty()) {
    errors->push_back(
        ValueError(node, key, "is empty", "a list of one or more of " + Listed(choices)));
    return std::nullopt;
  }
  const size_t errors_before = errors->size();
  std::set<size_t> indices;
  for (const YamlNode& item : node.items) {
    const std::optional<size_t> index = ReadChoice(item, key, choices, errors);
    if (index.has_value() && !indices.insert(*index).second) {
      errors->push_back(ValueError(item, key, "stands in the list twice", "each once"));
    }
  }
  if (errors->size() != errors_before) return std::nullopt;
  return std::vector<size_t>(indices.begin(), indices.end());
}

std::optional<std::string> ReadName(const YamlNode& node, const std::string& key, Errors* errors) {
  const bool sound = node.kind == YamlNode::Kind::kScalar && !node.text.empty() &&
                     node.text.size() <= 64 && node.text.front() != '-' &&
                     node.text.front() != '.' &&
                     std::all_of(node.text.begin(), node.text.end(), IsNameChar);
  if (sound) return node.text;
  errors->push_back(ValueError(node, key, "is not a name",
                               "1 to 64 letters, digits, '_', '-' and '.', not '-' or '.' first"));
  return std::nullopt;
}

std::string PrintName(const std::string& name) {
  const bool null = name == "null" || name == "Null" || name == "NULL";  // else read as nothing
  return null ? "\"" + name + "\"" : name;
}

void AddViolation(const Violation& violation, const std::string& file, const ReadOutcome& outcome,
                  Errors* errors) {
  Location where{file, 0, 0};
  for (auto key = violation.keys.rbegin(); key != violation.keys.rend(); ++key) {
    if (outcome.bad.count(*key) != 0) return;
    const auto given = outcome.where.find(*key);
    if (given != outcome.where.end()) where = given->second;
  }
  errors->push_back({where.file, where.line, where.column, violation.keys.front(),
                     violation.message, violation.hint});
}

void SortByPlace(Errors* errors) {
  std::stable_sort(errors->begin(), errors->end(), [](const Error& a, const Error& b) {
    const bool last_a = a.line == 0;
    const bool last_b = b.line == 0;
    return std::tie(last_a, a.line, a.column) < std::tie(last_b, b.line, b.column);
  });
}

}  // namespace bw::hwconfig
