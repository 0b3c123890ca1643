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
    YamlEntry entry{change.key, {"--set", 0, 0}, {}};
    const SchemaKey* known = Find(change.key);
    if (again) {
      errors_->push_back({"--set", 0, 0, change.key, "given twice", "keep one of the two"});
    } else if (known == nullptr) {
      Unknown(entry, change.key);
    } else {
      Errors syntax;
      std::optional<YamlNode> value;
      if (change.value.empty()) value.emplace();  // no document at all: like an absent value
      if (!value.has_value()) value = ParseYaml(change.value, "--set", &syntax);
      for (Error& error : syntax) error.place = change.key;
      errors_->insert(errors_->end(), syntax.begin(), syntax.end());
      if (!syntax.empty()) outcome_.bad.insert(change.key);
      if (!value.has_value()) return;
      ForgetPlaces(&*value);
      outcome_.bad.erase(change.key);  // the file's value no longer counts, its error stays
      ReadValue(*known, *value, entry.where);
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

  // "rows, cols, dataflow" for "array".
  std::string GroupKeys(const std::string& group) const {
    const std::string prefix = group + ".";
    std::vector<std::string> members;
    for (const std::string& name : names_) {
      if (name.compare(0, prefix.size(), prefix) == 0)
        members.push_back(name.substr(prefix.size()));
    }
    return fmt::format("{}", fmt::join(members, ", "));
  }

  void Unknown(const YamlEntry& entry, const std::string& key) {
    const size_t dot = key.find('.');
    std::string hint;
    if (dot != std::string::npos && Find(key) != nullptr) {
      hint =
          fmt::format("in a file write {}: {{{}: ...}}", key.substr(0, dot), key.substr(dot + 1));
    } else if (IsGroup(key)) {
      hint = fmt::format("{} is a group: set one of {} in it", key, GroupKeys(key));
    } else if (const std::string nearest = NearestName(key, names_); !nearest.empty()) {
      hint = fmt::format("did you mean {}?", nearest);
    }
    errors_->push_back({entry.where.file, entry.where.line, entry.where.column, key,
                        fmt::format("unknown {}", what_), hint});
  }

  void ReadValue(const SchemaKey& known, const YamlNode& value, const Location& where) {
    outcome_.where[known.key] = where;
    if (!known.read(value, errors_)) outcome_.bad.insert(known.key);
  }

  // Line and column inside a --set value mean nothing to the user.
  static void ForgetPlaces(YamlNode* node) {
    node->where = {"--set", 0, 0};
    for (YamlNode& item : node->items) ForgetPlaces(&item);
    for (YamlEntry& entry : node->entries) ForgetPlaces(&entry.value);
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
