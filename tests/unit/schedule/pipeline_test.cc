#include "compiler/schedule/pipeline.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "tests/unit/schedule/random_operations.h"

namespace bw::schedule {
namespace {

TEST(SoftwarePipeline, KeepsConflictsAndQueuesInOrder) {
  size_t moved = 0;
  for (uint32_t seed = 1; seed <= 40; ++seed) {
    const auto ops = RandomOperations(seed, 60, 200);
    const auto out = SoftwarePipeline(ops, {6, 1});
    ASSERT_EQ(out.size(), ops.size());
    std::vector<bool> seen(ops.size(), false);
    for (size_t i = 0; i < out.size(); ++i) {
      EXPECT_FALSE(seen[out[i].id]);
      seen[out[i].id] = true;
      moved += out[i].id != i;
      for (size_t j = 0; j < i; ++j) {
        if (out[j].id < out[i].id) continue;
        EXPECT_FALSE(Conflict(out[j], out[i])) << "seed " << seed;
        EXPECT_NE(out[j].queue(), out[i].queue()) << "seed " << seed;
      }
    }
  }
  EXPECT_GT(moved, 100u);
}

Operation Make(isa::Queue queue, uint32_t step, std::vector<Access> reads,
               std::vector<Access> writes) {
  Operation made;
  made.instruction.queue = queue;
  made.step = step;
  made.reads = std::move(reads);
  made.writes = std::move(writes);
  return made;
}

TEST(SoftwarePipeline, NextLoadAndNextMacRunAhead) {
  using isa::Memory;
  using isa::Queue;
  std::vector<Operation> ops;
  for (uint32_t step = 0; step < 4; ++step) {
    const uint64_t slot = step % 2;
    const Access buffer{Memory::kSpm, slot * 16, slot * 16 + 16};
    const Access acc{Memory::kAcc, slot * 8, slot * 8 + 8};
    ops.push_back(Make(Queue::kLoad, step, {}, {buffer}));
    ops.push_back(Make(Queue::kMac, step, {buffer}, {acc}));
    ops.push_back(Make(Queue::kPpu, step, {acc}, {{Memory::kSpm, 100, 200}}));
  }
  std::string order;
  for (const auto& op : SoftwarePipeline(ops, {8, 1})) {
    order += "LMPS"[static_cast<int>(op.queue())];
    order += std::to_string(op.step);
  }
  // Load 2 overwrites what MAC 0 reads, so it comes after MAC 0; MAC 2 after PPU 0 likewise.
  EXPECT_EQ(order, "L0L1M0L2M1L3P0M2P1M3P2P3");
}

TEST(SoftwarePipeline, LoadsAheadNeverExceedTheQueue) {
  std::vector<Operation> ops;
  ops.push_back(Make(isa::Queue::kPpu, 0, {}, {}));
  for (uint64_t i = 0; i < 20; ++i) {
    ops.push_back(Make(isa::Queue::kLoad, 1, {}, {{isa::Memory::kSpm, i, i + 1}}));
    ops.back().cfg.resize(2);
  }
  const auto out = SoftwarePipeline(ops, {8, 1});
  EXPECT_EQ(out[2].queue(), isa::Queue::kPpu) << "two loads of three instructions fit into eight";
}

}  // namespace
}  // namespace bw::schedule
