// TFLite's integer SOFTMAX, int8 to int8 (reference kernel, as TFLite Micro runs it): exponentials
// in Q5.26 to Q0.31, their sum in Q12.19, one reciprocal for a row. The desktop library's optimised
// kernel differs: it makes its exponentials and the division in float32.
#ifndef MODELS_ARITH_TFLITE_SOFTMAX_H_
#define MODELS_ARITH_TFLITE_SOFTMAX_H_

#include <cstdint>
#include <optional>
#include <vector>

namespace bw::arith {

// The result's quantisation is fixed: scale 1/256, zero point -128.
inline constexpr double kTfliteSoftmaxScale = 1.0 / 256;
inline constexpr int64_t kTfliteSoftmaxZeroPoint = -128;
// Rows up to here keep the sum of exponentials within Q12.19. TFLite itself stops the program where
// that sum reaches 512, which takes more than 511 elements near the largest; here the same formula
// goes on.
inline constexpr int64_t kTfliteSoftmaxMostElements = 4095;

// exp(-d * scale) in Q0.31 by TFLite's fixed-point arithmetic, for d = 0, 1, ... up to the distance
// beyond which its kernel takes nothing (at most 255, that of two int8 numbers). The table is all
// that the kernel needs. `scale`: the input's, times beta where that is not 1; the product of the
// two float32 is exact in double. Nothing when scale * 2^26 <= 1, which TFLite refuses.
std::optional<std::vector<int32_t>> MakeTfliteExpTable(double scale);

// One row of n elements (1..kTfliteSoftmaxMostElements); `x` and `out` advance by `step`. Distances
// from the largest element that the table does not hold give -128. Table as made above: entries
// 0..2^31 - 1, the first one 2^31 - 1.
void TfliteSoftmax(const int32_t* x, int64_t n, int64_t step, const std::vector<int32_t>& table,
                   int32_t* out);

}  // namespace bw::arith

#endif  // MODELS_ARITH_TFLITE_SOFTMAX_H_
