// Means of integers (NUMERICS.md sections 3 and 6).
#ifndef MODELS_ARITH_POOL_H_
#define MODELS_ARITH_POOL_H_

#include <cstdint>

namespace bw::arith {

// floor((2 * sum + count) / (2 * count)): the nearest integer to sum / count, ties toward plus
// infinity. |sum| < 2^61, 1 <= count < 2^61. Worked: 5 / 2 -> 3, -5 / 2 -> -2.
constexpr int64_t RoundedMean(int64_t sum, int64_t count) {
  const int64_t numerator = 2 * sum + count;
  const int64_t quotient = numerator / (2 * count);
  return quotient - (numerator % (2 * count) < 0 ? 1 : 0);
}

// Ties away from zero, as TFLite's AVERAGE_POOL of raw q (zero point not subtracted).
constexpr int64_t RoundedMeanAway(int64_t sum, int64_t count) {
  return sum < 0 ? -RoundedMean(-sum, count) : RoundedMean(sum, count);
}

}  // namespace bw::arith

#endif  // MODELS_ARITH_POOL_H_
