// Real scales as integer multiplier and shift (NUMERICS.md section 2).
#ifndef MODELS_ARITH_SCALE_H_
#define MODELS_ARITH_SCALE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bw::arith {

// A real scale r ~ m * 2^-s. m is normalised, 2^(B-1) <= m < 2^B with B = mult_bits, or 0; a
// negative s is a shift to the left. Worked: 0.0158279413 at B = 16 is {33193, 21}.
struct FixedScale {
  int64_t m = 0;
  int s = 0;
  double ToReal() const;
  bool operator==(const FixedScale& o) const { return m == o.m && s == o.s; }
};

// How the mantissa of r becomes an integer of B bits.
enum class ScaleRule : uint8_t {
  kNearest,  // nearest, ties up; a carry to 2^B becomes 2^(B-1) with the next exponent
  kBits,     // round r to float32, then truncate
  kTosa16,   // nearest at 31 bits, then to 15 bits; never a carry (0x7FFF at most). B = 15
  kPow2,     // nearest power of two, mantissas of 1.5 and above go up. B = 1
};

std::string_view ToString(ScaleRule rule);  // "nearest", "bits", "tosa16", "pow2"
std::optional<ScaleRule> ParseScaleRule(std::string_view name);

// r finite and >= 0 (within float32 for kBits), mult_bits 1..31; kTosa16 and kPow2 have their own
// B and ignore mult_bits. 0 gives {0, 0}. The shift is not limited: see DecomposeWithin.
FixedScale Decompose(double r, int mult_bits, ScaleRule rule);

// The shifts that the hardware has: 0..shift_max to the right, up to left_shift_max to the left.
struct ScaleLimits {
  int shift_max = 62;
  int left_shift_max = 15;
};

enum class ScaleStatus : uint8_t {
  kOk,
  kVanished,  // s > shift_max: scale is {0, 0} and every result is the zero point. A warning
  kTooLarge,  // s < -left_shift_max: scale is {0, 0} and must not be used. An error
  kInvalid,   // r negative, infinite or not a number: scale is {0, 0}. An error
};

// What became of one real scale, with what a message needs besides the layer and the channel.
struct ScaleDecision {
  FixedScale scale;
  ScaleStatus status = ScaleStatus::kOk;
  double real = 0;  // r as asked for
  double largest =
      0;  // the largest scale that the hardware can hold: greatest m * 2^left_shift_max

  bool usable() const { return status == ScaleStatus::kOk || status == ScaleStatus::kVanished; }
  // For r = numerator / output_scale that is too large: the smallest output scale that would fit.
  double SmallestOutputScale(double output_scale) const;
  // "scale 3.1e+09 needs a left shift of 17, ..."; empty when kOk. Units: plain numbers.
  std::string Explain() const;

  int shift_needed = 0;  // s before the limits; negative is to the left
  ScaleLimits limits;
};

ScaleDecision DecomposeWithin(double r, int mult_bits, ScaleRule rule, const ScaleLimits& limits);

}  // namespace bw::arith

#endif  // MODELS_ARITH_SCALE_H_
