#include "compiler/graph/quant_sums.h"

#include <algorithm>
#include <iterator>

#include "models/arith/accumulate.h"

namespace bw::graph {
namespace {

using tensor::Shape;
using tensor::Tensor;

// The integers with their zero points subtracted.
std::vector<int64_t> Centred(const Tensor& tensor, const Tensor* zero, int axis) {
  std::vector<int64_t> values = tensor.ToI64();
  const PerAxis zero_points = ZeroPoints(zero);
  const AxisWalk walk(tensor.shape(), zero_points.values.size() == 1 ? -1 : axis);
  for (size_t i = 0; i < values.size(); ++i) values[i] -= zero_points.At(walk.Position(i));
  return values;
}

int32_t Wrapped(int64_t sum) { return static_cast<int32_t>(arith::WrapToBits(sum, 32)); }

struct Tap {
  int64_t first, last;  // of the output positions that read inside [0, extent)
  int64_t offset;       // input position of output position 0
};
Tap TapOf(int64_t k, int64_t stride, int64_t dilation, int64_t pad, int64_t extent, int64_t count) {
  const int64_t offset = k * dilation - pad;
  const int64_t first = offset >= 0 ? 0 : (stride - 1 - offset) / stride;
  const int64_t last = offset >= extent ? 0 : (extent - 1 - offset) / stride + 1;
  return {first, std::min(last, count), offset};
}

// One plane of the input under one plane of a filter, added to one plane of sums.
struct PlaneConv {
  int64_t height, width, out_h, out_w, kernel_h, kernel_w;
  int64_t stride_h, stride_w, dilation_h, dilation_w, pad_top, pad_left;

  void Add(const int64_t* x, const int64_t* w, int64_t* sums) const {
    for (int64_t kh = 0; kh < kernel_h; ++kh) {
      const Tap rows = TapOf(kh, stride_h, dilation_h, pad_top, height, out_h);
      for (int64_t kw = 0; kw < kernel_w; ++kw) {
        const Tap cols = TapOf(kw, stride_w, dilation_w, pad_left, width, out_w);
        const int64_t weight = w[kh * kernel_w + kw];
        for (int64_t oh = rows.first; oh < rows.last; ++oh) {
          const int64_t row = (oh * stride_h + rows.offset) * width + cols.offset;
          for (int64_t ow = cols.first; ow < cols.last; ++ow) {
            sums[oh * out_w + ow] += weight * x[row + ow * stride_w];
          }
        }
      }
    }
  }
};

// Offset of matrix number `batch` of an operand whose leading axes broadcast to those of the
// result, in matrices.
int64_t MatrixOf(const Shape& operand, const std::vector<int64_t>& leading, int64_t batch) {
  int64_t at = 0, step = 1;
  const size_t own = operand.dims.size() < 2 ? 0 : operand.dims.size() - 2;
  for (size_t i = 0; i < leading.size(); ++i) {  // from the last leading axis
    const int64_t index = batch % leading[leading.size() - 1 - i];
    batch /= leading[leading.size() - 1 - i];
    if (i >= own) continue;
    const int64_t extent = operand.dims[own - 1 - i];
    at += (extent == 1 ? 0 : index) * step;
    step *= extent;
  }
  return at;
}

}  // namespace

PerAxis ZeroPoints(const Tensor* tensor) {
  return {tensor == nullptr ? std::vector<int64_t>{0} : tensor->ToI64()};
}

AxisWalk::AxisWalk(const Shape& shape, int axis) {
  if (axis < 0 || shape.Elements() == 0) return;
  extent_ = static_cast<size_t>(shape[axis]);
  for (int i = axis + 1; i < shape.rank(); ++i) inner_ *= static_cast<size_t>(shape[i]);
}

std::vector<int32_t> ConvSums(const Node& node, const QuantProduct& product, const Shape& out) {
  const Shape& xs = product.a->shape();
  const Shape& ws = product.b->shape();
  const auto& strides = node.Ints("strides");
  const auto& dilations = node.Ints("dilations");
  const auto& pads = node.Ints("pads");
  const PlaneConv plane{xs[2],      xs[3],      out[2],       out[3],       ws[2],   ws[3],
                        strides[0], strides[1], dilations[0], dilations[1], pads[0], pads[1]};
  const std::vector<int64_t> x = Centred(*product.a, product.zero_a, -1);
  const std::vector<int64_t> w = Centred(*product.b, product.zero_b, 0);
  const int64_t filters_a_group = out[1] / node.Int("group");
  const int64_t pixels = out[2] * out[3], taps = ws[2] * ws[3];
  std::vector<int32_t> sums;
  sums.reserve(static_cast<size_t>(out.Elements()));
  for (int64_t n = 0; n < out[0]; ++n) {
    for (int64_t o = 0; o < out[1]; ++o) {
      const int64_t bias = product.bias == nullptr ? 0 : product.bias->data<int32_t>()[o];
      std::vector<int64_t> wide(static_cast<size_t>(pixels), bias);
      for (int64_t c = 0; c < ws[1]; ++c) {
        const int64_t channel = o / filters_a_group * ws[1] + c;
        plane.Add(x.data() + (n * xs[1] + channel) * xs[2] * xs[3],
                  w.data() + (o * ws[1] + c) * taps, wide.data());
      }
      std::transform(wide.begin(), wide.end(), std::back_inserter(sums), Wrapped);
    }
  }
  return sums;
}

std::vector<int32_t> MatMulSums(const QuantProduct& product, const Shape& out) {
  const Shape& as = product.a->shape();
  const Shape& bs = product.b->shape();
  const std::vector<int64_t> a = Centred(*product.a, product.zero_a, -1);
  const std::vector<int64_t> b = Centred(*product.b, product.zero_b, bs.rank() - 1);
  const int64_t m = as.rank() == 1 ? 1 : as[as.rank() - 2];
  const int64_t n = bs.rank() == 1 ? 1 : bs[bs.rank() - 1];
  const int64_t k = as[as.rank() - 1];
  std::vector<int64_t> leading = out.dims;
  leading.resize(leading.size() - (as.rank() > 1 ? 1 : 0) - (bs.rank() > 1 ? 1 : 0));
  std::vector<int32_t> sums;
  sums.reserve(static_cast<size_t>(out.Elements()));
  const int64_t matrices = m * n == 0 ? 0 : out.Elements() / (m * n);
  for (int64_t i = 0; i < matrices; ++i) {
    const int64_t* lhs = a.data() + MatrixOf(as, leading, i) * m * k;
    const int64_t* rhs = b.data() + MatrixOf(bs, leading, i) * k * n;
    for (int64_t row = 0; row < m; ++row) {
      std::vector<int64_t> wide(static_cast<size_t>(n));
      for (int64_t j = 0; j < k; ++j) {
        for (int64_t col = 0; col < n; ++col) {
          wide[static_cast<size_t>(col)] += lhs[row * k + j] * rhs[j * n + col];
        }
      }
      std::transform(wide.begin(), wide.end(), std::back_inserter(sums), Wrapped);
    }
  }
  return sums;
}

}  // namespace bw::graph
