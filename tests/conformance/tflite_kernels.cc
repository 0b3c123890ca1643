#include "tests/conformance/tflite_kernels.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace bw::conformance::tflite {
namespace {

constexpr int kLeftShift = 20;  // of ADD and SUB

struct Range {
  int32_t least, most;
};

// round(real / scale) in float32, ties away from zero.
int32_t Quantised(float real, const Format& format) {
  const float steps = real / format.scale;
  return format.zero_point + static_cast<int32_t>(std::round(steps));
}

Range RangeOf(Fused fused, const Format& format) {
  Range range{format.least(), format.most()};
  if (fused == Fused::kNone) return range;
  const float low = fused == Fused::kReluN1To1 ? -1.0F : 0.0F;
  range.least = std::max(range.least, Quantised(low, format));
  if (fused == Fused::kRelu) return range;
  const float high = fused == Fused::kRelu6 ? 6.0F : 1.0F;
  range.most = std::min(range.most, Quantised(high, format));
  return range;
}

int32_t Finish(int32_t x, const Factor& factor, int32_t zero_point, const Range& range,
               Seen* seen) {
  const int32_t scaled = Scaled(x, factor);
  const double exact = std::ldexp(static_cast<double>(int64_t{x} * factor.m), factor.shift - 31);
  if (std::floor(exact + 0.5) != scaled) ++seen->rounded_once;
  const int32_t result = std::clamp(scaled + zero_point, range.least, range.most);
  if (result == range.least || result == range.most) ++seen->clipped;
  return result;
}

// The real factor of a product's result: two float32 scales multiplied as such, or in double.
double FloatProduct(float a, float b, float out) {
  const float product = a * b;
  return static_cast<double>(product) / static_cast<double>(out);
}
double DoubleProduct(float a, float b, float out) {
  return static_cast<double>(a) * static_cast<double>(b) / static_cast<double>(out);
}

size_t Index(const std::array<int64_t, 4>& shape, const std::array<int64_t, 4>& at) {
  int64_t index = 0;
  for (size_t axis = 0; axis < 4; ++axis) {
    index = index * shape[axis] + (shape[axis] == 1 ? 0 : at[axis]);
  }
  return static_cast<size_t>(index);
}

template <typename Make>
void ForEach(Plain* out, Make make) {
  out->q.clear();
  for (int64_t n = 0; n < out->shape[0]; ++n) {
    for (int64_t c = 0; c < out->shape[1]; ++c) {
      for (int64_t h = 0; h < out->shape[2]; ++h) {
        for (int64_t w = 0; w < out->shape[3]; ++w) out->q.push_back(make(n, c, h, w));
      }
    }
  }
}

// Calls `take` with what the window at (h, w) of the result covers.
template <typename Take>
void Cover(const Plain& x, const Window& window, int64_t n, int64_t c, int64_t h, int64_t w,
           Take take) {
  for (int64_t y = 0; y < window.kernel_h; ++y) {
    for (int64_t z = 0; z < window.kernel_w; ++z) {
      const int64_t row = h * window.stride_h - window.top + y * window.dilation_h;
      const int64_t col = w * window.stride_w - window.left + z * window.dilation_w;
      if (row < 0 || row >= x.shape[2] || col < 0 || col >= x.shape[3]) continue;
      take(x.At(n, c, row, col), y, z);
    }
  }
}

}  // namespace

Factor MakeFactor(double real) {
  if (real == 0) return {};
  Factor factor;
  const double fraction = std::frexp(real, &factor.shift);
  auto m = static_cast<int64_t>(std::round(fraction * static_cast<double>(int64_t{1} << 31)));
  if (m == int64_t{1} << 31) m /= 2, ++factor.shift;
  if (factor.shift < -31) return {};
  factor.m = static_cast<int32_t>(m);
  return factor;
}

int32_t Scaled(int32_t x, const Factor& factor) {
  const int left = std::max(factor.shift, 0), right = std::max(-factor.shift, 0);
  const int64_t t = int64_t{x} * (int64_t{1} << left) * factor.m;
  const int64_t y = (t + (int64_t{1} << 30)) >> 31;
  if (right == 0) return static_cast<int32_t>(y);
  const int64_t magnitude = (std::abs(y) + (int64_t{1} << (right - 1))) >> right;
  return static_cast<int32_t>(y < 0 ? -magnitude : magnitude);
}

std::vector<Factor> ConvFactors(const Format& x, const Filter& filter, const Format& out) {
  std::vector<Factor> factors;
  for (const float scale : filter.scales) {
    factors.push_back(MakeFactor(x.is_signed ? DoubleProduct(x.scale, scale, out.scale)
                                             : FloatProduct(x.scale, scale, out.scale)));
  }
  return factors;
}

std::vector<Factor> FullyConnectedFactors(const Format& x, const Filter& filter,
                                          const Format& out) {
  const bool per_channel = filter.scales.size() > 1;
  std::vector<Factor> factors;
  for (const float scale : filter.scales) {
    factors.push_back(MakeFactor(per_channel ? DoubleProduct(x.scale, scale, out.scale)
                                             : FloatProduct(x.scale, scale, out.scale)));
  }
  return factors;
}

Factor MulFactor(const Format& a, const Format& b, const Format& out) {
  const float product = a.scale * b.scale;
  const float ratio = product / out.scale;
  return MakeFactor(static_cast<double>(ratio));
}

AddFactors MakeAddFactors(const Format& a, const Format& b, const Format& out) {
  const double twice = 2 * static_cast<double>(std::max(a.scale, b.scale));
  return {MakeFactor(static_cast<double>(a.scale) / twice),
          MakeFactor(static_cast<double>(b.scale) / twice),
          MakeFactor(twice / ((1 << kLeftShift) * static_cast<double>(out.scale)))};
}

void Conv(const Plain& x, const Filter& filter, int64_t group, const Window& window, Fused fused,
          Plain* out, Seen* seen) {
  const std::vector<Factor> factors = ConvFactors(x.format, filter, out->format);
  const Range range = RangeOf(fused, out->format);
  const int64_t depth = filter.shape[1], outs = out->shape[1] / group;
  ForEach(out, [&](int64_t n, int64_t o, int64_t h, int64_t w) {
    int32_t sum = filter.bias.empty() ? 0 : filter.bias[static_cast<size_t>(o)];
    for (int64_t c = 0; c < depth; ++c) {
      const auto take = [&](int32_t q, int64_t y, int64_t z) {
        const int64_t at = ((o * depth + c) * window.kernel_h + y) * window.kernel_w + z;
        sum += (filter.q[static_cast<size_t>(at)] - filter.zero_point) * (q - x.format.zero_point);
      };
      Cover(x, window, n, o / outs * depth + c, h, w, take);
    }
    const Factor& factor = factors[factors.size() == 1 ? 0 : static_cast<size_t>(o)];
    return Finish(sum, factor, out->format.zero_point, range, seen);
  });
}

void FullyConnected(const Plain& x, const Filter& filter, Fused fused, Plain* out, Seen* seen) {
  const std::vector<Factor> factors = FullyConnectedFactors(x.format, filter, out->format);
  const Range range = RangeOf(fused, out->format);
  const int64_t depth = x.shape[3];
  ForEach(out, [&](int64_t, int64_t, int64_t m, int64_t n) {
    int32_t sum = filter.bias.empty() ? 0 : filter.bias[static_cast<size_t>(n)];
    for (int64_t k = 0; k < depth; ++k) {
      sum += (filter.q[static_cast<size_t>(n * depth + k)] - filter.zero_point) *
             (x.At(0, 0, m, k) - x.format.zero_point);
    }
    const Factor& factor = factors[factors.size() == 1 ? 0 : static_cast<size_t>(n)];
    return Finish(sum, factor, out->format.zero_point, range, seen);
  });
}

void Add(const Plain& a, const Plain& b, bool subtract, Fused fused, Plain* out, Seen* seen) {
  const AddFactors factors = MakeAddFactors(a.format, b.format, out->format);
  const Range range = RangeOf(fused, out->format);
  ForEach(out, [&](int64_t n, int64_t c, int64_t h, int64_t w) {
    const int32_t qa = a.q[Index(a.shape, {n, c, h, w})] - a.format.zero_point;
    const int32_t qb = b.q[Index(b.shape, {n, c, h, w})] - b.format.zero_point;
    const int32_t left = Scaled(qa * (1 << kLeftShift), factors.a);
    const int32_t right = Scaled(qb * (1 << kLeftShift), factors.b);
    return Finish(subtract ? left - right : left + right, factors.sum, out->format.zero_point,
                  range, seen);
  });
}

void Mul(const Plain& a, const Plain& b, Fused fused, Plain* out, Seen* seen) {
  const Factor factor = MulFactor(a.format, b.format, out->format);
  const Range range = RangeOf(fused, out->format);
  ForEach(out, [&](int64_t n, int64_t c, int64_t h, int64_t w) {
    const int32_t qa = a.q[Index(a.shape, {n, c, h, w})] - a.format.zero_point;
    const int32_t qb = b.q[Index(b.shape, {n, c, h, w})] - b.format.zero_point;
    return Finish(qa * qb, factor, out->format.zero_point, range, seen);
  });
}

void Mean(const Plain& x, Plain* out, Seen* seen) {
  Factor factor =
      MakeFactor(static_cast<double>(x.format.scale) / static_cast<double>(out->format.scale));
  const int64_t count = x.shape[2] * x.shape[3];
  int log2 = 0;
  while (count >> (log2 + 1) != 0) ++log2;
  log2 = std::min({log2, 32, 31 + factor.shift});
  factor.m = static_cast<int32_t>((int64_t{factor.m} << log2) / count);
  factor.shift -= log2;
  const Range range = RangeOf(Fused::kNone, out->format);
  ForEach(out, [&](int64_t n, int64_t c, int64_t, int64_t) {
    int32_t sum = 0;
    for (int64_t h = 0; h < x.shape[2]; ++h) {
      for (int64_t w = 0; w < x.shape[3]; ++w) sum += x.At(n, c, h, w) - x.format.zero_point;
    }
    return Finish(sum, factor, out->format.zero_point, range, seen);
  });
}

void AveragePool(const Plain& x, const Window& window, Fused fused, Plain* out, Seen* seen) {
  const Range range = RangeOf(fused, out->format);
  ForEach(out, [&](int64_t n, int64_t c, int64_t h, int64_t w) {
    int32_t sum = 0, count = 0;
    Cover(x, window, n, c, h, w, [&](int32_t q, int64_t, int64_t) { sum += q, ++count; });
    const int32_t mean = sum > 0 ? (sum + count / 2) / count : (sum - count / 2) / count;
    if (mean <= range.least || mean >= range.most) ++seen->clipped;
    return std::clamp(mean, range.least, range.most);
  });
}

void MaxPool(const Plain& x, const Window& window, Fused fused, Plain* out, Seen* seen) {
  const Range range = RangeOf(fused, out->format);
  ForEach(out, [&](int64_t n, int64_t c, int64_t h, int64_t w) {
    int32_t top = x.format.least();
    Cover(x, window, n, c, h, w, [&](int32_t q, int64_t, int64_t) { top = std::max(top, q); });
    if (top <= range.least || top >= range.most) ++seen->clipped;
    return std::clamp(top, range.least, range.most);
  });
}

void Requantize(const Plain& x, Plain* out, Seen* seen) {
  const Factor factor =
      MakeFactor(static_cast<double>(x.format.scale) / static_cast<double>(out->format.scale));
  const Range range = RangeOf(Fused::kNone, out->format);
  ForEach(out, [&](int64_t n, int64_t c, int64_t h, int64_t w) {
    return Finish(x.At(n, c, h, w) - x.format.zero_point, factor, out->format.zero_point, range,
                  seen);
  });
}

void LeakyRelu(const Plain& x, float alpha, Plain* out, Seen* seen) {
  const float identity = x.format.scale / out->format.scale;
  const float sloped = x.format.scale * alpha;
  const Factor positive = MakeFactor(static_cast<double>(identity));
  const Factor negative = MakeFactor(static_cast<double>(sloped / out->format.scale));
  const Range range = RangeOf(Fused::kNone, out->format);
  ForEach(out, [&](int64_t n, int64_t c, int64_t h, int64_t w) {
    const int32_t centred = x.At(n, c, h, w) - x.format.zero_point;
    return Finish(centred, centred >= 0 ? positive : negative, out->format.zero_point, range, seen);
  });
}

}  // namespace bw::conformance::tflite
