// Class C: unary functions by lookup on the integer itself; and softmax, which runs on the host.
#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "compiler/lower/lower_ops.h"
#include "models/arith/quantise.h"
#include "models/arith/softmax.h"
#include "models/arith/tflite_activation.h"
#include "models/arith/tflite_softmax.h"

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

using Sigmoidal = arith::TfliteSigmoidal::Kind;

struct TfliteQuants {
  arith::TfliteQuant from, to;
};

arith::TfliteQuant QuantOf(const Format& format) {
  return {static_cast<float>(format.scale), static_cast<int32_t>(format.zero_point)};
}

// Both ends of a unary operator that TFLite's own int8 kernel computes; nothing for others.
std::optional<TfliteQuants> TfliteOperands(Builder& b, int index) {
  const Node& node = b.float_graph().nodes[static_cast<size_t>(index)];
  const Format from = b.FormatOf(b.Operand(node.inputs[0])), to = b.ResultFormat(index);
  const auto int8 = [](const Format& f) { return f.from_file && f.bits == 8 && f.is_signed; };
  if (!b.settings().profile->tflite_forms || !int8(from) || !int8(to)) return std::nullopt;
  if (b.settings().lut_segments < 256) return std::nullopt;  // not exact
  return TfliteQuants{QuantOf(from), QuantOf(to)};
}

// The kernel's result for every integer.
Status EmitTfliteTable(Builder& b, int index, const std::function<int32_t(int32_t)>& kernel) {
  const Node& node = b.float_graph().nodes[static_cast<size_t>(index)];
  graph::IntLut lut;
  lut.table = arith::TfliteTable(kernel);
  lut.table.push_back(lut.table.back());  // an entry that no key reaches
  b.AddNode(index, node.name, {b.Operand(node.inputs[0])}, b.AddResult(index), std::move(lut));
  return OkStatus();
}

// TFLite's softmax of int8; nothing where the operator is another one.
std::optional<graph::IntSoftmax> TfliteSoftmaxOf(Builder& b, int index, const Format& from) {
  const Format& to = b.ResultFormat(index);
  const bool kernel = TfliteOperands(b, index) && to.scale == arith::kTfliteSoftmaxScale &&
                      to.zero_point == arith::kTfliteSoftmaxZeroPoint;
  if (!kernel) return std::nullopt;
  auto table = arith::MakeTfliteExpTable(from.scale);
  if (!table) return std::nullopt;
  graph::IntSoftmax softmax;
  softmax.scale_in = from.scale;
  softmax.exp_table = std::move(*table);
  softmax.lo = -128, softmax.hi = 127;
  softmax.one = arith::RoundReal(1.0 / to.scale);
  softmax.tflite = true;
  return softmax;
}

graph::IntSoftmax SoftmaxOf(Builder& b, int index, const Format& from) {
  if (auto tflite = TfliteSoftmaxOf(b, index, from)) return *std::move(tflite);
  const Format& to = b.ResultFormat(index);
  const arith::ClipRange clip = b.RangeOf(to);
  graph::IntSoftmax softmax;
  softmax.scale_in = from.scale;
  softmax.exp_table = arith::MakeExpTable(softmax.scale_in, int64_t{1} << from.bits);
  softmax.lo = clip.lo, softmax.hi = clip.hi;
  softmax.one = arith::RoundReal(1.0 / to.scale);
  return softmax;
}

}  // namespace

Status LowerSigmoid(Builder& b, int index) {
  if (const auto quant = TfliteOperands(b, index)) {
    return EmitTfliteTable(b, index, arith::TfliteSigmoidal(Sigmoidal::kLogistic, quant->from));
  }
  return EmitLut(b, index, [](double x) { return 1.0 / (1.0 + std::exp(-x)); });
}
Status LowerTanh(Builder& b, int index) {
  if (const auto quant = TfliteOperands(b, index)) {
    return EmitTfliteTable(b, index, arith::TfliteSigmoidal(Sigmoidal::kTanh, quant->from));
  }
  return EmitLut(b, index, [](double x) { return std::tanh(x); });
}
Status LowerHardSigmoid(Builder& b, int index) {
  const Node& node = b.float_graph().nodes[static_cast<size_t>(index)];
  const double alpha = node.Float("alpha"), beta = node.Float("beta");
  return EmitLut(b, index, [=](double x) { return std::clamp(alpha * x + beta, 0.0, 1.0); });
}
Status LowerHardSwish(Builder& b, int index) {
  const auto quant = TfliteOperands(b, index);
  if (quant && arith::TfliteHardSwish::IsPossible(quant->from, quant->to)) {
    return EmitTfliteTable(b, index, arith::TfliteHardSwish(quant->from, quant->to));
  }
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

  const graph::IntSoftmax softmax = SoftmaxOf(b, index, b.FormatOf(x));
  if (!moved) {
    const IntValueId out = b.AddResult(index);
    b.AddNode(index, node.name, {x}, out, softmax);
    return OkStatus();
  }
  const tensor::Shape shape = b.result().value(x).shape;
  const IntValueId rows = b.AddActivation(node.name + ".rows", shape, b.ResultFormat(index), "");
  b.AddNode(index, node.name, {x}, rows, softmax);
  b.TransposeToResult(index, rows, swap);
  return OkStatus();
}

}  // namespace bw::lower
