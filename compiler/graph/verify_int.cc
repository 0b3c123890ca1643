// Verify(IntGraph): structure and values here; what each kind of node asks in verify_int_nodes.cc.
#include <fmt/format.h>

#include <cmath>
#include <set>

#include "compiler/graph/int_graph.h"
#include "compiler/graph/verify_int_nodes.h"

namespace bw::graph {
namespace {

struct Checker {
  const IntGraph& graph;
  Errors errors;

  void Add(std::string place, std::string message) {
    errors.push_back({graph.name, 0, 0, std::move(place), std::move(message), ""});
  }
  bool Known(IntValueId id) const {
    return id >= 0 && static_cast<size_t>(id) < graph.values.size();
  }
};

// Lowest and highest number of a value's type.
std::pair<int64_t, int64_t> Range(const IntValue& value) {
  const int magnitude_bits = value.is_signed ? value.bits - 1 : value.bits;
  const int64_t top = int64_t{1} << magnitude_bits;
  return {value.is_signed ? -top : 0, top - 1};
}

void CheckValue(Checker& check, const IntValue& value) {
  if (value.bits != 32 && (value.bits < 2 || value.bits > 16)) {
    check.Add(value.name, fmt::format("{} bits; allowed are 2 to 16, and 32", value.bits));
    return;
  }
  const auto elements = value.shape.CheckedElements();
  if (!elements.has_value()) {
    check.Add(value.name, fmt::format("shape {} is not sound", value.shape.ToString()));
    return;
  }
  if (!(value.scale > 0) || !std::isfinite(value.scale)) {
    check.Add(value.name, fmt::format("scale {} must be finite and above 0", value.scale));
  }
  const auto [low, high] = Range(value);
  if (value.zero_point < low || value.zero_point > high) {
    check.Add(value.name, fmt::format("zero point {} leaves {}..{}", value.zero_point, low, high));
  }
  if (value.constant.empty()) return;
  if (static_cast<int64_t>(value.constant.size()) != *elements) {
    check.Add(value.name, fmt::format("{} constants for shape {}", value.constant.size(),
                                      value.shape.ToString()));
  }
  for (const int32_t x : value.constant) {
    if (x >= low && x <= high) continue;
    check.Add(value.name, fmt::format("constant {} leaves {}..{}", x, low, high));
    break;
  }
}

void CheckNames(Checker& check) {
  std::set<std::string> values;
  for (const IntValue& value : check.graph.values) {
    if (value.name.empty()) check.Add("", "a value without a name");
    if (!values.insert(value.name).second) check.Add(value.name, "two values have this name");
  }
  std::set<std::string> nodes;
  for (const IntNode& node : check.graph.nodes) {
    if (node.name.empty()) check.Add("", "a node without a name");
    if (!nodes.insert(node.name).second) check.Add(node.name, "two nodes have this name");
  }
}

// Every operand is an input, a constant or an earlier result; every result is made once.
void CheckOrder(Checker& check, std::vector<const IntNode*>* sound) {
  std::vector<bool> ready(check.graph.values.size());
  for (size_t i = 0; i < ready.size(); ++i) ready[i] = !check.graph.values[i].constant.empty();
  for (const IntValueId id : check.graph.inputs) {
    if (!check.Known(id)) {
      check.Add("", fmt::format("graph input {} does not exist", id));
      continue;
    }
    if (ready[static_cast<size_t>(id)]) {
      check.Add(check.graph.value(id).name, "graph input is listed twice or constant");
    }
    ready[static_cast<size_t>(id)] = true;
  }
  for (const IntNode& node : check.graph.nodes) {
    bool ok = check.Known(node.output);
    if (!ok) check.Add(node.name, fmt::format("output value {} does not exist", node.output));
    for (const IntValueId id : node.inputs) {
      if (!check.Known(id)) {
        check.Add(node.name, fmt::format("input value {} does not exist", id));
        ok = false;
      } else if (!ready[static_cast<size_t>(id)]) {
        check.Add(node.name,
                  fmt::format("{} is read before it is made", check.graph.value(id).name));
      }
    }
    if (check.Known(node.output)) {
      if (ready[static_cast<size_t>(node.output)]) {
        check.Add(node.name, fmt::format("{} is made twice, or is an input or a constant",
                                         check.graph.value(node.output).name));
      }
      ready[static_cast<size_t>(node.output)] = true;
    }
    if (ok) sound->push_back(&node);
  }
  for (const IntValueId id : check.graph.outputs) {
    if (!check.Known(id)) {
      check.Add("", fmt::format("graph output {} does not exist", id));
    } else if (!ready[static_cast<size_t>(id)]) {
      check.Add(check.graph.value(id).name, "graph output is never made");
    }
  }
}

}  // namespace

Status Verify(const IntGraph& graph) {
  Checker check{graph, {}};
  if (graph.acc_bits < 16 || graph.acc_bits > 48) {
    check.Add("", fmt::format("acc_bits {} leaves 16..48", graph.acc_bits));
  }
  CheckNames(check);
  for (const IntValue& value : graph.values) CheckValue(check, value);
  std::vector<const IntNode*> sound;
  CheckOrder(check, &sound);
  if (check.errors.empty()) {  // the nodes' checks take sound values and ids for granted
    for (const IntNode* node : sound) {
      for (std::string& message : VerifyIntNode(graph, *node)) {
        check.Add(node->name, fmt::format("{}: {}", KindName(node->params), message));
      }
    }
  }
  if (!check.errors.empty()) return check.errors;
  return OkStatus();
}

}  // namespace bw::graph
