// Convolutions, fully connected layers and pools: attributes, weights, biases, activations.
#include <gmock/gmock.h>

#include <cmath>

#include "tests/unit/frontend_tflite/import_case.h"

namespace bw::frontend {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Ints = std::vector<int64_t>;

// CONV_2D on x[1,5,4,2] with 3 output channels and a kernel of 3 x 2, scales 1/4, 1/8, 1/16.
struct ConvCase {
  explicit ConvCase(const TfliteWindow& window = {}, std::vector<int32_t> y_shape = {1, 5, 4, 3}) {
    std::vector<int8_t> integers;
    for (int i = 0; i < 36; ++i) integers.push_back(static_cast<int8_t>(i * 5 % 256 - 90));
    x = b.Input(b.Int8("x", {1, 5, 4, 2}, 0.5f, -3));
    w = b.Weights("w", {3, 3, 2, 2}, integers, {0.25f, 0.125f, 0.0625f});
    bias = b.Bias("bias", {100, -200, 300});
    y = b.Output(b.Int8("y", std::move(y_shape), 1.0f, 4));
    b.Conv2d(x, w, bias, y, window);
  }
  TfliteBuilder b;
  int x = 0, w = 0, bias = 0, y = 0;
};

TEST(TfliteConv2d, WeightsAreOihwWithTheirIntegers) {
  const ConvCase c;
  const Graph graph = Import(c.b);
  ASSERT_EQ(graph.nodes.size(), 1U);
  const graph::Value& w = graph.value(graph.nodes[0].inputs.at(1));
  EXPECT_EQ(w.shape, Shape({3, 2, 3, 2}));
  ASSERT_TRUE(w.quantisation.has_value());
  EXPECT_EQ(w.quantisation->axis, 0);
  EXPECT_THAT(w.quantisation->scales, ElementsAre(0.25, 0.125, 0.0625));
  EXPECT_THAT(w.quantisation->zero_points, ElementsAre(0, 0, 0));
  EXPECT_EQ(w.quantisation->bits, 8);
  for (int o = 0; o < 3; ++o) {
    for (int i = 0; i < 2; ++i) {
      for (int kh = 0; kh < 3; ++kh) {
        for (int kw = 0; kw < 2; ++kw) {
          const size_t at = static_cast<size_t>(((o * 2 + i) * 3 + kh) * 2 + kw);
          const int file = ((o * 3 + kh) * 2 + kw) * 2 + i;
          const int integer = static_cast<int8_t>(file * 5 % 256 - 90);
          EXPECT_EQ(w.quantisation->integers[at], integer);
          EXPECT_FLOAT_EQ(w.constant->data<float>()[at],
                          static_cast<float>(integer) * std::ldexp(0.25f, -o));
        }
      }
    }
  }
}

TEST(TfliteConv2d, BiasHasTheScalesOfTheProducts) {
  const ConvCase c;
  const Graph graph = Import(c.b);
  const graph::Value& bias = graph.value(graph.nodes.at(0).inputs.at(2));
  ASSERT_TRUE(bias.quantisation.has_value());
  EXPECT_THAT(bias.quantisation->scales, ElementsAre(0.125, 0.0625, 0.03125));
  EXPECT_THAT(bias.quantisation->integers, ElementsAre(100, -200, 300));
  EXPECT_EQ(bias.quantisation->bits, 32);
  EXPECT_EQ(bias.quantisation->axis, 0);
  EXPECT_FLOAT_EQ(bias.constant->data<float>()[1], -12.5f);
}

TEST(TfliteConv2d, SamePaddingPutsTheOddElementLast) {
  // Rows: 5 with kernel 3, stride 2: 3 results, padding 2. Columns: 4 with kernel 2, stride 1:
  // padding 1 at the end.
  TfliteWindow window;
  window.stride_h = 2;
  const ConvCase c(window, {1, 3, 4, 3});
  const Graph graph = Import(c.b);
  const graph::Node& conv = NodeOf(graph, Op::kConv);
  EXPECT_EQ(conv.Ints("pads"), (Ints{1, 0, 1, 1}));
  EXPECT_EQ(conv.Ints("strides"), (Ints{2, 1}));
  EXPECT_EQ(conv.Ints("dilations"), (Ints{1, 1}));
  EXPECT_EQ(conv.Int("group"), 1);
}

TEST(TfliteConv2d, ValidPaddingAndDilation) {
  TfliteWindow window;
  window.padding = TflitePadding::kValid;
  window.dilation_h = 2;
  window.dilation_w = 3;
  const ConvCase c(window, {1, 1, 1, 3});
  const Graph graph = Import(c.b);
  const graph::Node& conv = NodeOf(graph, Op::kConv);
  EXPECT_EQ(conv.Ints("pads"), (Ints{0, 0, 0, 0}));
  EXPECT_EQ(conv.Ints("dilations"), (Ints{2, 3}));
}

TEST(TfliteConv2d, GroupsFollowFromTheWeights) {
  TfliteBuilder b;
  const int x = b.Input(b.Int8("x", {1, 2, 2, 4}, 0.5f, 0));
  const int w = b.Weights("w", {2, 1, 1, 2}, {1, 2, 3, 4}, {0.5f});
  const int y = b.Output(b.Int8("y", {1, 2, 2, 2}, 1, 0));
  b.Conv2d(x, w, -1, y);
  const Graph graph = Import(b);
  EXPECT_EQ(NodeOf(graph, Op::kConv).Int("group"), 2);
  EXPECT_EQ(NodeOf(graph, Op::kConv).inputs.size(), 2U);  // no bias
  EXPECT_EQ(graph.value(graph.nodes[0].inputs[1]).quantisation->axis, -1);
}

TEST(TfliteConv2d, FusedActivationReadsAnUnquantisedValue) {
  struct Row {
    int8_t activation;
    Op op;
    double low, high;
  };
  for (const Row& row :
       {Row{TfliteAct::kRelu, Op::kRelu, 0, 0}, Row{TfliteAct::kRelu6, Op::kClip, 0, 6},
        Row{TfliteAct::kReluN1To1, Op::kClip, -1, 1}}) {
    TfliteWindow window;
    window.activation = row.activation;
    const ConvCase c(window);
    const Graph graph = Import(c.b);
    ASSERT_EQ(graph.nodes.size(), 2U);
    EXPECT_FALSE(graph.value(graph.nodes[0].outputs[0]).quantisation.has_value());
    EXPECT_EQ(graph.nodes[0].name, "y");
    const graph::Node& activation = graph.nodes[1];
    EXPECT_EQ(activation.op, row.op);
    EXPECT_EQ(OutputOf(graph).name, "y");
    EXPECT_EQ(OutputOf(graph).quantisation->zero_points, (Ints{4}));
    if (row.op != Op::kClip) continue;
    EXPECT_EQ(activation.Float("min"), row.low);
    EXPECT_EQ(activation.Float("max"), row.high);
  }
  TfliteWindow window;
  window.activation = TfliteAct::kTanh;
  EXPECT_EQ(Problems(ConvCase(window).b),
            "m.tflite: subgraph 0, operator 0 CONV_2D (y): fused activation 4 is not supported "
            "(supported are none (0), RELU (1), RELU_N1_TO_1 (2) and RELU6 (3))\n");
}

// The reals of the graph against a convolution written in the file's order.
TEST(TfliteConv2d, ComputesWhatTheFileSays) {
  const ConvCase c;
  const Graph graph = Import(c.b);
  const std::vector<Floats> results = RunFile(graph, {Counting(40)});
  const TfliteTensor w = TfliteBuilder(c.b).tensor(c.w);
  const double bias[] = {12.5, -12.5, 9.375};
  for (int h = 0; h < 5; ++h) {
    for (int col = 0; col < 4; ++col) {
      for (int o = 0; o < 3; ++o) {
        double sum = bias[o];
        for (int kh = 0; kh < 3; ++kh) {
          for (int kw = 0; kw < 2; ++kw) {
            const int row = h + kh - 1, column = col + kw;
            if (row < 0 || row >= 5 || column >= 4) continue;
            for (int i = 0; i < 2; ++i) {
              const auto q =
                  static_cast<int8_t>(w.data[static_cast<size_t>(((o * 3 + kh) * 2 + kw) * 2 + i)]);
              sum += std::ldexp(0.25, -o) * q * ((row * 4 + column) * 2 + i);
            }
          }
        }
        EXPECT_FLOAT_EQ(results.at(0)[static_cast<size_t>((h * 4 + col) * 3 + o)],
                        static_cast<float>(sum));
      }
    }
  }
}

TEST(TfliteDepthwiseConv2d, MultiplierAndScalesOnTheLastAxis) {
  TfliteBuilder b;
  const int x = b.Input(b.Int8("x", {1, 1, 1, 2}, 0.5f, 0));
  const int w = b.Weights("w", {1, 1, 1, 4}, {1, 2, 3, 4}, {1, 2, 4, 8}, 3);
  const int y = b.Output(b.Int8("y", {1, 1, 1, 4}, 1, 0));
  b.DepthwiseConv2d(x, w, b.Bias("bias", {2, 2, 2, 2}), y, 2);
  const Graph graph = Import(b);
  const graph::Node& conv = NodeOf(graph, Op::kConv);
  EXPECT_EQ(conv.Int("group"), 2);
  const graph::Value& weights = graph.value(conv.inputs.at(1));
  EXPECT_EQ(weights.shape, Shape({4, 1, 1, 1}));
  EXPECT_EQ(weights.quantisation->axis, 0);
  EXPECT_THAT(weights.quantisation->scales, ElementsAre(1, 2, 4, 8));
  // Channels 0 and 1 read input 0, 2 and 3 read input 1; bias 2 * 0.5 * scale.
  EXPECT_THAT(RunFile(graph, {{10, 100}}).at(0), ElementsAre(11, 42, 1204, 3208));
}

TEST(TfliteDepthwiseConv2d, RefusesAWrongMultiplier) {
  TfliteBuilder b;
  const int x = b.Input(b.Int8("x", {1, 1, 1, 2}, 0.5f, 0));
  const int w = b.Weights("w", {1, 1, 1, 4}, {1, 2, 3, 4}, {1});
  b.DepthwiseConv2d(x, w, -1, b.Output(b.Int8("y", {1, 1, 1, 4}, 1, 0)), 3);
  EXPECT_THAT(Problems(b), HasSubstr("depth_multiplier is 3; input 1x1x1x2 and weights 1x1x1x4 "
                                     "make 2"));
}

TEST(TfliteFullyConnected, IsAGemmOnTransposedWeights) {
  TfliteBuilder b;
  const int x = b.Input(b.Int8("x", {2, 3}, 0.5f, 1));
  const int w = b.Weights("w", {2, 3}, {1, 2, 3, 4, 5, 6}, {0.5f, 0.25f});
  const int y = b.Output(b.Int8("y", {2, 2}, 1, 0));
  b.FullyConnected(x, w, b.Bias("bias", {4, 8}), y, TfliteAct::kRelu6);
  const Graph graph = Import(b);
  ASSERT_EQ(graph.nodes.size(), 2U);
  const graph::Node& gemm = graph.nodes[0];
  EXPECT_EQ(gemm.op, Op::kGemm);
  EXPECT_EQ(gemm.Int("transB"), 1);
  EXPECT_EQ(graph.value(gemm.inputs[1]).quantisation->axis, 0);
  EXPECT_THAT(graph.value(gemm.inputs[2]).quantisation->scales, ElementsAre(0.25, 0.125));
  EXPECT_THAT(RunFile(graph, {{1, 0, 0, 0, 0, -1}}).at(0), ElementsAre(1.5, 2, 0, 0));
}

// x[1,2,2,2] is flattened as H, W, C.
TEST(TfliteFullyConnected, FlattensInTheFilesOrder) {
  TfliteBuilder b;
  const int x = b.Input(b.Float("x", {1, 2, 2, 2}));
  const int w = b.FloatConstant("w", {1, 8}, {1, 10, 100, 1000, 1e4f, 1e5f, 1e6f, 1e7f});
  b.FullyConnected(x, w, -1, b.Output(b.Float("y", {1, 1})));
  EXPECT_THAT(RunFile(Import(b), {{1, 2, 3, 4, 5, 6, 7, 0}}).at(0), ElementsAre(7654321));
}

TEST(TfliteFullyConnected, KeepsTheOtherAxesWhenAsked) {
  TfliteBuilder b;
  const int x = b.Input(b.Int8("x", {1, 2, 2, 2}, 1, 0));
  const int w = b.Weights("w", {3, 2}, {1, 0, 0, 1, 1, 1}, {1});
  const int y = b.Output(b.Int8("y", {1, 2, 2, 3}, 1, 5));
  b.FullyConnected(x, w, -1, y, TfliteAct::kRelu, true);
  const Graph graph = Import(b);
  EXPECT_THAT(RunFile(graph, {Counting(8)}).at(0),
              ElementsAre(0, 1, 1, 2, 3, 5, 4, 5, 9, 6, 7, 13));
  EXPECT_EQ(OutputOf(graph).quantisation->zero_points, (Ints{5}));
}

TEST(TfliteFullyConnected, RefusesShuffledWeightsAndMisfits) {
  TfliteBuilder shuffled;
  const int x = shuffled.Input(shuffled.Int8("x", {1, 2}, 1, 0));
  const int w = shuffled.Weights("w", {1, 2}, {1, 1}, {1});
  const int y = shuffled.Output(shuffled.Int8("y", {1, 1}, 1, 0));
  shuffled.Operator(TfliteOp::kFullyConnected, {x, w}, {y}, 8, {{1, int8_t{1}}});
  EXPECT_THAT(Problems(shuffled), HasSubstr("shuffled weights are not supported"));

  TfliteBuilder misfit;
  const int a = misfit.Input(misfit.Int8("a", {1, 3}, 1, 0));
  const int v = misfit.Weights("v", {1, 2}, {1, 1}, {1});
  misfit.FullyConnected(a, v, -1, misfit.Output(misfit.Int8("b", {1, 1}, 1, 0)));
  EXPECT_THAT(Problems(misfit), HasSubstr("input 1x3 and weights 1x2 do not fit"));
}

TEST(TflitePool, WindowsAndPadding) {
  TfliteWindow window;
  window.stride_h = window.stride_w = 2;
  FloatCase average({1, 3, 3, 1}, {1, 2, 2, 1});
  average.b.AveragePool(average.x, average.y, 2, 2, window);
  // Padding at the end is not counted.
  EXPECT_THAT(RunCounting(average.b), ElementsAre(2, 3.5, 6.5, 8));
  window.activation = TfliteAct::kRelu6;
  FloatCase maximum({1, 3, 3, 1}, {1, 2, 2, 1});
  maximum.b.MaxPool(maximum.x, maximum.y, 2, 2, window);
  EXPECT_THAT(RunCounting(maximum.b), ElementsAre(4, 5, 6, 6));
  FloatCase wide({1, 4, 6, 1}, {1, 2, 2, 1});
  window = {};
  window.padding = TflitePadding::kValid;
  window.stride_h = 3;
  window.stride_w = 3;
  wide.b.MaxPool(wide.x, wide.y, 1, 2, window);
  EXPECT_THAT(RunCounting(wide.b), ElementsAre(1, 4, 19, 22));
}

}  // namespace
}  // namespace bw::frontend
