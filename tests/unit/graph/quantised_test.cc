// Quantised operators on constants, constants that keep their integers, and what Verify asks of
// quantised values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/graph/evaluate.h"
#include "tests/support/graph_builder.h"

namespace bw::graph {
namespace {

using tensor::DType;
using tensor::Tensor;
using testing::ElementsAre;
using testing::HasSubstr;

// The result of one node, as a constant.
const Value& Folded(Builder& b, Op op, std::vector<ValueId> inputs,
                    std::map<std::string, Attribute> attributes) {
  const ValueId out = b.Add(op, "out", std::move(inputs), std::move(attributes));
  EXPECT_TRUE(b.status.ok()) << ToString(b.status.errors());
  const auto folded = FoldNode(b.graph, b.graph.nodes.back());
  EXPECT_TRUE(folded.ok() && *folded);
  return b.graph.value(out);
}

TEST(QuantizeLinear, RoundsToEvenThenAddsTheZeroPointThenSaturates) {
  Builder b;
  const ValueId x = b.Constant<float>("x", {7}, {0.5f, 1.5f, -0.5f, 2.6f, 300, -300, -1.5f});
  const ValueId s = b.Constant<float>("s", {}, {1});
  const ValueId z = b.Constant<int8_t>("z", {}, {10});
  const Value& y = Folded(b, Op::kQuantizeLinear, {x, s, z}, {{"axis", int64_t{-1}}});
  EXPECT_THAT(y.constant->ToI64(), ElementsAre(10, 12, 10, 13, 127, -128, 8));
  EXPECT_EQ(y.dtype, DType::kI8);
}

TEST(QuantizeLinear, WithoutZeroPointMakesUint8) {
  Builder b;
  const ValueId x = b.Constant<float>("x", {2, 2}, {1, -1, 300, 2});
  const ValueId s = b.Constant<float>("s", {2}, {1, 2});
  const Value& y = Folded(b, Op::kQuantizeLinear, {x, s}, {{"axis", int64_t{1}}});
  EXPECT_THAT(y.constant->ToI64(), ElementsAre(1, 0, 255, 1));
  EXPECT_EQ(y.dtype, DType::kU8);
}

TEST(DequantizeLinear, TakesInt32AndKeepsTheIntegers) {
  Builder b;
  const ValueId x = b.Constant<int32_t>("x", {2}, {-100000, 7});
  const ValueId s = b.Constant<float>("s", {2}, {0.5f, 0.25f});
  const Value& y = Folded(b, Op::kDequantizeLinear, {x, s}, {{"axis", int64_t{0}}});
  EXPECT_THAT(y.constant->ToF64(), ElementsAre(-50000, 1.75));
  EXPECT_THAT(y.quantisation->integers, ElementsAre(-100000, 7));
  EXPECT_EQ(y.quantisation->bits, 32);
}

TEST(DynamicQuantizeLinear, RangesIncludeZeroAndNothingHasScaleOne) {
  for (const bool zeros : {false, true}) {
    Builder b;
    const ValueId x = b.Constant<float>(
        "x", {3}, zeros ? std::vector<float>{0, 0, 0} : std::vector<float>{51, 102, 25.5f});
    std::map<std::string, std::vector<double>> results;
    for (const std::string result : {"y", "scale", "zero_point"}) {
      results[result] =
          Folded(b, Op::kDynamicQuantizeLinear, {x}, {{"result", result}}).constant->ToF64();
    }
    EXPECT_EQ(results["scale"][0], zeros ? 1.0 : static_cast<double>(102.0f / 255));
    EXPECT_EQ(results["zero_point"][0], 0);
    EXPECT_EQ(results["y"][1], zeros ? 0 : 255);
  }
}

// w[2,3] of int8 with a scale for each of axis 0.
ValueId Weights(Builder& b) {
  const ValueId q = b.Constant<int8_t>("q", {2, 3}, {1, 2, 3, 4, 5, 6});
  const ValueId s = b.Constant<float>("s", {2}, {1, 2});
  Folded(b, Op::kDequantizeLinear, {q, s}, {{"axis", int64_t{0}}});
  b.graph.values.back().name = "w";
  return static_cast<ValueId>(b.graph.values.size() - 1);
}

TEST(FoldNode, TransposesIntegersAndTheirAxis) {
  Builder b;
  const Value& y = Folded(b, Op::kTranspose, {Weights(b)}, {{"perm", Ints{1, 0}}});
  EXPECT_THAT(y.quantisation->integers, ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_EQ(y.quantisation->axis, 1);
  EXPECT_THAT(y.quantisation->scales, ElementsAre(1, 2));
}

TEST(FoldNode, ReshapesKeepIntegersWhereTheAxisStaysWhole) {
  Builder b;
  const Value& y = Folded(b, Op::kReshape, {Weights(b)}, {{"shape", Ints{1, 2, 1, 3}}});
  EXPECT_EQ(y.quantisation->axis, 1);
  Builder split;
  EXPECT_FALSE(Folded(split, Op::kReshape, {Weights(split)}, {{"shape", Ints{3, 2}}}).quantisation);
}

TEST(FoldNode, ArithmeticOnQuantisedConstantsGivesReals) {
  Builder b;
  const ValueId w = Weights(b);
  const ValueId two = b.Constant<float>("two", {}, {2});
  EXPECT_FALSE(Folded(b, Op::kMul, {w, two}, {}).quantisation);
}

TEST(FoldNode, LeavesRequantisationsToTheNetwork) {
  Builder b;
  const ValueId w = Weights(b);
  const ValueId out = b.Add(Op::kIdentity, "out", {w});
  Quantisation other;
  other.scales = {4};
  other.zero_points = {0};
  b.graph.value(out).quantisation = other;
  const auto folded = FoldNode(b.graph, b.graph.nodes.back());
  ASSERT_TRUE(folded.ok());
  EXPECT_FALSE(*folded);
  EXPECT_FALSE(b.graph.value(out).constant);
}

TEST(EvaluateConstant, DoesNotMakeMuchOfLittle) {
  Builder b;
  const ValueId x = b.Constant<float>("x", {1}, {1});
  const auto pad = [&](int64_t after) {
    b.Add(Op::kPad, "p", {x},
          {{"mode", std::string("constant")}, {"pads", Ints{0, after}}, {"value", 0.0}});
    const auto folded = EvaluateConstant(b.graph, b.graph.nodes.back());
    return folded.ok() && folded->has_value();
  };
  EXPECT_TRUE(pad((1 << 22) - 1));
  EXPECT_FALSE(pad(1 << 22));
}

// Problems of a graph whose input has the quantisation.
std::string Problems(const Quantisation& q) {
  Builder b;
  const ValueId x = b.Input("x", {2, 3});
  b.graph.outputs = {b.Add(Op::kRelu, "y", {x})};
  b.graph.value(x).quantisation = q;
  const Status status = Verify(b.graph);
  return status.ok() ? "" : ToString(status.errors());
}

TEST(Verify, AsksForSoundQuantisation) {
  Quantisation q;
  q.scales = {1, 2, 3};
  q.zero_points = {0, 0, 0};
  q.axis = 1;
  EXPECT_EQ(Problems(q), "");
  q.axis = 0;
  EXPECT_THAT(Problems(q), HasSubstr("x: 3 scales and 3 zero points for axis 0 of 2x3"));
  q.axis = 1;
  q.scales[1] = 0;
  EXPECT_THAT(Problems(q), HasSubstr("a scale is not finite and above 0"));
  q.scales[1] = 1;
  q.bits = 24;
  EXPECT_THAT(Problems(q), HasSubstr("24 bits; allowed are 2 to 16, and 32"));
  q.bits = 8;
  q.integers = {1};
  EXPECT_THAT(Problems(q), HasSubstr("1 integers, must be 0"));
}

}  // namespace
}  // namespace bw::graph
