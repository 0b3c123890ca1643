#include <fmt/format.h>

#include <cmath>

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
using Ints = std::vector<int64_t>;

Error Fail(const Graph& graph, const Node& node, std::string message) {
  return Error{graph.file,         0, 0, fmt::format("{} {}", ToString(node.op), node.name),
               std::move(message), ""};
}

Result<ChannelAffine> AffineOf(const Graph& graph, const Node& norm) {
  std::vector<std::vector<double>> parameters;  // scale, bias, mean, variance
  for (size_t i = 1; i < 5; ++i) {
    const graph::Value& value = graph.value(norm.inputs[i]);
    if (!value.constant) return Fail(graph, norm, fmt::format("{} must be constant", value.name));
    parameters.push_back(value.constant->ToF64());
  }
  const double epsilon = norm.Float("epsilon");
  ChannelAffine affine;
  for (size_t c = 0; c < parameters[0].size(); ++c) {
    const double square = parameters[3][c] + epsilon;
    if (!(square > 0)) {
      return Fail(graph, norm,
                  fmt::format("variance {} of channel {} plus epsilon {} is not above 0",
                              parameters[3][c], c, epsilon));
    }
    const double factor = parameters[0][c] / std::sqrt(square);
    affine.factor.push_back(factor);
    affine.shift.push_back(parameters[1][c] - parameters[2][c] * factor);
  }
  return affine;
}

// A node in place of another, with a result of its own.
Node Reshape(Graph& graph, const std::string& name, ValueId in, ValueId out, Ints shape) {
  return {Op::kReshape, FreshNodeName(graph, name), {in}, {out}, {{"shape", std::move(shape)}}};
}

// The nodes that replace a batch normalisation with nothing to fold into. Ranks 2 and 3 run as
// [N,C,1,1] and [N,C,1,L].
std::vector<Node> AsDepthwise(Graph& graph, const Node& norm, const ChannelAffine& affine) {
  const Shape shape = graph.value(norm.inputs[0]).shape;
  const auto channels = static_cast<int64_t>(affine.factor.size());
  const std::string out_name = graph.value(norm.outputs[0]).name;
  Node conv{Op::kConv,
            norm.name,
            {norm.inputs[0],
             AddFloats(graph, norm.name + "/weights", Shape({channels, 1, 1, 1}), affine.factor),
             AddFloats(graph, norm.name + "/bias", Shape({channels}), affine.shift)},
            norm.outputs,
            {{"strides", Ints{1, 1}},
             {"pads", Ints{0, 0, 0, 0}},
             {"dilations", Ints{1, 1}},
             {"group", channels}}};
  if (shape.rank() == 4) return {conv};
  const Shape wide({shape[0], shape[1], 1, shape.rank() == 3 ? shape[2] : 1});
  const auto add_value = [&](const std::string& suffix) {
    return graph.AddValue(
        {FreshValueName(graph, out_name + suffix), tensor::DType::kF32, wide, std::nullopt});
  };
  const ValueId in = add_value("/to_2d"), out = add_value("/main");
  std::vector<Node> nodes = {Reshape(graph, norm.name + "/to_2d", norm.inputs[0], in, wide.dims),
                             conv,
                             Reshape(graph, norm.name + "/back", out, norm.outputs[0], shape.dims)};
  nodes[1].inputs[0] = in;
  nodes[1].outputs = {out};
  return nodes;
}

}  // namespace

Status FoldBatchNorm(Graph& graph) {
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (graph.nodes[i].op != Op::kBatchNormalization) continue;
    const Node norm = graph.nodes[i];
    BW_ASSIGN_OR_RETURN(const ChannelAffine affine, AffineOf(graph, norm));
    const auto behind = FindLayer(graph, norm.inputs[0], static_cast<int>(i));
    const auto at = graph.nodes.begin() + static_cast<std::ptrdiff_t>(i);
    if (behind && CanAbsorb(graph, *behind->layer, affine)) {
      Absorb(graph, *behind->layer, affine);
      behind->last->outputs = norm.outputs;
      graph.nodes.erase(at);
      --i;
      continue;
    }
    const std::vector<Node> replacement = AsDepthwise(graph, norm, affine);
    *at = replacement[0];
    graph.nodes.insert(at + 1, replacement.begin() + 1, replacement.end());
  }
  return OkStatus();
}

}  // namespace bw::passes
