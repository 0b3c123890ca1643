// Class B: elementwise arithmetic and pooling.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "compiler/lower/lower_ops.h"
#include "compiler/lower/varying_axis.h"
#include "models/arith/quantise.h"

namespace bw::lower {
namespace {

using graph::IntValueId;
using graph::Node;
using graph::ValueId;

const Node& NodeAt(const Builder& b, int index) {
  return b.float_graph().nodes[static_cast<size_t>(index)];
}

// Both operands of an elementwise operator, at the result's rank.
std::pair<IntValueId, IntValueId> Operands(Builder& b, int index) {
  const Node& node = NodeAt(b, index);
  const int rank = b.ResultShape(index).rank();
  const IntValueId lhs = b.WithRank(index, b.Operand(node.inputs[0]), rank);
  const IntValueId rhs = b.WithRank(index, b.Operand(node.inputs[1]), rank);
  return {lhs, rhs};
}

// lhs + rhs or lhs - rhs. A slope below 1 for negative values shrinks them behind the clip of stage
// 1, which must therefore reach as far as the sum itself, not only as far as the result.
Status EmitAdd(Builder& b, int index, IntValueId lhs, IntValueId rhs, bool subtract) {
  const Settings& s = b.settings();
  const Node& node = NodeAt(b, index);
  const Format a = b.FormatOf(lhs), c = b.FormatOf(rhs);
  const double out_scale = b.ResultScale(index);
  const bool sloped = !b.Slopes(index).empty();
  double reach = sloped ? std::max(out_scale, b.Scale(node.outputs[0])) : out_scale;
  // With a zero point a result may be twice as many steps away from it.
  if (b.ResultFormat(index).from_file) reach *= 2;
  arith::EltwiseAddPlan plan =
      s.profile->tflite_forms
          ? arith::MakeTfliteAdd(a.scale, c.scale, out_scale, s.mult_bits, s.profile->scale_rule,
                                 s.limits)
          : arith::MakeEltwiseAdd(a.scale, c.scale, reach, s.act_bits, s.elt_base_shift,
                                  s.elt_two_stage, s.stage1_bits, s.mult_bits,
                                  s.profile->scale_rule, s.limits);
  BW_RETURN_IF_ERROR(b.Checked(index, plan.align, -1));
  if (s.profile->tflite_forms) {
    BW_RETURN_IF_ERROR(b.Checked(index, plan.align_b, -1));
    reach = out_scale;
  }
  plan.add.subtract = subtract;
  plan.add.a.zp = a.zero_point;
  plan.add.b.zp = c.zero_point;
  graph::IntAdd params;
  params.add = plan.add;
  if (sloped || reach != out_scale) {
    BW_ASSIGN_OR_RETURN(params.requant, b.Requants(index, {plan.out.real * (reach / out_scale)}));
  } else {
    BW_ASSIGN_OR_RETURN(params.requant, b.RequantsFrom(index, plan.out));
  }
  b.AddNode(index, node.name, {lhs, rhs}, b.AddResult(index), std::move(params));
  return OkStatus();
}

// Non-negative constants of one value, or one a position of one axis of a result.
struct Factors {
  std::vector<double> values;
  int axis = kNoAxis;
};

// Nothing when they are not constant, follow several axes, or one is negative (those need a real
// multiplication).
std::optional<Factors> FactorsOf(Builder& b, ValueId id, const tensor::Shape& out) {
  const graph::Value& value = b.float_graph().value(id);
  const auto axis = VaryingAxis(value.shape, out);
  // What the file quantises is an operand of its own.
  if (!value.constant || value.quantisation || !axis) return std::nullopt;
  std::vector<double> values = value.constant->ToF64();
  if (!std::all_of(values.begin(), values.end(), [](double v) { return v >= 0; })) {
    return std::nullopt;
  }
  return Factors{std::move(values), *axis};
}

// `params` from x to the result, its entries counted along `axis`: where that is not the channel
// axis, under a shape that makes it so.
void EmitAlongAxis(Builder& b, int index, IntValueId x, int axis, graph::IntRequant params) {
  const tensor::Shape out = b.ResultShape(index);
  const std::string& name = NodeAt(b, index).name;
  if (axis == kNoAxis || axis == ChannelAxis(out)) {
    b.AddNode(index, name, {x}, b.AddResult(index), std::move(params));
    return;
  }
  int64_t before = 1, after = 1;
  for (int i = 0; i < out.rank(); ++i) {
    if (i < axis) before *= out[i];
    if (i > axis) after *= out[i];
  }
  const tensor::Shape planes{before, out[axis], after, 1};
  x = b.Reshaped(index, x, planes);
  const IntValueId scaled = b.AddActivation(name + ".scaled", planes, b.ResultFormat(index), "");
  b.AddNode(index, name, {x}, scaled, std::move(params));
  b.ReshapeToResult(index, scaled);
}

// The product with factors. False when fused slopes follow another axis than the factors.
Result<bool> EmitScaled(Builder& b, int index, ValueId input, Factors factors) {
  const bool along_channels = factors.axis == ChannelAxis(b.ResultShape(index));
  if (factors.axis != kNoAxis && !along_channels && b.Slopes(index).size() > 1) return false;
  const IntValueId x = b.Operand(input);
  for (double& f : factors.values) f = b.result().value(x).scale * f / b.ResultScale(index);
  graph::IntRequant params;
  BW_ASSIGN_OR_RETURN(params.requant, b.Requants(index, factors.values));
  EmitAlongAxis(b, index, x, factors.axis, std::move(params));
  return true;
}

Status EmitProduct(Builder& b, int index, IntValueId lhs, IntValueId rhs) {
  const Settings& s = b.settings();
  graph::IntMul params;
  const double sa = b.result().value(lhs).scale, sb = b.result().value(rhs).scale;
  const double so = b.ResultScale(index);
  const bool tflite = s.profile->tflite_forms && b.ResultFormat(index).from_file;
  const arith::ScaleDecision scale =
      tflite ? arith::MakeTfliteMul(static_cast<float>(sa), static_cast<float>(sb),
                                    static_cast<float>(so), s.mult_bits, s.profile->scale_rule,
                                    s.limits)
             : arith::MakeEltwiseMul(sa, sb, so, s.mult_bits, s.profile->scale_rule, s.limits);
  BW_ASSIGN_OR_RETURN(params.requant, b.RequantsFrom(index, scale));
  b.AddNode(index, NodeAt(b, index).name, {lhs, rhs}, b.AddResult(index), std::move(params));
  return OkStatus();
}

// Relu, clip, leaky relu, PReLU that could not be fused. `lo`, `hi` in real units.
Status EmitActivation(Builder& b, int index, double lo, double hi, const Factors& slopes) {
  const Node& node = NodeAt(b, index);
  const IntValueId x = b.Operand(node.inputs[0]);
  const Format& format = b.ResultFormat(index);
  // TFLite's activations divide, and multiply by the slope, in float32.
  const bool in_float = b.settings().profile->tflite_forms && format.from_file;
  const double in_scale = b.result().value(x).scale;
  const auto real_of = [&](double slope) -> double {
    if (!in_float) return in_scale * slope / format.scale;
    const float sloped = static_cast<float>(in_scale) * static_cast<float>(slope);
    return sloped / static_cast<float>(format.scale);
  };
  arith::ClipRange clip = b.Clip(index);
  clip.lo = std::max(clip.lo, b.Integer(std::max(lo, -1e30), format));
  clip.hi = std::min(clip.hi, b.Integer(std::min(hi, 1e30), format));
  graph::IntRequant params;
  BW_ASSIGN_OR_RETURN(arith::Requant entry, b.RequantFor(index, real_of(1.0)));
  entry.lo = clip.lo, entry.hi = clip.hi;
  params.requant.entries.assign(std::max<size_t>(slopes.values.size(), 1), entry);
  for (double slope : slopes.values) {
    BW_ASSIGN_OR_RETURN(arith::Requant negative, b.RequantFor(index, real_of(slope)));
    negative.lo = clip.lo, negative.hi = clip.hi;
    params.requant.negative.push_back(negative);
  }
  EmitAlongAxis(b, index, x, slopes.axis, std::move(params));
  return OkStatus();
}

// max(x, 0) + slope * min(x, 0), for slopes that no second scale can hold: negative ones, or ones
// that follow several axes. The parts of x keep its scale, so they are exact.
Status EmitSplitActivation(Builder& b, int index, ValueId input, const tensor::Shape& slope_shape,
                           const std::vector<double>& slopes) {
  const std::string& name = NodeAt(b, index).name;
  const IntValueId x = b.Operand(input);
  const tensor::Shape shape = b.ResultShape(index);
  const Format format = b.FormatOf(x);
  const arith::ClipRange range = b.RangeOf(format);
  const auto part = [&](const char* sign, int64_t lo, int64_t hi) -> Result<IntValueId> {
    graph::IntRequant params;
    BW_ASSIGN_OR_RETURN(params.requant, b.PlainRequants(index, {1.0}, format));
    params.requant.entries[0].lo = lo, params.requant.entries[0].hi = hi;
    const IntValueId out = b.AddActivation(name + sign, shape, format, "");
    b.AddNode(index, name + sign, {x}, out, std::move(params), false);
    return out;
  };
  BW_ASSIGN_OR_RETURN(const IntValueId positive, part(".positive", format.zero_point, range.hi));
  BW_ASSIGN_OR_RETURN(const IntValueId negative, part(".negative", range.lo, format.zero_point));
  const IntValueId factors =
      b.WithRank(index, b.Quantised(name + ".slopes", slope_shape, slopes), shape.rank());
  // Products of two full ranges come back to the width of one.
  const double span = std::ldexp(1.0, format.bits - (format.zero_point == 0 ? 1 : 0)) - 1;
  const Format product_format = b.OwnFormat(format.scale * b.result().value(factors).scale * span);
  const IntValueId product = b.AddActivation(name + ".product", shape, product_format, "");
  graph::IntMul params;
  BW_ASSIGN_OR_RETURN(params.requant, b.PlainRequants(index, {1.0 / span}, product_format));
  b.AddNode(index, name + ".product", {negative, factors}, product, std::move(params), false);
  return EmitAdd(b, index, positive, product, false);
}

}  // namespace

Status LowerAdd(Builder& b, int index) {
  const auto [lhs, rhs] = Operands(b, index);
  return EmitAdd(b, index, lhs, rhs, false);
}
Status LowerSub(Builder& b, int index) {
  const auto [lhs, rhs] = Operands(b, index);
  return EmitAdd(b, index, lhs, rhs, true);
}

Status LowerMul(Builder& b, int index) {
  const Node& node = NodeAt(b, index);
  for (size_t i : {size_t{1}, size_t{0}}) {
    const ValueId other = node.inputs[1 - i];
    if (b.float_graph().value(other).shape != b.ResultShape(index)) continue;
    auto factors = FactorsOf(b, node.inputs[i], b.ResultShape(index));
    if (!factors) continue;
    BW_ASSIGN_OR_RETURN(const bool done, EmitScaled(b, index, other, *std::move(factors)));
    if (done) return OkStatus();
  }
  const auto [lhs, rhs] = Operands(b, index);
  return EmitProduct(b, index, lhs, rhs);
}

// By a constant: the product with its reciprocals.
Status LowerDiv(Builder& b, int index) {
  const Node& node = NodeAt(b, index);
  const graph::Value& divisor = b.float_graph().value(node.inputs[1]);
  if (!divisor.constant) {
    return b.NodeError(index, fmt::format("the divisor '{}' is not constant", divisor.name),
                       "only a division by constants has an integer form");
  }
  std::vector<double> reciprocals = divisor.constant->ToF64();
  for (double& v : reciprocals) {
    if (v == 0) return b.NodeError(index, "division by 0", "the divisor must not hold zeros");
    v = 1.0 / v;
  }
  const tensor::Shape out = b.ResultShape(index);
  if (b.float_graph().value(node.inputs[0]).shape == out) {
    if (auto factors = FactorsOf(b, node.inputs[1], out)) {
      factors->values = reciprocals;
      BW_ASSIGN_OR_RETURN(const bool done, EmitScaled(b, index, node.inputs[0], *factors));
      if (done) return OkStatus();
    }
  }
  const IntValueId lhs = b.WithRank(index, b.Operand(node.inputs[0]), out.rank());
  const IntValueId rhs = b.Quantised(node.name + ".reciprocal", divisor.shape, reciprocals);
  return EmitProduct(b, index, lhs, b.WithRank(index, rhs, out.rank()));
}

Status LowerRelu(Builder& b, int index) { return EmitActivation(b, index, 0, INFINITY, {}); }

Status LowerClip(Builder& b, int index) {
  const Node& node = NodeAt(b, index);
  return EmitActivation(b, index, node.Float("min"), node.Float("max"), {});
}

Status LowerLeakyRelu(Builder& b, int index) {
  const Node& node = NodeAt(b, index);
  const double alpha = node.Float("alpha");
  if (alpha < 0) return EmitSplitActivation(b, index, node.inputs[0], tensor::Shape{1}, {alpha});
  return EmitActivation(b, index, -INFINITY, INFINITY, {{alpha}, kNoAxis});
}

Status LowerPRelu(Builder& b, int index) {
  const Node& node = NodeAt(b, index);
  const graph::Value& slope = b.float_graph().value(node.inputs[1]);
  if (!slope.constant) {
    return b.NodeError(index, fmt::format("the slope '{}' is not constant", slope.name),
                       "only constant slopes have an integer form");
  }
  const auto factors = FactorsOf(b, node.inputs[1], b.ResultShape(index));
  if (factors) return EmitActivation(b, index, -INFINITY, INFINITY, *factors);
  return EmitSplitActivation(b, index, node.inputs[0], slope.shape, slope.constant->ToF64());
}

}  // namespace bw::lower
