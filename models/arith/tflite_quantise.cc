#include "models/arith/tflite_quantise.h"

#include <algorithm>
#include <cmath>

#include "models/arith/quantise.h"
#include "models/status/check.h"

namespace bw::arith {
namespace {

double Ratio(const TfliteQuant& from, const TfliteQuant& to) {
  return static_cast<double>(from.scale) / static_cast<double>(to.scale);
}

Requant Make(const TfliteMultiplier& factor, const TfliteQuant& to, const ClipRange& range) {
  return MakeRequant(factor.Fixed(), to.zero_point, range.lo, range.hi);
}

}  // namespace

int64_t TfliteQuantise(float f, const TfliteQuant& to, const ClipRange& range) {
  const float steps = f / to.scale;
  const int64_t q = RoundReal(static_cast<double>(steps));
  return std::clamp(q, range.lo - to.zero_point, range.hi - to.zero_point) + to.zero_point;
}

float TfliteDequantise(int64_t q, const TfliteQuant& from) {
  return static_cast<float>(static_cast<double>(from.scale) *
                            static_cast<double>(q - from.zero_point));
}

Requant TfliteRequantise(const TfliteQuant& from, const TfliteQuant& to, const ClipRange& range) {
  return Make(MakeTfliteMultiplier(Ratio(from, to)), to, range);
}

ClipRange TfliteActivationRange(TfliteFused activation, const TfliteQuant& output,
                                const ClipRange& range) {
  const auto at = [&](float limit) { return TfliteQuantise(limit, output, range); };
  switch (activation) {
    case TfliteFused::kNone:
      return range;
    case TfliteFused::kRelu:
      return {at(0), range.hi};
    case TfliteFused::kReluN1To1:
      return {at(-1), at(1)};
    case TfliteFused::kRelu6:
      return {at(0), at(6)};
  }
  __builtin_unreachable();
}

Requant TfliteMean(const TfliteQuant& from, const TfliteQuant& to, int64_t count,
                   const ClipRange& range) {
  BW_CHECK(count >= 1 && count < int64_t{1} << 31, "count {}", count);
  TfliteMultiplier factor = MakeTfliteMultiplier(Ratio(from, to));
  const int log2 = 63 - __builtin_clzll(static_cast<uint64_t>(count));
  const int shift = std::min({log2, 32, 31 + factor.shift});
  factor.m = static_cast<int32_t>(int64_t{factor.m} * (int64_t{1} << shift) / count);
  factor.shift -= shift;
  return Make(factor, to, range);
}

int64_t TfliteMeanDividedLast(int64_t sum_less_zero_points, const TfliteQuant& from,
                              const TfliteQuant& to, int64_t count, const ClipRange& range) {
  const int64_t sum = TfliteMultiply(sum_less_zero_points, MakeTfliteMultiplier(Ratio(from, to)));
  const int64_t half = sum > 0 ? count / 2 : -(count / 2);
  return std::clamp((sum + half) / count + to.zero_point, range.lo, range.hi);
}

std::optional<FixedScale> TfliteQuotient(int64_t count, int64_t most, int mult_bits) {
  BW_CHECK(count >= 1 && most >= 0 && most < int64_t{1} << 31, "count {}, most {}", count, most);
  if (count == 1) return FixedScale{1, 0};
  for (int s = 0; s <= 31; ++s) {
    if (static_cast<Int128>(1) << s <= static_cast<Int128>(2) * count * most) continue;
    const int64_t m = (int64_t{1} << s) / count + 1;
    if (m < int64_t{1} << std::min(mult_bits, 31)) return FixedScale{m, s};
    break;
  }
  return std::nullopt;
}

}  // namespace bw::arith
