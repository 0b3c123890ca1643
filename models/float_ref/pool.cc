// Pooling over windows of H and W. Positions outside the input never take part, except that
// AveragePool with count_include_pad counts the ones inside the padded extent as zeros.
#include <algorithm>
#include <limits>
#include <vector>

#include "compiler/graph/window.h"
#include "models/float_ref/op_call.h"

namespace bw::float_ref {
namespace {

using tensor::Tensor;

// One axis of the pooled planes.
struct Axis {
  int64_t extent;
  graph::Window window;

  int64_t position(int64_t out, int64_t k) const {
    return out * window.stride - window.pad_begin + k * window.dilation;
  }
  int64_t valid(int64_t out) const { return graph::ValidElements(extent, window, out); }
  // Positions inside the padded extent (ceil_mode makes windows that leave even that).
  int64_t padded(int64_t out) const {
    return graph::ValidElements(extent + window.pad_begin + window.pad_end,
                                {window.kernel, window.stride, window.dilation, 0, 0}, out);
  }
};

struct Windows {
  Axis h, w;
};

Windows WindowsOf(const OpCall& call) {
  const auto& shape = call.in(0).shape();
  BW_CHECK(shape.rank() == 4, "{}: x {}", call.node.name, shape.ToString());
  const auto& kernel = call.node.Ints("kernel_shape");
  const auto& strides = call.node.Ints("strides");
  const auto& pads = call.node.Ints("pads");
  std::vector<int64_t> dilations = {1, 1};
  if (call.node.Has("dilations")) dilations = call.node.Ints("dilations");
  return {{shape[2], {kernel.at(0), strides.at(0), dilations.at(0), pads.at(0), pads.at(2)}},
          {shape[3], {kernel.at(1), strides.at(1), dilations.at(1), pads.at(1), pads.at(3)}}};
}

// Folds the valid elements of every window: seed, then step(accumulator, x); finish(accumulator,
// oh, ow) makes the result.
template <typename T, typename Step, typename Finish>
Tensor FoldWindows(const OpCall& call, const Windows& windows, double seed, const Step& step,
                   const Finish& finish) {
  Tensor out(call.out_dtype, call.out_shape);
  const Axis& h = windows.h;
  const Axis& w = windows.w;
  const int64_t out_h = call.out_shape[2], out_w = call.out_shape[3];
  const T* x = call.in(0).data<T>();
  T* y = out.data<T>();
  const int64_t planes = call.out_shape[0] * call.out_shape[1];
  for (int64_t plane = 0; plane < planes; ++plane, x += h.extent * w.extent) {
    for (int64_t oh = 0; oh < out_h; ++oh) {
      for (int64_t ow = 0; ow < out_w; ++ow) {
        double acc = seed;
        for (int64_t kh = 0; kh < h.window.kernel; ++kh) {
          const int64_t ih = h.position(oh, kh);
          if (ih < 0 || ih >= h.extent) continue;
          for (int64_t kw = 0; kw < w.window.kernel; ++kw) {
            const int64_t iw = w.position(ow, kw);
            if (iw >= 0 && iw < w.extent) {
              acc = step(acc, static_cast<double>(x[ih * w.extent + iw]));
            }
          }
        }
        *y++ = static_cast<T>(finish(acc, oh, ow));
      }
    }
  }
  return out;
}

Tensor Maximum(const OpCall& call, const Windows& windows) {
  // Any numeric type; int64 beyond 2^53 does not occur in feature maps.
  return tensor::VisitDType(call.in(0).dtype(), [&](auto zero) {
    return FoldWindows<decltype(zero)>(
        call, windows, -std::numeric_limits<double>::infinity(),
        [](double a, double x) { return std::max(a, x); },
        [](double a, int64_t, int64_t) { return a; });
  });
}

template <typename Count>
Tensor Mean(const OpCall& call, const Windows& windows, const Count& count) {
  return VisitFloat(call, [&](auto zero) {
    return FoldWindows<decltype(zero)>(
        call, windows, 0.0, [](double a, double x) { return a + x; },
        [&](double a, int64_t oh, int64_t ow) { return a / static_cast<double>(count(oh, ow)); });
  });
}

Windows WholePlane(const OpCall& call) {
  const auto& shape = call.in(0).shape();
  BW_CHECK(shape.rank() == 4, "{}: x {}", call.node.name, shape.ToString());
  return {{shape[2], {shape[2], 1, 1, 0, 0}}, {shape[3], {shape[3], 1, 1, 0, 0}}};
}

}  // namespace

Tensor EvalMaxPool(const OpCall& call) { return Maximum(call, WindowsOf(call)); }

Tensor EvalGlobalMaxPool(const OpCall& call) { return Maximum(call, WholePlane(call)); }

Tensor EvalAveragePool(const OpCall& call) {
  const Windows windows = WindowsOf(call);
  const bool include_pad = call.node.Int("count_include_pad") != 0;
  return Mean(call, windows, [&](int64_t oh, int64_t ow) {
    return include_pad ? windows.h.padded(oh) * windows.w.padded(ow)
                       : windows.h.valid(oh) * windows.w.valid(ow);
  });
}

Tensor EvalGlobalAveragePool(const OpCall& call) {
  const auto& shape = call.in(0).shape();
  return Mean(call, WholePlane(call), [&](int64_t, int64_t) { return shape[2] * shape[3]; });
}

}  // namespace bw::float_ref
