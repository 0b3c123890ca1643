#include "models/tensor/bitpack.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace bw::tensor {
namespace {

// One bit at a time, straight from the definition in bitpack.h.
int64_t ReadSlowly(const std::vector<uint8_t>& mem, uint64_t offset, int bits, bool sign) {
  uint64_t raw = 0;
  for (int i = 0; i < bits; ++i) {
    const uint64_t at = offset + static_cast<uint64_t>(i);
    raw |= static_cast<uint64_t>((mem[at / 8] >> (at % 8)) & 1) << i;
  }
  if (sign && bits < 64 && (raw >> (bits - 1)) != 0) raw |= ~uint64_t{0} << bits;
  return static_cast<int64_t>(raw);
}

TEST(Bitpack, LowNibbleComesFirst) {
  const int64_t values[] = {1, -2, 7};
  uint8_t out[2] = {0xff, 0xff};
  PackBits(values, 3, 4, out);
  EXPECT_EQ(out[0], 0xe1);
  EXPECT_EQ(out[1], 0x07);
}

TEST(Bitpack, TwelveBitValuesStraddleBytes) {
  const int64_t values[] = {-2048, 2047, 0x123};
  uint8_t out[5];
  PackBits(values, 3, 12, out);
  const std::vector<uint8_t> expected = {0x00, 0xf8, 0x7f, 0x23, 0x01};
  EXPECT_EQ(std::vector<uint8_t>(out, out + 5), expected);
}

TEST(Bitpack, CountsBytesRoundedUp) {
  EXPECT_EQ(PackedBytes(0, 7), 0u);
  EXPECT_EQ(PackedBytes(1, 2), 1u);
  EXPECT_EQ(PackedBytes(5, 5), 4u);
  EXPECT_EQ(PackedBytes(3, 64), 24u);
}

TEST(Bitpack, RoundTripsEveryValueOfNarrowWidths) {
  for (int bits = 2; bits <= 16; ++bits) {
    std::vector<int64_t> values;
    for (int64_t v = -(int64_t{1} << (bits - 1)); v < int64_t{1} << (bits - 1); ++v) {
      values.push_back(v);
    }
    std::vector<uint8_t> packed(PackedBytes(values.size(), bits));
    PackBits(values.data(), values.size(), bits, packed.data());
    std::vector<int64_t> back(values.size());
    UnpackBits(packed.data(), values.size(), bits, true, back.data());
    ASSERT_EQ(back, values) << bits << " bits";
    UnpackBits(packed.data(), values.size(), bits, false, back.data());
    for (size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(back[i], values[i] & ((int64_t{1} << bits) - 1)) << bits << " bits, value " << i;
    }
  }
}

TEST(Bitpack, AgreesWithTheDefinitionAtEveryOffsetAndWidth) {
  std::mt19937_64 random(20240611);
  int compared = 0;
  for (int bits = 1; bits <= 64; ++bits) {
    for (uint64_t offset = 0; offset <= 64; ++offset) {
      // As large as needed and no larger, so that a sanitizer sees a byte too many being touched.
      std::vector<uint8_t> mem(PackedBytes(1, static_cast<int>(offset) + bits));
      for (uint8_t& byte : mem) byte = static_cast<uint8_t>(random());
      for (const bool sign : {false, true}) {
        ASSERT_EQ(ReadBits(mem.data(), offset, bits, sign), ReadSlowly(mem, offset, bits, sign))
            << bits << " bits at " << offset;
      }
      std::vector<uint8_t> before = mem;
      const auto value = static_cast<int64_t>(random());
      WriteBits(mem.data(), offset, bits, value);
      ASSERT_EQ(ReadSlowly(mem, offset, bits, true),
                ExtendBits(static_cast<uint64_t>(value), bits, true));
      const uint64_t end = offset + static_cast<uint64_t>(bits);
      for (uint64_t i = 0; i < mem.size() * 8; ++i) {
        if (i >= offset && i < end) continue;
        ASSERT_EQ(ReadSlowly(mem, i, 1, false), ReadSlowly(before, i, 1, false))
            << "writing " << bits << " bits at " << offset << " changed bit " << i;
      }
      ++compared;
    }
  }
  EXPECT_EQ(compared, 64 * 65);
}

}  // namespace
}  // namespace bw::tensor
