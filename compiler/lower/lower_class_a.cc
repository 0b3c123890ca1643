// Class A: multiply-accumulate, then one requantisation a channel.
#include <fmt/format.h>

#include "compiler/lower/lower_ops.h"

namespace bw::lower {
namespace {

using graph::IntValueId;
using graph::Node;

std::vector<double> RequantReals(const QuantisedWeights& weights, double in_scale,
                                 double out_scale) {
  std::vector<double> reals;
  for (double scale : weights.scales) reals.push_back(in_scale * scale / out_scale);
  return reals;
}

Result<std::vector<double>> ConstantReals(Builder& b, int index, size_t input,
                                          std::string_view role) {
  const Node& node = b.float_graph().nodes[static_cast<size_t>(index)];
  const graph::Value& value = b.float_graph().value(node.inputs[input]);
  if (!value.constant) {
    return b.NodeError(index, fmt::format("the {} '{}' is not constant", role, value.name),
                       "only constant ones have an integer form");
  }
  return value.constant->ToF64();
}

// a[..., M, K] x b[..., K, N] (+ bias[N]), b constant [K, N] in `columns`, or an activation.
Status EmitMatMulConstant(Builder& b, int index, IntValueId a, const std::vector<double>& columns,
                          int64_t k, int64_t n, const std::vector<double>& bias,
                          const std::string& weight_name) {
  const Node& node = b.float_graph().nodes[static_cast<size_t>(index)];
  const double in_scale = b.result().value(a).scale;
  const double out_scale = b.ResultScale(index);
  const auto width = static_cast<size_t>(n);
  QuantisedWeights weights = b.QuantiseWeights(columns, width, bias, in_scale, out_scale,
                                               [width](size_t i) { return i % width; });
  graph::IntMatMul params;
  BW_ASSIGN_OR_RETURN(params.requant,
                      b.Requants(index, RequantReals(weights, in_scale, out_scale)));
  std::vector<IntValueId> inputs = {a};
  std::vector<int32_t> q_bias = b.QuantiseBias(bias, weights, in_scale);
  inputs.push_back(b.AddConstant(weight_name, tensor::Shape{k, n}, b.settings().weight_bits,
                                 weights.scales[0], std::move(weights.q)));
  if (!q_bias.empty()) {
    inputs.push_back(
        b.AddConstant(node.name + ".bias", tensor::Shape{n}, 32, in_scale, std::move(q_bias)));
  }
  const IntValueId out = b.AddResult(index);
  b.AddNode(index, node.name, std::move(inputs), out, std::move(params));
  return OkStatus();
}

Status EmitMatMulActivations(Builder& b, int index, IntValueId lhs, IntValueId rhs) {
  const Node& node = b.float_graph().nodes[static_cast<size_t>(index)];
  const double real =
      b.result().value(lhs).scale * b.result().value(rhs).scale / b.ResultScale(index);
  graph::IntMatMul params;
  BW_ASSIGN_OR_RETURN(params.requant, b.Requants(index, {real}));
  const IntValueId out = b.AddResult(index);
  b.AddNode(index, node.name, {lhs, rhs}, out, std::move(params));
  return OkStatus();
}

std::vector<double> Transpose2D(const std::vector<double>& v, size_t rows, size_t cols) {
  std::vector<double> t(v.size());
  for (size_t r = 0; r < rows; ++r) {
    for (size_t c = 0; c < cols; ++c) t[c * rows + r] = v[r * cols + c];
  }
  return t;
}

// Gemm's C as a vector over N, or an error: only [N], [1,N] and single values fit the accumulator.
Result<std::vector<double>> GemmBias(Builder& b, int index, int64_t n, double beta) {
  const Node& node = b.float_graph().nodes[static_cast<size_t>(index)];
  if (node.inputs.size() < 3 || node.inputs[2] == graph::kNoValue || beta == 0) {
    return std::vector<double>{};
  }
  BW_ASSIGN_OR_RETURN(std::vector<double> c, ConstantReals(b, index, 2, "bias C"));
  const tensor::Shape& shape = b.float_graph().value(node.inputs[2]).shape;
  if (c.size() == 1) c.assign(static_cast<size_t>(n), c[0]);
  if (static_cast<int64_t>(c.size()) != n ||
      (shape.rank() > 0 && shape[shape.rank() - 1] != n && shape.Elements() != 1)) {
    return b.NodeError(index, fmt::format("bias C of shape {} is not a row", shape.ToString()),
                       fmt::format("give one value for each of the {} columns", n));
  }
  for (double& v : c) v *= beta;
  return c;
}

}  // namespace

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

Status LowerGemm(Builder& b, int index) {
  const Node& node = b.float_graph().nodes[static_cast<size_t>(index)];
  const double alpha = node.Float("alpha");
  IntValueId a = b.Operand(node.inputs[0]);
  if (node.Int("transA") != 0) a = b.Transposed(index, a, {1, 0});
  const int64_t k = b.result().value(a).shape[1];
  const int64_t n = b.ResultShape(index)[1];
  BW_ASSIGN_OR_RETURN(std::vector<double> w, ConstantReals(b, index, 1, "matrix B"));
  if (node.Int("transB") != 0) {
    w = Transpose2D(w, static_cast<size_t>(n), static_cast<size_t>(k));
  }
  for (double& v : w) v *= alpha;
  BW_ASSIGN_OR_RETURN(const std::vector<double> bias, GemmBias(b, index, n, node.Float("beta")));
  return EmitMatMulConstant(b, index, a, w, k, n, bias, b.float_graph().value(node.inputs[1]).name);
}

Status LowerMatMul(Builder& b, int index) {
  const Node& node = b.float_graph().nodes[static_cast<size_t>(index)];
  const graph::Value& lhs = b.float_graph().value(node.inputs[0]);
  const graph::Value& rhs = b.float_graph().value(node.inputs[1]);
  if (lhs.shape.rank() < 2 || rhs.shape.rank() < 2) {
    return b.NodeError(
        index,
        fmt::format("product of shapes {} and {}", lhs.shape.ToString(), rhs.shape.ToString()),
        "vectors are not supported; reshape them to matrices");
  }
  if (rhs.constant && rhs.shape.rank() == 2) {
    return EmitMatMulConstant(b, index, b.Operand(node.inputs[0]), rhs.constant->ToF64(),
                              rhs.shape[0], rhs.shape[1], {}, rhs.name);
  }
  const int rank = lhs.shape.rank();
  bool same_batch = rank == rhs.shape.rank();
  for (int axis = 0; same_batch && axis < rank - 2; ++axis) {
    same_batch = lhs.shape[axis] == rhs.shape[axis];
  }
  if (!same_batch) {
    return b.NodeError(
        index,
        fmt::format("leading axes of {} and {} differ", lhs.shape.ToString(), rhs.shape.ToString()),
        "broadcasting of two activations is not supported in a matrix product");
  }
  return EmitMatMulActivations(b, index, b.Operand(node.inputs[0]), b.Operand(node.inputs[1]));
}

Status LowerBatchNormalization(Builder& b, int index) {
  return b.NodeError(index, "was not folded into a convolution",
                     "internal: run the canonicalising passes before lowering");
}

}  // namespace bw::lower
