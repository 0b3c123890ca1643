// Rounding from its definition, as the independent check of models/arith: an exact fraction, the
// two integers around it by division, their distances, and a rule for ties. No shifts, no rounding
// addends and none of the formulas of the code under test.
#ifndef TESTS_SUPPORT_RATIONAL_ORACLE_H_
#define TESTS_SUPPORT_RATIONAL_ORACLE_H_

#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace bw::oracle {

using Wide = __int128;

// Named by the rule, so that the tests need not trust the numbering of bw::arith::Rounding.
enum class Rule { kDown, kTowardZero, kTieUp, kTieAway, kTieEven };

inline Wide PowerOfTwo(int n) {
  Wide power = 1;
  for (int i = 0; i < n; ++i) power *= 2;
  return power;
}

inline Wide FloorDivide(Wide numerator, Wide denominator) {
  const Wide quotient = numerator / denominator;  // toward zero
  return quotient * denominator > numerator ? quotient - 1 : quotient;
}

// numerator / denominator (> 0) as an integer. |numerator|, denominator < 2^125.
inline Wide Round(Wide numerator, Wide denominator, Rule rule) {
  const Wide below = FloorDivide(numerator, denominator);
  const Wide to_below = numerator - below * denominator;
  if (to_below == 0) return below;
  const Wide above = below + 1;
  const Wide to_above = above * denominator - numerator;
  switch (rule) {
    case Rule::kDown:
      return below;
    case Rule::kTowardZero:
      return numerator < 0 ? above : below;
    case Rule::kTieUp:
    case Rule::kTieAway:
    case Rule::kTieEven:
      break;
  }
  if (to_below != to_above) return to_below < to_above ? below : above;
  if (rule == Rule::kTieUp) return above;
  if (rule == Rule::kTieAway) return numerator < 0 ? below : above;
  return below % 2 == 0 ? below : above;
}

// gemmlowp's two roundings of x * multiplier / 2^shift for a 31-bit multiplier, as its text has
// them: left shift first where shift < 31, nearest of the product over 2^31, then the rest.
inline Wide RoundTwice(Wide x, Wide multiplier, int shift) {
  const int left = shift < 31 ? 31 - shift : 0;
  const int right = shift > 31 ? shift - 31 : 0;
  const Wide high = Round(x * PowerOfTwo(left) * multiplier, PowerOfTwo(31), Rule::kTieUp);
  return Round(high, PowerOfTwo(right), Rule::kTieAway);
}

inline Wide Clip(Wide v, Wide lo, Wide hi) { return v < lo ? lo : v > hi ? hi : v; }

// x * r for a real scale r as stored in IEEE double, rounded once from the exact value. |x| < 2^47,
// 2^-70 < r < 2^15.
inline Wide RoundExactScale(int64_t x, double r, Rule rule) {
  int exponent = 0;
  const double fraction = std::frexp(r, &exponent);
  const Wide significand = static_cast<Wide>(fraction * 9007199254740992.0);  // 2^53, exact
  const int shift = 53 - exponent;
  if (shift < 0) return x * significand * PowerOfTwo(-shift);
  return Round(x * significand, PowerOfTwo(shift), rule);
}

}  // namespace bw::oracle

#endif  // TESTS_SUPPORT_RATIONAL_ORACLE_H_
