// Two's complement wrap of accumulators and counted saturation (NUMERICS.md, notation and section
// 6; accumulators wrap, so that tiling and order cannot change a value).
#ifndef MODELS_ARITH_ACCUMULATE_H_
#define MODELS_ARITH_ACCUMULATE_H_

#include <algorithm>
#include <cstdint>

namespace bw::arith {

// The low `bits` bits of v, sign-extended; bits 1..64. Worked: WrapToBits(32768, 16) = -32768.
constexpr int64_t WrapToBits(int64_t v, int bits) {
  const int unused = 64 - bits;
  return static_cast<int64_t>(static_cast<uint64_t>(v) << unused) >> unused;
}

// Whether v is a two's complement number of `bits` bits; bits 1..64.
constexpr bool FitsBits(int64_t v, int bits) { return WrapToBits(v, bits) == v; }

// (acc + term) mod 2^64: sums that are wrapped to acc_bits later need no check in between, since
// wrapping once at the end gives the same.
constexpr int64_t WrappingAdd(int64_t acc, int64_t term) {
  return static_cast<int64_t>(static_cast<uint64_t>(acc) + static_cast<uint64_t>(term));
}

// v limited to `bits` bits of two's complement, bits 1..63.
constexpr int64_t Saturate(int64_t v, int bits) {
  const int64_t most = (int64_t{1} << (bits - 1)) - 1;
  return std::clamp(v, -most - 1, most);
}

// sat_n with its sticky counter: one event for every value that was changed.
constexpr int64_t Saturate(int64_t v, int bits, uint64_t* events) {
  const int64_t limited = Saturate(v, bits);
  *events += static_cast<uint64_t>(limited != v);
  return limited;
}

}  // namespace bw::arith

#endif  // MODELS_ARITH_ACCUMULATE_H_
