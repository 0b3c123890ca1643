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
  if (node.inputs.size() > 2 && node.inputs[2] != graph::kNoValue) {
    BW_ASSIGN_OR_RETURN(bias, ConstantReals(b, index, 2, "bias"));
  }
  const graph::Value& weight = b.float_graph().value(node.inputs[1]);
  const auto channels = static_cast<size_t>(weight.shape[0]);
  const size_t per_channel = w.size() / channels;
  const IntValueId x = b.Operand(node.inputs[0]);
  const double in_scale = b.result().value(x).scale;
  const double out_scale = b.ResultScale(index);
  QuantisedWeights q = b.QuantiseWeights(w, channels, bias, in_scale, out_scale,
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
  BW_ASSIGN_OR_RETURN(conv.requant, b.Requants(index, RequantReals(q, in_scale, out_scale)));
  std::vector<int32_t> q_bias = b.QuantiseBias(bias, q, in_scale);
  std::vector<IntValueId> inputs = {x};
  inputs.push_back(b.AddConstant(weight.name, weight.shape, b.settings().weight_bits, q.scales[0],
                                 std::move(q.q)));
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
