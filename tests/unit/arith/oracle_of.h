// The oracle's rule for each single rounding of the code under test, and a seeded source of
// numbers.
#ifndef TESTS_UNIT_ARITH_ORACLE_OF_H_
#define TESTS_UNIT_ARITH_ORACLE_OF_H_

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <random>

#include "models/arith/rounding.h"
#include "tests/support/rational_oracle.h"

namespace bw::arith {

inline constexpr Rounding kSingleRoundings[] = {Rounding::kFloor, Rounding::kTruncate,
                                                Rounding::kHalfUp, Rounding::kHalfAway,
                                                Rounding::kHalfEven};
inline constexpr Rounding kNearestRoundings[] = {Rounding::kHalfUp, Rounding::kHalfAway,
                                                 Rounding::kHalfEven};

inline oracle::Rule RuleOf(Rounding mode) {
  switch (mode) {
    case Rounding::kFloor:
      return oracle::Rule::kDown;
    case Rounding::kTruncate:
      return oracle::Rule::kTowardZero;
    case Rounding::kHalfUp:
      return oracle::Rule::kTieUp;
    case Rounding::kHalfAway:
      return oracle::Rule::kTieAway;
    case Rounding::kHalfEven:
      return oracle::Rule::kTieEven;
    case Rounding::kDouble:
      break;
  }
  std::abort();  // two roundings have no one rule
}

// round(x * m, s) by the oracle, s in -32..94.
inline oracle::Wide OracleProduct(int64_t x, int64_t m, int s, Rounding mode) {
  if (mode == Rounding::kDouble) return oracle::RoundTwice(x, m, s);
  const oracle::Wide product = static_cast<oracle::Wide>(x) * m;
  if (s < 0) return product * oracle::PowerOfTwo(-s);
  return oracle::Round(product, oracle::PowerOfTwo(s), RuleOf(mode));
}

inline int64_t AsInt64(oracle::Wide v) { return static_cast<int64_t>(v); }

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  int64_t Between(int64_t lo, int64_t hi) {  // hi - lo < 2^63
    return lo + static_cast<int64_t>(engine_() % (static_cast<uint64_t>(hi - lo) + 1));
  }
  int64_t Bits(int bits) {  // two's complement of `bits` bits, all values alike
    return static_cast<int64_t>(engine_()) >> (64 - bits);
  }
  double Unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  // Uniform mantissa, exponent uniform in lo..hi.
  double Scale(int lo, int hi) { return std::ldexp(1 + Unit(), static_cast<int>(Between(lo, hi))); }
  double Normal() {  // the sum of twelve uniforms: near enough to a normal, and portable
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += Unit();
    return sum;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace bw::arith

#endif  // TESTS_UNIT_ARITH_ORACLE_OF_H_
