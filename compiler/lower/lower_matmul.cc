// Class A: matrix products.
#include <fmt/format.h>

#include "compiler/lower/lower_ops.h"
#include "compiler/lower/weights.h"

namespace bw::lower {
namespace {

using graph::IntValueId;
using graph::Node;
using tensor::Shape;

const Node& NodeAt(const Builder& b, int index) {
  return b.float_graph().nodes[static_cast<size_t>(index)];
}

const graph::Value& InputOf(const Builder& b, int index, size_t input) {
  return b.float_graph().value(NodeAt(b, index).inputs[input]);
}

Shape ProductShape(const Builder& b, IntValueId a, int64_t n) {
  Shape shape = b.result().value(a).shape;
  shape[shape.rank() - 1] = n;
  return shape;
}

// The node's result, or where its shape is another a value for ReshapeToResult.
IntValueId AddProduct(Builder& b, int index, const Shape& shape) {
  if (shape == b.ResultShape(index)) return b.AddResult(index);
  return b.AddActivation(NodeAt(b, index).name + ".product", shape, b.ResultFormat(index), "");
}

// The constant factor and row of a product. `weights` counts channels along N.
struct ConstantPart {
  QuantisedWeights weights;
  std::vector<double> bias;  // reals, already times beta; may be empty
  const graph::Value* bias_value = nullptr;
};

// a[..., M, K] x weights[K, N] + bias[N].
Result<IntValueId> EmitConstant(Builder& b, int index, IntValueId a, int64_t n,
                                ConstantPart constant) {
  const Node& node = NodeAt(b, index);
  const double in_scale = b.result().value(a).scale;
  QuantisedWeights& weights = constant.weights;
  graph::IntMatMul params;
  BW_ASSIGN_OR_RETURN(params.requant, b.Requants(index, RequantReals(b, weights, in_scale,
                                                                     b.ResultScale(index), false)));
  std::vector<IntValueId> inputs = {a};
  std::vector<int32_t> q_bias =
      BiasIntegers(b, constant.bias_value, constant.bias, weights, in_scale);
  MoveZeroPointIntoBias(*b.settings().profile, n, params.requant, q_bias);
  const auto k = static_cast<int64_t>(weights.q.size()) / n;
  const Format format{weights.scales[0], weights.zero_point, weights.bits, weights.is_signed, true};
  inputs.push_back(
      b.AddConstant(InputOf(b, index, 1).name, Shape{k, n}, format, std::move(weights.q)));
  if (!q_bias.empty()) {
    inputs.push_back(b.AddConstant(node.name + ".bias", Shape{n}, 32, in_scale, std::move(q_bias)));
  }
  const IntValueId out = AddProduct(b, index, ProductShape(b, a, n));
  b.AddNode(index, node.name, std::move(inputs), out, std::move(params));
  return out;
}

// Real weights[K, N] as integers.
QuantisedWeights ColumnWeights(const Builder& b, int index, IntValueId a,
                               const std::vector<double>& columns, int64_t n,
                               const std::vector<double>& bias) {
  const auto width = static_cast<size_t>(n);
  return b.QuantiseWeights(columns, width, bias, b.result().value(a).scale, b.ResultScale(index),
                           [width](size_t i) { return i % width; });
}

// alpha * lhs[..., M, K] x rhs[..., K, N] with equal leading axes; alpha > 0.
Result<IntValueId> EmitActivations(Builder& b, int index, IntValueId lhs, IntValueId rhs,
                                   double alpha) {
  const double real =
      b.result().value(lhs).scale * b.result().value(rhs).scale * alpha / b.ResultScale(index);
  graph::IntMatMul params;
  BW_ASSIGN_OR_RETURN(params.requant, b.Requants(index, {real}));
  const Shape right = b.result().value(rhs).shape;
  const IntValueId out = AddProduct(b, index, ProductShape(b, lhs, right[right.rank() - 1]));
  b.AddNode(index, NodeAt(b, index).name, {lhs, rhs}, out, std::move(params));
  return out;
}

template <typename T>
std::vector<T> Transpose2D(const std::vector<T>& v, size_t rows, size_t cols) {
  std::vector<T> t(v.size());
  for (size_t r = 0; r < rows; ++r) {
    for (size_t c = 0; c < cols; ++c) t[c * rows + r] = v[r * cols + c];
  }
  return t;
}

// Gemm's C times beta, over N.
std::vector<double> RowBias(const Builder& b, int index, int64_t n) {
  const Node& node = NodeAt(b, index);
  if (node.inputs.size() < 3 || node.inputs[2] == graph::kNoValue) return {};
  std::vector<double> c = InputOf(b, index, 2).constant->ToF64();
  if (c.size() == 1) c.assign(static_cast<size_t>(n), c[0]);
  for (double& v : c) v *= node.Float("beta");
  return c;
}

}  // namespace

// C, where there is one, is a constant row beside constant weights (passes::SplitGemm).
Status LowerGemm(Builder& b, int index) {
  const Node& node = NodeAt(b, index);
  const double alpha = node.Float("alpha");
  const int64_t n = b.ResultShape(index)[1];
  IntValueId a = b.Operand(node.inputs[0]);
  if (node.Int("transA") != 0) a = b.Transposed(index, a, {1, 0});
  const bool transposed = node.Int("transB") != 0;
  const graph::Value& right = InputOf(b, index, 1);
  if (right.constant) {
    const auto rows = static_cast<size_t>(right.shape[0]);
    const auto cols = static_cast<size_t>(right.shape[1]);
    ConstantPart constant;
    constant.bias = RowBias(b, index, n);
    if (right.quantisation && alpha == 1) {
      constant.weights = FileWeights(right);
      if (transposed) constant.weights.q = Transpose2D(constant.weights.q, rows, cols);
      const bool plain = !constant.bias.empty() && node.Float("beta") == 1;
      if (plain) constant.bias_value = &InputOf(b, index, 2);
    } else {
      std::vector<double> w = right.constant->ToF64();
      if (transposed) w = Transpose2D(w, rows, cols);
      for (double& v : w) v *= alpha;
      constant.weights = ColumnWeights(b, index, a, w, n, constant.bias);
    }
    BW_RETURN_IF_ERROR(EmitConstant(b, index, a, n, std::move(constant)));
    return OkStatus();
  }
  if (alpha <= 0) {
    return b.NodeError(index, fmt::format("alpha = {} with the activation '{}'", alpha, right.name),
                       "only a positive alpha has an integer form");
  }
  IntValueId operand = b.Operand(node.inputs[1]);
  if (transposed) operand = b.Transposed(index, operand, {1, 0});
  BW_RETURN_IF_ERROR(EmitActivations(b, index, a, operand, alpha));
  return OkStatus();
}

// Vectors become matrices of one row or column; a matrix on the right serves every leading axis.
Status LowerMatMul(Builder& b, int index) {
  const Node& node = NodeAt(b, index);
  const graph::Value& left = InputOf(b, index, 0);
  const graph::Value& right = InputOf(b, index, 1);
  IntValueId a = b.Operand(node.inputs[0]);
  if (left.shape.rank() == 1) a = b.Reshaped(index, a, Shape{1, left.shape[0]});
  const bool matrix = right.shape.rank() <= 2;
  const int rank = b.result().value(a).shape.rank();
  // Scales of weights count along the last axis, which is not the channel axis of rank 4.
  if (matrix && rank > 2 && (!right.constant || rank == 4)) {
    const int64_t k = left.shape[rank - 1];
    a = b.Reshaped(index, a, Shape{left.shape.Elements() / k, k});
  }
  IntValueId product = -1;
  if (matrix && right.constant) {
    const int64_t n = right.shape.rank() == 1 ? 1 : right.shape[1];
    ConstantPart constant;
    constant.weights = right.quantisation
                           ? FileWeights(right)
                           : ColumnWeights(b, index, a, right.constant->ToF64(), n, {});
    BW_ASSIGN_OR_RETURN(product, EmitConstant(b, index, a, n, std::move(constant)));
  } else {
    IntValueId operand = b.Operand(node.inputs[1]);
    if (right.shape.rank() == 1) operand = b.Reshaped(index, operand, Shape{right.shape[0], 1});
    bool same_batch = b.result().value(a).shape.rank() == b.result().value(operand).shape.rank();
    for (int axis = 0; same_batch && axis < right.shape.rank() - 2; ++axis) {
      same_batch = left.shape[axis] == right.shape[axis];
    }
    if (!same_batch) {
      return b.NodeError(
          index,
          fmt::format("leading axes of {} and {} differ", left.shape.ToString(),
                      right.shape.ToString()),
          "broadcasting of leading axes is not supported in a product of two activations");
    }
    BW_ASSIGN_OR_RETURN(product, EmitActivations(b, index, a, operand, 1.0));
  }
  if (b.result().value(product).shape != b.ResultShape(index)) b.ReshapeToResult(index, product);
  return OkStatus();
}

}  // namespace bw::lower
