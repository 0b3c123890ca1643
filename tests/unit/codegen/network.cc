#include "tests/unit/codegen/network.h"

#include <algorithm>
#include <cmath>

#include "compiler/graph/window.h"
#include "models/status/check.h"

namespace bw::codegen {

using graph::IntValue;
using tensor::Shape;

ConvSpec Pointwise(int64_t out) {
  ConvSpec spec;
  spec.out = out;
  spec.kernel_h = spec.kernel_w = 1;
  spec.pad_top = spec.pad_left = spec.pad_bottom = spec.pad_right = 0;
  return spec;
}

ConvSpec Depthwise(int64_t channels) {
  ConvSpec spec;
  spec.out = spec.group = channels;
  return spec;
}

Network::Id Network::AddValue(Shape shape) {
  IntValue value;
  value.name = "v" + std::to_string(graph_.values.size());
  value.shape = std::move(shape);
  value.bits = bits_;
  value.is_signed = signed_;
  if (zero_points_) {
    const int64_t range = int64_t{1} << bits_;
    value.zero_point = Below(range) - (signed_ ? range / 2 : 0);
  }
  graph_.values.push_back(std::move(value));
  return static_cast<Id>(graph_.values.size()) - 1;
}

Network::Id Network::AddLike(Id like, Shape shape) {
  IntValue value = graph_.value(like);
  value.name = "v" + std::to_string(graph_.values.size());
  value.shape = std::move(shape);
  value.constant.clear();
  graph_.values.push_back(std::move(value));
  return static_cast<Id>(graph_.values.size()) - 1;
}

Network::Id Network::AddNode(graph::Op op, std::vector<Id> inputs, Id output,
                             graph::IntParams params) {
  constexpr arith::Rounding kModes[] = {arith::Rounding::kHalfUp, arith::Rounding::kFloor,
                                        arith::Rounding::kTruncate, arith::Rounding::kHalfAway,
                                        arith::Rounding::kHalfEven};
  graph::IntNode node;
  node.name =
      "n" + std::to_string(graph_.nodes.size()) + "_" + std::string(graph::KindName(params));
  node.op = op;
  node.inputs = std::move(inputs);
  node.output = output;
  node.rounding = kModes[Below(5)];
  node.params = std::move(params);
  graph_.nodes.push_back(std::move(node));
  return output;
}

std::vector<int32_t> Network::RandomValues(const IntValue& value) {
  const int64_t range = int64_t{1} << value.bits;
  std::vector<int32_t> made(static_cast<size_t>(value.shape.Elements()));
  for (auto& v : made) {
    v = static_cast<int32_t>(Below(range) - (value.is_signed ? range / 2 : 0));
  }
  return made;
}

Network::Id Network::Input(Shape shape) {
  const Id id = AddValue(std::move(shape));
  graph_.inputs.push_back(id);
  return id;
}

Network::Id Network::Constant(Shape shape) {
  const Id id = AddValue(std::move(shape));
  graph_.value(id).constant = RandomValues(graph_.value(id));
  return id;
}

Network::Id Network::Weights(Shape shape, int bits) {
  const int old = std::exchange(bits_, bits);
  const bool old_sign = std::exchange(signed_, true);
  const Id id = Constant(std::move(shape));
  bits_ = old, signed_ = old_sign;
  return id;
}

Network::Id Network::Bias(int64_t channels, double magnitude) {
  IntValue value;
  value.name = "v" + std::to_string(graph_.values.size());
  value.shape = Shape{channels};
  value.bits = 32;
  const auto range = std::max<int64_t>(2, static_cast<int64_t>(magnitude));
  for (int64_t i = 0; i < channels; ++i) {
    value.constant.push_back(static_cast<int32_t>(Below(range) - range / 2));
  }
  graph_.values.push_back(std::move(value));
  return static_cast<Id>(graph_.values.size()) - 1;
}

arith::Requant Network::OneRequant(Id out, double magnitude) {
  const IntValue& value = graph_.value(out);
  arith::Requant made;
  made.m = 32768 + Below(32768);
  const double target = std::ldexp(1.0, value.bits - 1);
  const double ratio = std::max(magnitude, 1.0) * static_cast<double>(made.m) / target;
  made.s = std::clamp(static_cast<int>(std::lround(std::log2(ratio))), 0, 62);
  made.zp = value.zero_point;
  const int64_t range = int64_t{1} << value.bits;
  const int64_t low = value.is_signed ? -range / 2 : 0;
  made.lo = low + Below(2);
  made.hi = low + range - 1 - Below(std::max<int64_t>(1, range / 4));
  return made;
}

graph::RequantSet Network::Requants(Id out, int64_t entries, double magnitude, bool negative) {
  graph::RequantSet set;
  for (int64_t i = 0; i < entries; ++i) {
    set.entries.push_back(OneRequant(out, magnitude));
    if (!negative) continue;
    arith::Requant other = set.entries.back();
    other.m = 32768 + Below(32768);
    other.s = std::min(62, other.s + 3);
    set.negative.push_back(other);
  }
  return set;
}

Network::Id Network::Conv(Id x, const ConvSpec& spec) {
  const Shape in = shape(x);
  const graph::Window h{spec.kernel_h, spec.stride, spec.dilation, spec.pad_top, spec.pad_bottom};
  const graph::Window w{spec.kernel_w, spec.stride, spec.dilation, spec.pad_left, spec.pad_right};
  const int64_t per_group = in[1] / spec.group;
  const Id weights =
      Weights(Shape{spec.out, per_group, spec.kernel_h, spec.kernel_w}, spec.weight_bits);
  const double magnitude =
      std::sqrt(static_cast<double>(per_group * spec.kernel_h * spec.kernel_w)) *
      std::ldexp(1.0, graph_.value(x).bits + spec.weight_bits - 3);
  std::vector<Id> inputs = {x, weights};
  if (spec.bias) inputs.push_back(Bias(spec.out, magnitude));
  const Id out = AddValue(Shape{in[0], spec.out, *graph::WindowCount(in[2], h, false),
                                *graph::WindowCount(in[3], w, false)});
  graph::IntConv conv;
  conv.stride_h = conv.stride_w = spec.stride;
  conv.dilation_h = conv.dilation_w = spec.dilation;
  conv.group = spec.group;
  conv.pad_top = spec.pad_top, conv.pad_left = spec.pad_left;
  conv.pad_bottom = spec.pad_bottom, conv.pad_right = spec.pad_right;
  conv.requant = Requants(out, spec.per_channel ? spec.out : 1, magnitude, spec.leaky);
  return AddNode(graph::Op::kConv, std::move(inputs), out, std::move(conv));
}

Network::Id Network::MatMul(Id a, int64_t columns, bool bias) {
  Shape result = shape(a);
  const int64_t terms = result[result.rank() - 1];
  result[result.rank() - 1] = columns;
  const Id b = Weights(Shape{terms, columns}, 8);
  const double magnitude =
      std::sqrt(static_cast<double>(terms)) * std::ldexp(1.0, graph_.value(a).bits + 5);
  std::vector<Id> inputs = {a, b};
  if (bias) inputs.push_back(Bias(columns, magnitude));
  const Id out = AddValue(result);
  const int64_t channels = result.rank() == 4 ? result[1] : columns;
  graph::IntMatMul params;
  params.requant = Requants(out, Below(2) == 0 ? 1 : channels, magnitude, false);
  return AddNode(graph::Op::kMatMul, std::move(inputs), out, std::move(params));
}

Network::Id Network::MatMulOf(Id a, Id b) {
  Shape result = shape(a);
  const int64_t terms = result[result.rank() - 1];
  result[result.rank() - 1] = shape(b)[shape(b).rank() - 1];
  const double magnitude = std::sqrt(static_cast<double>(terms)) *
                           std::ldexp(1.0, graph_.value(a).bits + graph_.value(b).bits - 3);
  const Id out = AddValue(result);
  graph::IntMatMul params;
  params.requant = Requants(out, 1, magnitude, false);
  return AddNode(graph::Op::kMatMul, {a, b}, out, std::move(params));
}

namespace {
Shape Broadcast(const Shape& a, const Shape& b) {
  Shape out = a;
  for (int i = 0; i < out.rank(); ++i) out[i] = std::max(a[i], b[i]);
  return out;
}
}  // namespace

Network::Id Network::Add(Id a, Id b, bool subtract, bool two_stage) {
  const Id out = AddValue(Broadcast(shape(a), shape(b)));
  const double sa = 0.5 + 0.1 * static_cast<double>(Below(10));
  const double sb = 0.5 + 0.1 * static_cast<double>(Below(10));
  const int act_bits = std::max(graph_.value(a).bits, graph_.value(b).bits);
  arith::EltwiseAddPlan plan = arith::MakeEltwiseAdd(sa, sb, sa + sb, std::min(act_bits, 12), 15,
                                                     two_stage, 16, 16, arith::ScaleRule::kNearest);
  plan.add.subtract = subtract;
  plan.add.a.zp = graph_.value(a).zero_point;
  plan.add.b.zp = graph_.value(b).zero_point;
  graph::IntAdd params;
  params.add = plan.add;
  params.requant = Requants(out, 1, 1, false);
  params.requant.entries[0].m = plan.out.scale.m;
  params.requant.entries[0].s = plan.out.scale.s;
  return AddNode(graph::Op::kAdd, {a, b}, out, std::move(params));
}

Network::Id Network::Mul(Id a, Id b) {
  const Id out = AddValue(Broadcast(shape(a), shape(b)));
  const double magnitude = std::ldexp(1.0, graph_.value(a).bits + graph_.value(b).bits - 2);
  graph::IntMul params;
  const int rank = shape(out).rank();
  const int64_t channels = shape(out)[rank == 4 ? 1 : rank - 1];
  params.requant = Requants(out, Below(3) == 0 ? channels : 1, magnitude, false);
  return AddNode(graph::Op::kMul, {a, b}, out, std::move(params));
}

Network::Id Network::Requant(Id x, bool per_channel, bool negative) {
  const Id out = AddValue(shape(x));
  const int rank = shape(x).rank();
  const int64_t channels = per_channel ? shape(x)[rank == 4 ? 1 : rank - 1] : 1;
  graph::IntRequant params;
  params.requant = Requants(out, channels, std::ldexp(1.0, graph_.value(x).bits), negative);
  return AddNode(graph::Op::kRelu, {x}, out, std::move(params));
}

Network::Id Network::Lut(Id x, int segments, bool interpolate) {
  const Id out = AddValue(shape(x));
  const IntValue& in = graph_.value(x);
  graph::IntLut params;
  const int64_t keys = int64_t{1} << in.bits;
  params.params.low = in.is_signed ? -keys / 2 : 0;
  params.params.high = params.params.low + keys - 1;
  params.params.segments = static_cast<int>(std::min<int64_t>(segments, keys));
  params.params.k = 0;
  while ((static_cast<int64_t>(params.params.segments) << params.params.k) < keys) {
    ++params.params.k;
  }
  params.params.interpolate = interpolate && params.params.k > 0;
  IntValue range = graph_.value(out);
  range.shape = Shape{params.params.segments + 1};
  params.table = RandomValues(range);
  return AddNode(graph::Op::kSigmoid, {x}, out, std::move(params));
}

Network::Id Network::Pool(Id x, const PoolSpec& spec) {
  const Shape in = shape(x);
  const graph::Window h{spec.kernel_h, spec.stride, spec.dilation, spec.pad_top, spec.pad_bottom};
  const graph::Window w{spec.kernel_w, spec.stride, spec.dilation, spec.pad_left, spec.pad_right};
  const Shape result{in[0], in[1], *graph::WindowCount(in[2], h, false),
                     *graph::WindowCount(in[3], w, false)};
  graph::IntPool pool;
  pool.is_max = spec.is_max;
  pool.kernel_h = spec.kernel_h, pool.kernel_w = spec.kernel_w;
  pool.stride_h = pool.stride_w = spec.stride;
  pool.dilation_h = pool.dilation_w = spec.dilation;
  pool.pad_top = spec.pad_top, pool.pad_left = spec.pad_left;
  pool.pad_bottom = spec.pad_bottom, pool.pad_right = spec.pad_right;
  const Id out = spec.is_max ? AddLike(x, result) : AddValue(result);
  for (int64_t i = 0; !spec.is_max && i < result[2]; ++i) {
    for (int64_t j = 0; j < result[3]; ++j) {
      const int64_t n = graph::ValidElements(in[2], h, i) * graph::ValidElements(in[3], w, j);
      if (pool.by_count.count(n) != 0) continue;
      pool.by_count[n] =
          OneRequant(out, static_cast<double>(n) * std::ldexp(1.0, graph_.value(x).bits - 2));
    }
  }
  return AddNode(spec.is_max ? graph::Op::kMaxPool : graph::Op::kAveragePool, {x}, out,
                 std::move(pool));
}

Network::Id Network::GlobalPool(Id x, bool is_max) {
  PoolSpec spec;
  spec.is_max = is_max;
  spec.kernel_h = shape(x)[2], spec.kernel_w = shape(x)[3], spec.stride = 1;
  return Pool(x, spec);
}

Network::Id Network::Reshape(Id x, Shape to) {
  return AddNode(graph::Op::kReshape, {x}, AddLike(x, std::move(to)), graph::IntReshape{});
}

Network::Id Network::Transpose(Id x, std::vector<int64_t> perm) {
  Shape to;
  for (const int64_t axis : perm) to.dims.push_back(shape(x).dims[static_cast<size_t>(axis)]);
  return AddNode(graph::Op::kTranspose, {x}, AddLike(x, to), graph::IntTranspose{std::move(perm)});
}

Network::Id Network::Pad(Id x, std::vector<int64_t> before, std::vector<int64_t> after) {
  Shape to = shape(x);
  for (size_t i = 0; i < before.size(); ++i) to.dims[i] += before[i] + after[i];
  graph::IntPad pad{std::move(before), std::move(after), 1};
  return AddNode(graph::Op::kPad, {x}, AddLike(x, to), std::move(pad));
}

Network::Id Network::Slice(Id x, std::vector<int64_t> starts, std::vector<int64_t> steps,
                           Shape to) {
  return AddNode(graph::Op::kSlice, {x}, AddLike(x, std::move(to)),
                 graph::IntSlice{std::move(starts), std::move(steps)});
}

Network::Id Network::Concat(std::vector<Id> parts, int64_t axis) {
  Shape to = shape(parts[0]);
  to[static_cast<int>(axis)] = 0;
  for (const Id part : parts) to[static_cast<int>(axis)] += shape(part)[static_cast<int>(axis)];
  const Id out = AddLike(parts[0], to);
  return AddNode(graph::Op::kConcat, std::move(parts), out, graph::IntConcat{axis});
}

Network::Id Network::Resize(Id x, std::vector<int64_t> factors) {
  Shape to = shape(x);
  for (size_t i = 0; i < factors.size(); ++i) to.dims[i] *= factors[i];
  return AddNode(graph::Op::kResize, {x}, AddLike(x, to), graph::IntResize{std::move(factors)});
}

Network::Id Network::Softmax(Id x) {
  const Id out = AddValue(shape(x));
  graph::IntSoftmax softmax;
  const int64_t keys = int64_t{1} << graph_.value(x).bits;
  for (int64_t d = 0; d < keys; ++d) {
    softmax.exp_table.push_back(
        static_cast<int32_t>(std::lround(std::exp(-static_cast<double>(d) * 0.1) * (1 << 24))));
  }
  softmax.one = (int64_t{1} << (graph_.value(out).bits - 1)) - 1;
  softmax.lo = -softmax.one, softmax.hi = softmax.one;
  return AddNode(graph::Op::kSoftmax, {x}, out, std::move(softmax));
}

const graph::IntGraph& Network::graph() const {
  const Status status = graph::Verify(graph_);
  BW_CHECK(status.ok(), "{}", ToString(status.errors()));
  return graph_;
}

}  // namespace bw::codegen
