// Products, elementwise operators, activations, normalisation and reductions.
#include <cmath>
#include <limits>
#include <numeric>

#include "compiler/frontend/onnx/convert.h"

namespace bw::frontend {
namespace {

using graph::Op;
using graph::ValueId;
using tensor::Shape;
using Ints = std::vector<int64_t>;

std::vector<ValueId> AllInputs(const NodeContext& c) {
  std::vector<ValueId> ids;
  for (size_t i = 0; i < c.inputs(); ++i) ids.push_back(c.input(i));
  return ids;
}

Status Plain(NodeContext& c) { return c.Finish(c.op(), AllInputs(c), {}); }

// Before operator set 7 the second operand broadcasts only on request, and may be aligned at `axis`
// of the first one instead of at the last axis.
Status Binary(NodeContext& c) {
  if (c.opset() >= 7) return Plain(c);
  const Shape a = c.InputShape(0);
  const Shape b = c.InputShape(1);
  const bool broadcast = c.Int("broadcast", 0) != 0;
  const int64_t axis = c.Axis(c.Int("axis", a.rank() - b.rank()), std::max(a.rank(), 1), true);
  if (!broadcast && a != b) {
    c.Note("shapes {} and {} differ and broadcast is not set", a.ToString(), b.ToString());
  }
  const int64_t trailing = a.rank() - b.rank() - axis;
  if (!broadcast || trailing <= 0) return Plain(c);
  Ints shape = b.dims;
  shape.insert(shape.end(), static_cast<size_t>(trailing), 1);
  BW_ASSIGN_OR_RETURN(const ValueId aligned,
                      c.Emit(Op::kReshape, {c.input(1)}, {{"shape", shape}}, "align"));
  return c.Finish(c.op(), {c.input(0), aligned}, {});
}

// The file's float32 limits mean that there is no bound.
double Bound(double value) {
  constexpr auto kMost = static_cast<double>(std::numeric_limits<float>::max());
  if (value >= kMost) return std::numeric_limits<double>::infinity();
  if (value <= -kMost) return -std::numeric_limits<double>::infinity();
  return value;
}

}  // namespace

Status ConvertGemm(NodeContext& c) {
  if (c.opset() < 7) c.Int("broadcast", 0);  // C broadcasts anyhow
  const int64_t ta = c.Int("transA", 0) != 0 ? 1 : 0;
  const int64_t tb = c.Int("transB", 0) != 0 ? 1 : 0;
  return c.Finish(Op::kGemm, AllInputs(c),
                  {{"alpha", c.Float("alpha", 1.0)},
                   {"beta", c.Float("beta", 1.0)},
                   {"transA", ta},
                   {"transB", tb}});
}

Status ConvertMatMul(NodeContext& c) { return Plain(c); }

Status ConvertBatchNormalization(NodeContext& c) {
  c.Float("momentum", 0.9);  // of training alone
  if (c.opset() < 9) c.RequireInt("spatial", 1, 1, "one mean a channel");
  if (c.opset() < 7) c.RequireInt("is_test", 0, 1, "training is not supported");
  if (c.opset() >= 14) c.RequireInt("training_mode", 0, 0, "training is not supported");
  const double epsilon = c.Float("epsilon", static_cast<double>(1e-5f));
  return c.Finish(c.op(), AllInputs(c), {{"epsilon", epsilon}});
}

Status ConvertAdd(NodeContext& c) { return Binary(c); }
Status ConvertSub(NodeContext& c) { return Binary(c); }
Status ConvertMul(NodeContext& c) { return Binary(c); }
Status ConvertDiv(NodeContext& c) { return Binary(c); }

Status ConvertRelu(NodeContext& c) { return Plain(c); }
Status ConvertSigmoid(NodeContext& c) { return Plain(c); }
Status ConvertTanh(NodeContext& c) { return Plain(c); }
Status ConvertHardSwish(NodeContext& c) { return Plain(c); }

Status ConvertClip(NodeContext& c) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double low = -kInfinity, high = kInfinity;
  if (c.opset() < 11) {
    low = c.Float("min", low);
    high = c.Float("max", high);
  } else {
    low = c.ConstantScalar(1, "min").value_or(low);
    high = c.ConstantScalar(2, "max").value_or(high);
  }
  if (std::isnan(low) || std::isnan(high)) c.Note("a bound is not a number");
  return c.Finish(c.op(), {c.input(0)}, {{"min", Bound(low)}, {"max", Bound(high)}});
}

Status ConvertLeakyRelu(NodeContext& c) {
  return c.Finish(c.op(), AllInputs(c), {{"alpha", c.Float("alpha", static_cast<double>(0.01f))}});
}

Status ConvertHardSigmoid(NodeContext& c) {
  const double alpha = c.Float("alpha", static_cast<double>(0.2f));
  return c.Finish(c.op(), AllInputs(c), {{"alpha", alpha}, {"beta", c.Float("beta", 0.5)}});
}

// Before operator set 7 a slope of rank 1 has one value a channel (axis 1).
Status ConvertPRelu(NodeContext& c) {
  const Shape x = c.InputShape(0);
  const Shape slope = c.InputShape(1);
  if (c.opset() >= 7 || slope.rank() != 1 || slope[0] == 1 || x.rank() <= 2) return Plain(c);
  Ints shape(static_cast<size_t>(x.rank() - 1), 1);
  shape[0] = slope[0];
  BW_ASSIGN_OR_RETURN(const ValueId aligned,
                      c.Emit(Op::kReshape, {c.input(1)}, {{"shape", shape}}, "align"));
  return c.Finish(c.op(), {c.input(0), aligned}, {});
}

Status ConvertReduceMean(NodeContext& c) {
  const int64_t rank = c.InputShape(0).rank();
  Ints all(static_cast<size_t>(rank));
  std::iota(all.begin(), all.end(), 0);
  Ints axes = c.Ints("axes", all);
  if (axes.empty()) axes = all;
  axes = c.Axes(std::move(axes), rank);
  const int64_t keep = c.Int("keepdims", 1) != 0 ? 1 : 0;
  return c.Finish(c.op(), {c.input(0)}, {{"axes", axes}, {"keepdims", keep}});
}

// Before operator set 13 the softmax runs over all axes from `axis` on, taken together.
Status ConvertSoftmax(NodeContext& c) {
  const Shape x = c.InputShape(0);
  const bool together = c.opset() < 13;
  const int64_t axis = c.Axis(c.Int("axis", together ? 1 : -1), x.rank());
  BW_RETURN_IF_ERROR(c.status());
  int64_t before = 1, from = 1, after_axis = 1;
  for (int i = 0; i < x.rank(); ++i) {
    (i < axis ? before : from) *= x[i];
    if (i > axis) after_axis *= x[i];
  }
  if (!together || after_axis == 1) return c.Finish(c.op(), {c.input(0)}, {{"axis", axis}});
  BW_ASSIGN_OR_RETURN(const ValueId flat, c.Emit(Op::kReshape, {c.input(0)},
                                                 {{"shape", Ints{before, from}}}, "flatten"));
  BW_ASSIGN_OR_RETURN(const ValueId y, c.Emit(c.op(), {flat}, {{"axis", int64_t{1}}}, ""));
  return c.Finish(Op::kReshape, {y}, {{"shape", x.dims}}, "unflatten");
}

}  // namespace bw::frontend
