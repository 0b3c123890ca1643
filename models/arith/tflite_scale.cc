#include "models/arith/tflite_scale.h"

#include <cmath>

#include "models/arith/quantise.h"
#include "models/status/check.h"

namespace bw::arith {

TfliteMultiplier MakeTfliteMultiplier(double real) {
  BW_CHECK(std::isfinite(real), "factor {}", real);
  if (real == 0) return {};
  int shift = 0;
  int64_t m = RoundReal(std::ldexp(std::frexp(real, &shift), 31));
  if (m == int64_t{1} << 31 || m == -(int64_t{1} << 31)) {
    m /= 2;
    ++shift;
  }
  if (shift < -31) return {};
  return {static_cast<int32_t>(m), shift};
}

}  // namespace bw::arith
