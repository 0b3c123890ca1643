// Lookup of a unary function in a table (NUMERICS.md section 6).
#ifndef MODELS_ARITH_LUT_H_
#define MODELS_ARITH_LUT_H_

#include <algorithm>
#include <cstdint>

#include "models/arith/rounding.h"

namespace bw::arith {

// A table of segments + 1 values (an exact table on an int8 key: low -128, high 127, k 0, segments
// 256, not interpolated, 256 values) at the keys low + n * 2^k. Keys are limited to low..high.
struct LutParams {
  int64_t low = -128;  // L
  int64_t high = 127;  // H, H - L <= segments * 2^k
  int k = 0;           // log2 of the step, 0..30
  int segments = 256;  // N
  bool interpolate = false;
  // Keys outside continue with the asymptotes 0 (below) and x (above) in place of the limit: GELU,
  // SiLU, hard swish. The table's values are then in the units of the key.
  bool ramp_outside = false;
};

// Whether no lookup can leave the table or int64.
constexpr bool IsValid(const LutParams& p) {
  return p.low <= p.high && p.k >= 0 && p.k <= 30 && p.segments >= 1 && p.segments <= 1 << 20 &&
         p.low >= -(int64_t{1} << 47) && p.high < int64_t{1} << 47 &&
         p.high - p.low <= static_cast<int64_t>(p.segments) << p.k;
}

// Values that a lookup may touch: the greatest index + 1.
constexpr int64_t LutEntries(const LutParams& p) {
  const int64_t span = p.high - p.low;
  if (!p.interpolate) return RoundShiftAs<Rounding::kHalfUp>(span, p.k) + 1;
  return std::min(span >> p.k, static_cast<int64_t>(p.segments) - 1) + 2;
}

// T[n] + round_half_up((T[n+1] - T[n]) * (i - n * 2^k), k), or the nearest entry. p valid. The
// product is at most (2^32 - 1) * 2^30.
inline int64_t LutLookup(int64_t x, const LutParams& p, const int32_t* table) {
  if (p.ramp_outside && x < p.low) return 0;
  if (p.ramp_outside && x > p.high) return x;
  const int64_t i = std::clamp(x, p.low, p.high) - p.low;
  if (!p.interpolate) return table[RoundShiftAs<Rounding::kHalfUp>(i, p.k)];
  const int64_t n = std::min(i >> p.k, static_cast<int64_t>(p.segments) - 1);
  const int64_t rise = static_cast<int64_t>(table[n + 1]) - table[n];
  return table[n] + RoundShiftAs<Rounding::kHalfUp>(rise * (i - (n << p.k)), p.k);
}

}  // namespace bw::arith

#endif  // MODELS_ARITH_LUT_H_
