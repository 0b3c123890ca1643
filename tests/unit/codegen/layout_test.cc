#include <gtest/gtest.h>

#include <vector>

#include "compiler/codegen/gemm.h"
#include "compiler/codegen/pool.h"
#include "compiler/codegen/reshape_axes.h"
#include "compiler/codegen/tile_space.h"
#include "compiler/codegen/value_table.h"
#include "tests/unit/codegen/network.h"

namespace bw::codegen {
namespace {

TEST(DenseLayout, RowsStartOnBytes) {
  const Layout layout = DenseLayout({1, 3, 4, 5}, {0, 2, 3, 1}, 3);  // a pixel: 9 of 16 bits
  EXPECT_EQ(layout.strides, (Index{320, 3, 80, 16}));
  EXPECT_EQ(layout.bytes(), 40u);
}

TEST(DenseLayout, ScalarTakesOneElement) { EXPECT_EQ(DenseLayout({}, {}, 5).bytes(), 1u); }

TEST(MergeAxes, JoinsWhatAllOperandsSeeAsOne) {
  // Rows of 4 of 8 bits: dense in a, broadcast in b, dense in d.
  const auto merged = MergeAxes({{2, {96, 0, 96}}, {3, {32, 0, 32}}, {4, {8, 0, 8}}});
  ASSERT_EQ(merged.size(), 1u);
  EXPECT_EQ(merged[0].extent, 24);
  const auto apart = MergeAxes({{2, {96, 0, 96}}, {3, {32, 0, 32}}, {4, {8, 8, 8}}});
  EXPECT_EQ(apart.size(), 2u);
  EXPECT_EQ(MergeAxes({{3, {32, 0, 32}}, {4, {8, 0, 8}}}, 1).size(), 2u);
  EXPECT_EQ(MergeAxes({{1, {5, 5, 5}}}).size(), 1u) << "one loop is left";
}

TEST(SharedAxes, FactorsBothShapes) {
  const auto shared = SharedAxes({4, 6}, {2, 12});
  ASSERT_TRUE(shared.has_value());
  ASSERT_EQ(shared->size(), 3u);
  EXPECT_EQ((*shared)[1].extent, 2);
  EXPECT_EQ((*shared)[1].from_axis, 0u);
  EXPECT_EQ((*shared)[1].to_axis, 1u);
  EXPECT_EQ((*shared)[1].to_step, 6);
  EXPECT_FALSE(SharedAxes({4, 9}, {6, 6}).has_value());
  EXPECT_TRUE(SharedAxes({1, 1}, {1}).has_value());
}

TEST(SharedAxes, FlattenOfDenseIsAViewOfChannelsLastIsNot) {
  const auto shared = SharedAxes({1, 3, 4}, {12});
  EXPECT_EQ(*ReshapedStrides(*shared, {96, 32, 8}, 1), (Index{8}));
  EXPECT_FALSE(ReshapedStrides(*shared, {96, 8, 24}, 1).has_value());
}

TEST(ValueTable, SpatialValuesAreChannelsLastAndMatricesRowMajor) {
  Network net(1);
  const auto x = net.Input({1, 3, 8, 8});
  const auto y = net.Requant(x, true, false);
  net.Conv(y, {});
  const auto m = net.Input({1, 2, 5, 4});
  const auto n = net.MatMulOf(m, net.Input({1, 2, 4, 5}));
  const ValueTable table(net.graph());
  EXPECT_EQ(table.of(x).order, (std::vector<int>{0, 2, 3, 1}));
  EXPECT_EQ(table.of(m).order, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(table.of(n).order, (std::vector<int>{0, 1, 2, 3}));
}

TEST(ValueTable, ConcatenatedPartsLieInTheResult) {
  Network net(2);
  const auto x = net.Input({1, 3, 8, 8});
  const auto a = net.Conv(x, Pointwise(4)), b = net.Conv(x, Pointwise(5));
  const auto all = net.Concat({a, b}, 1);
  const auto twice = net.Concat({x, x}, 1);
  const ValueTable table(net.graph());
  EXPECT_TRUE(table.IsView(2));
  EXPECT_EQ(table.of(b).root, all);
  EXPECT_EQ(table.of(b).spm_offset, 4 * 8);
  EXPECT_EQ(table.of(b).spm_strides, table.of(all).spm_strides);
  EXPECT_FALSE(table.IsView(3)) << "an input is where the caller put it";
  EXPECT_EQ(table.of(twice).root, twice);
}

int64_t TimesCovered(const std::vector<Box>& boxes, const Index& extents, int64_t* wrong) {
  int64_t elements = 1;
  for (const int64_t e : extents) elements *= e;
  std::vector<int> seen(static_cast<size_t>(elements), 0);
  for (const Box& box : boxes) {
    for (int64_t i = 0; i < box.Elements(); ++i) {
      int64_t rest = i, at = 0, step = 1;
      for (size_t axis = extents.size(); axis-- > 0;) {
        at += (box.first[axis] + rest % box.extent[axis]) * step;
        rest /= box.extent[axis];
        step *= extents[axis];
      }
      ++seen[static_cast<size_t>(at)];
    }
  }
  for (const int count : seen) *wrong += count != 1;
  return elements;
}

TEST(Tiles, CoverTheResultExactlyOnce) {
  TileSpace space;
  space.axes = {{3, 0}, {5, 0}, {7, 1}};
  for (const int limited : {-1, 2}) {
    space.limited_axis = limited;
    for (const Index& step : {Index{3, 5, 7}, Index{1, 2, 7}, Index{1, 1, 4}, Index{2, 5, 3}}) {
      int64_t wrong = 0;
      EXPECT_EQ(TimesCovered(Tiles(space, step), {3, 5, 7}, &wrong), 105);
      EXPECT_EQ(wrong, 0);
    }
  }
}

TEST(SplitPixels, CoversTheMapExactlyOnce) {
  std::vector<Box> boxes;
  for (const PixelBox& p : SplitPixels({0, 0, 9, 13}, 2, 5)) {
    boxes.push_back({{p.y, p.x}, {p.rows, p.cols}});
  }
  int64_t wrong = 0;
  TimesCovered(boxes, {9, 13}, &wrong);
  EXPECT_EQ(wrong, 0);
}

TEST(SplitByCount, RegionsCoverTheMapAndAgreeOnTheirCount) {
  WindowGeometry g;
  g.in_h = 7, g.in_w = 6, g.kernel_h = 3, g.kernel_w = 4, g.pad_top = 1, g.pad_left = 2;
  g.out_h = 7, g.out_w = 7;
  std::vector<Box> boxes;
  for (const PoolRegion& r : SplitByCount(g, {0, 0, 7, 7})) {
    boxes.push_back({{r.pixels.y, r.pixels.x}, {r.pixels.rows, r.pixels.cols}});
    for (int64_t y = r.pixels.y; y < r.pixels.y + r.pixels.rows; ++y) {
      for (int64_t x = r.pixels.x; x < r.pixels.x + r.pixels.cols; ++x) {
        int64_t valid = 0;
        for (int64_t ky = 0; ky < 3; ++ky) {
          for (int64_t kx = 0; kx < 4; ++kx) {
            valid += y - 1 + ky >= 0 && y - 1 + ky < 7 && x - 2 + kx >= 0 && x - 2 + kx < 6;
          }
        }
        EXPECT_EQ(valid, r.valid);
      }
    }
  }
  int64_t wrong = 0;
  TimesCovered(boxes, {7, 7}, &wrong);
  EXPECT_EQ(wrong, 0);
}

TEST(SplitChannels, BlocksStayWithinGroupsAndParameterLoads) {
  GemmProblem problem;
  problem.out_c = 30, problem.in_c = 6, problem.groups = 3;
  GemmPlan plan;
  plan.block = 4;
  plan.param_group = 16;
  int64_t next = 0, in_load = 0;
  size_t load = 0;
  for (const ChannelBlock& block : SplitChannels(problem, plan)) {
    EXPECT_EQ(block.first, next);
    EXPECT_EQ(block.first / 10, block.group);
    EXPECT_EQ((block.first + block.count - 1) / 10, block.group);
    if (block.params != load) in_load = 0, load = block.params;
    in_load += block.count;
    EXPECT_LE(in_load, 16);
    next += block.count;
  }
  EXPECT_EQ(next, 30);
}

}  // namespace
}  // namespace bw::codegen
