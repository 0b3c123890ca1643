#include "compiler/graph/quant_operands.h"

#include <algorithm>
#include <cmath>

#include "compiler/graph/infer.h"

namespace bw::graph {
namespace {

using tensor::DType;
using tensor::Shape;

int Axis(const Node& node) { return static_cast<int>(node.Int("axis")); }

const Value* Operand(const Graph& graph, const Node& node, int index) {
  if (index < 0 || static_cast<size_t>(index) >= node.inputs.size()) return nullptr;
  const ValueId id = node.inputs[static_cast<size_t>(index)];
  return id == kNoValue ? nullptr : &graph.value(id);
}

// One value, or one a position of the axis.
bool FitsRole(const QuantRole& role, const Shape& data, const Shape& parameter) {
  if (parameter.Elements() == 1 && parameter.rank() <= 1) return true;
  if (!role.per_axis || role.axis < 0 || role.axis >= data.rank()) return false;
  return parameter.rank() == 1 && parameter[0] == data[role.axis];
}

Status CheckShape(const InferContext& c, const QuantRole& role, const Shape& data,
                  const Value& value, std::string_view kind) {
  if (FitsRole(role, data, value.shape)) return OkStatus();
  std::string allowed = "one value";
  if (role.per_axis && role.axis >= 0 && role.axis < data.rank()) {
    allowed += fmt::format(", or {} (one a position of axis {} of {})", data[role.axis], role.axis,
                           data.ToString());
  }
  return c.Fail("{} of {} ({}) has shape {}; allowed is {}", kind, role.what, value.name,
                value.shape.ToString(), allowed);
}

Status CheckScale(const InferContext& c, const QuantRole& role, const Value& scale) {
  if (scale.dtype != DType::kF32) {
    return c.Fail("scale of {} ({}) has type {}, must be float32", role.what, scale.name,
                  tensor::DTypeName(scale.dtype));
  }
  if (!scale.constant) return OkStatus();
  const std::vector<double> values = scale.constant->ToF64();
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] > 0 && std::isfinite(values[i])) continue;
    return c.Fail("scale of {} ({}) is {} at {}; scales are finite and above 0", role.what,
                  scale.name, values[i], i);
  }
  return OkStatus();
}

}  // namespace

bool IsQuantised(Op op) {
  switch (op) {
    case Op::kQuantizeLinear:
    case Op::kDequantizeLinear:
    case Op::kDynamicQuantizeLinear:
    case Op::kQLinearConv:
    case Op::kQLinearMatMul:
    case Op::kConvInteger:
    case Op::kMatMulInteger:
      return true;
    default:
      return false;
  }
}

bool MovesIntegers(Op op) {
  switch (op) {
    case Op::kMaxPool:
    case Op::kGlobalMaxPool:
    case Op::kClip:
    case Op::kRelu:
    case Op::kConcat:
    case Op::kFlatten:
    case Op::kReshape:
    case Op::kResize:
    case Op::kSqueeze:
    case Op::kUnsqueeze:
    case Op::kTranspose:
    case Op::kSlice:
    case Op::kIdentity:
    case Op::kDropout:
      return true;
    default:
      return false;
  }
}

bool IsActivationType(DType dtype) {
  return dtype == DType::kF32 || dtype == DType::kU8 || dtype == DType::kI8 || dtype == DType::kI32;
}

std::vector<QuantRole> QuantRoles(const Graph& graph, const Node& node) {
  // The columns of b; a vector has none.
  const auto columns = [&](std::string_view what, int data, int scale, int zero_point) {
    const int rank = graph.value(node.inputs[static_cast<size_t>(data)]).shape.rank();
    return QuantRole{what, data, scale, zero_point, rank > 1, rank - 1};
  };
  switch (node.op) {
    case Op::kQuantizeLinear:
      return {{"y", kNoOperand, 1, 2, true, Axis(node)}};
    case Op::kDequantizeLinear:
      return {{"x", 0, 1, 2, true, Axis(node)}};
    case Op::kQLinearConv:
      return {{"x", 0, 1, 2}, {"w", 3, 4, 5, true, 0}, {"y", kNoOperand, 6, 7}};
    case Op::kQLinearMatMul:
      return {{"a", 0, 1, 2}, columns("b", 3, 4, 5), {"y", kNoOperand, 6, 7}};
    case Op::kConvInteger:
      return {{"x", 0, kNoOperand, 2}, {"w", 1, kNoOperand, 3, true, 0}, {"y"}};
    case Op::kMatMulInteger:
      return {{"a", 0, kNoOperand, 2}, columns("b", 1, kNoOperand, 3), {"y"}};
    default:
      return {};
  }
}

DType IntegerType(const Graph& graph, const Node& node, const QuantRole& role) {
  if (const Value* data = Operand(graph, node, role.data)) return data->dtype;
  if (const Value* zero = Operand(graph, node, role.zero_point)) return zero->dtype;
  return node.op == Op::kConvInteger || node.op == Op::kMatMulInteger ? DType::kI32 : DType::kU8;
}

Status CheckQuantRole(const Graph& graph, const Node& node, const QuantRole& role,
                      const Shape& data) {
  const InferContext c(graph, node);
  const DType type = IntegerType(graph, node, role);
  const Value* scale = Operand(graph, node, role.scale);
  const Value* zero = Operand(graph, node, role.zero_point);
  if (scale != nullptr) {
    BW_RETURN_IF_ERROR(CheckShape(c, role, data, *scale, "scale"));
    BW_RETURN_IF_ERROR(CheckScale(c, role, *scale));
  }
  if (zero == nullptr) return OkStatus();
  BW_RETURN_IF_ERROR(CheckShape(c, role, data, *zero, "zero point"));
  if (zero->dtype != type) {
    return c.Fail("zero point of {} ({}) has type {}, the integers {}", role.what, zero->name,
                  tensor::DTypeName(zero->dtype), tensor::DTypeName(type));
  }
  return OkStatus();
}

Result<Quantisation> ReadQuantisation(const Graph& graph, const Node& node, const QuantRole& role) {
  const InferContext c(graph, node);
  const Value* scale = Operand(graph, node, role.scale);
  const Value* zero = Operand(graph, node, role.zero_point);
  for (const Value* value : {scale, zero}) {
    if (value == nullptr || value->constant) continue;
    return c.Make(fmt::format("{} of {} ({}) must be constant",
                              value == scale ? "scale" : "zero point", role.what, value->name),
                  "scales that are computed at run time have no integer form; export the network "
                  "with calibrated (static) quantisation");
  }
  Quantisation q;
  const DType type = IntegerType(graph, node, role);
  q.bits = static_cast<int>(8 * DTypeSize(type));
  q.is_signed = type != DType::kU8;
  q.ties_to_even = true;
  if (scale != nullptr) q.scales = scale->constant->ToF64();
  if (zero != nullptr) q.zero_points = zero->constant->ToI64();
  const size_t count = std::max({q.scales.size(), q.zero_points.size(), size_t{1}});
  if (q.scales.size() < count) q.scales.assign(count, q.scales.empty() ? 1.0 : q.scales[0]);
  if (q.zero_points.size() < count) {
    q.zero_points.assign(count, q.zero_points.empty() ? 0 : q.zero_points[0]);
  }
  if (count > 1) q.axis = role.axis;
  return q;
}

}  // namespace bw::graph
