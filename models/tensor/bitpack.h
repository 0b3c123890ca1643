// Values of 1 to 64 bits packed without gaps, low bits first: bit i of value k is bit
// (k * bits + i) % 8 of byte (k * bits + i) / 8. So two 4-bit values share a byte, the first in the
// low nibble. Inline, because the executors read and write every operand through these.
#ifndef MODELS_TENSOR_BITPACK_H_
#define MODELS_TENSOR_BITPACK_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace bw::tensor {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "packed loads assume little-endian");

// Bytes that n values of `bits` bits take.
constexpr uint64_t PackedBytes(uint64_t n, int bits) {
  return (n * static_cast<uint64_t>(bits) + 7) / 8;
}

// The low `bits` (1..64) of `raw` as two's complement, or as an unsigned number (which for 64 bits
// wraps into int64).
constexpr int64_t ExtendBits(uint64_t raw, int bits, bool sign) {
  const int unused = 64 - bits;
  return sign ? static_cast<int64_t>(raw << unused) >> unused
              : static_cast<int64_t>((raw << unused) >> unused);
}

namespace internal {

template <typename Signed, typename Unsigned>
inline int64_t LoadWhole(const uint8_t* at, bool sign) {
  Unsigned raw;
  std::memcpy(&raw, at, sizeof raw);
  return sign ? static_cast<int64_t>(static_cast<Signed>(raw)) : static_cast<int64_t>(raw);
}

template <typename Unsigned>
inline void StoreWhole(uint8_t* at, int64_t value) {
  const auto raw = static_cast<Unsigned>(value);
  std::memcpy(at, &raw, sizeof raw);
}

}  // namespace internal

// The value of `bits` (1..64) bits at `bit_offset`. Touches only the bytes that hold it.
inline int64_t ReadBits(const uint8_t* mem, uint64_t bit_offset, int bits, bool sign) {
  const uint8_t* at = mem + (bit_offset >> 3);
  const int low = static_cast<int>(bit_offset & 7);
  if (low == 0) {
    if (bits == 8) return internal::LoadWhole<int8_t, uint8_t>(at, sign);
    if (bits == 16) return internal::LoadWhole<int16_t, uint16_t>(at, sign);
    if (bits == 32) return internal::LoadWhole<int32_t, uint32_t>(at, sign);
  }
  uint64_t raw = static_cast<uint64_t>(*at) >> low;
  for (int have = 8 - low; have < bits; have += 8) raw |= static_cast<uint64_t>(*++at) << have;
  return ExtendBits(raw, bits, sign);
}

// Stores the low `bits` (1..64) of `value` at `bit_offset`; all other bits keep their values.
inline void WriteBits(uint8_t* mem, uint64_t bit_offset, int bits, int64_t value) {
  uint8_t* at = mem + (bit_offset >> 3);
  const int low = static_cast<int>(bit_offset & 7);
  if (low == 0) {
    if (bits == 8) return internal::StoreWhole<uint8_t>(at, value);
    if (bits == 16) return internal::StoreWhole<uint16_t>(at, value);
    if (bits == 32) return internal::StoreWhole<uint32_t>(at, value);
  }
  auto raw = static_cast<uint64_t>(value);
  for (int left = bits, first = low; left > 0; first = 0, ++at) {
    const int taken = left < 8 - first ? left : 8 - first;
    const unsigned mask = ((1u << taken) - 1u) << first;
    const unsigned fresh = static_cast<unsigned>(raw & 0xff) << first;
    *at = static_cast<uint8_t>((*at & ~mask) | (fresh & mask));
    raw >>= taken;
    left -= taken;
  }
}

// Packs n values from bit 0 of `out` (PackedBytes(n, bits) bytes); unused high bits of the last
// byte become 0.
inline void PackBits(const int64_t* values, size_t n, int bits, uint8_t* out) {
  std::memset(out, 0, PackedBytes(n, bits));
  const auto step = static_cast<uint64_t>(bits);
  for (size_t k = 0; k < n; ++k) WriteBits(out, k * step, bits, values[k]);
}

inline void UnpackBits(const uint8_t* mem, size_t n, int bits, bool sign, int64_t* out) {
  const auto step = static_cast<uint64_t>(bits);
  for (size_t k = 0; k < n; ++k) out[k] = ReadBits(mem, k * step, bits, sign);
}

}  // namespace bw::tensor

#endif  // MODELS_TENSOR_BITPACK_H_
