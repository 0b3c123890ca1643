#include "models/arith/scale.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "models/arith/rounding.h"
#include "models/status/check.h"

namespace bw::arith {
namespace {

constexpr int kDoubleBits = 53;  // significand of IEEE double, hidden one included

// r = significand * 2^(exponent - 52), 2^52 <= significand < 2^53; subnormals are normalised too.
struct Parts {
  int64_t significand;
  int exponent;
};

Parts Split(double r) {
  int exponent = 0;
  const double half_to_one = std::frexp(r, &exponent);
  return {static_cast<int64_t>(std::ldexp(half_to_one, kDoubleBits)), exponent - 1};
}

FixedScale Nearest(double r, int bits) {
  const Parts parts = Split(r);
  const int64_t m = RoundShift(parts.significand, kDoubleBits - bits, Rounding::kHalfUp);
  if (m == int64_t{1} << bits) return {m >> 1, bits - 1 - (parts.exponent + 1)};
  return {m, bits - 1 - parts.exponent};
}

FixedScale Bits(double r, int bits) {
  const auto as_float = static_cast<double>(static_cast<float>(r));
  if (as_float == 0) return {};
  const Parts parts = Split(as_float);
  return {parts.significand >> (kDoubleBits - bits), bits - 1 - parts.exponent};
}

FixedScale Tosa16(double r) {
  const FixedScale wide = Nearest(r, 31);
  const int64_t m = wide.m < 0x7FFF0000 ? (wide.m + (1 << 15)) >> 16 : 0x7FFF;
  return {m, wide.s - 16};
}

int BitsOf(ScaleRule rule, int mult_bits) {
  switch (rule) {
    case ScaleRule::kNearest:
    case ScaleRule::kBits:
      return mult_bits;
    case ScaleRule::kTosa16:
      return 15;
    case ScaleRule::kPow2:
      return 1;
  }
  __builtin_unreachable();
}

bool InFloat32(double r) { return std::isfinite(static_cast<float>(r)); }

}  // namespace

double FixedScale::ToReal() const { return std::ldexp(static_cast<double>(m), -s); }

std::string_view ToString(ScaleRule rule) {
  switch (rule) {
    case ScaleRule::kNearest:
      return "nearest";
    case ScaleRule::kBits:
      return "bits";
    case ScaleRule::kTosa16:
      return "tosa16";
    case ScaleRule::kPow2:
      return "pow2";
  }
  __builtin_unreachable();
}

std::optional<ScaleRule> ParseScaleRule(std::string_view name) {
  for (ScaleRule rule :
       {ScaleRule::kNearest, ScaleRule::kBits, ScaleRule::kTosa16, ScaleRule::kPow2}) {
    if (ToString(rule) == name) return rule;
  }
  return std::nullopt;
}

FixedScale Decompose(double r, int mult_bits, ScaleRule rule) {
  BW_CHECK(std::isfinite(r) && r >= 0, "scale {}", r);
  BW_CHECK(mult_bits >= 1 && mult_bits <= 31, "mult_bits {}", mult_bits);
  if (r == 0) return {};
  switch (rule) {
    case ScaleRule::kNearest:
      return Nearest(r, mult_bits);
    case ScaleRule::kBits:
      BW_CHECK(InFloat32(r), "scale {} is beyond float32", r);
      return Bits(r, mult_bits);
    case ScaleRule::kTosa16:
      return Tosa16(r);
    case ScaleRule::kPow2:
      return Nearest(r, 1);
  }
  __builtin_unreachable();
}

ScaleDecision DecomposeWithin(double r, int mult_bits, ScaleRule rule, const ScaleLimits& limits) {
  ScaleDecision decision;
  decision.real = r;
  decision.limits = limits;
  const int64_t greatest_m = (int64_t{1} << BitsOf(rule, mult_bits)) - 1;
  decision.largest = FixedScale{greatest_m, -limits.left_shift_max}.ToReal();
  if (!std::isfinite(r) || r < 0) {
    decision.status = ScaleStatus::kInvalid;
    return decision;
  }
  if (rule == ScaleRule::kBits && !InFloat32(r)) {
    decision.shift_needed = Nearest(r, mult_bits).s;
    decision.status = ScaleStatus::kTooLarge;
    return decision;
  }
  const FixedScale scale = Decompose(r, mult_bits, rule);
  decision.shift_needed = scale.s;
  if (scale.s > limits.shift_max) {
    decision.status = ScaleStatus::kVanished;
  } else if (scale.s < -limits.left_shift_max) {
    decision.status = ScaleStatus::kTooLarge;
  } else {
    decision.scale = scale;
  }
  return decision;
}

double ScaleDecision::SmallestOutputScale(double output_scale) const {
  const double exact = output_scale * (real / largest);
  return std::nextafter(exact, std::numeric_limits<double>::infinity());
}

std::string ScaleDecision::Explain() const {
  switch (status) {
    case ScaleStatus::kOk:
      return {};
    case ScaleStatus::kVanished:
      return fmt::format(
          "scale {:.9g} needs a right shift of {}, more than the {} of ppu.shift_max: taken as 0",
          real, shift_needed, limits.shift_max);
    case ScaleStatus::kTooLarge:
      return fmt::format(
          "scale {:.9g} needs a left shift of {}, more than the {} of ppu.left_shift_max; the "
          "largest scale that fits is {:.9g}",
          real, -shift_needed, limits.left_shift_max, largest);
    case ScaleStatus::kInvalid:
      return fmt::format("scale {} is not a finite number of 0 or more", real);
  }
  __builtin_unreachable();
}

}  // namespace bw::arith
