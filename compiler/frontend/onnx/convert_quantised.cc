// Quantised operators: their scales and zero points stay operands.
#include "compiler/frontend/onnx/convert.h"
#include "compiler/frontend/onnx/spatial.h"

namespace bw::frontend {
namespace {

using graph::Op;
using graph::ValueId;
using tensor::Shape;

constexpr size_t kScale = 1, kZeroPoint = 2;  // inputs of QuantizeLinear and DequantizeLinear

// The operands up to number `count`, absent ones too.
std::vector<ValueId> Operands(NodeContext& c, size_t count) {
  if (c.inputs() > count) c.Note("{} inputs; at most {} are allowed", c.inputs(), count);
  std::vector<ValueId> ids;
  for (size_t i = 0; i < count; ++i) ids.push_back(c.input(i));
  return ids;
}

// An axis matters when there are several scales alone; the default of 1 may be none of x.
int64_t ScaleAxis(NodeContext& c) {
  const int64_t axis = c.opset() >= 13 ? c.Int("axis", 1) : 1;
  if (c.InputShape(kScale).rank() == 0) return -1;
  if (c.ShapeOf(c.input(kScale)).Elements() == 1 &&
      (!c.HasInput(kZeroPoint) || c.ShapeOf(c.input(kZeroPoint)).Elements() == 1)) {
    return -1;
  }
  if (c.opset() < 13) {
    c.NoteWithHint("has several scales; there is one in operator set " + std::to_string(c.opset()),
                   "export the network again, for instance with opset_version=13");
    return -1;
  }
  return c.Axis(axis, c.InputShape(0).rank());
}

Status LinearConvert(NodeContext& c) {
  const int64_t axis = ScaleAxis(c);
  return c.Finish(c.op(), Operands(c, 3), {{"axis", axis}});
}

// Zero points that are left out are 0 of the type of the integers.
Status FillZeroPoint(NodeContext& c, size_t at, size_t like, std::vector<ValueId>* inputs) {
  if ((*inputs)[at] != graph::kNoValue || !c.HasInput(like)) return OkStatus();
  BW_ASSIGN_OR_RETURN((*inputs)[at], c.EmitZero((*inputs)[like], fmt::format("zero_{}", at)));
  return OkStatus();
}

// x, scale, zero point, w, scale, zero point, scale and zero point of the result.
Result<std::vector<ValueId>> ProductOperands(NodeContext& c, size_t count) {
  std::vector<ValueId> inputs = Operands(c, count);
  BW_RETURN_IF_ERROR(FillZeroPoint(c, 2, 0, &inputs));
  BW_RETURN_IF_ERROR(FillZeroPoint(c, 5, 3, &inputs));
  BW_RETURN_IF_ERROR(FillZeroPoint(c, 7, 0, &inputs));
  return inputs;
}

}  // namespace

Status ConvertQuantizeLinear(NodeContext& c) { return LinearConvert(c); }
Status ConvertDequantizeLinear(NodeContext& c) { return LinearConvert(c); }

Status ConvertDynamicQuantizeLinear(NodeContext& c) {
  constexpr const char* kResults[] = {"y", "scale", "zero_point"};
  for (int i = 0; i < 3; ++i) {
    BW_RETURN_IF_ERROR(
        c.FinishOutput(i, c.op(), {c.input(0)}, {{"result", std::string(kResults[i])}}));
  }
  return OkStatus();
}

Status ConvertQLinearConv(NodeContext& c) {
  BW_ASSIGN_OR_RETURN(std::vector<ValueId> inputs, ProductOperands(c, 9));
  return FinishConv(c, std::move(inputs), 3);
}

Status ConvertQLinearMatMul(NodeContext& c) {
  BW_ASSIGN_OR_RETURN(std::vector<ValueId> inputs, ProductOperands(c, 8));
  return c.Finish(c.op(), std::move(inputs), {});
}

Status ConvertConvInteger(NodeContext& c) { return FinishConv(c, Operands(c, 4), 1); }
Status ConvertMatMulInteger(NodeContext& c) { return c.Finish(c.op(), Operands(c, 4), {}); }

}  // namespace bw::frontend
