// Named profiles: which multiplier, rounding and clip another system uses (NUMERICS.md section 3).
#ifndef MODELS_ARITH_PROFILE_H_
#define MODELS_ARITH_PROFILE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/arith/rounding.h"
#include "models/arith/scale.h"

namespace bw::arith {

enum class ClipKind : uint8_t {
  kSymmetric,  // -(2^(n-1) - 1) .. 2^(n-1) - 1
  kTypeRange,  // all values of the type
};

struct Profile {
  std::string_view name;
  int mult_bits;         // B
  ScaleRule scale_rule;  // how M is made
  Rounding rounding;
  ClipKind clip;
  // The output's zero point enters as an offset that is subtracted from x before the multiply:
  // requantise(x - offset, M, S, half_away, 0, lo, hi).
  bool subtract_offset;
  // The scale stays a float32 and RequantiseFloat32 does the work. Golden only: no integer RTL.
  bool float_scale;
  // Elementwise and pooling operators take TFLite's own forms (NUMERICS.md section 3).
  bool tflite_forms;
  int shift_max;  // 0: only the hardware's own limit holds
  std::string_view same_as;
};

const std::vector<Profile>& Profiles();
const Profile* FindProfile(std::string_view name);  // nullptr when there is none
const Profile& DefaultProfile();                    // mantissa16
std::string ProfileNames();                         // "mantissa16, tosa32, ...", for messages

struct ClipRange {
  int64_t lo;
  int64_t hi;
  bool operator==(const ClipRange& o) const { return lo == o.lo && hi == o.hi; }
};

// Range of an integer type of `bits` bits (1..48); unsigned types have 0 .. 2^bits - 1 either way.
ClipRange RangeOf(ClipKind kind, int bits, bool is_signed);

}  // namespace bw::arith

#endif  // MODELS_ARITH_PROFILE_H_
