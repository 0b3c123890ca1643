#include "compiler/passes/rewrite.h"

#include <fmt/format.h>

#include <algorithm>

namespace bw::passes {
namespace {

using graph::Graph;
using graph::Node;
using graph::ValueId;

template <typename Item>
std::string Fresh(const std::vector<Item>& items, const std::string& base) {
  const auto taken = [&](const std::string& name) {
    return std::any_of(items.begin(), items.end(),
                       [&](const Item& item) { return item.name == name; });
  };
  std::string name = base;
  for (int i = 2; taken(name); ++i) name = fmt::format("{}_{}", base, i);
  return name;
}

}  // namespace

std::string FreshValueName(const Graph& graph, const std::string& base) {
  return Fresh(graph.values, base);
}

std::string FreshNodeName(const Graph& graph, const std::string& base) {
  return Fresh(graph.nodes, base);
}

ValueId AddFloats(Graph& graph, const std::string& base, tensor::Shape shape,
                  const std::vector<double>& values) {
  const std::vector<float> floats(values.begin(), values.end());
  tensor::Tensor tensor = tensor::Tensor::From<float>(std::move(shape), floats);
  return graph.AddValue(
      {FreshValueName(graph, base), tensor.dtype(), tensor.shape(), std::move(tensor)});
}

Node* SoleProducer(Graph& graph, ValueId id, int reader) {
  if (id == graph::kNoValue || graph.IsOutput(id) || graph.value(id).quantisation) return nullptr;
  const int producer = graph.Producer(id);
  if (producer < 0) return nullptr;
  if (graph.Consumers(id) != std::vector<int>{reader}) return nullptr;
  return &graph.nodes[static_cast<size_t>(producer)];
}

void ReplaceUses(Graph& graph, ValueId from, ValueId to) {
  for (Node& node : graph.nodes) std::replace(node.inputs.begin(), node.inputs.end(), from, to);
  std::replace(graph.outputs.begin(), graph.outputs.end(), from, to);
}

void EraseMarked(Graph& graph, const std::vector<bool>& marked) {
  std::vector<Node> kept;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (!marked[i]) kept.push_back(std::move(graph.nodes[i]));
  }
  graph.nodes = std::move(kept);
}

bool IsConstant(const Graph& graph, ValueId id) {
  return id != graph::kNoValue && graph.value(id).constant.has_value();
}

}  // namespace bw::passes
