// Elementwise operators, softmax, and changes of quantisation.
#include <gmock/gmock.h>

#include <cmath>

#include "tests/unit/frontend_tflite/import_case.h"

namespace bw::frontend {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Ints = std::vector<int64_t>;

TEST(TfliteBinary, BroadcastsInTheFilesOrder) {
  // A vector of channels, and a scalar.
  FloatCase channels({1, 2, 1, 2}, {1, 2, 1, 2});
  channels.b.Binary(TfliteOp::kAdd, channels.x, channels.b.FloatConstant("k", {2}, {10, 20}),
                    channels.y);
  EXPECT_THAT(RunCounting(channels.b), ElementsAre(10, 21, 12, 23));
  FloatCase scalar({1, 2, 1, 2}, {1, 2, 1, 2});
  scalar.b.Binary(TfliteOp::kSub, scalar.b.FloatConstant("k", {}, {1}), scalar.x, scalar.y,
                  TfliteAct::kRelu);
  EXPECT_THAT(RunCounting(scalar.b), ElementsAre(1, 0, 0, 0));
  // Columns and channels: rank 2 against rank 4.
  FloatCase two({1, 2, 2, 2}, {1, 2, 2, 2});
  two.b.Binary(TfliteOp::kMul, two.x, two.b.FloatConstant("k", {2, 2}, {1, 2, 3, 4}), two.y);
  EXPECT_THAT(RunCounting(two.b), ElementsAre(0, 2, 6, 12, 4, 10, 18, 28));
}

TEST(TfliteBinary, ConstantsKeepTheirIntegers) {
  TfliteBuilder b;
  const int x = b.Input(b.Int8("x", {1, 1, 2, 2}, 0.5f, 0));
  b.Binary(TfliteOp::kMul, x, b.Int8Constant("k", {2, 2}, {1, 2, 3, 4}, 0.5f, 1),
           b.Output(b.Int8("y", {1, 1, 2, 2}, 0.5f, 0)));
  const Graph graph = Import(b);
  ASSERT_EQ(graph.nodes.size(), 1U);
  const graph::Value& k = graph.value(graph.nodes[0].inputs[1]);
  EXPECT_EQ(k.shape, Shape({1, 2, 1, 2}));  // channels before columns
  EXPECT_THAT(k.quantisation->integers, ElementsAre(1, 3, 2, 4));
}

TEST(TfliteBinary, BroadcastsActivationsOfLowerRank) {
  TfliteBuilder b;
  const int x = b.Input(b.Float("x", {1, 2, 2, 2}));
  const int row = b.Input(b.Float("row", {2, 2}));
  b.Binary(TfliteOp::kMul, x, row, b.Output(b.Float("y", {1, 2, 2, 2})));
  EXPECT_THAT(RunFile(Import(b), {Counting(8), {1, 2, 3, 4}}).at(0),
              ElementsAre(0, 2, 6, 12, 4, 10, 18, 28));
}

TEST(TfliteUnary, BecomeTheirOperators) {
  for (const auto& [code, op] : std::map<int32_t, Op>{{TfliteOp::kLogistic, Op::kSigmoid},
                                                      {TfliteOp::kTanh, Op::kTanh},
                                                      {TfliteOp::kHardSwish, Op::kHardSwish},
                                                      {TfliteOp::kRelu, Op::kRelu},
                                                      {TfliteOp::kReluN1To1, Op::kClip},
                                                      {TfliteOp::kRelu6, Op::kClip}}) {
    TfliteBuilder b;
    const int x = b.Input(b.Int8("x", {1, 4}, 0.5f, 1));
    b.Unary(code, x, b.Output(b.Int8("y", {1, 4}, 0.25f, 2)));
    const Graph graph = Import(b);
    ASSERT_EQ(graph.nodes.size(), 1U);
    EXPECT_EQ(graph.nodes[0].op, op);
    EXPECT_EQ(OutputOf(graph).quantisation->scales, (std::vector<double>{0.25}));
  }
  FloatCase leaky({2}, {2});
  leaky.b.LeakyRelu(leaky.x, leaky.y, 0.25f);
  EXPECT_EQ(NodeOf(Import(leaky.b), Op::kLeakyRelu).Float("alpha"), 0.25);
}

TEST(TfliteSoftmax, RunsOverTheLastAxis) {
  FloatCase c({1, 1, 2, 2}, {1, 1, 2, 2});
  c.b.Softmax(c.x, c.y);
  const Graph graph = Import(c.b);
  EXPECT_EQ(NodeOf(graph, Op::kSoftmax).Int("axis"), 1);
  const Floats y = RunFile(graph, {{0, 0, 1, 1}}).at(0);
  EXPECT_THAT(y, ElementsAre(0.5, 0.5, 0.5, 0.5));
}

// The integers stay, the scale is beta times as large.
TEST(TfliteSoftmax, OtherBetasScaleTheInput) {
  TfliteBuilder b;
  const int x = b.Input(b.Int8("x", {1, 2}, 0.5f, 3));
  b.Softmax(x, b.Output(b.Int8("y", {1, 2}, 1.0f / 256, -128)), 2.0f);
  const Graph graph = Import(b);
  const graph::Node& mul = NodeOf(graph, Op::kMul);
  const graph::Value& scaled = graph.value(mul.outputs[0]);
  EXPECT_EQ(scaled.quantisation->scales, (std::vector<double>{1.0}));
  EXPECT_EQ(scaled.quantisation->zero_points, (Ints{3}));
  const graph::Value& beta = graph.value(mul.inputs[1]);
  EXPECT_EQ(beta.quantisation->scales, (std::vector<double>{2.0}));
  EXPECT_THAT(beta.quantisation->integers, ElementsAre(1));
  TfliteBuilder zero;
  const int z = zero.Input(zero.Float("z", {1, 2}));
  zero.Softmax(z, zero.Output(zero.Float("y", {1, 2})), 0.0f);
  EXPECT_THAT(Problems(zero), HasSubstr("beta is 0; allowed are"));
}

TEST(TfliteQuantize, IsAnIdentityBetweenQuantisations) {
  TfliteBuilder b;
  const int x = b.Input(b.Float("x", {1, 2, 2, 2}));
  const int q = b.Int8("q", {1, 2, 2, 2}, 0.5f, 1);
  const int r = b.Int8("r", {1, 2, 2, 2}, 0.25f, -1);
  const int y = b.Output(b.Float("y", {1, 2, 2, 2}));
  b.Unary(TfliteOp::kQuantize, x, q);
  b.Unary(TfliteOp::kQuantize, q, r);
  b.Unary(TfliteOp::kDequantize, r, y);
  const Graph graph = Import(b);
  ASSERT_EQ(graph.nodes.size(), 3U);
  for (const graph::Node& node : graph.nodes) EXPECT_EQ(node.op, Op::kIdentity);
  EXPECT_FALSE(graph.value(graph.inputs[0]).quantisation.has_value());
  EXPECT_EQ(graph.value(graph.nodes[0].outputs[0]).quantisation->scales[0], 0.5);
  EXPECT_EQ(graph.value(graph.nodes[1].outputs[0]).quantisation->zero_points[0], -1);
  EXPECT_FALSE(OutputOf(graph).quantisation.has_value());
}

TEST(TfliteQuantize, ConstantsChangeAtOnce) {
  TfliteBuilder b;
  const int x = b.Input(b.Int8("x", {3}, 0.5f, 0));
  const int k = b.FloatConstant("k", {3}, {0.25f, -0.25f, 1000});
  const int q = b.Int8("q", {3}, 0.5f, 10);
  b.Unary(TfliteOp::kQuantize, k, q);
  b.Binary(TfliteOp::kAdd, x, q, b.Output(b.Int8("y", {3}, 0.5f, 0)));
  const Graph graph = Import(b);
  ASSERT_EQ(graph.nodes.size(), 1U);
  const graph::Value& constant = graph.value(graph.nodes[0].inputs[1]);
  // Ties away from zero, clipped to int8.
  EXPECT_THAT(constant.quantisation->integers, ElementsAre(11, 9, 127));
  EXPECT_FLOAT_EQ(constant.constant->data<float>()[2], 58.5f);
}

// int8 weights of a float convolution, behind DEQUANTIZE or not: their reals.
TEST(TfliteDequantize, WeightsOfFloatNetworksAreReals) {
  for (const bool behind : {true, false}) {
    TfliteBuilder b;
    const int x = b.Input(b.Float("x", {1, 1, 1, 1}));
    const int stored = b.Weights("stored", {2, 1, 1, 1}, {2, -4}, {0.5f, 0.25f});
    int w = stored;
    if (behind) {
      w = b.Float("w", {2, 1, 1, 1});
      b.Unary(TfliteOp::kDequantize, stored, w);
    }
    b.Conv2d(x, w, -1, b.Output(b.Float("y", {1, 1, 1, 2})));
    const Graph graph = Import(b);
    ASSERT_EQ(graph.nodes.size(), 1U);
    EXPECT_FALSE(graph.value(graph.nodes[0].inputs[1]).quantisation.has_value());
    EXPECT_THAT(RunFile(graph, {{10}}).at(0), ElementsAre(10, -10));
  }
}

TEST(TfliteDequantize, ReadsHalfPrecision) {
  TfliteBuilder b;
  const int x = b.Input(b.Float("x", {5}));
  const int half =
      b.Add({"half",
             {5},
             TfliteType::kFloat16,
             {},
             {},
             0,
             bw::testing::BytesOf(std::vector<uint16_t>{0x3C00, 0xC000, 0x3555, 0x0001, 0x7BFF})});
  const int full = b.Float("full", {5});
  b.Unary(TfliteOp::kDequantize, half, full);
  b.Binary(TfliteOp::kAdd, x, full, b.Output(b.Float("y", {5})));
  const Graph graph = Import(b);
  const float* k = graph.value(graph.nodes.at(0).inputs[1]).constant->data<float>();
  EXPECT_EQ(k[0], 1.0f);
  EXPECT_EQ(k[1], -2.0f);
  EXPECT_NEAR(k[2], 1.0 / 3, 1e-3);
  EXPECT_EQ(k[3], std::ldexp(1.0f, -24));
  EXPECT_EQ(k[4], 65504.0f);
}

TEST(TfliteTypes, ConstantsOfOtherTypesAreErrors) {
  TfliteBuilder b;
  const int x = b.Input(b.Float("x", {1, 1, 1, 1}));
  const int flags = b.Add({"flags", {2, 1, 1, 1}, TfliteType::kBool, {}, {}, 0, std::string(2, 1)});
  const int w = b.Float("w", {2, 1, 1, 1});
  b.Unary(TfliteOp::kDequantize, flags, w);
  b.Conv2d(x, w, -1, b.Output(b.Float("y", {1, 1, 1, 2})));
  EXPECT_EQ(
      Problems(b),
      "m.tflite: subgraph 0, operator 0 DEQUANTIZE (w): the operand must be float32, float16, "
      "int8, uint8 or int16\n");
  b.tensor(flags).type = TfliteType::kInt8;
  b.tensor(flags).scales = {1};
  b.tensor(w).type = TfliteType::kBool;
  EXPECT_EQ(Problems(b),
            "m.tflite: subgraph 0, operator 0 DEQUANTIZE (w): subgraph 0, w: is a result and bool; "
            "results are float32, int8, uint8 or int16\n");
}

TEST(TfliteTypes, BiasesOfOtherTypesAreErrors) {
  TfliteBuilder b;
  const int x = b.Input(b.Float("x", {1, 2}));
  const int w = b.FloatConstant("w", {2, 2}, {1, 2, 3, 4});
  const int bias = b.Add({"bias", {2}, TfliteType::kBool, {}, {}, 0, std::string(2, 1)});
  b.FullyConnected(x, w, bias, b.Output(b.Float("y", {1, 2})));
  EXPECT_THAT(Problems(b), HasSubstr("the bias is of integers and the input is float32"));
  b.tensor(w).type = TfliteType::kInt32;
  EXPECT_THAT(Problems(b), HasSubstr("the weights have no scale"));
}

TEST(TfliteTypes, MixedOperandsAreErrors) {
  TfliteBuilder b;
  const int x = b.Input(b.Int8("x", {2}, 0.5f, 0));
  b.Binary(TfliteOp::kAdd, x, b.FloatConstant("k", {2}, {1, 2}),
           b.Output(b.Int8("y", {2}, 0.5f, 0)));
  EXPECT_EQ(Problems(b),
            "m.tflite: subgraph 0, operator 0 ADD (y): reads k (float32) and makes int8; only "
            "QUANTIZE and DEQUANTIZE may mix them\n");
}

}  // namespace
}  // namespace bw::frontend
