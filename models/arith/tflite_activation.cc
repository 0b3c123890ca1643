#include "models/arith/tflite_activation.h"

#include <algorithm>
#include <cmath>

#include "models/arith/quantise.h"
#include "models/arith/tflite_fixed_point.h"
#include "models/status/check.h"

namespace bw::arith {
namespace {

constexpr int kInputIntegerBits = 4;

int32_t ToInt8(int64_t v) { return static_cast<int32_t>(std::clamp<int64_t>(v, -128, 127)); }

int16_t Saturate16(int64_t v) {
  return static_cast<int16_t>(std::clamp<int64_t>(v, INT16_MIN, INT16_MAX));
}

// The upper 16 bits of a multiplier, ties up, never 2^15.
int16_t UpperHalf(int32_t m) { return Saturate16(RoundShiftAs<Rounding::kHalfUp>(int64_t{m}, 16)); }

// a * b / 2^15 toward zero, -1 * -1 saturating: cancels the bias of the rounding products before.
int16_t TruncatedHighMul16(int16_t a, int16_t b) {
  return Saturate16(RoundShiftAs<Rounding::kTruncate>(int64_t{a} * b, 15));
}

// A 128th of the input's step: the input, seven bits to the left, still fits 16.
float FineScale(const TfliteQuant& input) { return (1.0F / 128.0F) * input.scale; }
float ToOutput(const TfliteQuant& input, const TfliteQuant& output) {
  return FineScale(input) / output.scale;
}
float ToUnit(const TfliteQuant& input) { return FineScale(input) / (3.0F / 32768.0F); }

}  // namespace

TfliteSigmoidal::TfliteSigmoidal(Kind kind, const TfliteQuant& input)
    : kind_(kind), zero_point_(input.zero_point) {
  constexpr int kFractionBits = 31 - kInputIntegerBits;
  factor_ = MakeTfliteMultiplier(std::ldexp(static_cast<double>(input.scale), kFractionBits));
  constexpr int64_t kReach = int64_t{(1 << kInputIntegerBits) - 1} << kFractionBits;
  radius_ = factor_.shift >= 0 ? kReach >> std::min(factor_.shift, 62)
                               : kReach << std::min(-factor_.shift, 31);
}

int32_t TfliteSigmoidal::operator()(int32_t q) const {
  const int64_t input = int64_t{q} - zero_point_;
  if (input <= -radius_) return -128;
  if (input >= radius_) return 127;
  const auto x = static_cast<int32_t>(TfliteMultiply(input, factor_));
  if (kind_ == Kind::kTanh) {
    return ToInt8(TfliteShiftRight(TfliteTanhOf(x, kInputIntegerBits), 31 - 7));
  }
  return ToInt8(TfliteShiftRight(TfliteLogisticOf(x, kInputIntegerBits), 31 - 8) - 128);
}

bool TfliteHardSwish::IsPossible(const TfliteQuant& input, const TfliteQuant& output) {
  const float to_output = ToOutput(input, output), to_unit = ToUnit(input);
  if (!std::isfinite(to_output) || !std::isfinite(to_unit)) return false;
  const int output_shift = MakeTfliteMultiplier(static_cast<double>(to_output)).shift;
  const int unit_shift = MakeTfliteMultiplier(static_cast<double>(to_unit)).shift;
  return output_shift <= 0 && output_shift >= -15 && unit_shift >= -15;
}

TfliteHardSwish::TfliteHardSwish(const TfliteQuant& input, const TfliteQuant& output)
    : input_(input), output_(output) {
  BW_CHECK(IsPossible(input, output), "scales {} and {}", input.scale, output.scale);
  const auto output_factor = MakeTfliteMultiplier(static_cast<double>(ToOutput(input, output)));
  const auto unit_factor = MakeTfliteMultiplier(static_cast<double>(ToUnit(input)));
  to_output_ = UpperHalf(output_factor.m);
  output_shift_ = output_factor.shift;
  to_unit_ = UpperHalf(unit_factor.m);
  unit_shift_ = unit_factor.shift;
}

int32_t TfliteHardSwish::operator()(int32_t q) const {
  const auto fine = Saturate16((int64_t{q} - input_.zero_point) * 128);
  const int16_t on_output_scale = TfliteHighMul16(fine, to_output_);
  // x / 3 in Q0.15, saturating: all but one of the left shifts come before the product.
  int16_t third = fine;
  const int left = std::min(unit_shift_, 16);
  if (left > 0) third = Saturate16(int64_t{third} * (1 << (left - 1)));
  third = TfliteHighMul16(third, to_unit_);
  if (left > 0) third = Saturate16(int64_t{third} * 2);
  if (left < 0) third = static_cast<int16_t>(TfliteShiftRight(third, -left));
  const auto unit = static_cast<int16_t>((third + (1 << 15)) >> 1);  // (x / 3 + 1) / 2, 0..1
  const int16_t product = TruncatedHighMul16(unit, on_output_scale);
  return ToInt8(int64_t{TfliteShiftRight(product, -output_shift_)} + output_.zero_point);
}

TfliteLeakyRelu::TfliteLeakyRelu(const TfliteQuant& input, const TfliteQuant& output, float alpha)
    : input_zero_(input.zero_point),
      output_zero_(output.zero_point),
      positive_(MakeTfliteMultiplier(static_cast<double>(input.scale / output.scale))),
      negative_(MakeTfliteMultiplier(static_cast<double>(input.scale * alpha / output.scale))) {}

int32_t TfliteLeakyRelu::operator()(int32_t q) const {
  const int64_t x = int64_t{q} - input_zero_;
  return ToInt8(TfliteMultiply(x, x >= 0 ? positive_ : negative_) + output_zero_);
}

std::vector<int32_t> TfliteTable(const std::function<int32_t(int32_t)>& f) {
  std::vector<int32_t> table;
  for (int32_t q = -128; q <= 127; ++q) table.push_back(f(q));
  return table;
}

std::vector<int32_t> TfliteFloatTable(const TfliteQuant& input, const TfliteQuant& output,
                                      const std::function<float(float)>& f) {
  const float inverse = 1 / output.scale;
  return TfliteTable([&](int32_t q) {
    const float y = f(input.scale * static_cast<float>(q - input.zero_point));
    return ToInt8(RoundReal(
        static_cast<double>(std::round(y * inverse) + static_cast<float>(output.zero_point))));
  });
}

}  // namespace bw::arith
