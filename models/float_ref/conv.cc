// Convolution (matrix products on gathered patches; depthwise directly) and batch normalisation.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <vector>

#include "models/float_ref/op_call.h"

namespace bw::float_ref {
namespace {

using tensor::Tensor;

template <typename T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Geometry {
  int64_t channels, height, width;      // one sample of the input
  int64_t filters, kernel_h, kernel_w;  // all groups
  int64_t out_h, out_w;
  int64_t stride_h, stride_w, dilation_h, dilation_w, pad_top, pad_left, group;

  explicit Geometry(const OpCall& call) {
    const auto& x = call.in(0).shape();
    const auto& w = call.in(1).shape();
    BW_CHECK(x.rank() == 4 && w.rank() == 4, "{}: x {}, w {}", call.node.name, x.ToString(),
             w.ToString());
    channels = x[1], height = x[2], width = x[3];
    filters = w[0], kernel_h = w[2], kernel_w = w[3];
    out_h = call.out_shape[2], out_w = call.out_shape[3];
    const auto& strides = call.node.Ints("strides");
    const auto& dilations = call.node.Ints("dilations");
    const auto& pads = call.node.Ints("pads");
    stride_h = strides.at(0), stride_w = strides.at(1);
    dilation_h = dilations.at(0), dilation_w = dilations.at(1);
    pad_top = pads.at(0), pad_left = pads.at(1);
    group = call.node.Int("group");
  }
  int64_t group_channels() const { return channels / group; }
  int64_t group_filters() const { return filters / group; }
  int64_t patch() const { return group_channels() * kernel_h * kernel_w; }
  bool pointwise() const {
    return kernel_h == 1 && kernel_w == 1 && stride_h == 1 && stride_w == 1 && pad_top == 0 &&
           pad_left == 0 && out_h == height && out_w == width;
  }
};

// Output positions [first, last) along one axis whose input position is inside [0, extent).
struct Span {
  int64_t first, last;
};
Span InsideSpan(int64_t offset, int64_t stride, int64_t extent, int64_t outputs) {
  const int64_t first = offset >= 0 ? 0 : (-offset + stride - 1) / stride;
  const int64_t last = offset >= extent ? 0 : (extent - 1 - offset) / stride + 1;
  return {std::min(first, outputs), std::clamp(last, std::min(first, outputs), outputs)};
}

// Calls tap(kh, kw, output rows, output columns, input offset of output position (0, 0)).
template <typename Tap>
void ForEachTap(const Geometry& g, const Tap& tap) {
  for (int64_t kh = 0; kh < g.kernel_h; ++kh) {
    for (int64_t kw = 0; kw < g.kernel_w; ++kw) {
      const int64_t y0 = kh * g.dilation_h - g.pad_top, x0 = kw * g.dilation_w - g.pad_left;
      tap(kh, kw, InsideSpan(y0, g.stride_h, g.height, g.out_h),
          InsideSpan(x0, g.stride_w, g.width, g.out_w), y0 * g.width + x0);
    }
  }
}

// columns[c, kh, kw][oh, ow]: what tap (c, kh, kw) reads for every output position, 0 outside.
template <typename T>
void GatherPatches(const Geometry& g, const T* x, Matrix<T>& columns) {
  columns.setZero(g.patch(), g.out_h * g.out_w);
  ForEachTap(g, [&](int64_t kh, int64_t kw, Span rows, Span cols, int64_t offset) {
    for (int64_t c = 0; c < g.group_channels(); ++c) {
      T* to = columns.data() + ((c * g.kernel_h + kh) * g.kernel_w + kw) * g.out_h * g.out_w;
      const T* plane = x + c * g.height * g.width;
      for (int64_t oh = rows.first; oh < rows.last; ++oh) {
        const int64_t row = oh * g.stride_h * g.width + offset;
        for (int64_t ow = cols.first; ow < cols.last; ++ow) {
          to[oh * g.out_w + ow] = plane[row + ow * g.stride_w];
        }
      }
    }
  });
}

template <typename T>
void DepthwisePlane(const Geometry& g, const T* x, const T* w, T* y) {
  ForEachTap(g, [&](int64_t kh, int64_t kw, Span rows, Span cols, int64_t offset) {
    const T weight = w[kh * g.kernel_w + kw];
    for (int64_t oh = rows.first; oh < rows.last; ++oh) {
      T* to = y + oh * g.out_w;
      const int64_t row = oh * g.stride_h * g.width + offset;
      for (int64_t ow = cols.first; ow < cols.last; ++ow) {
        to[ow] += weight * x[row + ow * g.stride_w];
      }
    }
  });
}

// One group of one sample; y holds the bias on entry.
template <typename T>
void ConvGroup(const Geometry& g, const T* x, const T* w, T* y, Matrix<T>& columns) {
  const int64_t pixels = g.out_h * g.out_w;
  if (g.group_channels() == 1) {
    for (int64_t o = 0; o < g.group_filters(); ++o) {
      DepthwisePlane(g, x, w + o * g.kernel_h * g.kernel_w, y + o * pixels);
    }
    return;
  }
  Eigen::Map<Matrix<T>> out(y, g.group_filters(), pixels);
  const Eigen::Map<const Matrix<T>> weights(w, g.group_filters(), g.patch());
  if (g.pointwise()) {
    out.noalias() += weights * Eigen::Map<const Matrix<T>>(x, g.patch(), pixels);
    return;
  }
  GatherPatches(g, x, columns);
  out.noalias() += weights * columns;
}

}  // namespace

Tensor EvalConv(const OpCall& call) {
  const Geometry g(call);
  return VisitFloat(call, [&](auto zero) {
    using T = decltype(zero);
    Tensor out(call.out_dtype, call.out_shape);
    const int64_t pixels = g.out_h * g.out_w;
    Matrix<T> columns;
    for (int64_t n = 0; n < call.out_shape[0]; ++n) {
      const T* x = call.in(0).data<T>() + n * g.channels * g.height * g.width;
      T* y = out.data<T>() + n * g.filters * pixels;
      if (call.has(2)) {
        const T* bias = call.in(2).data<T>();
        for (int64_t o = 0; o < g.filters; ++o) {
          std::fill(y + o * pixels, y + (o + 1) * pixels, bias[o]);
        }
      }
      for (int64_t k = 0; k < g.group; ++k) {
        ConvGroup(g, x + k * g.group_channels() * g.height * g.width,
                  call.in(1).data<T>() + k * g.group_filters() * g.patch(),
                  y + k * g.group_filters() * pixels, columns);
      }
    }
    return out;
  });
}

// y = (x - mean) / sqrt(var + epsilon) * scale + bias along axis 1; inputs x, scale, bias, mean,
// var.
Tensor EvalBatchNormalization(const OpCall& call) {
  const double epsilon = call.node.Float("epsilon");
  return VisitFloat(call, [&](auto zero) {
    using T = decltype(zero);
    Tensor out(call.out_dtype, call.out_shape);
    const auto& dims = call.out_shape.dims;
    const int64_t channels = dims.size() > 1 ? dims[1] : 1;
    int64_t inner = 1;
    for (size_t axis = 2; axis < dims.size(); ++axis) inner *= dims[axis];
    const T* x = call.in(0).data<T>();
    T* y = out.data<T>();
    for (int64_t at = 0, row = 0; at < out.elements(); at += inner, ++row) {
      const int64_t c = row % channels;
      const double gain = static_cast<double>(call.in(1).data<T>()[c]) /
                          std::sqrt(static_cast<double>(call.in(4).data<T>()[c]) + epsilon);
      const double mean = call.in(3).data<T>()[c], bias = call.in(2).data<T>()[c];
      for (int64_t i = at; i < at + inner; ++i) {
        y[i] = static_cast<T>((static_cast<double>(x[i]) - mean) * gain + bias);
      }
    }
    return out;
  });
}

}  // namespace bw::float_ref
