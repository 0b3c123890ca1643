// Real numbers to integers and back (NUMERICS.md sections 3 and 5). Compile time and the edges of
// the network only: nothing here runs between operators.
#ifndef MODELS_ARITH_QUANTISE_H_
#define MODELS_ARITH_QUANTISE_H_

#include <cstdint>

namespace bw::arith {

// Nearest integer, ties away from zero; saturates to int64, NaN gives 0.
int64_t RoundReal(double v);
// The same with ties to even, whatever the floating-point environment.
int64_t RoundRealEven(double v);

// clip(round(f / s) + zp, lo, hi), ties away from zero. s > 0; |zp|, |lo|, |hi| < 2^61; infinities
// clip, NaN quantises as 0. Worked: QuantiseReal(0.1911, 0.5348 / 127, 0, -127, 127) = 45.
int64_t QuantiseReal(double f, double s, int64_t zp, int64_t lo, int64_t hi);

// ONNX QuantizeLinear: f / s in float32, ties to even, then zero point, then saturate.
int64_t QuantiseOnnx(float f, float s, int64_t zp, int64_t lo, int64_t hi);

inline double Dequantise(int64_t q, double s, int64_t zp = 0) {
  return static_cast<double>(q - zp) * s;
}

// Symmetric calibration: max_abs / (2^(bits-1) - 1), and 1 when max_abs is 0. max_abs >= 0 and
// finite; bits 2..32.
double ScaleFromMaxAbs(double max_abs, int bits);

}  // namespace bw::arith

#endif  // MODELS_ARITH_QUANTISE_H_
