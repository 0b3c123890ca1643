// Scaling an integer to another integer type (NUMERICS.md section 3).
#ifndef MODELS_ARITH_REQUANTISE_H_
#define MODELS_ARITH_REQUANTISE_H_

#include <algorithm>
#include <cstdint>

#include "models/arith/rounding.h"
#include "models/arith/scale.h"

namespace bw::arith {

// Parameters of one channel. zp, lo and hi are in output steps; lo <= hi, and all three are within
// +-2^61, so their differences do not overflow.
struct Requant {
  int64_t m = 0;
  int32_t s = 0;  // right shift; negative is to the left, -32 at the least
  int64_t zp = 0;
  int64_t lo = 0;
  int64_t hi = 0;
};

inline Requant MakeRequant(const FixedScale& scale, int64_t zp, int64_t lo, int64_t hi) {
  return {scale.m, scale.s, zp, lo, hi};
}

namespace internal {
// RoundProduct where the product leaves int64 or the shift is not in 0..63; saturates to int64.
int64_t RoundProductWide(int64_t x, int64_t m, int s, Rounding mode);
}  // namespace internal

// round(x * m, s), the exact product in front of the one rounding; s < 0 shifts to the left. Exact
// for every x, |m| < 2^31 and s >= -32, except that results beyond int64 saturate.
template <Rounding kMode>
int64_t RoundProductAs(int64_t x, int64_t m, int s) {
  int64_t p;
  if (__builtin_expect(static_cast<unsigned>(s) > 63U || __builtin_mul_overflow(x, m, &p), 0)) {
    return internal::RoundProductWide(x, m, s, kMode);
  }
  return RoundShiftAs<kMode>(p, s);
}

inline int64_t RoundProduct(int64_t x, int64_t m, int s, Rounding mode) {
  int64_t p;
  if (__builtin_expect(static_cast<unsigned>(s) > 63U || __builtin_mul_overflow(x, m, &p), 0)) {
    return internal::RoundProductWide(x, m, s, mode);
  }
  return RoundShift(p, s, mode);
}

// clip(v + zp, lo, hi), the zero point before the clip, without overflow for any v.
inline int64_t OffsetAndClip(int64_t v, const Requant& r) {
  return std::clamp(v, r.lo - r.zp, r.hi - r.zp) + r.zp;
}

// clip(round(x * M, S) + zp, lo, hi). Worked: x = 8001, {33193, 21, 0, -127, 127}, half_up:
// 265,577,193 / 2^21 = 126.6 -> 127.
inline int64_t Requantise(int64_t x, const Requant& r, Rounding mode) {
  return OffsetAndClip(RoundProduct(x, r.m, r.s, mode), r);
}

// The same with the mode known at compile time, for loops.
template <Rounding kMode>
int64_t RequantiseAs(int64_t x, const Requant& r) {
  return OffsetAndClip(RoundProductAs<kMode>(x, r.m, r.s), r);
}

// Profile fp32_even: float32(x) * scale rounded to float32, then to the nearest even integer, zero
// point, clip. scale is finite.
int64_t RequantiseFloat32(int64_t x, float scale, int64_t zp, int64_t lo, int64_t hi);

}  // namespace bw::arith

#endif  // MODELS_ARITH_REQUANTISE_H_
