// YAML text as a tree that knows where every value stands and keeps what yaml-cpp's own tree drops:
// duplicate keys, quotes, and the text of scalars.
#ifndef MODELS_HWCONFIG_YAML_TREE_H_
#define MODELS_HWCONFIG_YAML_TREE_H_

#include <optional>
#include <string>
#include <vector>

#include "models/status/result.h"

namespace bw::hwconfig {

// A place in a file; lines and columns are 1-based, 0 when there are none.
struct Location {
  std::string file;
  int line = 0;
  int column = 0;
};

struct YamlEntry;

struct YamlNode {
  enum class Kind { kNull, kScalar, kList, kMap };
  Kind kind = Kind::kNull;
  Location where;
  std::string text;     // of a scalar
  bool quoted = false;  // a scalar in quotes is text, never a number or a flag
  std::vector<YamlNode> items;
  std::vector<YamlEntry> entries;  // in file order

  // The value of `key` in a map, or nullptr.
  const YamlNode* Find(const std::string& key) const;
  // "a list", "a map", "the text \"8\"", "8", "nothing": for messages.
  std::string Describe() const;
};

struct YamlEntry {
  std::string key;
  Location where;
  YamlNode value;
};

// Parses one document of at most 1 MiB. Duplicate keys (the first one stays), anchors, aliases,
// tags and keys that are not scalars are added to `errors` and the tree is returned all the same,
// so that its other problems can be found too. Nothing is returned when the text is not YAML at
// all.
std::optional<YamlNode> ParseYaml(const std::string& text, const std::string& file, Errors* errors);

}  // namespace bw::hwconfig

#endif  // MODELS_HWCONFIG_YAML_TREE_H_
