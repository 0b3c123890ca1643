#include "compiler/schedule/memory_plan.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace bw::schedule {
namespace {

TEST(PlanMemory, LiveBuffersNeverOverlap) {
  std::mt19937 rng(5);
  size_t compared = 0, unplaced = 0;
  for (int round = 0; round < 50; ++round) {
    std::vector<Buffer> buffers(40);
    for (auto& b : buffers) {
      b.first = static_cast<int64_t>(rng() % 20);
      b.last = b.first + static_cast<int64_t>(rng() % 6);
      b.bytes = rng() % 100 + 1;
      b.headroom = rng() % 4 == 0 ? rng() % 50 : 0;
      b.align = uint64_t{1} << rng() % 4;
    }
    const MemoryPlan plan = PlanMemory(buffers, 400);
    bool complete = true;
    for (size_t i = 0; i < buffers.size(); ++i) {
      if (plan.offsets[i] == kUnplaced) {
        complete = false;
        ++unplaced;
        continue;
      }
      EXPECT_LE(plan.offsets[i] + buffers[i].bytes, 400u);
      EXPECT_GE(plan.offsets[i], buffers[i].headroom);
      EXPECT_EQ(plan.offsets[i] % buffers[i].align, 0u);
      for (size_t j = 0; j < i; ++j) {
        if (plan.offsets[j] == kUnplaced || buffers[i].first > buffers[j].last ||
            buffers[j].first > buffers[i].last) {
          continue;
        }
        ++compared;
        EXPECT_TRUE(plan.offsets[i] + buffers[i].bytes <= plan.offsets[j] ||
                    plan.offsets[j] + buffers[j].bytes <= plan.offsets[i]);
      }
    }
    EXPECT_EQ(complete, plan.complete);
  }
  EXPECT_GT(compared, 1000u);
  EXPECT_GT(unplaced, 0u);
}

TEST(PlanMemory, ReusesWhatIsDead) {
  const std::vector<Buffer> chain = {{0, 1, 64}, {1, 2, 64}, {2, 3, 64}, {3, 4, 64}};
  const MemoryPlan plan = PlanMemory(chain, 128);
  EXPECT_TRUE(plan.complete);
  EXPECT_EQ(plan.peak, 128u);
}

TEST(FreeGaps, CoverExactlyWhatIsNotTaken) {
  const std::vector<Buffer> buffers = {{0, 1, 30}, {0, 0, 20}, {1, 1, 10}};
  const MemoryPlan plan = PlanMemory(buffers, 64);  // at 0, 30 and 30
  const auto gaps = FreeGaps(buffers, plan, 1, 64);
  ASSERT_EQ(gaps.size(), 1u);
  EXPECT_EQ(gaps[0].begin, 40u);
  EXPECT_EQ(gaps[0].end, 64u);
}

TEST(GapAllocator, GoesOnFromTheCursorAndWrapsAround) {
  GapAllocator gaps({{0, 40}, {50, 100}}, 20);
  EXPECT_EQ(gaps.Take(16, 0, 8), 24u);
  EXPECT_EQ(gaps.cursor(), 40u);
  EXPECT_EQ(gaps.Take(30, 0, 1), 50u);
  EXPECT_EQ(gaps.Take(24, 0, 1), 0u) << "behind the cursor there are 20 bytes";
  EXPECT_EQ(gaps.Take(24, 0, 1), std::nullopt);
  EXPECT_EQ(gaps.FreeBytes(), 20u);
}

TEST(GapAllocator, KeepsHeadroomFree) {
  GapAllocator gaps({{0, 100}}, 0);
  EXPECT_EQ(gaps.Take(10, 33, 16), 48u);
  EXPECT_EQ(gaps.Take(60, 33, 16), std::nullopt);
  EXPECT_EQ(gaps.Take(40, 0, 16), 0u);
}

}  // namespace
}  // namespace bw::schedule
