#include "compiler/schedule/registers.h"

#include <gtest/gtest.h>

namespace bw::schedule {
namespace {

TEST(RegisterState, WritesOnlyWhatChanges) {
  RegisterState state;
  EXPECT_EQ(state.Configure(isa::Queue::kMac, {{0, 5}, {1, 0}}).size(), 1u);
  EXPECT_TRUE(state.Configure(isa::Queue::kMac, {{0, 5}, {1, 0}}).empty());
  const auto changed = state.Configure(isa::Queue::kMac, {{0, 5}, {1, 7}});
  ASSERT_EQ(changed.size(), 1u);
  EXPECT_EQ(changed[0].cfg.first, 1);
  EXPECT_EQ(changed[0].cfg.count, 1);
  EXPECT_EQ(changed[0].cfg.v[0], 7);
  EXPECT_EQ(state.Configure(isa::Queue::kPpu, {{0, 5}}).size(), 1u) << "queues are apart";
}

TEST(RegisterState, ZeroIsWrittenAtFirst) {
  RegisterState state;
  EXPECT_EQ(state.Configure(isa::Queue::kLoad, {{30, 0}}).size(), 1u);
}

TEST(RegisterState, GroupsThreeNeighbours) {
  RegisterState state;
  const auto made =
      state.Configure(isa::Queue::kLoad, {{4, 1}, {5, 2}, {6, 3}, {7, 4}, {9, 5}, {63, 6}});
  ASSERT_EQ(made.size(), 3u);
  EXPECT_EQ(made[0].cfg.count, 3);
  EXPECT_EQ(made[1].cfg.first, 7);
  EXPECT_EQ(made[1].cfg.count, 3) << "register 8 rides along";
  EXPECT_EQ(made[1].cfg.v[1], 0);
  EXPECT_EQ(made[2].cfg.first, 63);
  EXPECT_TRUE(state.Configure(isa::Queue::kLoad, {{8, 0}}).empty());
}

}  // namespace
}  // namespace bw::schedule
