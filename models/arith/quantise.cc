#include "models/arith/quantise.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/status/check.h"

namespace bw::arith {
namespace {

// An integral double as int64; what is beyond saturates, NaN gives 0.
int64_t ToInt64(double integral) {
  constexpr double kTwo63 = 9223372036854775808.0;
  if (std::isnan(integral)) return 0;
  if (integral >= kTwo63) return std::numeric_limits<int64_t>::max();
  if (integral < -kTwo63) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(integral);
}

int64_t OffsetAndClip(int64_t v, int64_t zp, int64_t lo, int64_t hi) {
  return std::clamp(v, lo - zp, hi - zp) + zp;
}

}  // namespace

int64_t RoundReal(double v) { return ToInt64(std::round(v)); }

int64_t RoundRealEven(double v) {
  const double magnitude = std::fabs(v);
  const double floor = std::floor(magnitude);
  const double above = magnitude - floor;  // exact; NaN for infinities, which then stay
  const bool up = above > 0.5 || (above == 0.5 && std::fmod(floor, 2.0) != 0);
  return ToInt64(std::copysign(up ? floor + 1 : floor, v));
}

int64_t QuantiseReal(double f, double s, int64_t zp, int64_t lo, int64_t hi) {
  return OffsetAndClip(RoundReal(f / s), zp, lo, hi);
}

int64_t QuantiseOnnx(float f, float s, int64_t zp, int64_t lo, int64_t hi) {
  const float steps = f / s;
  return OffsetAndClip(RoundRealEven(static_cast<double>(steps)), zp, lo, hi);
}

double ScaleFromMaxAbs(double max_abs, int bits) {
  BW_CHECK(std::isfinite(max_abs) && max_abs >= 0, "max_abs {}", max_abs);
  BW_CHECK(bits >= 2 && bits <= 32, "bits {}", bits);
  if (max_abs == 0) return 1;
  return max_abs / static_cast<double>((int64_t{1} << (bits - 1)) - 1);
}

}  // namespace bw::arith
