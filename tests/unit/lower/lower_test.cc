#include "compiler/lower/lower.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/lower/float_graph.h"

namespace bw::lower {
namespace {

using graph::IntGraph;
using graph::Op;
using graph::ValueId;
using testing::ElementsAre;
using testing::HasSubstr;

template <typename Params>
const Params& ParamsOf(const IntGraph& g, size_t node) {
  return std::get<Params>(g.nodes.at(node).params);
}

// 1x1 convolution of two channels, weights 1 and -0.5 (and 0.25, 0.25), bias 1 and 2.
FloatGraph TwoChannelConv() {
  FloatGraph f;
  const ValueId x = f.Input("x", {1, 2, 1, 1}, 127.0);
  const ValueId w = f.Constant("w", {2, 2, 1, 1}, {1.0F, -0.5F, 0.25F, 0.25F});
  const ValueId b = f.Constant("b", {2}, {1.0F, 2.0F});
  const ValueId y = f.Node(Op::kConv, "conv", {x, w, b}, {1, 2, 1, 1}, 254.0, ConvAttributes());
  f.Output(f.Node(Op::kRelu, "relu", {y}, {1, 2, 1, 1}, 254.0));
  return f;
}

TEST(Lower, ConvolutionGetsOneScaleAChannelAndThirtyTwoBitBias) {
  const FloatGraph f = TwoChannelConv();
  const IntGraph g = Lower(f.graph, f.ranges, Settings{}).value();
  ASSERT_EQ(g.nodes.size(), 1u);
  EXPECT_THAT(g.nodes[0].fused, ElementsAre("conv", "relu"));
  EXPECT_THAT(g.value(g.nodes[0].inputs[1]).constant, ElementsAre(127, -64, 127, 127));
  // s_in = 1, s_w = 1/127 and 1/508.
  EXPECT_THAT(g.value(g.nodes[0].inputs[2]).constant, ElementsAre(127, 1016));
  const auto& conv = ParamsOf<graph::IntConv>(g, 0);
  ASSERT_EQ(conv.requant.entries.size(), 2u);
  const double step = 1.0 / 127 / 2;  // s_in * s_w / s_out, s_out = 2
  const arith::FixedScale expected = arith::Decompose(step, 16, arith::ScaleRule::kNearest);
  EXPECT_EQ(conv.requant.entries[0].m, expected.m);
  EXPECT_EQ(conv.requant.entries[0].s, expected.s);
  EXPECT_EQ(conv.requant.entries[1].s, expected.s + 2) << "a quarter of the scale";
  EXPECT_EQ(conv.requant.entries[0].lo, 0) << "relu is the lower clip";
  EXPECT_EQ(conv.requant.entries[0].hi, 127);
}

TEST(Lower, PerTensorWeightsShareOneScale) {
  const FloatGraph f = TwoChannelConv();
  Settings settings;
  settings.per_channel_weights = false;
  const IntGraph g = Lower(f.graph, f.ranges, settings).value();
  EXPECT_THAT(g.value(g.nodes[0].inputs[1]).constant, ElementsAre(127, -64, 32, 32));
  EXPECT_EQ(ParamsOf<graph::IntConv>(g, 0).requant.entries.size(), 1u);
}

TEST(Lower, ChannelWithoutWeightsKeepsItsBias) {
  FloatGraph f;
  const ValueId x = f.Input("x", {1, 1, 1, 1}, 127.0);
  const ValueId w = f.Constant("w", {1, 1, 1, 1}, {0.0F});
  const ValueId b = f.Constant("b", {1}, {63.0F});
  f.Output(f.Node(Op::kConv, "conv", {x, w, b}, {1, 1, 1, 1}, 127.0, ConvAttributes()));
  const IntGraph g = Lower(f.graph, f.ranges, Settings{}).value();
  const int64_t bias = g.value(g.nodes[0].inputs[2]).constant[0];
  const auto& entry = ParamsOf<graph::IntConv>(g, 0).requant.entries[0];
  EXPECT_EQ(arith::Requantise(bias, entry, arith::Rounding::kHalfUp), 63);
}

TEST(Lower, BiasThatWouldLeaveThirtyTwoBitsRaisesTheWeightScale) {
  FloatGraph f;
  const ValueId x = f.Input("x", {1, 1, 1, 1}, 1.0);
  const ValueId w = f.Constant("w", {1, 1, 1, 1}, {1e-7F});
  const ValueId b = f.Constant("b", {1}, {100.0F});
  f.Output(f.Node(Op::kConv, "conv", {x, w, b}, {1, 1, 1, 1}, 127.0, ConvAttributes()));
  const IntGraph g = Lower(f.graph, f.ranges, Settings{}).value();
  EXPECT_EQ(g.value(g.nodes[0].inputs[2]).constant[0], 1 << 30);
  const auto& entry = ParamsOf<graph::IntConv>(g, 0).requant.entries[0];
  EXPECT_EQ(arith::Requantise(1 << 30, entry, arith::Rounding::kHalfUp), 100);
}

TEST(Lower, ScaleTooLargeForTheShifterNamesLayerChannelAndTheScaleThatFits) {
  FloatGraph f;
  const ValueId x = f.Input("x", {1, 1, 1, 1}, 1e9);
  const ValueId w = f.Constant("w", {1, 1, 1, 1}, {127.0F});
  f.Output(f.Node(Op::kConv, "conv", {x, w}, {1, 1, 1, 1}, 1e-3, ConvAttributes()));
  const auto g = Lower(f.graph, f.ranges, Settings{});
  ASSERT_FALSE(g.ok());
  EXPECT_THAT(ToString(g.errors()),
              testing::AllOf(HasSubstr("Conv 'conv'"), HasSubstr("smallest output scale")));
}

TEST(Lower, ScaleTooSmallIsAWarningThatNamesTheLayer) {
  FloatGraph f;
  const ValueId x = f.Input("x", {1, 1, 1, 1}, 1e-20);
  const ValueId w = f.Constant("w", {1, 1, 1, 1}, {1.0F});
  f.Output(f.Node(Op::kConv, "conv", {x, w}, {1, 1, 1, 1}, 1.0, ConvAttributes()));
  const IntGraph g = Lower(f.graph, f.ranges, Settings{}).value();
  EXPECT_THAT(g.warnings, ElementsAre(HasSubstr("Conv 'conv'")));
  EXPECT_EQ(ParamsOf<graph::IntConv>(g, 0).requant.entries[0].m, 0);
}

TEST(Lower, AddIsTheWorkedExampleOfTheNumerics) {
  FloatGraph f;
  const ValueId a = f.Input("a", {1, 3}, 0.5348);
  const ValueId b = f.Input("b", {1, 3}, 0.7731);
  f.Output(f.Node(Op::kAdd, "add", {a, b}, {1, 3}, 0.9642));
  const IntGraph g = Lower(f.graph, f.ranges, Settings{}).value();
  const auto& add = ParamsOf<graph::IntAdd>(g, 0);
  EXPECT_EQ(add.add.a.m, 45335);
  EXPECT_EQ(add.add.a.s, 1);
  EXPECT_EQ(add.add.stage1_shift, 8);
  EXPECT_EQ(add.requant.entries[0].m, 52547);
  EXPECT_EQ(add.requant.entries[0].s, 23);
}

TEST(Lower, ConstantChannelFactorsBecomeOneRequantisation) {
  FloatGraph f;
  const ValueId x = f.Input("x", {1, 2, 3, 3}, 127.0);
  const ValueId c = f.Constant("c", {2, 1, 1}, {0.5F, 2.0F});
  f.Output(f.Node(Op::kMul, "mul", {x, c}, {1, 2, 3, 3}, 127.0));
  const IntGraph g = Lower(f.graph, f.ranges, Settings{}).value();
  const auto& entries = ParamsOf<graph::IntRequant>(g, 0).requant.entries;
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(arith::Requantise(10, entries[0], arith::Rounding::kHalfUp), 5);
  EXPECT_EQ(arith::Requantise(10, entries[1], arith::Rounding::kHalfUp), 20);
}

TEST(Lower, NegativeFactorsStayAMultiplication) {
  FloatGraph f;
  const ValueId x = f.Input("x", {1, 2, 3, 3}, 127.0);
  const ValueId c = f.Constant("c", {2, 1, 1}, {-0.5F, 2.0F});
  f.Output(f.Node(Op::kMul, "mul", {x, c}, {1, 2, 3, 3}, 127.0));
  const IntGraph g = Lower(f.graph, f.ranges, Settings{}).value();
  EXPECT_EQ(graph::KindName(g.nodes[0].params), graph::KindName(graph::IntMul{}));
  EXPECT_EQ(g.value(g.nodes[0].inputs[1]).shape, (tensor::Shape{1, 2, 1, 1}));
}

TEST(Lower, AveragePoolDividesByTheValidPositions) {
  FloatGraph f;
  const ValueId x = f.Input("x", {1, 1, 3, 3}, 127.0);
  using Ints = std::vector<int64_t>;
  f.Output(f.Node(Op::kAveragePool, "pool", {x}, {1, 1, 3, 3}, 127.0,
                  {{"kernel_shape", Ints{3, 3}},
                   {"strides", Ints{1, 1}},
                   {"pads", Ints{1, 1, 1, 1}},
                   {"ceil_mode", int64_t{0}},
                   {"count_include_pad", int64_t{0}}}));
  const IntGraph g = Lower(f.graph, f.ranges, Settings{}).value();
  const auto& by_count = ParamsOf<graph::IntPool>(g, 0).by_count;
  ASSERT_EQ(by_count.size(), 3u);
  for (int64_t n : {4, 6, 9}) {
    EXPECT_EQ(arith::Requantise(n * 5, by_count.at(n), arith::Rounding::kHalfUp), 5);
  }
}

TEST(Lower, SigmoidTableIsExactOnEveryKey) {
  FloatGraph f;
  const ValueId x = f.Input("x", {1, 4}, 8.0);
  f.Output(f.Node(Op::kSigmoid, "sigmoid", {x}, {1, 4}, 1.0));
  const IntGraph g = Lower(f.graph, f.ranges, Settings{}).value();
  const auto& lut = ParamsOf<graph::IntLut>(g, 0);
  EXPECT_EQ(lut.table.size(), 257u);
  for (int q = -127; q <= 127; ++q) {
    const double y = 127.0 / (1.0 + std::exp(-q * 8.0 / 127));
    EXPECT_EQ(arith::LutLookup(q, lut.params, lut.table.data()), std::lround(y)) << q;
  }
}

TEST(Lower, WideSigmoidInterpolatesWithinOneStep) {
  FloatGraph f;
  const ValueId x = f.Input("x", {1, 4}, 8.0);
  f.Output(f.Node(Op::kSigmoid, "sigmoid", {x}, {1, 4}, 1.0));
  Settings settings;
  settings.act_bits = 12;
  const IntGraph g = Lower(f.graph, f.ranges, settings).value();
  const auto& lut = ParamsOf<graph::IntLut>(g, 0);
  EXPECT_EQ(lut.params.k, 4);
  for (int q = -2047; q <= 2047; ++q) {
    const double y = 2047.0 / (1.0 + std::exp(-q * 8.0 / 2047));
    EXPECT_NEAR(static_cast<double>(arith::LutLookup(q, lut.params, lut.table.data())), y, 1.1);
  }
}

TEST(Lower, ConcatRescalesTheInputWhoseScaleItCannotSet) {
  FloatGraph f;
  const ValueId x = f.Input("x", {1, 2}, 1.0);
  const ValueId sum = f.Node(Op::kAdd, "add", {x, x}, {1, 2}, 2.0);
  f.Output(f.Node(Op::kConcat, "cat", {sum, x}, {1, 4}, 8.0, {{"axis", int64_t{1}}}));
  const IntGraph g = Lower(f.graph, f.ranges, Settings{}).value();
  ASSERT_EQ(g.nodes.size(), 3u);
  EXPECT_EQ(g.nodes[1].name, "x.rescale");
  for (auto in : g.nodes[2].inputs) EXPECT_EQ(g.value(in).scale, 8.0 / 127);
}

TEST(Lower, MeanOverAMiddleAxisGoesThroughChannels) {
  FloatGraph f;
  const ValueId x = f.Input("x", {2, 5, 3}, 127.0);
  using Ints = std::vector<int64_t>;
  f.Output(f.Node(Op::kReduceMean, "mean", {x}, {2, 3}, 127.0,
                  {{"axes", Ints{1}}, {"keepdims", int64_t{0}}}));
  const IntGraph g = Lower(f.graph, f.ranges, Settings{}).value();
  EXPECT_EQ(g.value(g.outputs[0]).shape, (tensor::Shape{2, 3}));
  bool pooled = false;
  for (const auto& node : g.nodes) {
    if (const auto* pool = std::get_if<graph::IntPool>(&node.params)) {
      pooled = true;
      EXPECT_EQ(g.value(node.inputs[0]).shape, (tensor::Shape{1, 6, 5, 1}));
      EXPECT_EQ(pool->kernel_h, 5);
    }
  }
  EXPECT_TRUE(pooled);
}

TEST(Lower, DivisionByAnActivationIsRefused) {
  FloatGraph f;
  const ValueId x = f.Input("x", {1, 2}, 1.0);
  f.Output(f.Node(Op::kDiv, "div", {x, x}, {1, 2}, 1.0));
  EXPECT_THAT(ToString(Lower(f.graph, f.ranges, Settings{}).errors()),
              HasSubstr("Div 'div': the divisor 'x' is not constant"));
}

}  // namespace
}  // namespace bw::lower
