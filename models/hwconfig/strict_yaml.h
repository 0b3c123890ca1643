// Strict reading of typed keys from YAML and from --set KEY=VALUE. Hardware configs, recipes and
// sweeps share it, so that all of them refuse the same things in the same words.
#ifndef MODELS_HWCONFIG_STRICT_YAML_H_
#define MODELS_HWCONFIG_STRICT_YAML_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "models/hwconfig/yaml_tree.h"
#include "models/status/result.h"

namespace bw::hwconfig {

// One --set KEY=VALUE. The value is written as in the file.
struct Override {
  std::string key;
  std::string value;
  std::string as_typed;  // "KEY=VALUE" for messages; empty: the same as key=value
};
// Splits "KEY=VALUE" at the first '='.
Result<Override> ParseOverride(const std::string& text);

// Each reader returns the value, or adds one error for `key` and returns nothing.
// Decimal integers of min..max only: no 010, 0x10, 1e3, 1_000, 16.0, +5, "16". Messages say
// `allowed`, by default "min..max".
std::optional<int64_t> ReadInt(const YamlNode& node, const std::string& key, int64_t min,
                               int64_t max, Errors* errors, const std::string& allowed = "");
// `true` or `false`, nothing else.
std::optional<bool> ReadFlag(const YamlNode& node, const std::string& key, Errors* errors);
// Index into `choices`.
std::optional<size_t> ReadChoice(const YamlNode& node, const std::string& key,
                                 const std::vector<std::string>& choices, Errors* errors);
// Indices into `choices`, ascending; at least one, none twice.
std::optional<std::vector<size_t>> ReadChoices(const YamlNode& node, const std::string& key,
                                               const std::vector<std::string>& choices,
                                               Errors* errors);
// 1 to 64 letters, digits, '_', '-' and '.', not '-' or '.' first: fit for file names.
std::optional<std::string> ReadName(const YamlNode& node, const std::string& key, Errors* errors);
// A name as YAML that ReadName reads back.
std::string PrintName(const std::string& name);

// An error that says "value V WRONG; allowed ALLOWED (hint)" at `node`.
Error ValueError(const YamlNode& node, const std::string& key, const std::string& wrong,
                 const std::string& allowed, const std::string& hint = "");

// A key that a document may have. `read` stores the value and returns whether it was sound.
struct SchemaKey {
  std::string key;  // dotted: "array.rows" is `array: {rows: ...}`
  bool required = false;
  std::function<bool(const YamlNode& node, Errors* errors)> read;
};

// What ReadDocument found out besides the values.
struct ReadOutcome {
  std::map<std::string, Location> where;  // of every key that was given
  std::set<std::string> bad;              // keys whose value was refused
};

// Reads `text`, then `overrides`, through `schema`. `what` names the schema in messages, as
// "hardware parameter". Adds every problem to `errors`.
ReadOutcome ReadDocument(const std::string& text, const std::string& file,
                         const std::vector<Override>& overrides, const std::string& what,
                         const std::vector<SchemaKey>& schema, Errors* errors);

// The known name that `name` was probably meant to be, or "".
std::string NearestName(std::string_view name, const std::vector<std::string>& known);

// A rule between keys that does not hold.
struct Violation {
  std::vector<std::string> keys;  // those that the rule reads, the one to blame first
  std::string message;
  std::string hint;
};
// Adds `violation` at the first of its keys that was given, unless one of its keys is bad anyway.
void AddViolation(const Violation& violation, const std::string& file, const ReadOutcome& outcome,
                  Errors* errors);

// File order: by line and column, then what has none.
void SortByPlace(Errors* errors);

}  // namespace bw::hwconfig

#endif  // MODELS_HWCONFIG_STRICT_YAML_H_
