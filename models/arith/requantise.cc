#include "models/arith/requantise.h"

#include <limits>

#include "models/arith/quantise.h"
#include "models/status/check.h"

namespace bw::arith {

int64_t internal::RoundProductWide(int64_t x, int64_t m, int s, Rounding mode) {
  // |x * m| <= 2^63 * 2^31 = 2^94, and 2^126 after the largest left shift.
  BW_CHECK(s >= -32 && m > -(int64_t{1} << 31) && m < int64_t{1} << 31, "m = {}, s = {}", m, s);
  const Int128 p = static_cast<Int128>(x) * m;
  const Int128 v = s < 0 ? p * (Int128{1} << -s) : RoundShiftWide(p, s, mode);
  constexpr Int128 kMin = std::numeric_limits<int64_t>::min();
  constexpr Int128 kMax = std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(v < kMin ? kMin : v > kMax ? kMax : v);
}

int64_t RequantiseFloat32(int64_t x, float scale, int64_t zp, int64_t lo, int64_t hi) {
  const float product = static_cast<float>(x) * scale;
  return std::clamp(RoundRealEven(static_cast<double>(product)), lo - zp, hi - zp) + zp;
}

}  // namespace bw::arith
