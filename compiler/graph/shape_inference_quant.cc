// Shape inference of the quantised operators: integer types, scales and zero points.
#include "compiler/graph/infer.h"
#include "compiler/graph/quant_operands.h"

namespace bw::graph {
namespace {

using tensor::DType;
using tensor::Shape;

Status CheckType(const InferContext& c, size_t i, std::string_view what,
                 std::initializer_list<DType> allowed) {
  std::string names;
  for (const DType type : allowed) {
    if (c.In(i).dtype == type) return OkStatus();
    names += fmt::format("{}{}", names.empty() ? "" : " or ", tensor::DTypeName(type));
  }
  return c.Fail("{} ({}) has type {}, must be {}", what, c.In(i).name,
                tensor::DTypeName(c.In(i).dtype), names);
}

// Types of the integer operands and all scales and zero points; `result` is the result's shape.
Status CheckRoles(const InferContext& c, const Shape& result) {
  const Graph& graph = c.graph();
  for (const QuantRole& role : QuantRoles(graph, c.node())) {
    const bool is_result = role.data == kNoOperand;
    const Shape& data = is_result ? result : c.ShapeOf(static_cast<size_t>(role.data));
    BW_RETURN_IF_ERROR(CheckQuantRole(graph, c.node(), role, data));
  }
  return OkStatus();
}

// Integers of 8 bits as operands `data`.
Status CheckBytes(const InferContext& c, size_t i, std::string_view what) {
  return CheckType(c, i, what, {DType::kU8, DType::kI8});
}

Status CheckAxisAttribute(const InferContext& c) {
  const int64_t axis = c.node().Int("axis");
  if (axis == -1) return OkStatus();
  return c.CheckAxis(axis, c.ShapeOf(0).rank());
}

}  // namespace

Result<TensorType> InferQuantizeLinear(const InferContext& c) {
  BW_RETURN_IF_ERROR(CheckType(c, 0, "x", {DType::kF32, DType::kI32}));
  if (c.Has(2)) BW_RETURN_IF_ERROR(CheckBytes(c, 2, "zero point of y"));
  BW_RETURN_IF_ERROR(CheckAxisAttribute(c));
  BW_RETURN_IF_ERROR(CheckRoles(c, c.ShapeOf(0)));
  return TensorType{c.Has(2) ? c.In(2).dtype : DType::kU8, c.ShapeOf(0)};
}

Result<TensorType> InferDequantizeLinear(const InferContext& c) {
  BW_RETURN_IF_ERROR(CheckType(c, 0, "x", {DType::kU8, DType::kI8, DType::kI32}));
  BW_RETURN_IF_ERROR(CheckAxisAttribute(c));
  BW_RETURN_IF_ERROR(CheckRoles(c, {}));
  return TensorType{DType::kF32, c.ShapeOf(0)};
}

Result<TensorType> InferDynamicQuantizeLinear(const InferContext& c) {
  BW_RETURN_IF_ERROR(c.CheckFloat(0));
  const std::string& result = c.node().String("result");
  if (result == "y") return TensorType{DType::kU8, c.ShapeOf(0)};
  if (result == "scale") return TensorType{DType::kF32, {}};
  if (result == "zero_point") return TensorType{DType::kU8, {}};
  return c.Fail("result is {}; allowed are y, scale and zero_point", result);
}

Result<TensorType> InferQLinearConv(const InferContext& c) {
  BW_RETURN_IF_ERROR(CheckBytes(c, 0, "x"));
  BW_RETURN_IF_ERROR(CheckBytes(c, 3, "w"));
  BW_RETURN_IF_ERROR(CheckBytes(c, 7, "zero point of y"));
  BW_ASSIGN_OR_RETURN(const Shape shape, ConvShape(c, 3));
  BW_RETURN_IF_ERROR(CheckRoles(c, shape));
  if (c.Has(8)) {
    BW_RETURN_IF_ERROR(CheckType(c, 8, "bias", {DType::kI32}));
    BW_RETURN_IF_ERROR(CheckConvBias(c, 8, shape[1]));
  }
  return TensorType{c.In(7).dtype, shape};
}

Result<TensorType> InferQLinearMatMul(const InferContext& c) {
  BW_RETURN_IF_ERROR(CheckBytes(c, 0, "a"));
  BW_RETURN_IF_ERROR(CheckBytes(c, 3, "b"));
  BW_RETURN_IF_ERROR(CheckBytes(c, 7, "zero point of y"));
  BW_ASSIGN_OR_RETURN(const Shape shape, MatMulShape(c, 0, 3));
  BW_RETURN_IF_ERROR(CheckRoles(c, shape));
  return TensorType{c.In(7).dtype, shape};
}

Result<TensorType> InferConvInteger(const InferContext& c) {
  BW_RETURN_IF_ERROR(CheckBytes(c, 0, "x"));
  BW_RETURN_IF_ERROR(CheckBytes(c, 1, "w"));
  BW_ASSIGN_OR_RETURN(const Shape shape, ConvShape(c, 1));
  BW_RETURN_IF_ERROR(CheckRoles(c, shape));
  return TensorType{DType::kI32, shape};
}

Result<TensorType> InferMatMulInteger(const InferContext& c) {
  BW_RETURN_IF_ERROR(CheckBytes(c, 0, "a"));
  BW_RETURN_IF_ERROR(CheckBytes(c, 1, "b"));
  BW_ASSIGN_OR_RETURN(const Shape shape, MatMulShape(c, 0, 1));
  BW_RETURN_IF_ERROR(CheckRoles(c, shape));
  return TensorType{DType::kI32, shape};
}

}  // namespace bw::graph
