#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/golden/builder.h"

namespace bw::golden {
namespace {

using ::testing::ElementsAre;

const IntTensor kX({2, 3}, {1, 2, 3, 4, 5, 6});

TEST(Layout, ReshapeKeepsTheOrder) {
  IntGraph g;
  AddNode(g, graph::IntReshape{}, {AddInput(g, {2, 3})}, {3, 1, 2});
  const IntTensor y = RunGraph(g, {kX}).outputs[0];
  EXPECT_EQ(y, IntTensor({3, 1, 2}, {1, 2, 3, 4, 5, 6}));
}

TEST(Layout, TransposePermutesAxes) {
  IntGraph g;
  AddNode(g, graph::IntTranspose{{2, 0, 1}}, {AddInput(g, {2, 3, 1})}, {1, 2, 3});
  EXPECT_THAT(Results(g, {{{2, 3, 1}, {1, 2, 3, 4, 5, 6}}}), ElementsAre(1, 2, 3, 4, 5, 6));
  IntGraph t;
  AddNode(t, graph::IntTranspose{{1, 0}}, {AddInput(t, {2, 3})}, {3, 2});
  EXPECT_THAT(Results(t, {kX}), ElementsAre(1, 4, 2, 5, 3, 6));
}

TEST(Layout, PadSurroundsWithTheValue) {
  IntGraph g;
  AddNode(g, graph::IntPad{{1, 0}, {0, 2}, -9}, {AddInput(g, {1, 2})}, {2, 4});
  EXPECT_THAT(Results(g, {{{1, 2}, {1, 2}}}), ElementsAre(-9, -9, -9, -9, 1, 2, -9, -9));
}

TEST(Layout, SliceStepsForwardAndBackward) {
  IntGraph g;
  AddNode(g, graph::IntSlice{{1, 2}, {-1, -2}}, {AddInput(g, {2, 3})}, {2, 2});
  EXPECT_THAT(Results(g, {kX}), ElementsAre(6, 4, 3, 1));
}

TEST(Layout, ResizeRepeatsElementsAlongEachAxis) {
  IntGraph g;
  AddNode(g, graph::IntResize{{2, 3}}, {AddInput(g, {2, 2})}, {4, 6});
  const std::vector<int32_t> first = {1, 1, 1, 2, 2, 2}, second = {3, 3, 3, 4, 4, 4};
  std::vector<int32_t> rows;
  for (const auto* row : {&first, &first, &second, &second}) {
    rows.insert(rows.end(), row->begin(), row->end());
  }
  EXPECT_EQ(Results(g, {{{2, 2}, {1, 2, 3, 4}}}), rows);
}

TEST(Layout, ConcatJoinsAlongAnAxisConstantsIncluded) {
  IntGraph g;
  const auto x = AddInput(g, {2, 3});
  const auto c = AddValue(g, "c", {2, 1}, {}, {8, 9});
  AddNode(g, graph::IntConcat{1}, {x, c, x}, {2, 7});
  EXPECT_THAT(Results(g, {kX}), ElementsAre(1, 2, 3, 8, 1, 2, 3, 4, 5, 6, 9, 4, 5, 6));
}

}  // namespace
}  // namespace bw::golden
