#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/golden/builder.h"

namespace bw::golden {
namespace {

using graph::IntMatMul;
using ::testing::ElementsAre;

TEST(MatMul, MultipliesByAConstantAndAddsTheBiasOfTheColumn) {
  IntGraph g;
  const auto a = AddInput(g, {2, 3}, {8, true, 1});
  const auto b = AddValue(g, "b", {3, 2}, {8, true, -1}, {0, 1, 2, 3, 4, 5});
  AddNode(g, IntMatMul{Raw()}, {a, b, AddBias(g, {100, 200})}, {2, 2}, kWide);
  // a - 1 = {0 1 2; 3 4 5}, b + 1 = {1 2; 3 4; 5 6}.
  EXPECT_THAT(Results(g, {{{2, 3}, {1, 2, 3, 4, 5, 6}}}), ElementsAre(113, 216, 140, 252));
}

TEST(MatMul, MultipliesTwoActivationsBatchByBatch) {
  IntGraph g;
  const auto a = AddInput(g, {2, 1, 2}), b = AddInput(g, {2, 2, 1});
  AddNode(g, IntMatMul{Raw()}, {a, b}, {2, 1, 1}, kWide);
  EXPECT_THAT(Results(g, {{{2, 1, 2}, {1, 2, 3, 4}}, {{2, 2, 1}, {5, 6, 7, -8}}}),
              ElementsAre(17, -11));
}

TEST(MatMul, ChannelsAreColumnsExceptAtRankFour) {
  const RequantSet set{{{1, 0, 0, -128, 127}, {2, 0, 0, -128, 127}}, {}};
  IntGraph columns;
  const auto a = AddInput(columns, {1, 1});
  AddNode(columns, IntMatMul{set}, {a, AddValue(columns, "b", {1, 2}, {}, {10, 10})}, {1, 2});
  EXPECT_THAT(Results(columns, {{{1, 1}, {3}}}), ElementsAre(30, 60));

  IntGraph heads;
  const auto q = AddInput(heads, {1, 2, 1, 1}), k = AddInput(heads, {1, 2, 1, 2});
  AddNode(heads, IntMatMul{set}, {q, k}, {1, 2, 1, 2});
  EXPECT_THAT(Results(heads, {{{1, 2, 1, 1}, {1, 1}}, {{1, 2, 1, 2}, {1, 2, 3, 4}}}),
              ElementsAre(1, 2, 6, 8));
}

TEST(MatMul, WrapsAndCounts) {
  IntGraph g;
  g.acc_bits = 16;
  const auto a = AddInput(g, {1, 3});
  AddNode(g, IntMatMul{Raw()}, {a, AddValue(g, "b", {3, 1}, {}, {127, 127, 127})}, {1, 1}, kWide);
  const GoldenRun run = RunGraph(g, {{{1, 3}, {127, 127, 127}}});
  EXPECT_THAT(run.outputs[0].data, ElementsAre(3 * 16129 - 65536));
  EXPECT_EQ(run.counts[0].overflows, 1);
}

TEST(MatMul, FastKernelsEqualTheDefinition) {
  std::mt19937 rng(2);
  const std::pair<Type, Type> types[] = {{{8, true, 0}, {8, true, 0}},
                                         {{8, false, 128}, {8, true, 5}},
                                         {{16, false, 3}, {16, true, 0}},
                                         {{4, true, -8}, {2, true, 0}}};
  int64_t compared = 0;
  for (const auto& [ta, tb] : types) {
    for (const bool constant : {false, true}) {
      for (const int64_t k : {1, 15, 16, 17, 40}) {
        for (const int64_t n : {1, 3, 4, 9}) {
          IntGraph g;
          g.acc_bits = 24;
          const auto a = AddInput(g, {2, 3, k}, ta);
          const Shape b_shape = constant ? Shape({k, n}) : Shape({2, k, n});
          std::vector<IntTensor> inputs = {RandomTensor(rng, {2, 3, k}, ta)};
          IntValueId b = 0;
          if (constant) {
            b = AddValue(g, "b", b_shape, tb, RandomValues(rng, k * n, tb));
          } else {
            b = AddInput(g, b_shape, tb);
            inputs.push_back(RandomTensor(rng, b_shape, tb));
          }
          AddNode(g, IntMatMul{Raw()}, {a, b}, {2, 3, n}, kWide);
          const IntTensor fast = RunGraph(g, inputs).outputs[0];
          ASSERT_EQ(fast, RunGraph(g, inputs, Kernels::kDirect).outputs[0]) << k << " " << n;
          compared += fast.elements();
        }
      }
    }
  }
  EXPECT_EQ(compared, 4 * 2 * 5 * 6 * (1 + 3 + 4 + 9));
}

}  // namespace
}  // namespace bw::golden
