// Real factors as TFLite's kernels hold them: value = m / 2^31 * 2^shift.
#ifndef MODELS_ARITH_TFLITE_SCALE_H_
#define MODELS_ARITH_TFLITE_SCALE_H_

#include <cstdint>

#include "models/arith/requantise.h"
#include "models/arith/scale.h"

namespace bw::arith {

// Scale and zero point of one tensor, as files store them.
struct TfliteQuant {
  float scale = 1;  // > 0
  int32_t zero_point = 0;
};

// |m| in 2^30..2^31 - 1, or 0. The same numbers as Decompose(r, 31, kNearest) with a right shift of
// 31 - shift, except that factors may be negative, and that those below 2^-32 become 0.
struct TfliteMultiplier {
  int32_t m = 0;
  int shift = 0;  // to the left where positive

  FixedScale Fixed() const { return {m, 31 - shift}; }
};

// `real` finite.
TfliteMultiplier MakeTfliteMultiplier(double real);

// x times the factor in the two roundings of mode `double` (NUMERICS.md section 3); exact where
// TFLite's own x << shift would leave 32 bits, which it never may.
inline int64_t TfliteMultiply(int64_t x, const TfliteMultiplier& factor) {
  return RoundProductAs<Rounding::kDouble>(x, factor.m, 31 - factor.shift);
}

}  // namespace bw::arith

#endif  // MODELS_ARITH_TFLITE_SCALE_H_
