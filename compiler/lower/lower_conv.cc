// Class A: convolutions.
#include "compiler/lower/lower_ops.h"
#include "compiler/lower/weights.h"

namespace bw::lower {

using graph::IntValueId;
using graph::Node;

Status LowerConv(Builder& b, int index) {
  const Node& node = b.float_graph().nodes[static_cast<size_t>(index)];
  BW_ASSIGN_OR_RETURN(const std::vector<double> w, ConstantReals(b, index, 1, "weight"));
  std::vector<double> bias;
  const graph::Value* bias_value = nullptr;
  if (node.inputs.size() > 2 && node.inputs[2] != graph::kNoValue) {
    BW_ASSIGN_OR_RETURN(bias, ConstantReals(b, index, 2, "bias"));
    bias_value = &b.float_graph().value(node.inputs[2]);
  }
  const graph::Value& weight = b.float_graph().value(node.inputs[1]);
  const auto channels = static_cast<size_t>(weight.shape[0]);
  const size_t per_channel = w.size() / channels;
  const IntValueId x = b.Operand(node.inputs[0]);
  const double in_scale = b.result().value(x).scale;
  const double out_scale = b.ResultScale(index);
  QuantisedWeights q = weight.quantisation
                           ? FileWeights(weight)
                           : b.QuantiseWeights(w, channels, bias, in_scale, out_scale,
                                               [per_channel](size_t i) { return i / per_channel; });
  graph::IntConv conv;
  const auto& strides = node.Ints("strides");
  const auto& dilations = node.Ints("dilations");
  const auto& pads = node.Ints("pads");
  conv.stride_h = strides[0], conv.stride_w = strides[1];
  conv.dilation_h = dilations[0], conv.dilation_w = dilations[1];
  conv.group = node.Int("group");
  conv.pad_top = pads[0], conv.pad_left = pads[1];
  conv.pad_bottom = pads[2], conv.pad_right = pads[3];
  const bool in_double = b.result().value(x).is_signed;
  BW_ASSIGN_OR_RETURN(conv.requant,
                      b.Requants(index, RequantReals(b, q, in_scale, out_scale, in_double)));
  std::vector<int32_t> q_bias = BiasIntegers(b, bias_value, bias, q, in_scale);
  MoveZeroPointIntoBias(*b.settings().profile, weight.shape[0], conv.requant, q_bias);
  std::vector<IntValueId> inputs = {x};
  const Format format{q.scales[0], q.zero_point, q.bits, q.is_signed, true};
  inputs.push_back(b.AddConstant(weight.name, weight.shape, format, std::move(q.q)));
  if (!q_bias.empty()) {
    inputs.push_back(b.AddConstant(node.name + ".bias", tensor::Shape{weight.shape[0]}, 32,
                                   in_scale, std::move(q_bias)));
  }
  const IntValueId out = b.AddResult(index);
  b.AddNode(index, node.name, std::move(inputs), out, std::move(conv));
  return OkStatus();
}

Status LowerBatchNormalization(Builder& b, int index) {
  return b.NodeError(index, "was not folded into a convolution",
                     "internal: run the canonicalising passes before lowering");
}

}  // namespace bw::lower
