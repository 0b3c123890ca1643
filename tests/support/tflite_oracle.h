// TFLite's kernels spelled out on gemmlowp's own fixed-point types: what the arithmetic of
// models/arith/tflite_* must equal, bit for bit.
#ifndef TESTS_SUPPORT_TFLITE_ORACLE_H_
#define TESTS_SUPPORT_TFLITE_ORACLE_H_

#include <gemmlowp/fixedpoint/fixedpoint.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace bw::oracle_tflite {

using F0 = gemmlowp::FixedPoint<int32_t, 0>;

struct Factor {
  int32_t m;
  int shift;
};

inline Factor FactorOf(double real) {
  int shift = 0;
  int64_t m = std::llround(std::frexp(real, &shift) * 2147483648.0);
  if (std::llabs(m) == 2147483648) m /= 2, ++shift;
  if (shift < -31) return {0, 0};
  return {static_cast<int32_t>(m), shift};
}

inline int32_t Times(int32_t x, Factor f) {
  return gemmlowp::RoundingDivideByPOT(
      gemmlowp::SaturatingRoundingDoublingHighMul(x * (1 << std::max(f.shift, 0)), f.m),
      std::max(-f.shift, 0));
}

inline int32_t Radius(int integer_bits, int left_shift) {
  return static_cast<int32_t>(
      std::floor(((1 << integer_bits) - 1) * std::ldexp(1.0, 31 - integer_bits - left_shift)));
}

// exponential(diff) of a difference least..0 from the row's largest; below, nothing counts.
template <typename Exponential>
std::vector<int32_t> SoftmaxWith(const std::vector<int32_t>& x, int32_t least,
                                 Exponential exponential) {
  const int32_t top = *std::max_element(x.begin(), x.end());
  auto sum = gemmlowp::FixedPoint<int32_t, 12>::Zero();
  for (const int32_t v : x) {
    if (v - top >= least) sum = sum + gemmlowp::Rescale<12>(exponential(v - top));
  }
  const int headroom = __builtin_clz(static_cast<uint32_t>(sum.raw()));
  const auto fraction =
      static_cast<int32_t>((static_cast<uint32_t>(sum.raw()) << headroom) - (uint32_t{1} << 31));
  const F0 reciprocal = gemmlowp::one_over_one_plus_x_for_x_in_0_1(F0::FromRaw(fraction));
  std::vector<int32_t> y;
  for (const int32_t v : x) {
    if (v - top < least) {
      y.push_back(-128);
      continue;
    }
    const int32_t share = gemmlowp::RoundingDivideByPOT((reciprocal * exponential(v - top)).raw(),
                                                        12 - headroom + 31 - 8);
    y.push_back(std::clamp(share - 128, -128, 127));
  }
  return y;
}

inline std::vector<int32_t> Softmax(const std::vector<int32_t>& x, float scale, float beta) {
  const double real = std::min(double{beta} * double{scale} * (1 << 26), 2147483647.0);
  const Factor factor = FactorOf(real);
  return SoftmaxWith(x, -Radius(5, factor.shift), [&](int32_t diff) {
    return gemmlowp::exp_on_negative_values(
        gemmlowp::FixedPoint<int32_t, 5>::FromRaw(Times(diff, factor)));
  });
}

inline int32_t Sigmoidal(int32_t q, float scale, int32_t zero_point, bool tanh) {
  const Factor factor = FactorOf(double{scale} * (1 << 27));
  const int32_t radius = Radius(4, factor.shift);
  const int32_t input = q - zero_point;
  if (input <= -radius) return -128;
  if (input >= radius) return 127;
  const auto x = gemmlowp::FixedPoint<int32_t, 4>::FromRaw(Times(input, factor));
  const int32_t y = tanh ? gemmlowp::RoundingDivideByPOT(gemmlowp::tanh(x).raw(), 24)
                         : gemmlowp::RoundingDivideByPOT(gemmlowp::logistic(x).raw(), 23) - 128;
  return std::clamp(y, -128, 127);
}

inline int16_t Upper(int32_t m) {
  return m >= INT32_MAX - 32768 ? INT16_MAX : static_cast<int16_t>((m + 32768) >> 16);
}

inline int16_t Shifted(int16_t v, int left) {
  return static_cast<int16_t>(
      std::clamp<int64_t>(int64_t{v} * (int64_t{1} << left), INT16_MIN, INT16_MAX));
}

inline int32_t HardSwish(int32_t q, float in_scale, int32_t in_zero, float out_scale,
                         int32_t out_zero) {
  const float fine_scale = (1.0F / 128.0F) * in_scale;
  const Factor out = FactorOf(double{fine_scale / out_scale});
  const Factor unit = FactorOf(double{fine_scale / (3.0F / 32768.0F)});
  const auto fine = static_cast<int16_t>((q - in_zero) * 128);
  const int16_t preshift = gemmlowp::SaturatingRoundingDoublingHighMul(fine, Upper(out.m));
  int16_t r = fine;
  if (unit.shift > 0) r = Shifted(r, unit.shift - 1);
  r = gemmlowp::SaturatingRoundingDoublingHighMul(r, Upper(unit.m));
  if (unit.shift > 0) r = Shifted(r, 1);
  if (unit.shift < 0) r = gemmlowp::RoundingDivideByPOT(r, -unit.shift);
  r = static_cast<int16_t>((r + 32768) >> 1);
  const auto product = static_cast<int16_t>(int32_t{r} * preshift / 32768);
  const int16_t y = gemmlowp::RoundingDivideByPOT(product, -out.shift);
  return std::clamp(y + out_zero, -128, 127);
}

}  // namespace bw::oracle_tflite

#endif  // TESTS_SUPPORT_TFLITE_ORACLE_H_
