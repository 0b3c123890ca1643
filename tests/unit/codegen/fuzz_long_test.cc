#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/unit/codegen/fuzz.h"

namespace bw::codegen {
namespace {

// BW_FUZZ_FIRST and BW_FUZZ_COUNT choose other seeds.
uint32_t FromEnvironment(const char* name, uint32_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : static_cast<uint32_t>(std::strtoul(text, nullptr, 10));
}

TEST(FuzzLong, RandomNetworksAgreeOnRandomMachines) {
  const uint32_t first = FromEnvironment("BW_FUZZ_FIRST", 1000);
  const uint32_t count = FromEnvironment("BW_FUZZ_COUNT", 1500);
  const FuzzCounts counts = Fuzz(first, count);
  EXPECT_EQ(counts.failure, "");
  EXPECT_GT(counts.compiled, 0);
  printf("%d networks agreed in %ld elements, %d do not fit\n", counts.compiled,
         static_cast<long>(counts.elements), counts.too_large);
}

}  // namespace
}  // namespace bw::codegen
