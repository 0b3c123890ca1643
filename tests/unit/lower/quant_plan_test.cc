#include "compiler/lower/quant_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/lower/float_graph.h"

namespace bw::lower {
namespace {

using graph::Op;
using graph::ValueId;

double ScaleOf(const QuantPlan& plan, ValueId id) { return plan.format[static_cast<size_t>(id)].scale; }

TEST(QuantPlan, ScaleIsTheLargestMagnitudeOverTheLargestInteger) {
  FloatGraph f;
  const ValueId x = f.Input("x", {1, 2}, 254.0);
  f.ranges["x"] = {-254.0, 3.0};
  f.Output(f.Node(Op::kRelu, "relu", {x}, {1, 2}, 0.0));
  const QuantPlan plan = MakeQuantPlan(f.graph, f.ranges, 8).value();
  EXPECT_EQ(ScaleOf(plan, x), 2.0);
  EXPECT_EQ(ScaleOf(plan, f.graph.outputs[0]), 1.0) << "nothing but zeros: scale 1";
}

TEST(QuantPlan, ActivationsFuseInChainsBehindArithmetic) {
  FloatGraph f;
  const ValueId x = f.Input("x", {1, 2}, 1.0);
  const ValueId sum = f.Node(Op::kAdd, "add", {x, x}, {1, 2}, 2.0);
  const ValueId relu = f.Node(Op::kRelu, "relu", {sum}, {1, 2}, 2.0);
  const ValueId clip = f.Node(Op::kClip, "clip", {relu}, {1, 2}, 1.5);
  f.Output(clip);
  const QuantPlan plan = MakeQuantPlan(f.graph, f.ranges, 8).value();
  EXPECT_EQ(plan.fused[0], (std::vector<int>{1, 2}));
  EXPECT_EQ(plan.fused_into, (std::vector<int>{-1, 0, 0}));
  EXPECT_EQ(plan.result[0], clip);
}

TEST(QuantPlan, ASecondReaderKeepsTheActivationApart) {
  FloatGraph f;
  const ValueId x = f.Input("x", {1, 2}, 1.0);
  const ValueId sum = f.Node(Op::kAdd, "add", {x, x}, {1, 2}, 2.0);
  const ValueId relu = f.Node(Op::kRelu, "relu", {sum}, {1, 2}, 2.0);
  f.Output(f.Node(Op::kMul, "mul", {sum, relu}, {1, 2}, 4.0));
  const QuantPlan plan = MakeQuantPlan(f.graph, f.ranges, 8).value();
  EXPECT_TRUE(plan.fused[0].empty());
  EXPECT_EQ(plan.result[0], sum);
}

TEST(QuantPlan, AnOutputInTheMiddleKeepsTheActivationApart) {
  FloatGraph f;
  const ValueId x = f.Input("x", {1, 2}, 1.0);
  const ValueId sum = f.Node(Op::kAdd, "add", {x, x}, {1, 2}, 2.0);
  f.Output(sum);
  f.Output(f.Node(Op::kRelu, "relu", {sum}, {1, 2}, 2.0));
  const QuantPlan plan = MakeQuantPlan(f.graph, f.ranges, 8).value();
  EXPECT_TRUE(plan.fused[0].empty());
}

TEST(QuantPlan, NegativeSlopeDoesNotFuse) {
  FloatGraph f;
  const ValueId x = f.Input("x", {1, 2}, 1.0);
  const ValueId sum = f.Node(Op::kAdd, "add", {x, x}, {1, 2}, 2.0);
  f.Output(f.Node(Op::kLeakyRelu, "leaky", {sum}, {1, 2}, 2.0, {{"alpha", -0.1}}));
  EXPECT_TRUE(MakeQuantPlan(f.graph, f.ranges, 8).value().fused[0].empty());
}

TEST(QuantPlan, PoolingAndLayoutHandTheirScaleOn) {
  FloatGraph f;
  const ValueId x = f.Input("x", {1, 1, 2, 2}, 12.7);
  const ValueId pool = f.Node(Op::kGlobalMaxPool, "pool", {x}, {1, 1, 1, 1}, 3.0);
  f.Output(f.Node(Op::kFlatten, "flat", {pool}, {1, 1}, 3.0));
  const QuantPlan plan = MakeQuantPlan(f.graph, f.ranges, 8).value();
  EXPECT_EQ(ScaleOf(plan, f.graph.outputs[0]), ScaleOf(plan, x));
}

TEST(QuantPlan, ConcatHandsItsScaleBackWhereTheProducerRequantisesAnyway) {
  FloatGraph f;
  const ValueId x = f.Input("x", {1, 2}, 1.0);
  const ValueId sum = f.Node(Op::kAdd, "add", {x, x}, {1, 2}, 2.0);
  const ValueId cat = f.Node(Op::kConcat, "cat", {sum, x}, {1, 4}, 8.0);
  f.Output(cat);
  const QuantPlan plan = MakeQuantPlan(f.graph, f.ranges, 8).value();
  EXPECT_EQ(ScaleOf(plan, sum), ScaleOf(plan, cat));
  EXPECT_NE(ScaleOf(plan, x), ScaleOf(plan, cat)) << "the input's scale is not the concat's to set";
}

TEST(QuantPlan, EveryValueWithoutARangeIsNamed) {
  FloatGraph f;
  const ValueId x = f.Input("x", {1, 2}, 1.0);
  f.Output(f.Node(Op::kRelu, "relu", {x}, {1, 2}, 1.0));
  const auto plan = MakeQuantPlan(f.graph, {}, 8);
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(ToString(plan.errors()),
            "x: no calibration range for this value (calibrate on the same network)\n"
            "relu_out: no calibration range for this value (calibrate on the same network)\n");
}

TEST(QuantPlan, AnInfiniteRangeIsAnError) {
  FloatGraph f;
  f.Output(f.Input("x", {1, 2}, INFINITY));
  EXPECT_THAT(ToString(MakeQuantPlan(f.graph, f.ranges, 8).errors()),
              testing::HasSubstr("x: calibration range [-inf, inf] is not finite"));
}

}  // namespace
}  // namespace bw::lower
