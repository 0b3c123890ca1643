#include "compiler/passes/channel_affine.h"

#include <algorithm>

#include "compiler/passes/integer_meaning.h"
#include "compiler/passes/rewrite.h"
#include "models/status/check.h"

namespace bw::passes {
namespace {

using graph::Graph;
using graph::Node;
using graph::Op;
using graph::ValueId;
using tensor::Shape;

bool HasBias(const Node& layer) {
  return layer.inputs.size() > 2 && layer.inputs[2] != graph::kNoValue;
}

// Weights [O,C,H,W] have their channel on axis 0; B[K,N] of a product on axis 1, B[N,K] on axis 0.
bool ChannelIsRow(const Node& layer) {
  return layer.op == Op::kConv || (layer.op == Op::kGemm && layer.Int("transB") != 0);
}

// A bias of one value, or one a channel: [N] or [1,N], or with N = 1.
bool IsChannelVector(const Shape& shape, int64_t channels) {
  if (shape.Elements() == 1) return true;
  return shape.Elements() == channels && shape.rank() > 0 && shape[shape.rank() - 1] == channels;
}

std::vector<double> Bias(const Graph& graph, const Node& layer, int64_t channels) {
  std::vector<double> bias(static_cast<size_t>(channels));
  if (!HasBias(layer)) return bias;
  const std::vector<double> values = graph.value(layer.inputs[2]).constant->ToF64();
  const double beta = layer.op == Op::kGemm ? layer.Float("beta") : 1.0;
  for (size_t c = 0; c < bias.size(); ++c) {
    bias[c] = beta * values[values.size() == 1 ? 0 : c];
  }
  return bias;
}

// Axis of the channel in the weights, and in a bias of one value a channel.
int WeightAxis(const Node& layer) { return ChannelIsRow(layer) ? 0 : 1; }

// Whether the scales of a constant's integers can take the factors.
bool ScalesTake(const graph::Value& value, int axis, const std::vector<double>& factor) {
  if (!value.quantisation) return true;
  const bool positive = std::all_of(factor.begin(), factor.end(), [](double f) { return f > 0; });
  const bool varies =
      std::any_of(factor.begin(), factor.end(), [&](double f) { return f != factor[0]; });
  if (!positive) return false;
  if (value.quantisation->axis >= 0) return value.quantisation->axis == axis;
  return !varies ||
         (axis < value.shape.rank() && value.shape[axis] == static_cast<int64_t>(factor.size()));
}

// The same integers with their scales times the factors.
ValueId Rescaled(Graph& graph, ValueId id, int axis, const std::vector<double>& factor) {
  graph::Value value = graph.value(id);
  graph::Quantisation& q = *value.quantisation;
  if (q.axis < 0 &&
      std::any_of(factor.begin(), factor.end(), [&](double f) { return f != factor[0]; })) {
    q.axis = axis;
    q.scales.assign(factor.size(), q.scales[0]);
    q.zero_points.assign(factor.size(), q.zero_points[0]);
  }
  for (size_t i = 0; i < q.scales.size(); ++i) q.scales[i] *= factor[i];
  value.name = FreshValueName(graph, value.name + "/folded");
  const graph::Quantisation meaning = q;
  SetIntegers({q.integers.begin(), q.integers.end()}, meaning, &value);
  return graph.AddValue(std::move(value));
}

std::vector<double> ScaledWeights(const graph::Value& weights, bool channel_is_row,
                                  const std::vector<double>& factor) {
  std::vector<double> values = weights.constant->ToF64();
  const size_t channels = factor.size();
  const size_t row = values.size() / channels;
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] *= factor[channel_is_row ? i / row : i % channels];
  }
  return values;
}

ValueId FoldedWeights(Graph& graph, const Node& layer, const std::vector<double>& factor) {
  const ValueId id = layer.inputs[1];
  const graph::Value& weights = graph.value(id);
  if (weights.quantisation) return Rescaled(graph, id, WeightAxis(layer), factor);
  const std::vector<double> scaled = ScaledWeights(weights, ChannelIsRow(layer), factor);
  const Shape shape = weights.shape;
  return AddFloats(graph, weights.name + "/folded", shape, scaled);
}

}  // namespace

std::optional<int64_t> AbsorbingChannels(const Graph& graph, const Node& layer) {
  if (layer.op != Op::kConv && layer.op != Op::kGemm && layer.op != Op::kMatMul) {
    return std::nullopt;
  }
  if (!IsConstant(graph, layer.inputs[1])) return std::nullopt;
  const Shape& out = graph.value(layer.outputs[0]).shape;
  const Shape& weights = graph.value(layer.inputs[1]).shape;
  if (layer.op == Op::kMatMul && (out.rank() != 2 || weights.rank() != 2)) return std::nullopt;
  const int64_t channels = out[1];
  if (channels == 0 || weights.Elements() == 0) return std::nullopt;
  if (!HasBias(layer)) return channels;
  if (!IsConstant(graph, layer.inputs[2])) return std::nullopt;
  if (!IsChannelVector(graph.value(layer.inputs[2]).shape, channels)) return std::nullopt;
  return channels;
}

std::optional<LayerBehind> FindLayer(Graph& graph, ValueId id, int reader) {
  Node* last = SoleProducer(graph, id, reader);
  if (last == nullptr) return std::nullopt;
  Node* layer = last;
  if (last->op == Op::kReshape) {
    const Shape& from = graph.value(last->inputs[0]).shape;
    const Shape& to = graph.value(id).shape;
    if (from.rank() < 2 || to.rank() < 2 || from[0] != to[0] || from[1] != to[1]) {
      return std::nullopt;
    }
    layer = SoleProducer(graph, last->inputs[0], static_cast<int>(last - graph.nodes.data()));
    if (layer == nullptr) return std::nullopt;
  }
  const auto channels = AbsorbingChannels(graph, *layer);
  if (!channels) return std::nullopt;
  return LayerBehind{layer, last, *channels};
}

bool CanAbsorb(const Graph& graph, const Node& layer, const ChannelAffine& affine) {
  if (!ScalesTake(graph.value(layer.inputs[1]), WeightAxis(layer), affine.factor)) return false;
  if (!HasBias(layer) || !graph.value(layer.inputs[2]).quantisation) return true;
  const bool plain = layer.op != Op::kGemm || layer.Float("beta") == 1.0;
  const bool shifts =
      std::any_of(affine.shift.begin(), affine.shift.end(), [](double s) { return s != 0; });
  const graph::Value& bias = graph.value(layer.inputs[2]);
  return plain && !shifts && ScalesTake(bias, bias.shape.rank() - 1, affine.factor);
}

void Absorb(Graph& graph, Node& layer, const ChannelAffine& affine) {
  const auto channels = static_cast<int64_t>(affine.factor.size());
  BW_CHECK(
      AbsorbingChannels(graph, layer) == channels && affine.shift.size() == affine.factor.size(),
      "{}: {} factors, {} shifts", layer.name, channels, affine.shift.size());
  std::vector<double> bias = Bias(graph, layer, channels);
  bool any_bias = HasBias(layer);
  for (size_t c = 0; c < bias.size(); ++c) {
    bias[c] = bias[c] * affine.factor[c] + affine.shift[c];
    any_bias = any_bias || affine.shift[c] != 0;
  }
  layer.inputs[1] = FoldedWeights(graph, layer, affine.factor);
  if (!any_bias) return;
  layer.inputs.resize(3, graph::kNoValue);
  const ValueId old = layer.inputs[2];
  const bool integers = old != graph::kNoValue && graph.value(old).quantisation;
  layer.inputs[2] = integers
                        ? Rescaled(graph, old, graph.value(old).shape.rank() - 1, affine.factor)
                        : AddFloats(graph, layer.name + "/bias", Shape({channels}), bias);
  if (layer.op == Op::kMatMul) {
    layer.op = Op::kGemm;
    layer.attributes = {{"alpha", 1.0}, {"transA", int64_t{0}}, {"transB", int64_t{0}}};
  }
  if (layer.op == Op::kGemm) layer.attributes["beta"] = 1.0;
}

}  // namespace bw::passes
