// Division of an exact integer by 2^s in every rounding mode (NUMERICS.md section 1).
//
//   p, s = 1      -5 -3 -1  1  3  5
//   floor         -3 -2 -1  0  1  2
//   truncate      -2 -1  0  0  1  2
//   half_up       -2 -1  0  1  2  3
//   half_away     -3 -2 -1  1  2  3
//   half_even     -2 -2  0  0  2  2
//   double        as half_up up to s = 31, see RoundShift
#ifndef MODELS_ARITH_ROUNDING_H_
#define MODELS_ARITH_ROUNDING_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bw::arith {

enum class Rounding : uint8_t {
#define BW_ROUNDING(name, enumerator, code, meaning) enumerator = code,
#include "models/arith/rounding.def"
#undef BW_ROUNDING
};

inline constexpr Rounding kAllRoundings[] = {
#define BW_ROUNDING(name, enumerator, code, meaning) Rounding::enumerator,
#include "models/arith/rounding.def"
#undef BW_ROUNDING
};

std::string_view ToString(Rounding mode);
std::string_view Meaning(Rounding mode);
std::optional<Rounding> ParseRounding(std::string_view name);
// "floor, truncate, ...", for messages that list what is allowed.
std::string RoundingNames();

using Int128 = __int128;

namespace internal {

template <typename T>
struct UnsignedOf;
template <>
struct UnsignedOf<int64_t> {
  using Type = uint64_t;
};
template <>
struct UnsignedOf<Int128> {
  using Type = unsigned __int128;
};

// The five single roundings for 0 <= s < width of T. Free of branches on the data and of overflow:
// no rounding addend is ever added to p. Doubling as unsigned puts the bit below the binary point
// at bit s, so s = 0 needs no case of its own.
template <Rounding kMode, typename T>
constexpr T SingleRound(T p, int s) {
  using U = typename UnsignedOf<T>::Type;
  constexpr int kSignBit = static_cast<int>(sizeof(T)) * 8 - 1;
  static_assert(kMode != Rounding::kDouble);
  const U below = (U{1} << s) - 1;
  if constexpr (kMode == Rounding::kFloor) {
    return p >> s;
  } else if constexpr (kMode == Rounding::kTruncate) {
    return (p + ((p >> kSignBit) & static_cast<T>(below))) >> s;
  } else if constexpr (kMode == Rounding::kHalfUp) {
    return (p >> s) + static_cast<T>(((static_cast<U>(p) << 1) >> s) & 1);
  } else if constexpr (kMode == Rounding::kHalfAway) {
    const U sign = static_cast<U>(p >> kSignBit);  // 0 or all ones
    const U magnitude = (static_cast<U>(p) ^ sign) - sign;
    const U rounded = (magnitude >> s) + (((magnitude << 1) >> s) & 1);
    return static_cast<T>((rounded ^ sign) - sign);
  } else {
    const U doubled = static_cast<U>(p) << 1;
    const T floor = p >> s;
    const U odd = static_cast<U>(floor) & 1;
    const U beyond_half = static_cast<U>((doubled & below) != 0);
    return floor + static_cast<T>((doubled >> s) & 1 & (odd | beyond_half));
  }
}

// s >= width of T: every |p / 2^s| is at most one half, and one half is reached only by the
// smallest T at s = width.
template <Rounding kMode, typename T>
constexpr T RoundBeyondWidth(T p, int s) {
  constexpr int kWidth = static_cast<int>(sizeof(T)) * 8;
  if constexpr (kMode == Rounding::kFloor) return p < 0 ? -1 : 0;
  if constexpr (kMode == Rounding::kHalfAway) {
    const bool half = s == kWidth && p == static_cast<T>(T{1} << (kWidth - 2)) * -2;
    return half ? -1 : 0;
  }
  return 0;
}

}  // namespace internal

// round(p / 2^s) with the mode known at compile time; exact for every p and every s >= 0.
// T is int64_t or Int128.
template <Rounding kMode, typename T>
constexpr T RoundShiftAs(T p, int s) {
  constexpr int kWidth = static_cast<int>(sizeof(T)) * 8;
  if constexpr (kMode == Rounding::kDouble) {
    // Section 3 in terms of the product p = x * M and S: the first rounding drops 31 bits (for
    // S < 31 the left shift of x before it makes that S bits), the second one the rest.
    if (s <= 31) return RoundShiftAs<Rounding::kHalfUp>(p, s);
    return RoundShiftAs<Rounding::kHalfAway>(RoundShiftAs<Rounding::kHalfUp>(p, 31), s - 31);
  } else {
    if (__builtin_expect(s >= kWidth, 0)) return internal::RoundBeyondWidth<kMode>(p, s);
    return internal::SingleRound<kMode>(p, s);
  }
}

namespace internal {
template <typename T>
constexpr T RoundShiftOf(T p, int s, Rounding mode) {
  switch (mode) {
    case Rounding::kFloor:
      return RoundShiftAs<Rounding::kFloor>(p, s);
    case Rounding::kTruncate:
      return RoundShiftAs<Rounding::kTruncate>(p, s);
    case Rounding::kHalfUp:
      return RoundShiftAs<Rounding::kHalfUp>(p, s);
    case Rounding::kHalfAway:
      return RoundShiftAs<Rounding::kHalfAway>(p, s);
    case Rounding::kHalfEven:
      return RoundShiftAs<Rounding::kHalfEven>(p, s);
    case Rounding::kDouble:
      return RoundShiftAs<Rounding::kDouble>(p, s);
  }
  __builtin_unreachable();
}
}  // namespace internal

// round(p / 2^s), s >= 0, exact for every p and s. kDouble is half_up(p, s) for s <= 31 and
// half_away(half_up(p, 31), s - 31) above.
constexpr int64_t RoundShift(int64_t p, int s, Rounding mode) {
  return internal::RoundShiftOf(p, s, mode);
}

// The same for products wider than 64 bits.
constexpr Int128 RoundShiftWide(Int128 p, int s, Rounding mode) {
  return internal::RoundShiftOf(p, s, mode);
}

}  // namespace bw::arith

#endif  // MODELS_ARITH_ROUNDING_H_
