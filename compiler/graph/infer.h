// Shape inference of single operators: one function a row of ops.def, all with the same form.
#ifndef COMPILER_GRAPH_INFER_H_
#define COMPILER_GRAPH_INFER_H_

#include <fmt/format.h>

#include <string>
#include <vector>

#include "compiler/graph/graph.h"

namespace bw::graph {

// What inference finds out about a result.
struct TensorType {
  tensor::DType dtype = tensor::DType::kF32;
  tensor::Shape shape;
  friend bool operator==(const TensorType& a, const TensorType& b) {
    return a.dtype == b.dtype && a.shape == b.shape;
  }
};

// One node with its operands at hand. Arity and attributes are as ops.def asks (InferOutput has
// checked them), and every operand that is present exists.
class InferContext {
 public:
  InferContext(const Graph& graph, const Node& node) : graph_(graph), node_(node) {}

  const Graph& graph() const { return graph_; }
  const Node& node() const { return node_; }
  size_t inputs() const { return node_.inputs.size(); }
  bool Has(size_t i) const { return i < inputs() && node_.inputs[i] != kNoValue; }
  const Value& In(size_t i) const { return graph_.value(node_.inputs.at(i)); }
  const tensor::Shape& ShapeOf(size_t i) const { return In(i).shape; }

  // "model.onnx: Conv conv1: message (hint)".
  template <typename... Args>
  Error Fail(fmt::format_string<Args...> text, Args&&... args) const {
    return Make(fmt::format(text, std::forward<Args>(args)...), "");
  }
  Error Make(std::string message, std::string hint) const;

  // An attribute of one integer an axis, all in least..2^31 - 1.
  Status CheckInts(const std::string& name, size_t count, int64_t least) const;
  // 0 <= axis < limit.
  Status CheckAxis(int64_t axis, int64_t limit) const;
  // Strictly rising axes in 0..rank-1.
  Status CheckAxes(const std::vector<int64_t>& axes, int rank) const;
  Status CheckFloat(size_t i) const;
  Status CheckRank(size_t i, int least, int most) const;
  // All operands have the same element type.
  Status CheckSameType() const;

 private:
  const Graph& graph_;
  const Node& node_;
};

// Extents >= 0, and no more than 2^31 elements even if extents of 0 were 1, so that no sum or
// product of extents overflows. It bounds what a hostile file can make us allocate.
bool IsSound(const tensor::Shape& shape);

// numpy's broadcasting of two shapes; nothing when they do not fit.
std::optional<tensor::Shape> Broadcast(const tensor::Shape& a, const tensor::Shape& b);

// The result's shape of a convolution of operand 0 with operand `w` (strides, pads, dilations and
// group are attributes), and of a matrix product; shared with the quantised forms.
Result<tensor::Shape> ConvShape(const InferContext& context, size_t w);
Status CheckConvBias(const InferContext& context, size_t bias, int64_t filters);
Result<tensor::Shape> MatMulShape(const InferContext& context, size_t a, size_t b);

// Checks arity and attributes against ops.def, then infers the one result. Errors name the node.
Result<TensorType> InferOutput(const Graph& graph, const Node& node);
// Arity, presence of operands and attributes against ops.def, without looking at shapes.
Status CheckForm(const Graph& graph, const Node& node);

#define BW_OP(name, inputs, op_class, qdq, attributes, doc) \
  Result<TensorType> Infer##name(const InferContext& context);
#include "compiler/graph/ops.def"
#undef BW_OP

}  // namespace bw::graph

#endif  // COMPILER_GRAPH_INFER_H_
