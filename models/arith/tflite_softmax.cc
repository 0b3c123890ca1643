#include "models/arith/tflite_softmax.h"

#include <algorithm>

#include "models/arith/tflite_fixed_point.h"
#include "models/arith/tflite_scale.h"
#include "models/status/check.h"

namespace bw::arith {
namespace {

constexpr int kDiffIntegerBits = 5;
constexpr int kSumIntegerBits = 12;

}  // namespace

std::optional<std::vector<int32_t>> MakeTfliteExpTable(double scale) {
  const double real = std::min(scale * (1 << (31 - kDiffIntegerBits)), (int64_t{1} << 31) - 1.0);
  if (!(real > 1)) return std::nullopt;
  const TfliteMultiplier factor = MakeTfliteMultiplier(real);
  // The largest distance whose scaled value stays above -32: 31 * 2^26 / 2^shift, floored.
  constexpr int64_t kReach = int64_t{(1 << kDiffIntegerBits) - 1} << (31 - kDiffIntegerBits);
  const int64_t last = std::min<int64_t>(kReach >> factor.shift, 255);
  std::vector<int32_t> table;
  for (int64_t d = 0; d <= last; ++d) {
    const int64_t scaled = TfliteMultiply(-d, factor);
    table.push_back(TfliteExp(static_cast<int32_t>(scaled), kDiffIntegerBits));
  }
  return table;
}

void TfliteSoftmax(const int32_t* x, int64_t n, int64_t step, const std::vector<int32_t>& table,
                   int32_t* out) {
  BW_CHECK(n >= 1 && n <= kTfliteSoftmaxMostElements && !table.empty(), "{} elements", n);
  int64_t top = x[0];
  for (int64_t i = 1; i < n; ++i) top = std::max<int64_t>(top, x[i * step]);
  const auto exponential = [&](int64_t i) {
    const auto distance = static_cast<uint64_t>(top - x[i * step]);
    return distance < table.size() ? table[distance] : 0;
  };
  int32_t sum = 0;  // Q12.19, at least 1 because of the largest element
  for (int64_t i = 0; i < n; ++i) sum += TfliteShiftRight(exponential(i), kSumIntegerBits);
  // sum = (1 + fraction) * 2^over, fraction in Q0.31.
  const int headroom = __builtin_clz(static_cast<uint32_t>(sum));
  const int over = kSumIntegerBits - headroom;
  const auto fraction = static_cast<int32_t>((static_cast<uint32_t>(sum) << headroom) & 0x7FFFFFFF);
  const int32_t reciprocal = TfliteOneOverOnePlus(fraction);
  for (int64_t i = 0; i < n; ++i) {
    const int32_t share = TfliteHighMul(reciprocal, exponential(i));
    out[i * step] = std::min(TfliteShiftRight(share, over + 31 - 8) - 128, 127);
  }
}

}  // namespace bw::arith
