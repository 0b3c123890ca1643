#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "models/arith/quantise.h"
#include "models/arith/scale.h"
#include "tests/unit/golden/builder.h"

namespace bw::golden {
namespace {

using graph::IntAdd;
using graph::IntLut;
using graph::IntMul;
using graph::IntRequant;
using ::testing::ElementsAre;

// The worked example of NUMERICS.md section 5.
constexpr double kScaleA = 0.5348 / 127, kScaleB = 0.7731 / 127;
const std::vector<int32_t> kQa = {127, 45, 19}, kQb = {63, 127, 2};

std::vector<int32_t> WorkedAdd(bool two_stage, arith::Rounding rounding) {
  const double so = 0.9642 / 127;
  const auto plan = arith::MakeEltwiseAdd(kScaleA, kScaleB, so, 8, 15, two_stage, 16, 16,
                                          arith::ScaleRule::kNearest);
  EXPECT_EQ(plan.add.a.m, 45335);
  EXPECT_EQ(plan.add.a.s, 1);
  IntGraph g;
  IntAdd add;
  add.add = plan.add;
  add.requant = {{arith::MakeRequant(plan.out.scale, 0, -127, 127)}, {}};
  const auto a = AddInput(g, {3}), b = AddInput(g, {3});
  AddNode(g, add, {a, b}, {3});
  g.nodes[0].rounding = rounding;
  return Results(g, {{{3}, kQa}, {{3}, kQb}});
}

TEST(Add, ReproducesTheWorkedExampleInOneAndTwoStages) {
  EXPECT_THAT(WorkedAdd(false, arith::Rounding::kHalfUp), ElementsAre(121, 127, 12));
  EXPECT_THAT(WorkedAdd(true, arith::Rounding::kHalfUp), ElementsAre(121, 127, 12));
}

TEST(Add, RoundsByTheNodesMode) {
  EXPECT_THAT(WorkedAdd(false, arith::Rounding::kFloor), ElementsAre(120, 126, 12));
}

TEST(Mul, ReproducesTheWorkedExample) {
  const double so = 0.20568408 / 127;
  IntGraph g;
  const arith::FixedScale scale =
      arith::Decompose(kScaleA * kScaleB / so, 16, arith::ScaleRule::kNearest);
  EXPECT_EQ(scale.m, 33193);
  const auto a = AddInput(g, {3}), b = AddInput(g, {3});
  AddNode(g, IntMul{{{arith::MakeRequant(scale, 0, -127, 127)}, {}}}, {a, b}, {3});
  EXPECT_THAT(Results(g, {{{3}, kQa}, {{3}, kQb}}), ElementsAre(127, 90, 1));
}

// out = (a - za) +- (b - zb), exactly.
IntGraph PlainAdd(Shape a, Shape b, Shape out, bool subtract, int64_t za = 0, int64_t zb = 0) {
  IntGraph g;
  IntAdd add;
  add.add.a.zp = za;
  add.add.b.zp = zb;
  add.add.subtract = subtract;
  add.requant = Raw();
  const auto first = AddInput(g, std::move(a), {8, true, za});
  const auto second = AddInput(g, std::move(b), {8, true, zb});
  AddNode(g, add, {first, second}, std::move(out), kWide);
  return g;
}

TEST(Add, BroadcastsEitherOperandOverAnyAxis) {
  const IntGraph g = PlainAdd({2, 1, 2}, {1, 3, 1}, {2, 3, 2}, false);
  EXPECT_THAT(Results(g, {{{2, 1, 2}, {10, 20, 30, 40}}, {{1, 3, 1}, {1, 2, 3}}}),
              ElementsAre(11, 21, 12, 22, 13, 23, 31, 41, 32, 42, 33, 43));
}

TEST(Add, SubtractsInOrderAndTakesZeroPointsOff) {
  const IntGraph g = PlainAdd({2}, {2}, {2}, true, 5, -5);
  EXPECT_THAT(Results(g, {{{2}, {6, 105}}, {{2}, {-4, 127}}}), ElementsAre(0, -32));
}

TEST(Mul, BroadcastsAChannelGateAndTakesZeroPointsOff) {
  IntGraph g;
  const auto x = AddInput(g, {1, 2, 1, 2}, {8, false, 128});
  const auto gate = AddInput(g, {1, 2, 1, 1}, {8, true, -128});
  AddNode(g, IntMul{Raw()}, {x, gate}, {1, 2, 1, 2}, kWide);
  EXPECT_THAT(Results(g, {{{1, 2, 1, 2}, {0, 255, 130, 120}}, {{1, 2, 1, 1}, {127, -127}}}),
              ElementsAre(-128 * 255, 127 * 255, 2, -8));
}

TEST(Mul, KeepsSixteenBitProducts) {
  IntGraph g;
  const Type wide16{16, true, 32767};
  const auto a = AddInput(g, {1}, wide16), b = AddInput(g, {1}, wide16);
  AddNode(g, IntMul{Scaled(1, 2, kWide)}, {a, b}, {1}, kWide);
  EXPECT_THAT(Results(g, {{{1}, {-32768}}, {{1}, {-32768}}}),
              ElementsAre(1073709056));  // round(65535^2 / 4)
}

TEST(Requant, SubtractsTheZeroPointAndScalesTheTwoSigns) {
  IntGraph g;
  RequantSet set{{{3, 1, 7, -128, 127}}, {{1, 1, 7, -128, 127}}};
  AddNode(g, IntRequant{set}, {AddInput(g, {5}, {8, true, 10})}, {5});
  // x - 10 = -3 -1 0 1 3; halves go up.
  EXPECT_THAT(Results(g, {{{5}, {7, 9, 10, 11, 13}}}), ElementsAre(6, 7, 7, 9, 12));
}

TEST(Requant, ChannelsAreAxisOneAtRankFourElseTheLast) {
  const RequantSet set{{{1, 0, 0, -128, 127}, {10, 0, 0, -128, 127}},
                       {{2, 0, 0, -128, 127}, {20, 0, 0, -128, 127}}};
  IntGraph planes;
  AddNode(planes, IntRequant{set}, {AddInput(planes, {1, 2, 1, 2})}, {1, 2, 1, 2});
  EXPECT_THAT(Results(planes, {{{1, 2, 1, 2}, {1, -1, 1, -1}}}), ElementsAre(1, -2, 10, -20));
  IntGraph rows;
  AddNode(rows, IntRequant{set}, {AddInput(rows, {2, 2})}, {2, 2});
  EXPECT_THAT(Results(rows, {{{2, 2}, {1, -1, -1, 1}}}), ElementsAre(1, -20, -2, 10));
}

TEST(Requant, ClipsToTheEntryAndCounts) {
  IntGraph g;
  AddNode(g, IntRequant{{{{1, 0, 0, 0, 6}}, {}}}, {AddInput(g, {4})}, {4});
  const GoldenRun run = RunGraph(g, {{{4}, {-1, 0, 6, 7}}});
  EXPECT_THAT(run.outputs[0].data, ElementsAre(0, 0, 6, 6));
  EXPECT_EQ(run.counts[0].saturations, 2);
}

TEST(Lut, LooksUpEveryKeyOfAnExactTable) {
  IntGraph g;
  IntLut lut;
  for (int key = -128; key < 128; ++key) {
    const double sigmoid = 1 / (1 + std::exp(-key / 16.0));
    lut.table.push_back(static_cast<int32_t>(arith::RoundReal(sigmoid * 255 - 128)));
  }
  AddNode(g, lut, {AddInput(g, {3})}, {3});
  EXPECT_THAT(Results(g, {{{3}, {-128, 0, 127}}}),
              ElementsAre(-128, -1, 127));  // -0.5 goes away from 0
}

TEST(Lut, InterpolatesBetweenEntries) {
  IntGraph g;
  IntLut lut;
  lut.params = {-8, 8, 3, 2, true, false};
  lut.table = {0, 16, -16};
  AddNode(g, lut, {AddInput(g, {5})}, {5});
  EXPECT_THAT(Results(g, {{{5}, {-100, -4, 0, 1, 100}}}), ElementsAre(0, 8, 16, 12, -16));
}

}  // namespace
}  // namespace bw::golden
