#include "compiler/schedule/list_schedule.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/schedule/random_operations.h"

namespace bw::schedule {
namespace {

using isa::Memory;
using isa::Queue;

TEST(ListSchedule, KeepsConflictsInOrder) {
  size_t moved = 0;
  for (uint32_t seed = 1; seed <= 40; ++seed) {
    const auto ops = RandomOperations(seed, seed % 4 == 0 ? 600 : 60, 400);
    const auto out = ListSchedule(ops, {6});
    ASSERT_EQ(out.size(), ops.size());
    std::vector<bool> seen(ops.size(), false);
    for (size_t i = 0; i < out.size(); ++i) {
      EXPECT_FALSE(seen[out[i].id]);
      seen[out[i].id] = true;
      moved += out[i].id != i;
      for (size_t j = 0; j < i; ++j) {
        EXPECT_FALSE(out[j].id > out[i].id && Conflict(out[j], out[i])) << "seed " << seed;
      }
    }
  }
  EXPECT_GT(moved, 100u);
}

Operation Make(Queue queue, uint32_t cycles, std::vector<Access> reads,
               std::vector<Access> writes) {
  Operation made;
  made.instruction.queue = queue;
  made.cycles = cycles;
  made.reads = std::move(reads);
  made.writes = std::move(writes);
  return made;
}

std::string Order(const std::vector<Operation>& ops) {
  std::string order;
  for (const auto& op : ops)
    order += "LMPS"[static_cast<int>(op.queue())] + std::to_string(op.tile);
  return order;
}

TEST(ListSchedule, NextLoadAndNextMacRunAhead) {
  std::vector<Operation> ops;
  for (uint32_t tile = 0; tile < 4; ++tile) {
    const uint64_t slot = tile % 2;
    const Access buffer{Memory::kSpm, slot * 16, slot * 16 + 16};
    const Access acc{Memory::kAcc, slot * 8, slot * 8 + 8};
    ops.push_back(Make(Queue::kLoad, 10, {}, {buffer}));
    ops.push_back(Make(Queue::kMac, 100, {buffer}, {acc}));
    ops.push_back(Make(Queue::kPpu, 50, {acc}, {{Memory::kSpm, 100, 200}}));
    for (size_t i = ops.size() - 3; i < ops.size(); ++i) ops[i].tile = tile;
  }
  // Load 2 overwrites what MAC 0 reads, so it waits for it; MAC 2 waits for PPU 0 likewise.
  EXPECT_EQ(Order(ListSchedule(ops, {16})), "L0M0L1P0M1L2P1M2L3P2M3P3");
}

TEST(ListSchedule, PostProcessingFillsItsGaps) {
  // Two tiles of a convolution, then a lookup of each tile's channels: the first lookup does not
  // wait for the second tile.
  std::vector<Operation> ops;
  const Access result[] = {{Memory::kSpm, 0, 60, 8, 4}, {Memory::kSpm, 4, 64, 8, 4}};
  for (uint32_t tile = 0; tile < 2; ++tile) {
    const Access acc{Memory::kAcc, tile * 8, tile * 8 + 8};
    ops.push_back(Make(Queue::kMac, 100, {}, {acc}));
    ops.push_back(Make(Queue::kPpu, 20, {acc}, {result[tile]}));
    for (size_t i = ops.size() - 2; i < ops.size(); ++i) ops[i].tile = tile;
  }
  for (uint32_t tile = 0; tile < 2; ++tile) {
    ops.push_back(Make(Queue::kPpu, 20, {result[tile]}, {{Memory::kSpm, 100 + tile, 101 + tile}}));
    ops.back().tile = 2 + tile;
  }
  EXPECT_EQ(Order(ListSchedule(ops, {16})), "M0P0M1P2P1P3");
}

TEST(ListSchedule, LoadsAheadNeverExceedTheQueue) {
  std::vector<Operation> ops;
  ops.push_back(Make(Queue::kMac, 1000, {}, {{Memory::kAcc, 0, 1}}));
  ops.push_back(Make(Queue::kPpu, 10, {{Memory::kAcc, 0, 1}}, {}));
  for (uint64_t i = 0; i < 20; ++i) {
    ops.push_back(Make(Queue::kLoad, 1, {}, {{Memory::kSpm, i, i + 1}}));
    ops.back().instruction.opcode = isa::Opcode::kLd;
  }
  const auto out = ListSchedule(ops, {8});
  EXPECT_EQ(out[3].queue(), Queue::kPpu) << "two loads of three instructions fit into eight";
}

TEST(Overlap, RowsOfEqualPitchMayInterleave) {
  const Access even{Memory::kSpm, 0, 60, 8, 4}, odd{Memory::kSpm, 4, 64, 8, 4};
  EXPECT_FALSE(Overlap(even, odd));
  EXPECT_FALSE(Overlap(odd, even));
  EXPECT_TRUE(Overlap(even, {Memory::kSpm, 3, 63, 8, 4}));
  EXPECT_TRUE(Overlap(even, {Memory::kSpm, 6, 66, 8, 4})) << "wraps into the next row";
  EXPECT_TRUE(Overlap(even, {Memory::kSpm, 4, 64, 16, 4})) << "another pitch: not known apart";
  EXPECT_TRUE(Overlap(even, {Memory::kSpm, 5, 6, 0, 0}));
  EXPECT_FALSE(Overlap(even, {Memory::kAcc, 0, 60, 8, 4}));
}

}  // namespace
}  // namespace bw::schedule
