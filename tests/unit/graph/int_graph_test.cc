#include "compiler/graph/int_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bw::graph {
namespace {

using testing::HasSubstr;

constexpr arith::Requant kHalf{1 << 15, 16, 0, -127, 127};

IntValue Act(std::string name, tensor::Shape shape) {
  IntValue value;
  value.name = std::move(name);
  value.shape = std::move(shape);
  return value;
}

IntValue Filled(std::string name, tensor::Shape shape, int bits) {
  IntValue value = Act(std::move(name), std::move(shape));
  value.bits = bits;
  value.constant.assign(static_cast<size_t>(value.shape.Elements()), 1);
  return value;
}

// x[1,2,5,5] -> conv 3x3 (4 outputs) -> average pool 2x2 with padding
IntGraph Sound() {
  IntGraph g;
  g.name = "net";
  g.values = {Act("x", {1, 2, 5, 5}), Filled("w", {4, 2, 3, 3}, 8), Filled("b", {4}, 32),
              Act("y", {1, 4, 5, 5}), Act("z", {1, 4, 3, 3})};
  IntConv conv;
  conv.pad_top = conv.pad_left = conv.pad_bottom = conv.pad_right = 1;
  conv.requant.entries.assign(4, kHalf);
  IntPool pool;
  pool.is_max = false;
  pool.kernel_h = pool.kernel_w = pool.stride_h = pool.stride_w = 2;
  pool.pad_bottom = pool.pad_right = 1;
  pool.by_count = {{4, kHalf}, {2, kHalf}, {1, kHalf}};
  g.nodes = {{"conv", Op::kConv, {}, {0, 1, 2}, 3, arith::Rounding::kHalfUp, conv},
             {"pool", Op::kAveragePool, {}, {3}, 4, arith::Rounding::kHalfUp, pool}};
  g.inputs = {0};
  g.outputs = {4};
  return g;
}

std::string Problems(const IntGraph& graph) {
  const Status status = Verify(graph);
  return status.ok() ? "" : ToString(status.errors());
}

TEST(IntVerify, AcceptsASoundGraph) { EXPECT_EQ(Problems(Sound()), ""); }

TEST(IntVerify, FindsChannelCountsThatDoNotFit) {
  IntGraph g = Sound();
  std::get<IntConv>(g.nodes[0].params).requant.entries.resize(3, kHalf);
  EXPECT_EQ(Problems(g),
            "net: conv: Conv: 3 requantisation entries; allowed are 1 and 4 (channels of y)\n");
}

TEST(IntVerify, FindsClipsOutsideTheType) {
  IntGraph g = Sound();
  std::get<IntConv>(g.nodes[0].params).requant.entries[2].hi = 128;
  EXPECT_THAT(Problems(g), HasSubstr("clip -127..128 leaves y's range -128..127"));
}

TEST(IntVerify, FindsShapesThatTheOperatorDoesNotMake) {
  IntGraph g = Sound();
  std::get<IntConv>(g.nodes[0].params).pad_right = 0;
  EXPECT_THAT(Problems(g), HasSubstr("y has shape 1x4x5x5, the operator makes 1x4x5x4"));
}

TEST(IntVerify, FindsCountsWithoutRequantisation) {
  IntGraph g = Sound();
  std::get<IntPool>(g.nodes[1].params).by_count.erase(1);
  EXPECT_THAT(Problems(g), HasSubstr("no requantisation for windows with 1 valid elements"));
}

TEST(IntVerify, FindsConstantsAndZeroPointsOutsideTheType) {
  IntGraph g = Sound();
  g.values[1].constant[5] = 128;
  g.values[3].zero_point = -129;
  EXPECT_THAT(Problems(g), HasSubstr("w: constant 128 leaves -128..127"));
  EXPECT_THAT(Problems(g), HasSubstr("y: zero point -129 leaves -128..127"));
}

TEST(IntVerify, FindsOrderAndUnknownIds) {
  IntGraph g = Sound();
  std::swap(g.nodes[0], g.nodes[1]);
  g.outputs.push_back(17);
  EXPECT_THAT(Problems(g), HasSubstr("pool: y is read before it is made"));
  EXPECT_THAT(Problems(g), HasSubstr("graph output 17 does not exist"));
}

TEST(IntVerify, FindsActivationsAsWeightsAndBadWidths) {
  IntGraph g = Sound();
  g.values[4].bits = 17;
  EXPECT_THAT(Problems(g), HasSubstr("z: 17 bits; allowed are 2 to 16, and 32"));
  g = Sound();
  g.values[2].constant.clear();
  g.inputs.push_back(2);
  EXPECT_THAT(Problems(g), HasSubstr("bias b must be a constant of shape 4"));
}

TEST(IntVerify, ChecksEveryOtherKind) {
  IntGraph g;
  g.name = "net";
  g.values = {Act("x", {2, 3}), Act("y", {2, 3})};
  g.inputs = {0};
  g.outputs = {1};
  const auto problems = [&](IntParams params, tensor::Shape out, std::vector<IntValueId> in = {0}) {
    g.values[1].shape = std::move(out);
    g.nodes = {{"n", Op::kIdentity, {}, std::move(in), 1, arith::Rounding::kHalfUp, params}};
    return Problems(g);
  };
  const RequantSet one{{kHalf}, {}};
  EXPECT_EQ(problems(IntRequant{one}, {2, 3}), "");
  EXPECT_THAT(problems(IntRequant{{{}, {}}}, {2, 3}), HasSubstr("0 requantisation entries"));
  EXPECT_THAT(problems(IntRequant{{{kHalf}, {kHalf, kHalf}}}, {2, 3}),
              HasSubstr("2 entries for negative values, 1 for others"));
  EXPECT_EQ(problems(IntReshape{}, {3, 2}), "");
  EXPECT_THAT(problems(IntReshape{}, {3, 3}), HasSubstr("x has 6 elements, y has 9"));
  EXPECT_EQ(problems(IntTranspose{{1, 0}}, {3, 2}), "");
  EXPECT_THAT(problems(IntTranspose{{1, 1}}, {3, 2}), HasSubstr("each once"));
  EXPECT_EQ(problems(IntPad{{0, 1}, {2, 0}, 0}, {4, 4}), "");
  EXPECT_THAT(problems(IntPad{{0, -1}, {2, 0}, 0}, {4, 2}), HasSubstr(">= 0"));
  EXPECT_EQ(problems(IntSlice{{0, 2}, {1, -2}}, {2, 2}), "");
  EXPECT_THAT(problems(IntSlice{{0, 2}, {1, -2}}, {2, 3}), HasSubstr("axis 1: start 2, step -2"));
  EXPECT_EQ(problems(IntResize{{1, 3}}, {2, 9}), "");
  EXPECT_THAT(problems(IntResize{{1, 3}}, {2, 6}), HasSubstr("the operator makes 2x9"));
  EXPECT_THAT(problems(IntResize{{1, 0}}, {2, 0}), HasSubstr("needs one factor >= 1"));
  EXPECT_EQ(problems(IntConcat{1}, {2, 6}, {0, 0}), "");
  EXPECT_THAT(problems(IntConcat{1}, {2, 5}, {0, 0}), HasSubstr("the operator makes 2x6"));
  EXPECT_EQ(problems(IntAdd{{}, one}, {2, 3}, {0, 0}), "");
  EXPECT_THAT(problems(IntMul{one}, {2, 3, 1}, {0, 0}), HasSubstr("rank must be 3"));
  EXPECT_EQ(problems(IntLut{{}, std::vector<int32_t>(256)}, {2, 3}), "");
  EXPECT_THAT(problems(IntLut{{}, std::vector<int32_t>(255)}, {2, 3}),
              HasSubstr("table has 255 values, lookups may touch 256"));
  EXPECT_THAT(problems(IntSoftmax{}, {2, 3}), HasSubstr("exponentials is empty"));
  IntSoftmax tflite;
  tflite.tflite = true;
  tflite.exp_table = {INT32_MAX, 5};
  g.values[1].zero_point = -128;
  EXPECT_EQ(problems(tflite, {2, 3}), "");
  g.values[1].zero_point = 0;
  EXPECT_THAT(problems(tflite, {2, 3}), HasSubstr("TFLite's softmax makes int8 with -128"));
  tflite.exp_table = {1 << 24, 5};
  EXPECT_THAT(problems(tflite, {2, 3}), HasSubstr("starts with 16777216, not with 2^31 - 1"));
  EXPECT_THAT(problems(IntMatMul{one}, {2, 2}, {0, 0}), HasSubstr("2x3 times 2x3 do not fit"));
}

TEST(IntGraph, CountsMultiplyAccumulates) {
  const IntGraph g = Sound();
  EXPECT_EQ(CountMacs(g, g.nodes[0]), 4 * 25 * 2 * 9);
  EXPECT_EQ(CountMacs(g, g.nodes[1]), 0);
  EXPECT_EQ(KindName(g.nodes[0].params), "Conv");
  EXPECT_EQ(KindName(g.nodes[1].params), "SumPool");
  EXPECT_FALSE(IsHostNode(g.nodes[0]));
  EXPECT_TRUE(IsHostNode({"s", Op::kSoftmax, {}, {0}, 1, arith::Rounding::kHalfUp, IntSoftmax{}}));
}

}  // namespace
}  // namespace bw::graph
