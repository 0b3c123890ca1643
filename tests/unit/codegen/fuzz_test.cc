#include "tests/unit/codegen/fuzz.h"

#include <gtest/gtest.h>

namespace bw::codegen {
namespace {

TEST(Fuzz, RandomNetworksAgreeOnRandomMachines) {
  const FuzzCounts counts = Fuzz(1, 150);
  EXPECT_EQ(counts.failure, "");
  EXPECT_GT(counts.compiled, 100);
  EXPECT_GT(counts.elements, 50000);
  RecordProperty("too_large", counts.too_large);
}

// Seeds that once failed: taps in front of address 0 with reversed axes, odd channel chunks in
// 4-bit containers, a load over part of a view before it was probed.
TEST(Fuzz, FormerFailuresAgree) {
  for (const uint32_t seed : {5613u, 8340u, 12985u, 15361u}) EXPECT_EQ(Fuzz(seed, 1).failure, "");
}

}  // namespace
}  // namespace bw::codegen
