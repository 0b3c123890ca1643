// ReadDocument of strict_yaml.h: which key takes which value; values themselves in strict_yaml.cc.
#include <fmt/format.h>

#include <algorithm>

#include "models/hwconfig/strict_yaml.h"

namespace bw::hwconfig {
namespace {

class DocumentReader {
 public:
  DocumentReader(const std::string& what, const std::vector<SchemaKey>& schema, Errors* errors)
      : what_(what), schema_(schema), errors_(errors) {
    for (const SchemaKey& key : schema) names_.push_back(key.key);
  }

  // Every entry of the map `node`, whose keys get `prefix` in front ("" or "array.").
  void ReadMap(const YamlNode& node, const std::string& prefix) {
    for (const YamlEntry& entry : node.entries) {
      const std::string key = prefix + entry.key;
      const SchemaKey* known = entry.key.find('.') == std::string::npos ? Find(key) : nullptr;
      if (known != nullptr) {
        ReadValue(*known, entry.value, entry.value.where);
      } else if (!IsGroup(key)) {
        Unknown(entry, key);
      } else if (entry.value.kind == YamlNode::Kind::kMap) {
        ReadMap(entry.value, key + ".");
      } else {
        errors_->push_back(
            ValueError(entry.value, key, "is not a group of keys", "a map of " + GroupKeys(key)));
      }
    }
  }

  void ReadOverride(const Override& change, bool again) {
    const Location where{
        "--set " + (change.as_typed.empty() ? change.key + "=" + change.value : change.as_typed), 0,
        0};
    const SchemaKey* known = Find(change.key);
    if (again) {
      errors_->push_back({where.file, 0, 0, change.key, "given twice", "keep one of the two"});
    } else if (known == nullptr) {
      Unknown(YamlEntry{change.key, where, {}}, change.key);
    } else if (const std::optional<YamlNode> value = ParseOverrideValue(change, where)) {
      outcome_.bad.erase(change.key);  // the file's value no longer counts, though its error stays
      ReadValue(*known, *value, where);
    } else {
      outcome_.bad.insert(change.key);
    }
  }

  void ReportMissing(const std::string& file) {
    for (const SchemaKey& key : schema_) {
      if (!key.required || outcome_.where.count(key.key) != 0) continue;
      errors_->push_back({file, 0, 0, key.key, "missing", fmt::format("add {}: ...", key.key)});
      outcome_.bad.insert(key.key);
    }
  }

  const ReadOutcome& outcome() const { return outcome_; }

 private:
  const SchemaKey* Find(const std::string& key) const {
    const auto found = std::find_if(schema_.begin(), schema_.end(),
                                    [&](const SchemaKey& known) { return known.key == key; });
    return found == schema_.end() ? nullptr : &*found;
  }

  bool IsGroup(const std::string& key) const { return !GroupKeys(key).empty(); }

  // rows, cols, dataflow for "array".
  std::vector<std::string> Members(const std::string& group) const {
    const std::string prefix = group + ".";
    std::vector<std::string> members;
    for (const std::string& name : names_) {
      if (name.compare(0, prefix.size(), prefix) != 0) continue;
      members.push_back(name.substr(prefix.size()));
    }
    return members;
  }
  std::string GroupKeys(const std::string& group) const {
    return fmt::format("{}", fmt::join(Members(group), ", "));
  }

  // Looks among the members of the key's group, or among all keys and groups.
  std::string NearestKey(const std::string& key) const {
    const size_t dot = key.find('.');
    const std::string group = key.substr(0, dot);
    if (dot != std::string::npos && IsGroup(group)) {
      const std::string nearest = NearestName(key.substr(dot + 1), Members(group));
      return nearest.empty() ? nearest : group + "." + nearest;
    }
    std::vector<std::string> known = names_;
    for (const std::string& name : names_) known.push_back(name.substr(0, name.find('.')));
    return NearestName(key, known);
  }

  void Unknown(const YamlEntry& entry, const std::string& key) {
    const size_t dot = key.find('.');
    std::string hint;
    if (dot != std::string::npos && Find(key) != nullptr) {
      hint =
          fmt::format("in a file write {}: {{{}: ...}}", key.substr(0, dot), key.substr(dot + 1));
    } else if (IsGroup(key)) {
      hint = fmt::format("{} is a group: set one of {} in it", key, GroupKeys(key));
    } else if (const std::string nearest = NearestKey(key); !nearest.empty()) {
      hint = fmt::format("did you mean {}?", nearest);
    }
    errors_->push_back({entry.where.file, entry.where.line, entry.where.column, key,
                        fmt::format("unknown {}", what_), hint});
  }

  void ReadValue(const SchemaKey& known, const YamlNode& value, const Location& where) {
    outcome_.where[known.key] = where;
    if (!known.read(value, errors_)) outcome_.bad.insert(known.key);
  }

  std::optional<YamlNode> ParseOverrideValue(const Override& change, const Location& where) {
    Errors syntax;
    std::optional<YamlNode> value;
    if (change.value.empty()) {
      value.emplace();  // no document at all: like a key without a value
    } else {
      value = ParseYaml(change.value, where.file, &syntax);
    }
    for (Error& error : syntax) {  // line and column inside a --set value mean nothing to the user
      error.line = error.column = 0;
      error.place = change.key;
      errors_->push_back(error);
    }
    if (!syntax.empty()) return std::nullopt;
    SetPlace(where, &*value);
    return value;
  }

  static void SetPlace(const Location& where, YamlNode* node) {
    node->where = where;
    for (YamlNode& item : node->items) SetPlace(where, &item);
    for (YamlEntry& entry : node->entries) SetPlace(where, &entry.value);
  }

  const std::string& what_;
  const std::vector<SchemaKey>& schema_;
  Errors* errors_;
  std::vector<std::string> names_;
  ReadOutcome outcome_;
};

}  // namespace

ReadOutcome ReadDocument(const std::string& text, const std::string& file,
                         const std::vector<Override>& overrides, const std::string& what,
                         const std::vector<SchemaKey>& schema, Errors* errors) {
  DocumentReader reader(what, schema, errors);
  const std::optional<YamlNode> root = ParseYaml(text, file, errors);
  if (root.has_value() && root->kind == YamlNode::Kind::kMap) {
    reader.ReadMap(*root, "");
  } else if (root.has_value()) {
    errors->push_back({file, root->where.line, root->where.column, "",
                       fmt::format("a map of keys was expected, found {}", root->Describe()), ""});
  }
  std::set<std::string> seen;
  for (const Override& change : overrides) {
    reader.ReadOverride(change, !seen.insert(change.key).second);
  }
  if (root.has_value() && root->kind == YamlNode::Kind::kMap) reader.ReportMissing(file);
  return reader.outcome();
}

}  // namespace bw::hwconfig
