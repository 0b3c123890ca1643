#include "models/arith/profile.h"

#include "models/status/check.h"

namespace bw::arith {

const std::vector<Profile>& Profiles() {
  static const auto& profiles = *new std::vector<Profile>{
#define BW_PROFILE(name, bits, rule, mode, clip, offset, is_float, tflite, shift_max, same_as) \
  {name,   bits,     ScaleRule::rule, Rounding::mode, ClipKind::clip,                          \
   offset, is_float, tflite,          shift_max,      same_as},
#include "models/arith/profile.def"
#undef BW_PROFILE
  };
  return profiles;
}

const Profile* FindProfile(std::string_view name) {
  for (const Profile& profile : Profiles()) {
    if (profile.name == name) return &profile;
  }
  return nullptr;
}

const Profile& DefaultProfile() { return Profiles().front(); }

std::string ProfileNames() {
  std::string names;
  for (const Profile& profile : Profiles()) {
    if (!names.empty()) names += ", ";
    names += profile.name;
  }
  return names;
}

ClipRange RangeOf(ClipKind kind, int bits, bool is_signed) {
  BW_CHECK(bits >= 1 && bits <= 48, "bits {}", bits);
  if (!is_signed) return {0, (int64_t{1} << bits) - 1};
  const int64_t half = int64_t{1} << (bits - 1);
  return {kind == ClipKind::kSymmetric ? -(half - 1) : -half, half - 1};
}

}  // namespace bw::arith
