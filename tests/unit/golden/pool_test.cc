#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/golden/builder.h"

namespace bw::golden {
namespace {

using graph::IntPool;
using ::testing::ElementsAre;

IntPool TwoByTwo(bool is_max) {
  IntPool pool;
  pool.is_max = is_max;
  pool.kernel_h = pool.kernel_w = pool.stride_h = pool.stride_w = 2;
  return pool;
}

TEST(MaxPool, PaddingNeverWins) {
  IntGraph g;
  IntPool pool = TwoByTwo(true);
  pool.pad_top = pool.pad_left = pool.pad_bottom = pool.pad_right = 1;
  AddNode(g, pool, {AddInput(g, {1, 1, 2, 2})}, {1, 1, 2, 2});
  EXPECT_THAT(Results(g, {{{1, 1, 2, 2}, {-1, -2, -3, -128}}}), ElementsAre(-1, -2, -3, -128));
}

TEST(MaxPool, DilatesAndStridesEachPlane) {
  IntGraph g;
  IntPool pool = TwoByTwo(true);
  pool.kernel_h = 1;
  pool.stride_h = 1;
  pool.stride_w = 1;
  pool.dilation_w = 2;
  AddNode(g, pool, {AddInput(g, {1, 2, 1, 4})}, {1, 2, 1, 2});
  EXPECT_THAT(Results(g, {{{1, 2, 1, 4}, {1, 9, 3, 2, -5, -6, -7, 0}}}), ElementsAre(3, 9, -5, 0));
}

TEST(SumPool, TakesTheEntryOfTheNumberOfValidElements) {
  IntGraph g;
  IntPool pool = TwoByTwo(false);
  pool.pad_top = pool.pad_left = 1;
  // 1, 1/2 and 1/4 of the sums of q - 3: 4; 2 + 5; 1 + 6; -2 - 1 + 0 - 4.
  pool.by_count = {{1, {1, 0, 3, -128, 127}}, {2, {1, 1, 3, -128, 127}}, {4, {1, 2, 3, -128, 127}}};
  AddNode(g, pool, {AddInput(g, {1, 1, 3, 3}, {8, true, 3})}, {1, 1, 2, 2}, {8, true, 3});
  EXPECT_THAT(Results(g, {{{1, 1, 3, 3}, {7, 5, 8, 4, 1, 2, 9, 3, -1}}}), ElementsAre(7, 7, 7, 1));
}

TEST(SumPool, RoundsTiesByTheMode) {
  IntGraph g;
  IntPool pool = TwoByTwo(false);
  pool.kernel_h = pool.stride_h = 1;
  pool.by_count = {{2, {1, 1, 0, -128, 127}}};
  AddNode(g, pool, {AddInput(g, {1, 1, 1, 4})}, {1, 1, 1, 2});
  const IntTensor x({1, 1, 1, 4}, {1, 2, -1, -2});
  EXPECT_THAT(Results(g, {x}), ElementsAre(2, -1));
  g.nodes[0].rounding = arith::Rounding::kHalfAway;
  EXPECT_THAT(Results(g, {x}), ElementsAre(2, -2));
}

TEST(SumPool, CountsSaturation) {
  IntGraph g;
  IntPool pool = TwoByTwo(false);
  pool.by_count = {{4, {1, 0, 0, -128, 127}}};
  AddNode(g, pool, {AddInput(g, {1, 1, 2, 2})}, {1, 1, 1, 1});
  const GoldenRun run = RunGraph(g, {{{1, 1, 2, 2}, {100, 100, 100, 100}}});
  EXPECT_THAT(run.outputs[0].data, ElementsAre(127));
  EXPECT_EQ(run.counts[0].saturations, 1);
}

}  // namespace
}  // namespace bw::golden
