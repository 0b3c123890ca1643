#include "models/hwconfig/yaml_tree.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>
#include <utility>

namespace bw::hwconfig {
namespace {

constexpr size_t kMaxBytes = size_t{1} << 20;

// Builds the tree bottom-up: `open_` holds the lists and maps that are not finished yet.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(std::string file, Errors* errors) : file_(std::move(file)), errors_(errors) {}

  YamlNode TakeRoot() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override { (void)mark; }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    RejectAnchor(mark, anchor);
    Add(Make(YamlNode::Kind::kNull, mark));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    Reject(mark, "aliases are not allowed", "write the value out");
    Add(Make(YamlNode::Kind::kNull, mark));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    RejectAnchor(mark, anchor);
    RejectTag(mark, tag);
    YamlNode node = Make(YamlNode::Kind::kScalar, mark);
    node.text = value;
    node.quoted = tag == "!";
    Add(std::move(node));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    Open(YamlNode::Kind::kList, mark, tag, anchor);
  }
  void OnSequenceEnd() override { Close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    Open(YamlNode::Kind::kMap, mark, tag, anchor);
  }
  void OnMapEnd() override { Close(); }

 private:
  struct Frame {
    YamlNode node;
    std::optional<YamlNode> key;  // of a map entry whose value comes next
  };

  YamlNode Make(YamlNode::Kind kind, const YAML::Mark& mark) const {
    YamlNode node;
    node.kind = kind;
    node.where = {file_, mark.line + 1, mark.column + 1};
    return node;
  }

  void Reject(const YAML::Mark& mark, const std::string& message, const std::string& hint) {
    errors_->push_back({file_, mark.line + 1, mark.column + 1, "", message, hint});
  }
  void RejectAnchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) Reject(mark, "anchors are not allowed", "write the value out");
  }
  // yaml-cpp says "?" for plain values and "!" for quoted ones.
  void RejectTag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    Reject(mark, fmt::format("tag {} is not allowed", tag), "leave the tag out");
  }

  void Open(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag,
            YAML::anchor_t anchor) {
    RejectAnchor(mark, anchor);
    RejectTag(mark, tag);
    open_.push_back({Make(kind, mark), std::nullopt});
  }

  void Close() {
    YamlNode done = std::move(open_.back().node);
    open_.pop_back();
    Add(std::move(done));
  }

  void Add(YamlNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Frame& frame = open_.back();
    if (frame.node.kind == YamlNode::Kind::kList) {
      frame.node.items.push_back(std::move(node));
    } else if (!frame.key.has_value()) {
      frame.key = std::move(node);
    } else {
      AddEntry(&frame, std::move(node));
    }
  }

  // "array." for keys of the map `array`: the keys that wait for their value, outside in.
  std::string Path() const {
    std::string path;
    for (const Frame& frame : open_) {
      if (frame.key.has_value()) path += frame.key->text + ".";
    }
    return path;
  }

  void AddEntry(Frame* frame, YamlNode value) {
    const YamlNode key = std::move(*frame->key);
    frame->key.reset();
    if (key.kind != YamlNode::Kind::kScalar) {
      errors_->push_back({file_, key.where.line, key.where.column, "",
                          fmt::format("a key must be a name, found {}", key.Describe()), ""});
      return;
    }
    for (const YamlEntry& entry : frame->node.entries) {
      if (entry.key != key.text) continue;
      errors_->push_back({file_, key.where.line, key.where.column, Path() + key.text,
                          fmt::format("given twice; first at line {}", entry.where.line),
                          "keep one of the two"});
      return;
    }
    frame->node.entries.push_back({key.text, key.where, std::move(value)});
  }

  std::string file_;
  Errors* errors_;
  YamlNode root_;
  std::vector<Frame> open_;
};

}  // namespace

const YamlNode* YamlNode::Find(const std::string& key) const {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const YamlEntry& entry) { return entry.key == key; });
  return found == entries.end() ? nullptr : &found->value;
}

std::string YamlNode::Describe() const {
  switch (kind) {
    case Kind::kNull:
      return "nothing";
    case Kind::kScalar: {
      constexpr size_t kShown = 60;
      const std::string shown = text.size() <= kShown ? text : text.substr(0, kShown) + "...";
      return quoted ? "\"" + shown + "\"" : shown;
    }
    case Kind::kList:
      return "a list";
    case Kind::kMap:
      return "a map";
  }
  BW_CHECK(false, "kind = {}", static_cast<int>(kind));
  return "";
}

std::optional<YamlNode> ParseYaml(const std::string& text, const std::string& file,
                                  Errors* errors) {
  if (text.size() > kMaxBytes) {
    errors->push_back({file, 0, 0, "",
                       fmt::format("{} bytes are too many for a YAML file here; allowed {}",
                                   text.size(), kMaxBytes),
                       ""});
    return std::nullopt;
  }
  std::istringstream stream(text);
  TreeBuilder builder(file, errors);
  try {
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) {
      errors->push_back({file, 0, 0, "", "holds no YAML document", ""});
      return std::nullopt;
    }
    YamlNode root = builder.TakeRoot();
    Errors dropped;
    TreeBuilder second(file, &dropped);
    if (parser.HandleNextDocument(second)) {
      const Location where = second.TakeRoot().where;
      errors->push_back({file, where.line, where.column, "", "a second document begins here",
                         "keep one document a file"});
    }
    return root;
  } catch (const YAML::Exception& exception) {
    const bool placed = !exception.mark.is_null();
    errors->push_back({file, placed ? exception.mark.line + 1 : 0,
                       placed ? exception.mark.column + 1 : 0, "", "not YAML: " + exception.msg,
                       ""});
    return std::nullopt;
  }
}

}  // namespace bw::hwconfig
