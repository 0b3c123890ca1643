// Class C: unary functions by lookup on the integer itself; and softmax, which runs on the host.
#include <algorithm>
#include <cmath>
#include <functional>

#include "compiler/lower/lower_ops.h"
#include "models/arith/quantise.h"
#include "models/arith/softmax.h"

namespace bw::lower {
namespace {

using graph::IntValueId;
using graph::Node;

// Entries at the keys low + n * 2^k: round(f(key * s_in) / s_out), clipped. Exact (k = 0) for
// widths up to log2(lut_segments), else interpolated or nearest as the hardware has it.
Status EmitLut(Builder& b, int index, const std::function<double(double)>& f) {
  const Node& node = b.float_graph().nodes[static_cast<size_t>(index)];
  const IntValueId x = b.Operand(node.inputs[0]);
  const Settings& s = b.settings();
  const Format from = b.FormatOf(x);
  const Format& to = b.ResultFormat(index);
  graph::IntLut lut;
  const int64_t keys = int64_t{1} << from.bits;
  lut.params.low = from.is_signed ? -keys / 2 : 0;
  lut.params.high = lut.params.low + keys - 1;
  lut.params.segments = static_cast<int>(std::min<int64_t>(keys, s.lut_segments));
  lut.params.k = 0;
  while ((static_cast<int64_t>(lut.params.segments) << lut.params.k) < keys) ++lut.params.k;
  lut.params.interpolate = s.lut_interpolate && lut.params.k > 0;
  for (int64_t n = 0; n <= lut.params.segments; ++n) {
    const int64_t key = lut.params.low + n * (int64_t{1} << lut.params.k);
    const double y = f(arith::Dequantise(key, from.scale, from.zero_point));
    lut.table.push_back(static_cast<int32_t>(b.Integer(y, to)));
  }
  const IntValueId out = b.AddResult(index);
  b.AddNode(index, node.name, {x}, out, std::move(lut));
  return OkStatus();
}

}  // namespace

Status LowerSigmoid(Builder& b, int index) {
  return EmitLut(b, index, [](double x) { return 1.0 / (1.0 + std::exp(-x)); });
}
Status LowerTanh(Builder& b, int index) {
  return EmitLut(b, index, [](double x) { return std::tanh(x); });
}
Status LowerHardSigmoid(Builder& b, int index) {
  const Node& node = b.float_graph().nodes[static_cast<size_t>(index)];
  const double alpha = node.Float("alpha"), beta = node.Float("beta");
  return EmitLut(b, index, [=](double x) { return std::clamp(alpha * x + beta, 0.0, 1.0); });
}
Status LowerHardSwish(Builder& b, int index) {
  return EmitLut(b, index, [](double x) { return x * std::clamp(x / 6 + 0.5, 0.0, 1.0); });
}

Status LowerSoftmax(Builder& b, int index) {
  const Node& node = b.float_graph().nodes[static_cast<size_t>(index)];
  IntValueId x = b.Operand(node.inputs[0]);
  const int rank = b.result().value(x).shape.rank();
  int64_t axis = node.Int("axis");
  if (axis < 0) axis += rank;
  std::vector<int64_t> swap(static_cast<size_t>(rank));
  for (size_t i = 0; i < swap.size(); ++i) swap[i] = static_cast<int64_t>(i);
  std::swap(swap[static_cast<size_t>(axis)], swap.back());
  const bool moved = axis != rank - 1;
  if (moved) x = b.Transposed(index, x, swap);

  graph::IntSoftmax softmax;
  softmax.scale_in = b.result().value(x).scale;
  softmax.exp_table = arith::MakeExpTable(softmax.scale_in, int64_t{1} << b.settings().act_bits);
  const arith::ClipRange clip =
      arith::RangeOf(b.settings().profile->clip, b.settings().act_bits, true);
  softmax.lo = clip.lo, softmax.hi = clip.hi;
  softmax.one = arith::RoundReal(1.0 / b.ResultScale(index));
  if (!moved) {
    const IntValueId out = b.AddResult(index);
    b.AddNode(index, node.name, {x}, out, std::move(softmax));
    return OkStatus();
  }
  const tensor::Shape shape = b.result().value(x).shape;
  const IntValueId rows = b.AddActivation(node.name + ".rows", shape, b.ResultScale(index), "");
  b.AddNode(index, node.name, {x}, rows, std::move(softmax));
  b.TransposeToResult(index, rows, swap);
  return OkStatus();
}

}  // namespace bw::lower
