// Verify(Graph): names, order, constants, canonical form, and shapes against inference.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "compiler/graph/infer.h"

namespace bw::graph {
namespace {

struct Checker {
  const Graph& graph;
  Errors errors;

  void Add(std::string place, std::string message) {
    errors.push_back({graph.file, 0, 0, std::move(place), std::move(message), ""});
  }
  bool Known(ValueId id) const { return id >= 0 && static_cast<size_t>(id) < graph.values.size(); }
};

std::string NodePlace(const Node& node) {
  return fmt::format("{} {}", ToString(node.op), node.name);
}

void CheckQuantisation(Checker& check, const Value& value) {
  const Quantisation& q = *value.quantisation;
  const bool has_axis = q.axis >= 0 && q.axis < value.shape.rank();
  const auto wanted = static_cast<size_t>(has_axis ? value.shape[q.axis] : 1);
  const auto sound = [](double scale) { return scale > 0 && std::isfinite(scale); };
  if (value.dtype != tensor::DType::kF32) {
    check.Add(value.name, "a quantised value holds reals in float32");
  }
  if (q.axis < -1 || q.axis >= value.shape.rank() || q.scales.size() != wanted ||
      q.zero_points.size() != wanted) {
    check.Add(value.name,
              fmt::format("{} scales and {} zero points for axis {} of {}", q.scales.size(),
                          q.zero_points.size(), q.axis, value.shape.ToString()));
  } else if (!std::all_of(q.scales.begin(), q.scales.end(), sound)) {
    check.Add(value.name, "a scale is not finite and above 0");
  }
  if ((q.bits < 2 || q.bits > 16) && q.bits != 32) {
    check.Add(value.name, fmt::format("{} bits; allowed are 2 to 16, and 32", q.bits));
  }
  const auto integers = static_cast<size_t>(value.constant ? value.constant->elements() : 0);
  if (q.integers.size() != integers) {
    check.Add(value.name, fmt::format("{} integers, must be {}", q.integers.size(), integers));
  }
}

void CheckValues(Checker& check) {
  std::set<std::string> names;
  for (const Value& value : check.graph.values) {
    if (value.name.empty()) check.Add("", "a value has no name");
    if (!names.insert(value.name).second) check.Add(value.name, "two values have this name");
    if (!IsSound(value.shape)) {
      check.Add(value.name,
                fmt::format("shape {} is not resolved, or too large", value.shape.ToString()));
    }
    if (value.quantisation) CheckQuantisation(check, value);
    if (!value.constant) continue;
    if (value.constant->dtype() != value.dtype || value.constant->shape() != value.shape) {
      check.Add(value.name, fmt::format("constant is {} {}, the value {} {}",
                                        tensor::DTypeName(value.constant->dtype()),
                                        value.constant->shape().ToString(),
                                        tensor::DTypeName(value.dtype), value.shape.ToString()));
    }
  }
}

void CheckNames(Checker& check) {
  std::set<std::string> names;
  for (const Node& node : check.graph.nodes) {
    if (node.name.empty()) check.Add(std::string(ToString(node.op)), "a node has no name");
    if (!names.insert(node.name).second) check.Add(NodePlace(node), "two nodes have this name");
  }
}

// Form and order of one node; true when its shapes can be inferred.
bool CheckNode(Checker& check, const Node& node, const std::vector<bool>& ready) {
  const Status form = CheckForm(check.graph, node);
  if (!form.ok()) {
    check.errors.insert(check.errors.end(), form.errors().begin(), form.errors().end());
    return false;
  }
  for (const ValueId id : node.inputs) {
    if (id == kNoValue || ready[static_cast<size_t>(id)]) continue;
    check.Add(NodePlace(node),
              fmt::format("{} is read before it is made", check.graph.value(id).name));
  }
  return true;
}

void CheckInference(Checker& check, const Node& node) {
  const Value& output = check.graph.value(node.outputs[0]);
  const Result<TensorType> type = InferOutput(check.graph, node);
  if (!type.ok()) {
    check.errors.insert(check.errors.end(), type.errors().begin(), type.errors().end());
  } else if (!(*type == TensorType{output.dtype, output.shape})) {
    check.Add(NodePlace(node), fmt::format("{} is {} {}, the operator makes {} {}", output.name,
                                           tensor::DTypeName(output.dtype), output.shape.ToString(),
                                           tensor::DTypeName(type->dtype), type->shape.ToString()));
  }
}

// Which values exist before the first node.
std::vector<bool> Given(Checker& check) {
  const Graph& graph = check.graph;
  std::vector<bool> ready(graph.values.size());
  for (size_t i = 0; i < ready.size(); ++i) ready[i] = graph.values[i].constant.has_value();
  for (const ValueId id : graph.inputs) {
    if (!check.Known(id)) {
      check.Add("", fmt::format("graph input {} does not exist", id));
    } else {
      if (ready[static_cast<size_t>(id)]) {
        check.Add(graph.value(id).name, "a graph input is constant or listed twice");
      }
      ready[static_cast<size_t>(id)] = true;
    }
  }
  return ready;
}

}  // namespace

Status Verify(const Graph& graph) {
  Checker check{graph, {}};
  CheckValues(check);
  CheckNames(check);
  const bool sound_values = check.errors.empty();
  std::vector<bool> ready = Given(check);
  for (const Node& node : graph.nodes) {
    const bool ok = CheckNode(check, node, ready);
    for (const ValueId id : node.outputs) {
      if (!check.Known(id)) {
        check.Add(NodePlace(node), fmt::format("output value {} does not exist", id));
        continue;
      }
      if (ready[static_cast<size_t>(id)]) {
        check.Add(NodePlace(node), fmt::format("{} is made twice, or is an input or a constant",
                                               graph.value(id).name));
      }
      ready[static_cast<size_t>(id)] = true;
      if (ok && sound_values) CheckInference(check, node);
    }
  }
  for (const ValueId id : graph.outputs) {
    if (!check.Known(id)) {
      check.Add("", fmt::format("graph output {} does not exist", id));
    } else if (!ready[static_cast<size_t>(id)]) {
      check.Add(graph.value(id).name, "graph output is never made");
    }
  }
  if (!check.errors.empty()) return check.errors;
  return OkStatus();
}

}  // namespace bw::graph
