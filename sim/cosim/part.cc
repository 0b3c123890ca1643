#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "sim/cosim/run.h"

namespace bw::cosim {
namespace {

using graph::IntGraph;
using graph::IntValueId;

std::optional<size_t> FindNode(const IntGraph& ints, const std::string& text) {
  for (size_t i = 0; i < ints.nodes.size(); ++i) {
    if (ints.nodes[i].name == text) return i;
  }
  size_t number = 0;
  const char* last = text.data() + text.size();
  const auto [end, code] = std::from_chars(text.data(), last, number);
  if (code != std::errc{} || end != last || number >= ints.nodes.size()) return std::nullopt;
  return number;
}

Error LayersError(const IntGraph& ints, std::string message) {
  return Error{"",
               0,
               0,
               "--layers",
               std::move(message),
               fmt::format("A..B, each a name or a number; layers 0..{} are {}..{}",
                           ints.nodes.size() - 1, ints.nodes.front().name, ints.nodes.back().name)};
}

}  // namespace

Result<IntGraph> PartOf(const IntGraph& ints, const std::string& range) {
  if (range.empty()) return ints;
  const size_t dots = range.find("..");
  if (dots == std::string::npos) return LayersError(ints, fmt::format("'{}' has no '..'", range));
  size_t ends[2];
  const std::string texts[2] = {range.substr(0, dots), range.substr(dots + 2)};
  for (int i = 0; i < 2; ++i) {
    const std::optional<size_t> found = FindNode(ints, texts[i]);
    if (!found) return LayersError(ints, fmt::format("no layer '{}'", texts[i]));
    ends[i] = *found;
  }
  if (ends[0] > ends[1]) return LayersError(ints, fmt::format("'{}' ends before it starts", range));

  IntGraph part = ints;
  part.nodes.assign(ints.nodes.begin() + static_cast<int64_t>(ends[0]),
                    ints.nodes.begin() + static_cast<int64_t>(ends[1]) + 1);
  std::set<IntValueId> made, read_outside(ints.outputs.begin(), ints.outputs.end());
  for (size_t i = 0; i < ints.nodes.size(); ++i) {
    if (i >= ends[0] && i <= ends[1]) {
      made.insert(ints.nodes[i].output);
    } else {
      read_outside.insert(ints.nodes[i].inputs.begin(), ints.nodes[i].inputs.end());
    }
  }
  part.inputs.clear();
  part.outputs.clear();
  for (const graph::IntNode& node : part.nodes) {
    for (const IntValueId id : node.inputs) {
      const bool constant = !ints.value(id).constant.empty();
      if (constant || made.count(id) != 0) continue;
      if (std::count(part.inputs.begin(), part.inputs.end(), id) == 0) part.inputs.push_back(id);
    }
    if (read_outside.count(node.output) != 0) part.outputs.push_back(node.output);
  }
  return part;
}

}  // namespace bw::cosim
