#include "sim/sysc/ring.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

namespace bw::sysc {
namespace {

TEST(Ring, AnEntryIsVisibleInTheNextCycleAndNotBefore) {
  CycleClock clock;
  Ring<int> ring;
  ring.Configure(clock, 2);
  ring.Next() = 7;
  ring.Push();
  EXPECT_FALSE(ring.HasEntry());
  ++clock.now;
  ASSERT_TRUE(ring.HasEntry());
  EXPECT_EQ(ring.Front(), 7);
}

TEST(Ring, APlaceIsFreeInTheNextCycleAndNotBefore) {
  CycleClock clock;
  Ring<int> ring;
  ring.Configure(clock, 1);
  ring.Push();
  EXPECT_FALSE(ring.HasSpace());
  ++clock.now;
  ring.Pop();
  EXPECT_FALSE(ring.HasSpace());
  ++clock.now;
  EXPECT_TRUE(ring.HasSpace());
}

TEST(Ring, TwoPlacesCarryOneEntryACycle) {
  CycleClock clock;
  Ring<int> ring;
  ring.Configure(clock, 2);
  int popped = 0;
  for (clock.now = 0; clock.now < 20; ++clock.now) {
    if (ring.CanPop()) ring.Pop(), ++popped;
    ASSERT_TRUE(ring.CanPush()) << "cycle " << clock.now;
    ring.Push();
  }
  EXPECT_EQ(popped, 19);
}

TEST(Ring, OnePlaceCarriesOneEntryEveryTwoCycles) {
  CycleClock clock;
  Ring<int> ring;
  ring.Configure(clock, 1);
  int popped = 0;
  for (clock.now = 0; clock.now < 20; ++clock.now) {
    if (ring.CanPop()) ring.Pop(), ++popped;
    if (ring.CanPush()) ring.Push();
  }
  EXPECT_EQ(popped, 10);
}

// A chain of three processes over two rings; what arrives, and when.
std::vector<std::pair<uint64_t, int>> Arrivals(std::array<size_t, 3> order, uint64_t seed) {
  CycleClock clock;
  Ring<int> first, second;
  first.Configure(clock, 2, RandomStall(seed, 1));
  second.Configure(clock, 3, RandomStall(seed, 2));
  int sent = 0;
  std::vector<std::pair<uint64_t, int>> arrivals;
  const std::array<std::function<void()>, 3> processes = {
      [&] {
        if (!first.CanPush()) return;
        first.Next() = sent++;
        first.Push();
      },
      [&] {
        if (!first.CanPop() || !second.CanPush()) return;
        second.Next() = first.Front();
        second.Push();
        first.Pop();
      },
      [&] {
        if (!second.CanPop()) return;
        arrivals.emplace_back(clock.now, second.Front());
        second.Pop();
      }};
  for (; clock.now < 300; ++clock.now) {
    for (const size_t process : order) processes[process]();
  }
  return arrivals;
}

TEST(Ring, TheOrderOfProcessesChangesNothing) {
  for (const uint64_t seed : {0U, 1U, 2U}) {
    std::array<size_t, 3> order = {0, 1, 2};
    const auto want = Arrivals(order, seed);
    EXPECT_GT(want.size(), 50U);
    while (std::next_permutation(order.begin(), order.end())) {
      EXPECT_EQ(Arrivals(order, seed), want);
    }
  }
}

TEST(Ring, RandomStallsDelayAndKeepTheOrder) {
  const auto free = Arrivals({0, 1, 2}, 0);
  const auto stalled = Arrivals({0, 1, 2}, 5);
  EXPECT_LT(stalled.size(), free.size());
  for (size_t i = 0; i < stalled.size(); ++i) EXPECT_EQ(stalled[i].second, static_cast<int>(i));
}

TEST(RandomStall, SeedZeroNeverStallsAndOthersDifferByPoint) {
  int never = 0, one = 0, other = 0;
  for (uint64_t now = 0; now < 4096; ++now) {
    never += RandomStall(0, 1).At(now);
    one += RandomStall(9, 1).At(now);
    other += RandomStall(9, 2).At(now);
  }
  EXPECT_EQ(never, 0);
  EXPECT_NE(one, other);
  EXPECT_LT(one, 4096 / 2);
}

TEST(RegisteredCounter, OthersSeeAnAdditionOneCycleLate) {
  RegisteredCounter counter;
  counter.Add(5);
  counter.Add(5, 2);
  EXPECT_EQ(counter.Total(), 3U);
  EXPECT_EQ(counter.Before(5), 0U);
  EXPECT_EQ(counter.Before(6), 3U);
}

TEST(RegisteredValue, IsThatOfTheCycleBeforeOnly) {
  RegisteredValue<bool> value;
  EXPECT_FALSE(value.Get(0));
  value.Set(3, true);
  EXPECT_FALSE(value.Get(3));
  EXPECT_TRUE(value.Get(4));
  EXPECT_FALSE(value.Get(5));
}

}  // namespace
}  // namespace bw::sysc
