// Which element width makes a fast kernel exact.
#ifndef MODELS_GOLDEN_OPERAND_RANGE_H_
#define MODELS_GOLDEN_OPERAND_RANGE_H_

#include <algorithm>
#include <cstdint>
#include <limits>

#include "models/golden/node_kernel.h"

namespace bw::golden {

// What an operand may hold after its zero point is subtracted.
struct OperandRange {
  int64_t low, high;

  int64_t magnitude() const { return std::max(-low, high); }
  bool fits_int16() const {
    return low >= std::numeric_limits<int16_t>::min() &&
           high <= std::numeric_limits<int16_t>::max();
  }
};

// By the type for activations, by the values for constants.
inline OperandRange OperandRangeOf(const graph::IntValue& value) {
  const Range range = RangeOf(value);
  OperandRange found{range.low - value.zero_point, range.high - value.zero_point};
  if (value.constant.empty()) return found;
  const auto [low, high] = std::minmax_element(value.constant.begin(), value.constant.end());
  return {*low - value.zero_point, *high - value.zero_point};
}

// Whether 16-bit operands with 32-bit sums are exact for `terms` products a sum. Terms and
// magnitudes are below 2^31 and 2^17.
inline bool SumsFitInt32(const OperandRange& a, const OperandRange& b, int64_t terms) {
  return a.fits_int16() && b.fits_int16() &&
         a.magnitude() * b.magnitude() <=
             std::numeric_limits<int32_t>::max() / std::max<int64_t>(terms, 1);
}

}  // namespace bw::golden

#endif  // MODELS_GOLDEN_OPERAND_RANGE_H_
