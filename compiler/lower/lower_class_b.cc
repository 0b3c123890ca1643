// Class B: elementwise arithmetic and pooling.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "compiler/lower/lower_ops.h"
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

Status EmitAdd(Builder& b, int index, bool subtract) {
  const auto [lhs, rhs] = Operands(b, index);
  const Settings& s = b.settings();
  arith::EltwiseAddPlan plan =
      arith::MakeEltwiseAdd(b.result().value(lhs).scale, b.result().value(rhs).scale,
                            b.ResultScale(index), s.act_bits, s.elt_base_shift, s.elt_two_stage,
                            s.stage1_bits, s.mult_bits, s.profile->scale_rule, s.limits);
  BW_RETURN_IF_ERROR(b.Checked(index, plan.align, -1));
  plan.add.subtract = subtract;
  graph::IntAdd params;
  params.add = plan.add;
  BW_ASSIGN_OR_RETURN(params.requant, b.RequantsFrom(index, plan.out));
  const IntValueId out = b.AddResult(index);
  b.AddNode(index, NodeAt(b, index).name, {lhs, rhs}, out, std::move(params));
  return OkStatus();
}

// A constant factor of one value, or one a channel of the result; empty when it is neither, or when
// a factor is negative or 0 (those need a real multiplication).
std::vector<double> ChannelFactors(Builder& b, int index, ValueId id) {
  const graph::Value& value = b.float_graph().value(id);
  if (!value.constant) return {};
  std::vector<double> factors = value.constant->ToF64();
  if (!std::all_of(factors.begin(), factors.end(), [](double v) { return v > 0; })) return {};
  if (factors.size() == 1) return factors;
  const tensor::Shape& out = b.ResultShape(index);
  const int channel_axis = out.rank() == 4 ? 1 : out.rank() - 1;
  const int missing = out.rank() - value.shape.rank();
  for (int axis = 0; axis < value.shape.rank(); ++axis) {
    const int64_t wanted = axis + missing == channel_axis ? out[channel_axis] : 1;
    if (value.shape[axis] != wanted) return {};
  }
  return static_cast<int64_t>(factors.size()) == out[channel_axis] ? factors
                                                                   : std::vector<double>{};
}

Status EmitRequant(Builder& b, int index, ValueId input, std::vector<double> factors) {
  const IntValueId x = b.Operand(input);
  for (double& f : factors) f = b.result().value(x).scale * f / b.ResultScale(index);
  graph::IntRequant params;
  BW_ASSIGN_OR_RETURN(params.requant, b.Requants(index, factors));
  const IntValueId out = b.AddResult(index);
  b.AddNode(index, NodeAt(b, index).name, {x}, out, std::move(params));
  return OkStatus();
}

// Relu, clip, leaky relu, PReLU that could not be fused. `lo`, `hi` in real units.
Status EmitActivation(Builder& b, int index, double lo, double hi,
                      const std::vector<double>& slopes) {
  const Node& node = NodeAt(b, index);
  const IntValueId x = b.Operand(node.inputs[0]);
  const double out_scale = b.ResultScale(index);
  const double real = b.result().value(x).scale / out_scale;
  arith::ClipRange clip = b.Clip(index);
  clip.lo = arith::QuantiseReal(std::max(lo, -1e30), out_scale, 0, clip.lo, clip.hi);
  clip.hi = arith::QuantiseReal(std::min(hi, 1e30), out_scale, 0, clip.lo, clip.hi);
  graph::IntRequant params;
  BW_ASSIGN_OR_RETURN(arith::Requant entry, b.RequantFor(index, real));
  entry.lo = clip.lo, entry.hi = clip.hi;
  params.requant.entries.assign(std::max<size_t>(slopes.size(), 1), entry);
  for (double slope : slopes) {
    BW_ASSIGN_OR_RETURN(arith::Requant negative, b.RequantFor(index, real * slope));
    negative.lo = clip.lo, negative.hi = clip.hi;
    params.requant.negative.push_back(negative);
  }
  const IntValueId out = b.AddResult(index);
  b.AddNode(index, node.name, {x}, out, std::move(params));
  return OkStatus();
}

// Windows along one axis: how many of each window's positions are inside.
std::vector<int64_t> ValidCounts(int64_t out, int64_t kernel, int64_t stride, int64_t pad,
                                 int64_t extent) {
  std::vector<int64_t> counts;
  for (int64_t o = 0; o < out; ++o) {
    const int64_t first = o * stride - pad;
    counts.push_back(std::min(first + kernel, extent) - std::max<int64_t>(first, 0));
  }
  return counts;
}

Status EmitPool(Builder& b, int index, IntValueId x, graph::IntPool pool, IntValueId out,
                bool count_include_pad) {
  const tensor::Shape in_shape = b.result().value(x).shape;
  const tensor::Shape out_shape = b.result().value(out).shape;
  if (!pool.is_max) {
    const double real = b.result().value(x).scale / b.ResultScale(index);
    for (int64_t h :
         ValidCounts(out_shape[2], pool.kernel_h, pool.stride_h, pool.pad_top, in_shape[2])) {
      for (int64_t w :
           ValidCounts(out_shape[3], pool.kernel_w, pool.stride_w, pool.pad_left, in_shape[3])) {
        const int64_t n = h * w;
        if (pool.by_count.count(n) != 0) continue;
        const int64_t divisor = count_include_pad ? pool.kernel_h * pool.kernel_w : n;
        BW_ASSIGN_OR_RETURN(pool.by_count[n],
                            b.RequantFor(index, real / static_cast<double>(divisor)));
      }
    }
  }
  b.AddNode(index, NodeAt(b, index).name, {x}, out, std::move(pool));
  return OkStatus();
}

graph::IntPool PoolFromAttributes(const Node& node, bool is_max) {
  graph::IntPool pool;
  pool.is_max = is_max;
  const auto& kernel = node.Ints("kernel_shape");
  const auto& strides = node.Ints("strides");
  const auto& pads = node.Ints("pads");
  pool.kernel_h = kernel[0], pool.kernel_w = kernel[1];
  pool.stride_h = strides[0], pool.stride_w = strides[1];
  pool.pad_top = pads[0], pool.pad_left = pads[1];
  pool.pad_bottom = pads[2], pool.pad_right = pads[3];
  return pool;
}

Status EmitGlobalPool(Builder& b, int index, bool is_max) {
  const Node& node = NodeAt(b, index);
  const IntValueId x = b.Operand(node.inputs[0]);
  const tensor::Shape shape = b.result().value(x).shape;
  if (shape.rank() != 4) {
    return b.NodeError(index, fmt::format("input of shape {}", shape.ToString()),
                       "global pooling takes N x C x H x W");
  }
  graph::IntPool pool;
  pool.is_max = is_max;
  pool.kernel_h = shape[2], pool.kernel_w = shape[3];
  return EmitPool(b, index, x, pool, b.AddResult(index), false);
}

}  // namespace

Status LowerAdd(Builder& b, int index) { return EmitAdd(b, index, false); }
Status LowerSub(Builder& b, int index) { return EmitAdd(b, index, true); }

Status LowerMul(Builder& b, int index) {
  const Node& node = NodeAt(b, index);
  for (size_t i : {size_t{1}, size_t{0}}) {
    const ValueId other = node.inputs[1 - i];
    if (b.float_graph().value(other).shape != b.ResultShape(index)) continue;
    std::vector<double> factors = ChannelFactors(b, index, node.inputs[i]);
    if (!factors.empty()) return EmitRequant(b, index, other, std::move(factors));
  }
  const auto [lhs, rhs] = Operands(b, index);
  const Settings& s = b.settings();
  graph::IntMul params;
  BW_ASSIGN_OR_RETURN(
      params.requant,
      b.RequantsFrom(index, arith::MakeEltwiseMul(b.result().value(lhs).scale,
                                                  b.result().value(rhs).scale, b.ResultScale(index),
                                                  s.mult_bits, s.profile->scale_rule, s.limits)));
  const IntValueId out = b.AddResult(index);
  b.AddNode(index, node.name, {lhs, rhs}, out, std::move(params));
  return OkStatus();
}

Status LowerDiv(Builder& b, int index) {
  const Node& node = NodeAt(b, index);
  std::vector<double> factors;
  if (b.float_graph().value(node.inputs[0]).shape == b.ResultShape(index)) {
    factors = ChannelFactors(b, index, node.inputs[1]);
  }
  if (factors.empty()) {
    return b.NodeError(index, "the divisor is not a positive constant, one or one a channel",
                       "only such a division has an integer form");
  }
  for (double& f : factors) f = 1.0 / f;
  return EmitRequant(b, index, node.inputs[0], std::move(factors));
}

Status LowerRelu(Builder& b, int index) { return EmitActivation(b, index, 0, INFINITY, {}); }

Status LowerClip(Builder& b, int index) {
  const Node& node = NodeAt(b, index);
  return EmitActivation(b, index, node.Float("min"), node.Float("max"), {});
}

Status LowerLeakyRelu(Builder& b, int index) {
  const double alpha = NodeAt(b, index).Float("alpha");
  if (alpha < 0) {
    return b.NodeError(index, fmt::format("alpha = {} is negative", alpha),
                       "the second scale of the hardware is 0 or positive");
  }
  return EmitActivation(b, index, -INFINITY, INFINITY, {alpha});
}

Status LowerPRelu(Builder& b, int index) {
  const std::vector<double> slopes = ChannelFactors(b, index, NodeAt(b, index).inputs[1]);
  if (slopes.empty()) {
    return b.NodeError(index, "slopes are not positive constants, one or one a channel",
                       "the second scale of the hardware is positive");
  }
  return EmitActivation(b, index, -INFINITY, INFINITY, slopes);
}

Status LowerMaxPool(Builder& b, int index) {
  const Node& node = NodeAt(b, index);
  graph::IntPool pool = PoolFromAttributes(node, true);
  const auto& dilations = node.Ints("dilations");
  pool.dilation_h = dilations[0], pool.dilation_w = dilations[1];
  return EmitPool(b, index, b.Operand(node.inputs[0]), pool, b.AddResult(index), false);
}

Status LowerAveragePool(Builder& b, int index) {
  const Node& node = NodeAt(b, index);
  const bool include_pad = node.Int("count_include_pad") != 0;
  if (include_pad && node.Int("ceil_mode") != 0) {
    return b.NodeError(index, "count_include_pad together with ceil_mode",
                       "the divisor of the last windows is ambiguous; pad explicitly");
  }
  return EmitPool(b, index, b.Operand(node.inputs[0]), PoolFromAttributes(node, false),
                  b.AddResult(index), include_pad);
}

Status LowerGlobalAveragePool(Builder& b, int index) { return EmitGlobalPool(b, index, false); }
Status LowerGlobalMaxPool(Builder& b, int index) { return EmitGlobalPool(b, index, true); }

Status LowerReduceMean(Builder& b, int index) {
  const Node& node = NodeAt(b, index);
  IntValueId x = b.Operand(node.inputs[0]);
  const tensor::Shape shape = b.result().value(x).shape;
  const int rank = shape.rank();
  std::vector<bool> reduced(static_cast<size_t>(rank), false);
  for (int64_t axis : node.Ints("axes")) {
    reduced[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = true;
  }
  graph::IntPool pool;
  pool.is_max = false;
  const bool spatial = rank == 4 && !reduced[0] && !reduced[1] && reduced[2] && reduced[3];
  if (spatial) {
    pool.kernel_h = shape[2], pool.kernel_w = shape[3];
  } else {
    // Kept axes become channels, reduced axes become H.
    std::vector<int64_t> perm;
    int64_t kept = 1, gone = 1;
    for (bool pass : {false, true}) {
      for (int axis = 0; axis < rank; ++axis) {
        if (reduced[static_cast<size_t>(axis)] != pass) continue;
        perm.push_back(axis);
        (pass ? gone : kept) *= shape[axis];
      }
    }
    if (!std::is_sorted(perm.begin(), perm.end())) x = b.Transposed(index, x, perm);
    x = b.Reshaped(index, x, tensor::Shape{1, kept, gone, 1});
    pool.kernel_h = gone, pool.kernel_w = 1;
  }
  const tensor::Shape in_shape = b.result().value(x).shape;
  const tensor::Shape pooled{in_shape[0], in_shape[1], 1, 1};
  if (pooled == b.ResultShape(index)) {
    return EmitPool(b, index, x, pool, b.AddResult(index), false);
  }
  const std::string name = node.name + ".mean";
  const IntValueId mean = b.AddActivation(name, pooled, b.ResultScale(index), "");
  BW_RETURN_IF_ERROR(EmitPool(b, index, x, pool, mean, false));
  b.Bind(index, b.Reshaped(index, mean, b.ResultShape(index)));
  return OkStatus();
}

}  // namespace bw::lower
