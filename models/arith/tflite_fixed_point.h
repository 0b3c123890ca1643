// The 32-bit fixed-point arithmetic that TFLite's reference kernels are made of (gemmlowp's), bit
// for bit, in terms of rounding.h. Qm.n: m integer bits, n = 31 - m fraction bits and a sign.
#ifndef MODELS_ARITH_TFLITE_FIXED_POINT_H_
#define MODELS_ARITH_TFLITE_FIXED_POINT_H_

#include <algorithm>
#include <cstdint>
#include <limits>

#include "models/arith/rounding.h"

namespace bw::arith {

// a * b / 2^31 (of 16-bit numbers: 2^15), ties toward plus infinity; -1 * -1 saturates.
inline int32_t TfliteHighMul(int32_t a, int32_t b) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  const int64_t product = static_cast<int64_t>(a) * b;
  return static_cast<int32_t>(std::min(RoundShiftAs<Rounding::kHalfUp>(product, 31), kMost));
}
inline int16_t TfliteHighMul16(int16_t a, int16_t b) {
  constexpr int64_t kMost = std::numeric_limits<int16_t>::max();
  const int64_t product = static_cast<int64_t>(a) * b;
  return static_cast<int16_t>(std::min(RoundShiftAs<Rounding::kHalfUp>(product, 15), kMost));
}

// x / 2^s, ties away from zero; s is 0..31.
inline int32_t TfliteShiftRight(int32_t x, int s) {
  return static_cast<int32_t>(RoundShiftAs<Rounding::kHalfAway>(int64_t{x}, s));
}

// x * 2^s, saturating; s is 0..31.
inline int32_t TfliteShiftLeft(int32_t x, int s) {
  constexpr int64_t kLeast = std::numeric_limits<int32_t>::min();
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  return static_cast<int32_t>(std::clamp(int64_t{x} * (int64_t{1} << s), kLeast, kMost));
}

// exp(a) in Q0.31 for a <= 0 with `integer_bits` (0..5) integer bits; 2^31 - 1 for a = 0.
int32_t TfliteExp(int32_t a, int integer_bits);

// In Q0.31, for a >= 0 in Q0.31.
int32_t TfliteOneOverOnePlus(int32_t a);       // 1 / (1 + a)
int32_t TfliteOneMinusOverOnePlus(int32_t a);  // (1 - a) / (1 + a)

// In Q0.31, for any a but the least with `integer_bits` integer bits: 0..5, of tanh 0..4.
int32_t TfliteLogisticOf(int32_t a, int integer_bits);  // 1 / (1 + exp(-a))
int32_t TfliteTanhOf(int32_t a, int integer_bits);

}  // namespace bw::arith

#endif  // MODELS_ARITH_TFLITE_FIXED_POINT_H_
