// TFLite's 8-bit kernels once more, in plain loops from their published definitions and NUMERICS.md
// section 3. No code is shared with what is tested.
#ifndef TESTS_CONFORMANCE_TFLITE_KERNELS_H_
#define TESTS_CONFORMANCE_TFLITE_KERNELS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bw::conformance::tflite {

// x * real in the two roundings of mode `double`: real = m / 2^31 * 2^shift, m of 31 bits.
struct Factor {
  int32_t m = 0;
  int shift = 0;
};
Factor MakeFactor(double real);
int32_t Scaled(int32_t x, const Factor& factor);

struct Format {
  float scale = 1;
  int32_t zero_point = 0;
  bool is_signed = true;
  int32_t least() const { return is_signed ? -128 : 0; }
  int32_t most() const { return is_signed ? 127 : 255; }
};

// Rank 4 as N, C, H, W; lower ranks have ones in front.
struct Plain {
  std::array<int64_t, 4> shape = {1, 1, 1, 1};
  std::vector<int32_t> q;
  Format format;
  int32_t At(int64_t n, int64_t c, int64_t h, int64_t w) const {
    return q[static_cast<size_t>(((n * shape[1] + c) * shape[2] + h) * shape[3] + w)];
  }
};

enum class Fused { kNone, kRelu, kReluN1To1, kRelu6 };

struct Window {
  int64_t kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
  int64_t top = 0, left = 0;
};

// Counts what makes a comparison worth something.
struct Seen {
  int64_t clipped = 0;       // results at an end of their range
  int64_t rounded_once = 0;  // results that one rounding instead of two would change
};

// filter[O, C / group, kH, kW] with one scale and zero point, or one an output channel; bias[O] in
// accumulator steps, or empty. uint8 filters have a zero point, int8 ones do not.
struct Filter {
  std::array<int64_t, 4> shape = {1, 1, 1, 1};
  std::vector<int32_t> q;
  std::vector<float> scales;
  int32_t zero_point = 0;
  std::vector<int32_t> bias;
};

// The factors of results, each evaluated in the kernels' own precision: float32 products of scales
// in uint8 convolutions, fully connected layers with one scale, and MUL; double elsewhere.
std::vector<Factor> ConvFactors(const Format& x, const Filter& filter, const Format& out);
std::vector<Factor> FullyConnectedFactors(const Format& x, const Filter& filter, const Format& out);
Factor MulFactor(const Format& a, const Format& b, const Format& out);
struct AddFactors {
  Factor a, b, sum;
};
AddFactors MakeAddFactors(const Format& a, const Format& b, const Format& out);

// CONV_2D and DEPTHWISE_CONV_2D (group = C). `out.shape` and `out.format` are given.
void Conv(const Plain& x, const Filter& filter, int64_t group, const Window& window, Fused fused,
          Plain* out, Seen* seen);
// FULLY_CONNECTED: x[M, K] and filter[N, K], in the last two places of their shapes.
void FullyConnected(const Plain& x, const Filter& filter, Fused fused, Plain* out, Seen* seen);
// With broadcasting over axes of extent 1.
void Add(const Plain& a, const Plain& b, bool subtract, Fused fused, Plain* out, Seen* seen);
void Mul(const Plain& a, const Plain& b, Fused fused, Plain* out, Seen* seen);
// MEAN over H and W: the factor of the formats divided by the number of elements.
void Mean(const Plain& x, Plain* out, Seen* seen);
// Padding takes no part. The formats of x and out are equal.
void AveragePool(const Plain& x, const Window& window, Fused fused, Plain* out, Seen* seen);
void MaxPool(const Plain& x, const Window& window, Fused fused, Plain* out, Seen* seen);
// QUANTIZE from integers to integers.
void Requantize(const Plain& x, Plain* out, Seen* seen);
void LeakyRelu(const Plain& x, float alpha, Plain* out, Seen* seen);

}  // namespace bw::conformance::tflite

#endif  // TESTS_CONFORMANCE_TFLITE_KERNELS_H_
