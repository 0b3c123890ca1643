#include <algorithm>

#include "compiler/passes/channel_affine.h"
#include "compiler/passes/passes.h"
#include "compiler/passes/rewrite.h"

namespace bw::passes {
namespace {

using graph::Graph;
using graph::Node;
using graph::Op;
using graph::ValueId;
using tensor::Shape;

bool IsArithmetic(Op op) {
  return op == Op::kMul || op == Op::kDiv || op == Op::kAdd || op == Op::kSub;
}

// The constant as one number a channel (axis 1 of a result of rank `rank`); nothing when it varies
// along another axis.
std::optional<std::vector<double>> PerChannel(const graph::Value& constant, int rank,
                                              int64_t channels) {
  const std::vector<double> values = constant.constant->ToF64();
  if (values.size() == 1) return std::vector<double>(static_cast<size_t>(channels), values[0]);
  const int offset = rank - constant.shape.rank();
  for (int axis = 0; axis < constant.shape.rank(); ++axis) {
    if (constant.shape[axis] != 1 && axis + offset != 1) return std::nullopt;
  }
  if (static_cast<int64_t>(values.size()) != channels) return std::nullopt;
  return values;
}

// What `node` does to its operand number `data`; the other one is `k`, a channel each.
std::optional<ChannelAffine> AffineOf(Op op, size_t data, std::vector<double> k) {
  ChannelAffine affine;
  affine.factor.assign(k.size(), 1.0);
  affine.shift.assign(k.size(), 0.0);
  switch (op) {
    case Op::kMul:
      affine.factor = std::move(k);
      return affine;
    case Op::kAdd:
      affine.shift = std::move(k);
      return affine;
    case Op::kSub:
      if (data == 0) {
        for (double& value : k) value = -value;
      } else {
        affine.factor.assign(k.size(), -1.0);
      }
      affine.shift = std::move(k);
      return affine;
    case Op::kDiv:
      if (data != 0 || std::count(k.begin(), k.end(), 0.0) != 0) return std::nullopt;
      for (size_t c = 0; c < k.size(); ++c) affine.factor[c] = 1.0 / k[c];
      return affine;
    default:
      return std::nullopt;
  }
}

// Folds node `i` into the layer before it; true when it is gone.
bool FoldOne(Graph& graph, size_t i) {
  const Node node = graph.nodes[i];
  if (!IsArithmetic(node.op) ||
      IsConstant(graph, node.inputs[0]) == IsConstant(graph, node.inputs[1])) {
    return false;
  }
  const size_t data = IsConstant(graph, node.inputs[0]) ? 1 : 0;
  const auto behind = FindLayer(graph, node.inputs[data], static_cast<int>(i));
  const Shape& shape = graph.value(node.outputs[0]).shape;
  if (!behind || graph.value(node.inputs[data]).shape != shape) return false;
  auto k = PerChannel(graph.value(node.inputs[1 - data]), shape.rank(), behind->channels);
  if (!k) return false;
  const auto affine = AffineOf(node.op, data, std::move(*k));
  if (!affine || !CanAbsorb(graph, *behind->layer, *affine)) return false;
  Absorb(graph, *behind->layer, *affine);
  behind->last->outputs = node.outputs;
  graph.nodes.erase(graph.nodes.begin() + static_cast<std::ptrdiff_t>(i));
  return true;
}

}  // namespace

Status FoldAffine(Graph& graph) {
  for (size_t i = 0; i < graph.nodes.size();) {
    if (!FoldOne(graph, i)) ++i;
  }
  return OkStatus();
}

}  // namespace bw::passes
