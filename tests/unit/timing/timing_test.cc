#include "sim/timing/timing.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace bw::timing {
namespace {

hwconfig::HwConfig Edge() {
  hwconfig::HwConfig config;
  config.name = "edge";
  return config;
}

TEST(Timing, PpuPipelineHasTheStagesOfTheRtl) { EXPECT_EQ(PpuPipelineDepth(Edge()), 7); }

TEST(Timing, ArrayLatencyIsTheSkewOfBothEdges) {
  hwconfig::HwConfig config = Edge();
  EXPECT_EQ(ArrayLatency(config), 31);
  config.array_rows = 1;
  config.array_cols = 1;
  EXPECT_EQ(ArrayLatency(config), 1);
}

TEST(Timing, ABurstCostsTheAlignedBeatsItTouches) {
  const hwconfig::HwConfig config = Edge();
  EXPECT_EQ(DramBeats(config, 0, 1), 1);
  EXPECT_EQ(DramBeats(config, 0, 16), 1);
  EXPECT_EQ(DramBeats(config, 0, 17), 2);
  EXPECT_EQ(DramBeats(config, 15, 1), 1);
  EXPECT_EQ(DramBeats(config, 15, 2), 2);
  EXPECT_EQ(DramBeats(config, 8, 256), 17);
}

TEST(Timing, ReadLatencyIsNeverLessThanOneHop) {
  hwconfig::HwConfig config = Edge();
  EXPECT_EQ(DramReadLatency(config), 60);
  config.dram_latency = 0;
  EXPECT_EQ(DramReadLatency(config), 1);
}

TEST(Timing, DmaBeatsFollowTheWiderFormat) {
  hwconfig::HwConfig config = Edge();
  EXPECT_EQ(DmaBeatElements(config, 8, 8), 16);
  EXPECT_EQ(DmaBeatElements(config, 5, 8), 16);
  EXPECT_EQ(DmaBeatElements(config, 4, 4), 32);
  EXPECT_EQ(DmaBeatElements(config, 8, 32), 4);
  config.dram_bytes_per_cycle = 1;
  EXPECT_EQ(DmaBeatElements(config, 32, 32), 1);
  config.dram_bytes_per_cycle = 256;
  EXPECT_EQ(DmaBeatElements(config, 4, 4), kMaxVector);
}

TEST(Timing, TableBeatsAreWholeEntries) {
  const hwconfig::HwConfig config = Edge();
  EXPECT_EQ(TableBeatEntries(config, 24), 1);
  EXPECT_EQ(TableBeatEntries(config, 4), 4);
}

TEST(Timing, FetchHoldsTwoBursts) {
  hwconfig::HwConfig config = Edge();
  EXPECT_EQ(FetchBurstBytes(config), 256);
  EXPECT_EQ(FetchBufferInstructions(config), 32);
  config.dma_burst_bytes = 16;
  EXPECT_EQ(FetchBufferInstructions(config), 2);
}

// The published totals for the same product fill and drain in every fold; see timing.h.
TEST(Timing, MatrixProductOverlapsItsFolds) {
  const hwconfig::HwConfig config = Edge();
  const int64_t ours = GemmCycles(config, 128, 128, 128);
  std::printf("GEMM 128x128x128 on 16x16: %ld cycles; published 10111, 10432, 11136\n",
              static_cast<long>(ours));
  EXPECT_EQ(ours, 64 * 128 + 16 + 31 + kMemoryReadLatency);
}

TEST(Timing, ShortFoldsWaitForWeights) {
  const hwconfig::HwConfig config = Edge();
  // One vector a fold: the 16 accesses of the next weights are in the open.
  const int64_t one = GemmCycles(config, 1, 16, 16);
  EXPECT_EQ(GemmCycles(config, 1, 16, 32) - one, WeightLoadAccesses(16));
  EXPECT_EQ(GemmCycles(config, 1, 16, 48) - GemmCycles(config, 1, 16, 32), WeightLoadAccesses(16));
}

TEST(Timing, ShadowRegistersLoadOneFoldAheadOnly) {
  const hwconfig::HwConfig config = Edge();
  // 17 vectors stream as fast as one row of weights more could load; a k of 4 leaves slack.
  EXPECT_EQ(GemmCycles(config, 17, 16, 32) - GemmCycles(config, 17, 16, 16), 17);
  EXPECT_EQ(GemmCycles(config, 17, 32, 4) - GemmCycles(config, 17, 16, 4), 17);
}

TEST(Timing, WatchdogOutlastsTheMemory) {
  hwconfig::HwConfig config = Edge();
  config.dram_latency = 1000;
  config.dma_outstanding = 64;
  EXPECT_GT(WatchdogCycles(config), 64 * 1000);
}

}  // namespace
}  // namespace bw::timing
