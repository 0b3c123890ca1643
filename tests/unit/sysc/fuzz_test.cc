// Random networks on random machines, compiled: the SystemC machine against the ISS.
#include "tests/unit/codegen/fuzz.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "tests/unit/sysc/run_pair.h"

namespace bw::sysc {
namespace {

uint32_t FromEnvironment(const char* name, uint32_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : static_cast<uint32_t>(std::strtoul(text, nullptr, 10));
}

// Timing parameters of their own for each seed; the network and the sizes are the fuzzer's.
hwconfig::HwConfig WithRandomTiming(hwconfig::HwConfig config, uint32_t seed) {
  std::mt19937 rng(seed + 77);
  const auto below = [&](uint32_t n) { return static_cast<int64_t>(rng() % n); };
  config.array_dataflow = below(3) == 0 ? hwconfig::Dataflow::kOs : hwconfig::Dataflow::kWs;
  config.dram_bytes_per_cycle = 1 + below(20);
  config.dram_latency = below(40);
  config.dma_burst_bytes = int64_t{16} << below(6);
  config.dma_outstanding = 1 + below(8);
  return config;
}

struct Counts {
  int agreed = 0;
  int64_t elements = 0;
};

Counts CompareSeeds(uint32_t first, uint32_t count) {
  Counts counts;
  for (uint32_t seed = first; seed < first + count; ++seed) {
    codegen::FuzzCase fuzz = codegen::MakeFuzzCase(seed);
    fuzz.config = WithRandomTiming(fuzz.config, seed);
    const auto program = codegen::Compile(fuzz.graph, fuzz.config, fuzz.options);
    if (!program.ok()) continue;  // does not fit this machine
    SystemcOptions options;
    options.stall_seed = seed % 2 == 0 ? seed : 0;
    options.order_seed = seed % 3;
    SystemcExecutor executor(fuzz.config, options);
    const Observed want = RunOnIss(*program, seed);
    const Observed got = RunOn(executor, *program, seed);
    const std::string difference = Difference(*program, got, want);
    EXPECT_EQ(difference, "") << "seed " << seed;
    if (!difference.empty()) return counts;
    ++counts.agreed;
    counts.elements += got.elements;
  }
  return counts;
}

TEST(SystemcFuzz, RandomNetworksAgreeWithTheIss) {
  const uint32_t first = FromEnvironment("BW_FUZZ_FIRST", 1);
  const uint32_t count = FromEnvironment("BW_FUZZ_COUNT", 60);
  const Counts counts = CompareSeeds(first, count);
  EXPECT_GT(counts.agreed, 0);
  EXPECT_GT(counts.elements, 0);
  printf("%d networks agreed in %ld elements\n", counts.agreed, static_cast<long>(counts.elements));
}

}  // namespace
}  // namespace bw::sysc
