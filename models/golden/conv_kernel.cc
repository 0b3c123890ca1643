#include <algorithm>
#include <cstddef>

#include "models/golden/dot_products.h"
#include "models/golden/node_kernel.h"
#include "models/golden/operand_range.h"
#include "models/golden/requantiser.h"

namespace bw::golden {
namespace {

using graph::IntConv;

struct Geometry {
  int64_t samples, channels, height, width;
  int64_t filters, group_channels, kernel_h, kernel_w;
  int64_t out_h, out_w;
  IntConv conv;

  explicit Geometry(const KernelSpec& spec, const IntConv& params) : conv(params) {
    const auto& x = spec.in(0).shape;
    const auto& w = spec.in(1).shape;
    samples = x[0], channels = x[1], height = x[2], width = x[3];
    filters = w[0], group_channels = w[1], kernel_h = w[2], kernel_w = w[3];
    out_h = spec.out().shape[2], out_w = spec.out().shape[3];
  }
  int64_t group_filters() const { return filters / conv.group; }
  int64_t pixels() const { return out_h * out_w; }
  int64_t taps() const { return kernel_h * kernel_w; }
  int64_t terms() const { return taps() * group_channels; }
  int64_t weight_index(int64_t o, int64_t c, int64_t kh, int64_t kw) const {
    return ((o * group_channels + c) * kernel_h + kh) * kernel_w + kw;
  }
  bool depthwise() const { return group_channels == 1 && filters == conv.group; }
};

// What both kernels share: the operands' zero points, the bias and the way to the output's type.
class ConvKernel : public NodeKernel {
 public:
  ConvKernel(const KernelSpec& spec, const IntConv& params)
      : g_(spec, params),
        x_zero_(spec.in(0).zero_point),
        w_zero_(spec.in(1).zero_point),
        bias_(static_cast<size_t>(g_.filters), 0),
        requantiser_(params.requant, RuleOf(spec), spec.graph.acc_bits) {
    if (spec.has(2)) bias_ = spec.in(2).constant;
  }

 protected:
  template <typename Acc>
  void Finish(int64_t sample, int64_t filter, int64_t first_pixel, const Acc* acc, int64_t step,
              int64_t count, IntTensor& out, NodeCounts& counts) const {
    int32_t* to = out.data.data() + (sample * g_.filters + filter) * g_.pixels() + first_pixel;
    requantiser_.Channel(filter, acc, step, bias_[static_cast<size_t>(filter)], count, to, counts);
  }

  Geometry g_;
  int64_t x_zero_, w_zero_;

 private:
  std::vector<int32_t> bias_;
  Requantiser requantiser_;
};

// The definition: every result is the sum over all taps that lie inside.
class DirectConv : public ConvKernel {
 public:
  using ConvKernel::ConvKernel;

  void Run(const std::vector<const IntTensor*>& inputs, IntTensor& out,
           NodeCounts& counts) const override {
    for (int64_t n = 0; n < g_.samples; ++n) {
      for (int64_t o = 0; o < g_.filters; ++o) {
        for (int64_t pixel = 0; pixel < g_.pixels(); ++pixel) {
          const int64_t acc = Sum(*inputs[0], *inputs[1], n, o, pixel / g_.out_w, pixel % g_.out_w);
          Finish(n, o, pixel, &acc, 1, 1, out, counts);
        }
      }
    }
  }

 private:
  int64_t Sum(const IntTensor& x, const IntTensor& w, int64_t n, int64_t o, int64_t oh,
              int64_t ow) const {
    const int64_t first_channel = o / g_.group_filters() * g_.group_channels;
    int64_t sum = 0;
    for (int64_t c = 0; c < g_.group_channels; ++c) {
      for (int64_t kh = 0; kh < g_.kernel_h; ++kh) {
        for (int64_t kw = 0; kw < g_.kernel_w; ++kw) {
          const int64_t ih = oh * g_.conv.stride_h - g_.conv.pad_top + kh * g_.conv.dilation_h;
          const int64_t iw = ow * g_.conv.stride_w - g_.conv.pad_left + kw * g_.conv.dilation_w;
          if (ih < 0 || ih >= g_.height || iw < 0 || iw >= g_.width) continue;
          const int64_t at =
              ((n * g_.channels + first_channel + c) * g_.height + ih) * g_.width + iw;
          sum += (x.data[static_cast<size_t>(at)] - x_zero_) *
                 (w.data[static_cast<size_t>(g_.weight_index(o, c, kh, kw))] - w_zero_);
        }
      }
    }
    return sum;
  }
};

// Channels innermost, padding made explicit, patches gathered for a few pixels at a time and
// multiplied as a matrix; depthwise multiplies whole pixels. T holds an operand, Acc every sum.
template <typename T, typename Acc>
class FastConv : public ConvKernel {
 public:
  FastConv(const KernelSpec& spec, const IntConv& params)
      : ConvKernel(spec, params),
        padded_h_(g_.height + params.pad_top + params.pad_bottom),
        padded_w_(g_.width + params.pad_left + params.pad_right),
        row_(g_.depthwise() ? g_.filters : PaddedRow(g_.terms())) {
    PackWeights(spec.in(1).constant);
  }

  void Run(const std::vector<const IntTensor*>& inputs, IntTensor& out,
           NodeCounts& counts) const override {
    std::vector<T> image(static_cast<size_t>(padded_h_ * padded_w_ * g_.channels));
    std::vector<T> patches(static_cast<size_t>(kPixels * (g_.depthwise() ? 0 : row_)));
    std::vector<Acc> acc(static_cast<size_t>(kPixels * g_.filters));
    for (int64_t n = 0; n < g_.samples; ++n) {
      FillImage(inputs[0]->data.data() + n * g_.channels * g_.height * g_.width, image);
      for (int64_t first = 0; first < g_.pixels(); first += kPixels) {
        const int64_t count = std::min(kPixels, g_.pixels() - first);
        if (g_.depthwise()) {
          MultiplyPixels(image, first, count, acc);
          FinishBlock(n, 0, g_.filters, first, count, acc, out, counts);
          continue;
        }
        for (int64_t k = 0; k < g_.conv.group; ++k) {
          GatherPatches(image, k, first, count, patches);
          DotProducts(patches.data(), count, weights_.data() + k * g_.group_filters() * row_,
                      g_.group_filters(), row_, acc.data());
          FinishBlock(n, k * g_.group_filters(), g_.group_filters(), first, count, acc, out,
                      counts);
        }
      }
    }
  }

 private:
  static constexpr int64_t kPixels = 32;  // a block of patches stays in the first-level cache

  // Filters as rows (kh, kw, c), zero-padded; depthwise as one row of channels for every tap.
  void PackWeights(const std::vector<int32_t>& w) {
    weights_.assign(static_cast<size_t>((g_.depthwise() ? g_.taps() : g_.filters) * row_), 0);
    for (int64_t o = 0; o < g_.filters; ++o) {
      for (int64_t c = 0; c < g_.group_channels; ++c) {
        for (int64_t kh = 0; kh < g_.kernel_h; ++kh) {
          for (int64_t kw = 0; kw < g_.kernel_w; ++kw) {
            const int64_t tap = kh * g_.kernel_w + kw;
            const int64_t to =
                g_.depthwise() ? tap * row_ + o : o * row_ + tap * g_.group_channels + c;
            weights_[static_cast<size_t>(to)] =
                static_cast<T>(w[static_cast<size_t>(g_.weight_index(o, c, kh, kw))] - w_zero_);
          }
        }
      }
    }
  }

  // image[h][w][c] = x[c][h][w] - zero point, the padding 0.
  void FillImage(const int32_t* x, std::vector<T>& image) const {
    const auto zero = static_cast<int32_t>(x_zero_);
    for (int64_t h = 0; h < g_.height; ++h) {
      T* row = image.data() + ((h + g_.conv.pad_top) * padded_w_ + g_.conv.pad_left) * g_.channels;
      for (int64_t c = 0; c < g_.channels; ++c) {
        const int32_t* from = x + (c * g_.height + h) * g_.width;
        for (int64_t w = 0; w < g_.width; ++w) {
          row[w * g_.channels + c] = static_cast<T>(from[w] - zero);
        }
      }
    }
  }

  // First channel of the input pixel under tap (0, 0) of output pixel `pixel`.
  int64_t Corner(int64_t pixel) const {
    const int64_t oh = pixel / g_.out_w, ow = pixel % g_.out_w;
    return (oh * g_.conv.stride_h * padded_w_ + ow * g_.conv.stride_w) * g_.channels;
  }
  int64_t TapOffset(int64_t kh, int64_t kw) const {
    return (kh * g_.conv.dilation_h * padded_w_ + kw * g_.conv.dilation_w) * g_.channels;
  }

  void GatherPatches(const std::vector<T>& image, int64_t group, int64_t first, int64_t count,
                     std::vector<T>& patches) const {
    const T* base = image.data() + group * g_.group_channels;
    // Neighbouring taps of a row are neighbours in memory, unless groups or dilation part them.
    const bool joined = g_.conv.group == 1 && g_.conv.dilation_w == 1;
    const int64_t run = joined ? g_.kernel_w * g_.channels : g_.group_channels;
    for (int64_t i = 0; i < count; ++i) {
      const T* corner = base + Corner(first + i);
      T* to = patches.data() + i * row_;
      for (int64_t kh = 0; kh < g_.kernel_h; ++kh) {
        for (int64_t kw = 0; kw < (joined ? 1 : g_.kernel_w); ++kw, to += run) {
          const T* from = corner + TapOffset(kh, kw);
          std::copy(from, from + run, to);
        }
      }
    }
  }

  void MultiplyPixels(const std::vector<T>& image, int64_t first, int64_t count,
                      std::vector<Acc>& acc) const {
    std::fill(acc.begin(), acc.end(), Acc{0});
    for (int64_t i = 0; i < count; ++i) {
      const T* corner = image.data() + Corner(first + i);
      for (int64_t kh = 0; kh < g_.kernel_h; ++kh) {
        for (int64_t kw = 0; kw < g_.kernel_w; ++kw) {
          MultiplyAdd(corner + TapOffset(kh, kw), weights_.data() + (kh * g_.kernel_w + kw) * row_,
                      g_.channels, acc.data() + i * g_.channels);
        }
      }
    }
  }

  // acc[pixel][filter of the block] to the output's planes.
  void FinishBlock(int64_t sample, int64_t first_filter, int64_t filters, int64_t first_pixel,
                   int64_t count, const std::vector<Acc>& acc, IntTensor& out,
                   NodeCounts& counts) const {
    for (int64_t o = 0; o < filters; ++o) {
      Finish(sample, first_filter + o, first_pixel, acc.data() + o, filters, count, out, counts);
    }
  }

  int64_t padded_h_, padded_w_;
  int64_t row_;  // elements of a row of weights
  std::vector<T> weights_;
};

}  // namespace

KernelPtr MakeKernel(const KernelSpec& spec, const IntConv& params) {
  if (spec.kernels == Kernels::kDirect) return std::make_unique<DirectConv>(spec, params);
  const int64_t terms = Geometry(spec, params).terms();
  if (SumsFitInt32(OperandRangeOf(spec.in(0)), OperandRangeOf(spec.in(1)), terms)) {
    return std::make_unique<FastConv<int16_t, int32_t>>(spec, params);
  }
  return std::make_unique<FastConv<int32_t, int64_t>>(spec, params);
}

}  // namespace bw::golden
