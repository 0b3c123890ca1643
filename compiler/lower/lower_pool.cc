// Class B: pooling, and means over axes as pooling.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>

#include "compiler/graph/window.h"
#include "compiler/lower/lower_ops.h"
#include "models/arith/tflite_quantise.h"

namespace bw::lower {
namespace {

using graph::IntValueId;
using graph::Node;

const Node& NodeAt(const Builder& b, int index) {
  return b.float_graph().nodes[static_cast<size_t>(index)];
}

// One axis of a pool.
struct Axis {
  int64_t extent, out;
  graph::Window window;

  int64_t Valid(int64_t o) const { return graph::ValidElements(extent, window, o); }
  // Positions inside the padded extent.
  int64_t Padded(int64_t o) const {
    return graph::ValidElements(extent + window.pad_begin + window.pad_end,
                                {window.kernel, window.stride, window.dilation, 0, 0}, o);
  }
  // With ceil_mode the last window may reach behind the padding that the file gives.
  int64_t EndPadding() const {
    const int64_t reach = window.dilation * (window.kernel - 1) + 1;
    const int64_t last = (out - 1) * window.stride + reach - window.pad_begin;
    return std::max(window.pad_end, last - extent);
  }
};

struct Axes {
  Axis h, w;
};

Axes AxesOf(const Node& node, const tensor::Shape& in, const tensor::Shape& out) {
  const auto& kernel = node.Ints("kernel_shape");
  const auto& strides = node.Ints("strides");
  const auto& pads = node.Ints("pads");
  std::vector<int64_t> dilations = {1, 1};
  if (node.Has("dilations")) dilations = node.Ints("dilations");
  return {{in[2], out[2], {kernel[0], strides[0], dilations[0], pads[0], pads[2]}},
          {in[3], out[3], {kernel[1], strides[1], dilations[1], pads[1], pads[3]}}};
}

Axes WholePlane(const tensor::Shape& shape) {
  return {{shape[2], 1, {shape[2], 1, 1, 0, 0}}, {shape[3], 1, {shape[3], 1, 1, 0, 0}}};
}

graph::IntPool PoolOf(const Axes& axes, bool is_max) {
  graph::IntPool pool;
  pool.is_max = is_max;
  const graph::Window &h = axes.h.window, &w = axes.w.window;
  pool.kernel_h = h.kernel, pool.kernel_w = w.kernel;
  pool.stride_h = h.stride, pool.stride_w = w.stride;
  pool.dilation_h = h.dilation, pool.dilation_w = w.dilation;
  pool.pad_top = h.pad_begin, pool.pad_left = w.pad_begin;
  pool.pad_bottom = axes.h.EndPadding(), pool.pad_right = axes.w.EndPadding();
  return pool;
}

Status EmitMaximum(Builder& b, int index, IntValueId x, const Axes& axes) {
  BW_ASSIGN_OR_RETURN(x, b.Rescaled(index, x, b.ResultFormat(index)));
  b.AddNode(index, NodeAt(b, index).name, {x}, b.AddResult(index), PoolOf(axes, true));
  return OkStatus();
}

// TFLite averages the integers as they are, ties away from zero. (Any mode to the nearest does: the
// quotients never are ties.)
bool IsRawAverage(const Builder& b, int index, IntValueId x) {
  const Format& to = b.ResultFormat(index);
  return NodeAt(b, index).op == graph::Op::kAveragePool && b.settings().profile->tflite_forms &&
         to.from_file && b.FormatOf(x) == to;
}

// Its MEAN divides the multiplier of the scales by the number of elements.
bool IsTfliteMean(const Builder& b, int index, IntValueId x) {
  return NodeAt(b, index).op != graph::Op::kAveragePool && b.settings().profile->tflite_forms &&
         b.ResultFormat(index).from_file && b.FormatOf(x).from_file;
}

arith::TfliteQuant QuantOf(const Format& format) {
  return {static_cast<float>(format.scale), static_cast<int32_t>(format.zero_point)};
}

// n valid elements of integers in `range`: (M, S) whose rounded product is the quotient by n, ties
// away from zero, for every sum that can occur.
Result<arith::Requant> ExactQuotient(Builder& b, int index, int64_t n, arith::ClipRange range) {
  const int64_t largest = n * std::max(std::abs(range.lo), std::abs(range.hi));
  const arith::ClipRange clip = b.Clip(index);
  const std::optional<arith::FixedScale> scale =
      arith::TfliteQuotient(n, largest, b.settings().mult_bits);
  if (!scale) {
    return b.NodeError(
        index,
        fmt::format("no multiplier of {} bits divides by {} exactly", b.settings().mult_bits, n),
        "take a wider ppu.mult_bits, or a profile without TFLite's own averages");
  }
  return arith::MakeRequant(*scale, 0, clip.lo, clip.hi);
}

// What n valid elements of x are requantised by, when their sum is divided by `divisor`.
Result<arith::Requant> MeanRequant(Builder& b, int index, IntValueId x, int64_t n,
                                   int64_t divisor) {
  const Format from = b.FormatOf(x), to = b.ResultFormat(index);
  if (IsTfliteMean(b, index, x)) {
    return arith::TfliteMean(QuantOf(from), QuantOf(to), n, b.Clip(index));
  }
  return b.RequantFor(index, from.scale / to.scale / static_cast<double>(divisor));
}

// Windows of the same number of valid elements share a requantisation, so they must share the
// divisor too.
Status EmitMean(Builder& b, int index, IntValueId x, const Axes& axes, IntValueId out,
                bool count_include_pad) {
  graph::IntPool pool = PoolOf(axes, false);
  pool.raw_sum = !count_include_pad && IsRawAverage(b, index, x);
  std::map<int64_t, int64_t> divisors;
  for (int64_t h = 0; h < axes.h.out; ++h) {
    for (int64_t w = 0; w < axes.w.out; ++w) {
      const int64_t n = axes.h.Valid(h) * axes.w.Valid(w);
      const int64_t divisor = count_include_pad ? axes.h.Padded(h) * axes.w.Padded(w) : n;
      const auto [known, added] = divisors.emplace(n, divisor);
      if (known->second != divisor) {
        return b.NodeError(index,
                           fmt::format("windows of {} elements are divided by {} and by {}", n,
                                       known->second, divisor),
                           "set count_include_pad or ceil_mode to 0, or pad explicitly");
      }
      if (!added) continue;
      BW_ASSIGN_OR_RETURN(pool.by_count[n],
                          pool.raw_sum ? ExactQuotient(b, index, n, b.RangeOf(b.FormatOf(x)))
                                       : MeanRequant(b, index, x, n, divisor));
    }
  }
  b.AddNode(index, NodeAt(b, index).name, {x}, out, std::move(pool));
  return OkStatus();
}

Status EmitGlobalPool(Builder& b, int index, bool is_max) {
  const Node& node = NodeAt(b, index);
  const IntValueId x = b.Operand(node.inputs[0]);
  const tensor::Shape shape = b.result().value(x).shape;
  if (shape.rank() != 4) {
    return b.NodeError(index, fmt::format("input of shape {}", shape.ToString()),
                       "global pooling takes N x C x H x W");
  }
  const Axes axes = WholePlane(shape);
  if (is_max) return EmitMaximum(b, index, x, axes);
  return EmitMean(b, index, x, axes, b.AddResult(index), false);
}

}  // namespace

Status LowerMaxPool(Builder& b, int index) {
  const Node& node = NodeAt(b, index);
  const IntValueId x = b.Operand(node.inputs[0]);
  return EmitMaximum(b, index, x, AxesOf(node, b.result().value(x).shape, b.ResultShape(index)));
}

Status LowerAveragePool(Builder& b, int index) {
  const Node& node = NodeAt(b, index);
  const IntValueId x = b.Operand(node.inputs[0]);
  const Axes axes = AxesOf(node, b.result().value(x).shape, b.ResultShape(index));
  return EmitMean(b, index, x, axes, b.AddResult(index), node.Int("count_include_pad") != 0);
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
  const bool spatial = rank == 4 && !reduced[0] && !reduced[1] && reduced[2] && reduced[3];
  if (!spatial) {
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
  }
  const tensor::Shape in_shape = b.result().value(x).shape;
  const tensor::Shape pooled{in_shape[0], in_shape[1], 1, 1};
  const Axes axes = WholePlane(in_shape);
  if (pooled == b.ResultShape(index)) {
    return EmitMean(b, index, x, axes, b.AddResult(index), false);
  }
  const std::string name = node.name + ".mean";
  const IntValueId mean = b.AddActivation(name, pooled, b.ResultFormat(index), "");
  BW_RETURN_IF_ERROR(EmitMean(b, index, x, axes, mean, false));
  b.ReshapeToResult(index, mean);
  return OkStatus();
}

}  // namespace bw::lower
