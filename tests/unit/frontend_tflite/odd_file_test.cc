// What files hold beside a plain network, and what users get wrong: each oddity is read, or refused
// in one line that names the tensor or operator.
#include <gmock/gmock.h>

#include "tests/unit/frontend_tflite/import_case.h"

namespace bw::frontend {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// y = relu(x), sound.
struct ReluCase {
  ReluCase() {
    x = b.Input(b.Int8("x", {1, 2, 2, 3}, 0.5f, -3));
    y = b.Output(b.Int8("y", {1, 2, 2, 3}, 0.25f, 4));
    b.Unary(TfliteOp::kRelu, x, y);
  }
  TfliteBuilder b;
  int x = 0, y = 0;
};

// FULLY_CONNECTED with two outputs and scales 1/4, 1/8 of the weights; the bias is the caller's.
struct BiasCase {
  BiasCase() {
    x = b.Input(b.Int8("x", {1, 2}, 0.5f, 0));
    w = b.Weights("w", {2, 2}, {1, 2, 3, 4}, {0.25f, 0.125f});
    bias = b.Bias("bias", {7, -9});
    y = b.Output(b.Int8("y", {1, 2}, 1, 0));
    b.FullyConnected(x, w, bias, y);
  }
  void ExpectSound() const {
    const Graph graph = Import(b);
    const graph::Value& value = graph.value(NodeOf(graph, Op::kGemm).inputs.at(2));
    EXPECT_EQ(value.shape, Shape({2}));
    EXPECT_THAT(value.quantisation->scales, ElementsAre(0.125, 0.0625));
    EXPECT_THAT(value.quantisation->integers, ElementsAre(7, -9));
  }
  TfliteBuilder b;
  int x = 0, w = 0, bias = 0, y = 0;
};

TEST(TfliteOddFile, OtherSubgraphsMetadataAndUnusedTensorsDoNotMatter) {
  ReluCase c;
  c.b.second_subgraph = c.b.metadata = true;
  c.b.Add({"of no known type", {-1, 1 << 30, 1 << 30, 5, 6}, int8_t{99}, {0, -1}, {1, 2, 3}, 17});
  c.b.FloatConstant("unused", {7}, {1, 2, 3});
  c.b.Add({"", {}, TfliteType::kString});
  const Graph graph = Import(c.b);
  EXPECT_EQ(graph.nodes.size(), 1U);
  EXPECT_EQ(graph.values.size(), 2U);
  EXPECT_EQ(graph.name, "main");
}

TEST(TfliteOddFile, OperatorCodesOfBothAges) {
  ReluCase c;
  c.b.old_codes = true;
  EXPECT_EQ(Problems(c.b), "");
  TfliteBuilder great;
  const int x = great.Input(great.Float("x", {1}));
  great.Operator(TfliteOp::kBroadcastTo, {x}, {great.Output(great.Float("y", {1}))});
  EXPECT_EQ(Problems(great),
            "m.tflite: subgraph 0, operator 0: builtin operator 130 is not supported ('bitwright "
            "describe ops' lists the operators)\n");
}

TEST(TfliteOddFile, EveryUnknownOperatorIsListedOnce) {
  TfliteBuilder b;
  const int x = b.Input(b.Float("x", {1}));
  const int y = b.Output(b.Float("y", {1}));
  b.custom_code = "TFLite_Detection_PostProcess";
  b.Operator(TfliteOp::kCustom, {x}, {y});
  b.Operator(77 + 1, {x}, {y});
  b.Operator(77 + 1, {x}, {y});
  EXPECT_EQ(
      Problems(b),
      "m.tflite: subgraph 0, operator 0: custom operator 'TFLite_Detection_PostProcess' is "
      "not supported ('bitwright describe ops' lists the operators)\n"
      "m.tflite: subgraph 0, operator 1: builtin operator 78 is not supported (in 2 operators) "
      "('bitwright describe ops' lists the operators)\n");
}

TEST(TfliteOddFile, BiasesTakeTheScalesOfTheProducts) {
  BiasCase none;  // no scales at all
  none.ExpectSound();
  BiasCase other;  // another number of scales, on an axis that it has not
  other.b.tensor(other.bias).scales = {1, 2, 3};
  other.b.tensor(other.bias).zero_points = {4};
  other.b.tensor(other.bias).axis = 5;
  other.ExpectSound();
  BiasCase negative;
  negative.b.tensor(negative.bias).scales = {-1};
  negative.b.tensor(negative.bias).axis = -3;
  negative.ExpectSound();
  BiasCase shaped;  // 1x2 as well as 2
  shaped.b.tensor(shaped.bias).shape = {1, 2};
  shaped.ExpectSound();
  BiasCase wide;  // int64
  wide.b.tensor(wide.bias).type = TfliteType::kInt64;
  wide.b.tensor(wide.bias).data = bw::testing::BytesOf(std::vector<int64_t>{7, -9});
  wide.ExpectSound();
}

TEST(TfliteOddFile, BiasesThatAreWrong) {
  BiasCase huge;
  huge.b.tensor(huge.bias).type = TfliteType::kInt64;
  huge.b.tensor(huge.bias).data = bw::testing::BytesOf(std::vector<int64_t>{7, int64_t{1} << 31});
  EXPECT_EQ(Problems(huge.b),
            "m.tflite: subgraph 0, operator 0 FULLY_CONNECTED (y): the bias has the value "
            "2147483648, which int32 does not hold\n");
  BiasCase few;
  few.b.tensor(few.bias).shape = {1};
  few.b.tensor(few.bias).data.resize(4);
  EXPECT_THAT(Problems(few.b),
              HasSubstr("the bias has shape 1; the weights have 2 output channels"));
  BiasCase real;
  real.b.tensor(real.bias).type = TfliteType::kFloat32;
  EXPECT_THAT(Problems(real.b), HasSubstr("the bias must be int32 or int64"));
}

TEST(TfliteOddFile, AbsentBiasInBothForms) {
  for (const bool listed : {true, false}) {
    TfliteBuilder b;
    const int x = b.Input(b.Int8("x", {1, 2}, 0.5f, 0));
    const int w = b.Weights("w", {1, 2}, {1, 2}, {1});
    const int y = b.Output(b.Int8("y", {1, 1}, 1, 0));
    b.Operator(TfliteOp::kFullyConnected,
               listed ? std::vector<int32_t>{x, w, -1} : std::vector<int32_t>{x, w}, {y}, 8);
    EXPECT_EQ(NodeOf(Import(b), Op::kGemm).inputs.size(), 2U);
  }
}

TEST(TfliteOddFile, WeightsWithWrongScales) {
  BiasCase axis;
  axis.b.tensor(axis.w).axis = 1;
  EXPECT_THAT(Problems(axis.b), HasSubstr("an axis that is not the output channels'"));
  BiasCase count;
  count.b.tensor(count.w).scales = {1, 2, 3};
  EXPECT_EQ(Problems(count.b),
            "m.tflite: subgraph 0, operator 0 FULLY_CONNECTED (y): subgraph 0, w: has 3 scales and "
            "2 zero points\n");
  BiasCase outside;
  outside.b.tensor(outside.w).axis = 2;
  EXPECT_THAT(Problems(outside.b), HasSubstr("w: has 2 scales on axis 2 of 2x2"));
  BiasCase none;
  none.b.tensor(none.w).scales.clear();
  EXPECT_THAT(Problems(none.b), HasSubstr("w: is int8 and has no scale"));
}

TEST(TfliteOddFile, ScalesAndZeroPointsOfActivations) {
  ReluCase none;
  none.b.tensor(none.x).zero_points.clear();
  const Graph graph = Import(none.b);
  EXPECT_THAT(graph.value(graph.inputs[0]).quantisation->zero_points, ElementsAre(0));

  ReluCase several;
  several.b.tensor(several.y).scales = {1, 2, 3};
  several.b.tensor(several.y).axis = 3;
  EXPECT_EQ(Problems(several.b),
            "m.tflite: subgraph 0, operator 0 RELU (y): subgraph 0, y: has several scales; an "
            "activation must have one\n");
  TfliteBuilder operand;
  const int x = operand.Input(operand.Int8("x", {2}, 1, 0));
  const int k = operand.Weights("k", {2}, {1, 2}, {1, 2});
  operand.Binary(TfliteOp::kAdd, x, k, operand.Output(operand.Int8("y", {2}, 1, 0)));
  EXPECT_THAT(Problems(operand), HasSubstr("k has several scales; an operand that is no weights"));
  ReluCase negative;
  negative.b.tensor(negative.x).scales = {-0.5f};
  EXPECT_THAT(Problems(negative.b), HasSubstr("x: has the scale -0.5; allowed are"));
  ReluCase nan;
  nan.b.tensor(nan.x).scales = {std::numeric_limits<float>::quiet_NaN()};
  EXPECT_THAT(Problems(nan.b), HasSubstr("x: has the scale nan; allowed are"));
  ReluCase point;
  point.b.tensor(point.x).zero_points = {128};
  EXPECT_THAT(Problems(point.b), HasSubstr("x: has the zero point 128; allowed are -128 to 127"));
}

TEST(TfliteOddFile, OtherIntegerTypes) {
  for (const auto& [type, bits, is_signed] :
       {std::tuple{TfliteType::kUint8, 8, false}, std::tuple{TfliteType::kInt16, 16, true}}) {
    ReluCase c;
    c.b.tensor(c.x).type = static_cast<int8_t>(type);
    c.b.tensor(c.x).zero_points = {0};
    const Graph graph = Import(c.b);
    EXPECT_EQ(graph.value(graph.inputs[0]).quantisation->bits, bits);
    EXPECT_EQ(graph.value(graph.inputs[0]).quantisation->is_signed, is_signed);
  }
  ReluCase nibbles;
  nibbles.b.tensor(nibbles.x).type = TfliteType::kInt4;
  EXPECT_THAT(Problems(nibbles.b), HasSubstr("x: is an input and of type number 17; inputs are"));
  ReluCase index;
  index.b.tensor(index.x).type = TfliteType::kInt32;
  EXPECT_THAT(Problems(index.b), HasSubstr("x: is an input and int32; inputs are float32, int8,"));
}

TEST(TfliteOddFile, NamesAreMadeUniqueAndShort) {
  TfliteBuilder b;
  const int x = b.Input(b.Float("same", {1}));
  const int y = b.Float("same", {1});
  const int z = b.Float("", {1});
  const int u = b.Float("net/relu;net/conv;net/bias", {1});
  const int v = b.Output(b.Float("net/relu", {1}));
  b.Unary(TfliteOp::kRelu, x, y);
  b.Unary(TfliteOp::kTanh, y, z);
  b.Unary(TfliteOp::kRelu, z, u);
  b.Unary(TfliteOp::kRelu, u, v);
  const Graph graph = Import(b);
  std::vector<std::string> names;
  for (const graph::Value& value : graph.values) names.push_back(value.name);
  EXPECT_THAT(names, ElementsAre("same", "same_2", "tensor 2", "net/relu_2", "net/relu"));
}

TEST(TfliteOddFile, ScalarsHaveRankZero) {
  TfliteBuilder b;
  const int x = b.Input(b.Int8("x", {}, 0.5f, 0));
  b.Binary(TfliteOp::kAdd, x, b.Int8Constant("k", {}, {2}, 0.5f, 0),
           b.Output(b.Int8("y", {}, 0.5f, 0)));
  const Graph graph = Import(b);
  EXPECT_EQ(OutputOf(graph).shape, Shape());
  EXPECT_THAT(RunFile(graph, {{3}}).at(0), ElementsAre(4));
}

TEST(TfliteOddFile, OpenExtentsAreTheStoredOnesOrBound) {
  ReluCase c;
  c.b.tensor(c.x).signature = {-1, 2, 2, 3};
  c.b.tensor(c.y).signature = {-1, 2, 2, 3};
  const Graph one = Import(c.b);
  EXPECT_EQ(one.value(one.inputs[0]).shape, Shape({1, 3, 2, 2}));
  const Graph five = Import(c.b, {{{"", {5, 2, 2, 3}}}});
  EXPECT_EQ(five.value(five.inputs[0]).shape, Shape({5, 3, 2, 2}));
  EXPECT_EQ(OutputOf(five).shape, Shape({5, 3, 2, 2}));
  const auto problems = [&c](const TfliteImportOptions& options) {
    const auto graph = ImportTfliteBuffer(c.b.Finish(), "m.tflite", options);
    return graph.ok() ? "" : ToString(graph.errors());
  };
  EXPECT_EQ(problems({{{"x", {1, 4, 2, 3}}}}),
            "m.tflite: subgraph 0, x: shape 1x4x2x3 does not fit the file's 1x2x2x3 (axes are in "
            "the file's order, N x H x W x C)\n");
  EXPECT_EQ(problems({{{"z", {1}}}}),
            "m.tflite: --shape: the network has no input z (its inputs: x)\n");
}

TEST(TfliteOddFile, DeclaredShapesAreChecked) {
  ReluCase wrong;
  wrong.b.tensor(wrong.y).shape = {1, 2, 2, 4};
  EXPECT_EQ(Problems(wrong.b),
            "m.tflite: subgraph 0, operator 0 RELU (y): makes shape 1x2x2x3; the file says 1x2x2x4 "
            "of y\n");
  ReluCase empty;
  empty.b.tensor(empty.y).shape = {};
  EXPECT_EQ(OutputOf(Import(empty.b)).shape, Shape({1, 3, 2, 2}));
  ReluCase five;
  five.b.tensor(five.x).shape = {1, 1, 2, 2, 3};
  EXPECT_THAT(Problems(five.b),
              HasSubstr("x: has shape 1x1x2x2x3 of rank 5; supported are ranks up to 4"));
}

TEST(TfliteOddFile, TensorsThatDoNotExistOrAreNotMade) {
  ReluCase input;
  input.b.Input(99);
  EXPECT_EQ(Problems(input.b), "m.tflite: subgraph 0: input tensor 99 does not exist\n");
  ReluCase output;
  output.b.Output(-1);
  EXPECT_EQ(Problems(output.b), "m.tflite: subgraph 0: output tensor -1 does not exist\n");
  ReluCase reads;
  reads.b.Unary(TfliteOp::kRelu, 50, reads.y);
  EXPECT_EQ(Problems(reads.b),
            "m.tflite: subgraph 0, operator 1: reads tensor 50, which does not exist\n");
  ReluCase twice;
  twice.b.Unary(TfliteOp::kRelu, twice.x, twice.y);
  EXPECT_EQ(Problems(twice.b), "m.tflite: subgraph 0, y: is made twice\n");
  ReluCase loop;
  loop.b.Unary(TfliteOp::kRelu, loop.y, loop.x);
  EXPECT_EQ(Problems(loop.b), "m.tflite: subgraph 0, x: is made twice\n");
  ReluCase absent;
  absent.b.Unary(TfliteOp::kRelu, -1, absent.b.Int8("z", {1}, 1, 0));
  EXPECT_EQ(Problems(absent.b), "m.tflite: subgraph 0, operator 1 RELU (z): operand 0 is absent\n");
  ReluCase early;
  early.b.Output(early.b.Int8("never", {1}, 1, 0));
  EXPECT_EQ(Problems(early.b), "m.tflite: subgraph 0, never: is read before anything makes it\n");
  ReluCase data;
  data.b.tensor(data.y).data = std::string(12, '\0');
  EXPECT_EQ(Problems(data.b), "m.tflite: subgraph 0, y: holds data and is also made\n");
}

TEST(TfliteOddFile, VariablesAndConstantsOfTheWrongSize) {
  TfliteBuilder state;
  const int x = state.Input(state.Int8("x", {2}, 1, 0));
  const int s = state.Int8("state", {2}, 1, 0);
  state.tensor(s).is_variable = true;
  state.Binary(TfliteOp::kAdd, x, s, state.Output(state.Int8("y", {2}, 1, 0)));
  EXPECT_THAT(Problems(state), HasSubstr("state: is a variable, which is not supported"));

  TfliteBuilder size;
  const int a = size.Input(size.Int8("a", {2}, 1, 0));
  const int k = size.Int8Constant("k", {2}, {1, 2, 3}, 1, 0);
  size.Binary(TfliteOp::kAdd, a, k, size.Output(size.Int8("y", {2}, 1, 0)));
  EXPECT_THAT(Problems(size), HasSubstr("k: has 3 bytes of data; int8 2 needs 2"));
}

TEST(TfliteOddFile, OptionsOfAnotherOperatorAreRefused) {
  TfliteBuilder b;
  const int x = b.Input(b.Float("x", {1}));
  b.Operator(TfliteOp::kLeakyRelu, {x}, {b.Output(b.Float("y", {1}))}, 9, {{0, 0.5f}});
  EXPECT_EQ(Problems(b),
            "m.tflite: subgraph 0, operator 0 LEAKY_RELU (y): has options of kind 9, must be 75\n");
}

TEST(TfliteOddFile, FoldsWhatMovesAndRefusesIntegerArithmeticOnConstants) {
  TfliteBuilder b;
  const int x = b.Input(b.Int8("x", {2}, 0.5f, 0));
  const int k = b.Int8Constant("k", {1, 2}, {5, 7}, 0.5f, 3);
  const int moved = b.Int8("moved", {2}, 0.5f, 3);
  b.Reshape(k, moved, {2});
  b.Binary(TfliteOp::kAdd, x, moved, b.Output(b.Int8("y", {2}, 0.5f, 0)));
  const Graph graph = Import(b);
  ASSERT_EQ(graph.nodes.size(), 1U);
  EXPECT_THAT(graph.value(graph.nodes[0].inputs[1]).quantisation->integers, ElementsAre(5, 7));

  TfliteBuilder sum;
  const int a = sum.Int8Constant("a", {1}, {5}, 0.5f, 3);
  const int s = sum.Int8("s", {1}, 0.5f, 3);
  const int in = sum.Input(sum.Int8("in", {1}, 0.5f, 0));
  sum.Binary(TfliteOp::kAdd, a, a, s);
  sum.Binary(TfliteOp::kAdd, in, s, sum.Output(sum.Int8("y", {1}, 0.5f, 0)));
  EXPECT_EQ(Problems(sum),
            "m.tflite: Add s: computes integers from constants alone, which is not supported "
            "(convert the network with constant folding)\n");
}

TEST(TfliteOddFile, ForeignFiles) {
  const auto problems = [](const std::string& bytes) {
    const auto graph = ImportTfliteBuffer(bytes, "m.tflite");
    return graph.ok() ? "" : ToString(graph.errors());
  };
  EXPECT_EQ(problems(""), "m.tflite: is empty (a .tflite file was expected)\n");
  EXPECT_EQ(problems("plain text, no model"),
            "m.tflite: is not a TensorFlow Lite model: bytes 4 to 7 are not 'TFL3'\n");
  ReluCase c;
  c.b.version = 2;
  EXPECT_EQ(problems(c.b.Finish()), "m.tflite: has schema version 2; supported is 3\n");
  EXPECT_THAT(problems("\xFF\xFF\xFF\x7FTFL3"), StartsWith("m.tflite: is damaged or truncated: "));
}

}  // namespace
}  // namespace bw::frontend
