// Quantised ONNX models as annotated graphs. Scales are powers of two, so that the reals of the
// annotated graph are exact and give the integers of the reference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/passes/passes.h"
#include "models/arith/profile.h"
#include "models/arith/quantise.h"
#include "models/float_ref/executor.h"
#include "tests/unit/frontend_onnx/model_builder.h"
#include "tests/unit/passes/equivalence.h"

namespace bw::passes {
namespace {

using frontend::Ints;
using frontend::ModelBuilder;
using frontend::Set;
using graph::Graph;
using graph::Quantisation;
using graph::Value;
using onnx::TensorProto;
using tensor::Tensor;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Graph Canonical(const ModelBuilder& m) {
  auto graph = m.Import();
  EXPECT_TRUE(graph.ok()) << ToString(graph.errors());
  if (!graph.ok()) return {};
  const Status status = Canonicalise(*graph);
  EXPECT_TRUE(status.ok()) << ToString(status.errors());
  return *graph;
}

std::string Problems(const ModelBuilder& m) {
  auto graph = m.Import();
  if (!graph.ok()) return ToString(graph.errors());
  const Status status = Canonicalise(*graph);
  return status.ok() ? "" : ToString(status.errors());
}

const Value& Named(const Graph& graph, const std::string& name) {
  for (const Value& value : graph.values) {
    if (value.name == name) return value;
  }
  ADD_FAILURE() << "no value " << name;
  return graph.values.front();
}

std::vector<int64_t> ToIntegers(const Tensor& reals, const Quantisation& q) {
  const auto range = arith::RangeOf(arith::ClipKind::kTypeRange, q.bits, q.is_signed);
  std::vector<int64_t> integers;
  for (const double v : reals.ToF64()) {
    integers.push_back(arith::QuantiseOnnx(static_cast<float>(v), static_cast<float>(q.scales[0]),
                                           q.zero_points[0], range.lo, range.hi));
  }
  return integers;
}

Tensor ToReals(const Tensor& integers, const Quantisation& q) {
  std::vector<float> reals;
  for (const int64_t v : integers.ToI64()) {
    reals.push_back(static_cast<float>(arith::Dequantise(v, q.scales[0], q.zero_points[0])));
  }
  return Tensor::From<float>(integers.shape(), reals);
}

// The model's integer results on integer inputs, from its integer operators and from the annotated
// graph's reals.
void ExpectSameIntegers(const ModelBuilder& m, const Tensor& input) {
  const auto imported = m.Import();
  ASSERT_TRUE(imported.ok()) << ToString(imported.errors());
  const auto expected = float_ref::FloatExecutor(*imported).Run({input});
  ASSERT_TRUE(expected.ok()) << ToString(expected.errors());
  const Graph graph = Canonical(m);
  const Tensor reals = ToReals(input, *graph.value(graph.inputs[0]).quantisation);
  const auto got = float_ref::FloatExecutor(graph).Run({reals});
  ASSERT_TRUE(got.ok()) << ToString(got.errors());
  EXPECT_EQ(ToIntegers((*got)[0], *graph.value(graph.outputs[0]).quantisation),
            (*expected)[0].ToI64());
}

Tensor Bytes(const Ints& shape, int seed) {
  tensor::Shape s(shape);
  std::vector<uint8_t> values;
  for (int64_t i = 0; i < s.Elements(); ++i) {
    values.push_back(static_cast<uint8_t>((i * 37 + seed) % 256));
  }
  return Tensor::From<uint8_t>(s, values);
}

// x (uint8, 2 channels of 4x4) through a QLinearConv of two 3x3 filters a scale each, with bias.
ModelBuilder ConvModel() {
  ModelBuilder m(13);
  m.Input("x", {1, 2, 4, 4}, TensorProto::UINT8);
  m.Floats("x_scale", {}, {0.5f});
  m.Integers("x_zero", TensorProto::UINT8, {}, {7});
  Ints w;
  for (int i = 0; i < 36; ++i) w.push_back(i * 5 % 23 - 11);
  m.Integers("w", TensorProto::INT8, {2, 2, 3, 3}, w);
  m.Floats("w_scale", {2}, {0.25f, 0.125f});
  m.Integers("w_zero", TensorProto::INT8, {2}, {0, 3});
  m.Floats("y_scale", {}, {4.0f});
  m.Integers("y_zero", TensorProto::UINT8, {}, {100});
  m.Integers("b", TensorProto::INT32, {2}, {-50, 300});
  Set(m.Node("QLinearConv",
             {"x", "x_scale", "x_zero", "w", "w_scale", "w_zero", "y_scale", "y_zero", "b"}, "y"),
      "pads", Ints{1, 1, 1, 1});
  m.Output("y");
  return m;
}

TEST(ResolveQuantised, QLinearConvIsAConvOfQuantisedValues) {
  const ModelBuilder m = ConvModel();
  const Graph graph = Canonical(m);
  EXPECT_EQ(Ops(graph), "Conv");
  const graph::Node& conv = graph.nodes[0];
  const Quantisation& x = *graph.value(conv.inputs[0]).quantisation;
  EXPECT_THAT(x.scales, ElementsAre(0.5));
  EXPECT_THAT(x.zero_points, ElementsAre(7));
  EXPECT_EQ(x.bits, 8);
  EXPECT_FALSE(x.is_signed);
  EXPECT_TRUE(x.ties_to_even);
  const Quantisation& w = *graph.value(conv.inputs[1]).quantisation;
  EXPECT_THAT(w.scales, ElementsAre(0.25, 0.125));
  EXPECT_THAT(w.zero_points, ElementsAre(0, 3));
  EXPECT_EQ(w.axis, 0);
  EXPECT_EQ(w.integers[1], -6);
  const Quantisation& b = *graph.value(conv.inputs[2]).quantisation;
  EXPECT_THAT(b.scales, ElementsAre(0.125, 0.0625));
  EXPECT_EQ(b.bits, 32);
  EXPECT_THAT(b.integers, ElementsAre(-50, 300));
  EXPECT_EQ(Named(graph, "y").quantisation->zero_points[0], 100);
  ExpectSameIntegers(m, Bytes({1, 2, 4, 4}, 11));
}

TEST(ResolveQuantised, OneDimensionalConvolutionsKeepTheirIntegers) {
  ModelBuilder m(13);
  m.Input("x", {1, 2, 6}, TensorProto::UINT8);
  m.Floats("s", {}, {0.5f});
  m.Integers("z", TensorProto::UINT8, {}, {3});
  m.Integers("w", TensorProto::INT8, {2, 2, 3}, {1, -2, 3, -4, 5, -6, 7, 8, 9, -10, 11, 12});
  m.Integers("w_zero", TensorProto::INT8, {}, {0});
  m.Node("QLinearConv", {"x", "s", "z", "w", "s", "w_zero", "s", "z"}, "y");
  m.Output("y");
  const Graph graph = Canonical(m);
  EXPECT_EQ(Ops(graph), "Reshape Conv Reshape");
  EXPECT_EQ(graph.value(graph.nodes[1].inputs[1]).quantisation->integers.size(), 12u);
  ExpectSameIntegers(m, Bytes({1, 2, 6}, 5));
}

TEST(ResolveQuantised, IntegerMaximaAndReshapesKeepTheMeaning) {
  ModelBuilder m = ConvModel();
  Set(m.Node("MaxPool", {"y"}, "pooled"), "kernel_shape", Ints{2, 2});
  m.List("shape", {1, 18});
  m.Node("Reshape", {"pooled", "shape"}, "flat");
  m.graph->clear_output();
  m.Output("flat");
  const Graph graph = Canonical(m);
  EXPECT_EQ(Ops(graph), "Conv MaxPool Reshape");
  EXPECT_THAT(Named(graph, "flat").quantisation->scales, ElementsAre(4.0));
  ExpectSameIntegers(m, Bytes({1, 2, 4, 4}, 3));
}

TEST(ResolveQuantised, LimitsOfIntegersAreLimitsOfTheirReals) {
  for (const bool relu : {false, true}) {
    ModelBuilder m = ConvModel();
    m.Integers("most", TensorProto::UINT8, {}, {127});
    if (relu) {
      m.Node("Relu", {"y"}, "limited");
    } else {
      m.Node("Clip", {"y", "", "most"}, "limited");
    }
    m.graph->clear_output();
    m.Output("limited");
    const Graph graph = Canonical(m);
    EXPECT_EQ(Ops(graph), "Conv Clip");
    // (127 - 100) * 4; a Relu of integers is a limit at integer 0, not at real 0.
    EXPECT_EQ(graph.nodes[1].Float(relu ? "min" : "max"), relu ? -400 : 108);
    ExpectSameIntegers(m, Bytes({1, 2, 4, 4}, 3));
  }
}

// x -> Q -> DQ -> Conv(DQ(w), DQ(b)) -> Relu -> Q -> DQ -> out, all by powers of two.
ModelBuilder QdqModel() {
  ModelBuilder m(13);
  m.Input("x", {1, 1, 4, 4});
  m.Floats("s", {}, {0.25f});
  m.Integers("z", TensorProto::UINT8, {}, {128});
  m.Integers("w", TensorProto::INT8, {2, 1, 1, 2}, {3, -5, 7, 11});
  m.Floats("w_scale", {2}, {0.5f, 0.25f});
  m.Integers("w_zero", TensorProto::INT8, {2}, {0, 0});
  m.Integers("b", TensorProto::INT32, {2}, {40, -8});
  m.Floats("b_scale", {2}, {0.125f, 0.0625f});
  m.Node("QuantizeLinear", {"x", "s", "z"}, "x_q");
  m.Node("DequantizeLinear", {"x_q", "s", "z"}, "x_dq");
  Set(m.Node("DequantizeLinear", {"w", "w_scale", "w_zero"}, "w_dq"), "axis", int64_t{0});
  Set(m.Node("DequantizeLinear", {"b", "b_scale"}, "b_dq"), "axis", int64_t{0});
  m.Node("Conv", {"x_dq", "w_dq", "b_dq"}, "c");
  m.Node("Relu", {"c"}, "r");
  m.Node("QuantizeLinear", {"r", "s", "z"}, "r_q");
  m.Node("DequantizeLinear", {"r_q", "s", "z"}, "out");
  m.Output("out");
  return m;
}

TEST(ResolveQuantised, QdqPairsBecomeTheQuantisationOfTheirValues) {
  const Graph graph = Canonical(QdqModel());
  EXPECT_EQ(Ops(graph), "Conv Relu");
  EXPECT_THAT(Named(graph, "x").quantisation->zero_points, ElementsAre(128));
  EXPECT_FALSE(Named(graph, "c").quantisation.has_value());
  EXPECT_THAT(Named(graph, "out").quantisation->scales, ElementsAre(0.25));
  const graph::Node& conv = graph.nodes[0];
  EXPECT_THAT(graph.value(conv.inputs[1]).quantisation->integers, ElementsAre(3, -5, 7, 11));
  const Quantisation& bias = *graph.value(conv.inputs[2]).quantisation;
  EXPECT_EQ(bias.bits, 32);
  EXPECT_EQ(bias.axis, 0);
  EXPECT_THAT(bias.integers, ElementsAre(40, -8));
}

TEST(ResolveQuantised, AValueThatIsReadUnquantisedTooGetsAnIdentity) {
  ModelBuilder m = QdqModel();
  m.Output("r");
  EXPECT_EQ(Ops(Canonical(m)), "Conv Relu Identity");
}

TEST(ResolveQuantised, AnotherQuantisationOfAValueIsAnIdentity) {
  ModelBuilder m = QdqModel();
  m.Floats("coarse", {}, {2.0f});
  m.Node("QuantizeLinear", {"out", "coarse", "z"}, "again_q");
  m.Node("DequantizeLinear", {"again_q", "coarse", "z"}, "again");
  m.graph->clear_output();
  m.Output("again");
  const Graph graph = Canonical(m);
  EXPECT_EQ(Ops(graph), "Conv Relu Identity");
  EXPECT_THAT(graph.value(graph.nodes[2].inputs[0]).quantisation->scales, ElementsAre(0.25));
  EXPECT_THAT(Named(graph, "again").quantisation->scales, ElementsAre(2.0));
}

TEST(ResolveQuantised, FloatWeightsThroughQuantizeLinearKeepTheirIntegers) {
  ModelBuilder m(13);
  m.Input("x", {1, 2});
  m.Floats("w", {2, 2}, {0.3f, -100.0f, 0.25f, 1.26f});
  m.Floats("s", {}, {0.5f});
  m.Integers("z", TensorProto::INT8, {}, {0});
  m.Node("QuantizeLinear", {"w", "s", "z"}, "w_q");
  m.Node("DequantizeLinear", {"w_q", "s", "z"}, "w_dq");
  m.Node("Transpose", {"w_dq"}, "w_t");
  m.Node("MatMul", {"x", "w_t"}, "y");
  m.Output("y");
  const Graph graph = Canonical(m);
  // 0.3 / 0.5 = 0.6 -> 1; -200 saturates; 0.5 ties to 0; 2.52 -> 3; then transposed.
  EXPECT_THAT(graph.value(graph.nodes[0].inputs[1]).quantisation->integers,
              ElementsAre(1, 0, -128, 3));
}

// Sums of integers with their scales multiplied on behind a cast, as dynamic quantisation writes
// it.
ModelBuilder IntegerMatMul() {
  ModelBuilder m(13);
  m.Input("x", {2, 3});
  m.Floats("s", {}, {0.5f});
  m.Integers("z", TensorProto::UINT8, {}, {10});
  m.Integers("w", TensorProto::INT8, {3, 2}, {1, -2, 3, -4, 5, 6});
  m.Floats("scale", {}, {0.125f});
  m.Node("QuantizeLinear", {"x", "s", "z"}, "x_q");
  m.Node("MatMulInteger", {"x_q", "w", "z"}, "sums");
  Set(m.Node("Cast", {"sums"}, "reals"), "to", int64_t{TensorProto::FLOAT});
  m.Node("Mul", {"reals", "scale"}, "y");
  m.Output("y");
  return m;
}

TEST(ResolveQuantised, ScalesBehindIntegerSumsMoveIntoTheWeights) {
  const ModelBuilder m = IntegerMatMul();
  const Graph graph = Canonical(m);
  EXPECT_EQ(Ops(graph), "MatMul");
  EXPECT_THAT(Named(graph, "x").quantisation->scales, ElementsAre(0.5));
  // 1 / s_x, times the scale behind.
  const Quantisation& w = *graph.value(graph.nodes[0].inputs[1]).quantisation;
  EXPECT_THAT(w.scales, ElementsAre(0.25));
  EXPECT_THAT(w.integers, ElementsAre(1, -2, 3, -4, 5, 6));
  EXPECT_FALSE(Named(graph, "y").quantisation.has_value());
  const Tensor x = Tensor::From<float>({2, 3}, {0.5f, 1.0f, -2.0f, 3.5f, 0.0f, 100.0f});
  const auto expected = float_ref::FloatExecutor(*m.Import()).Run({x});
  const auto got = float_ref::FloatExecutor(graph).Run({x});
  EXPECT_EQ((*got)[0].ToF64(), (*expected)[0].ToF64());
}

TEST(ResolveQuantised, SumsThatLeaveTheNetworkHave32BitsAndScale1) {
  ModelBuilder m(10);
  m.Input("x", {2, 3}, TensorProto::UINT8);
  m.Integers("w", TensorProto::UINT8, {3, 2}, {1, 2, 3, 4, 5, 6});
  m.Integers("z", TensorProto::UINT8, {}, {10});
  m.Integers("zw", TensorProto::UINT8, {2}, {1, 4});
  m.Node("MatMulInteger", {"x", "w", "z", "zw"}, "y");
  m.Output("y");
  const Graph graph = Canonical(m);
  const Quantisation& y = *Named(graph, "y").quantisation;
  EXPECT_EQ(y.bits, 32);
  EXPECT_THAT(y.scales, ElementsAre(1.0));
  EXPECT_EQ(graph.value(graph.nodes[0].inputs[1]).quantisation->axis, 1);
  ExpectSameIntegers(m, Bytes({2, 3}, 9));
}

TEST(ResolveQuantised, AValueReadWithAnotherScaleKeepsItsIntegers) {
  ModelBuilder m = ConvModel();
  m.Floats("double", {}, {8.0f});
  m.Node("DequantizeLinear", {"y", "double", "y_zero"}, "out");
  m.graph->clear_output();
  m.Output("out");
  const Graph graph = Canonical(m);
  EXPECT_EQ(Ops(graph), "Conv Mul");
  EXPECT_THAT(Named(graph, "out").quantisation->scales, ElementsAre(8.0));
  EXPECT_THAT(Named(graph, "out").quantisation->zero_points, ElementsAre(100));
}

TEST(ResolveQuantised, ScalesAtRunTimeAreRefused) {
  ModelBuilder m(13);
  m.Input("x", {4});
  m.Input("s", {});
  m.Node("QuantizeLinear", {"x", "s"}, "y");
  m.Output("y");
  EXPECT_THAT(Problems(m), HasSubstr("m.onnx: QuantizeLinear y: scale of y (s) must be constant"));
}

TEST(ResolveQuantised, DynamicQuantisationOfActivationsIsRefusedAndOfConstantsFolds) {
  ModelBuilder m(13);
  m.Input("x", {4});
  onnx::NodeProto* node = m.Node("DynamicQuantizeLinear", {"x"}, "y");
  node->add_output("s");
  node->add_output("z");
  m.Node("DequantizeLinear", {"y", "s", "z"}, "out");
  m.Output("out");
  EXPECT_THAT(Problems(m), HasSubstr("takes its scale from the range that x has at run time"));
  EXPECT_THAT(Problems(m), HasSubstr("a QuantizeLinear with a calibrated scale"));
  m.graph->clear_input();
  m.Floats("x", {4}, {-1.0f, 0.0f, 2.0f, 1.0f});
  m.Input("a", {4});
  m.Node("Add", {"a", "out"}, "sum");
  m.graph->clear_output();
  m.Output("sum");
  const Graph graph = Canonical(m);
  EXPECT_EQ(Ops(graph), "Add");
  // 3 / 255 a step, zero point round(1 / (3 / 255)) = 85.
  const Quantisation& q = *graph.value(graph.nodes[0].inputs[1]).quantisation;
  EXPECT_THAT(q.zero_points, ElementsAre(85));
  EXPECT_THAT(q.integers, ElementsAre(0, 85, 255, 170));
}

TEST(ResolveQuantised, NothingIsFusedAcrossAQuantisedValue) {
  ModelBuilder m = QdqModel();
  m.Floats("half", {}, {0.5f});
  m.Node("Mul", {"out", "half"}, "scaled");
  m.graph->clear_output();
  m.Output("scaled");
  EXPECT_EQ(Ops(Canonical(m)), "Conv Relu Mul");
}

}  // namespace
}  // namespace bw::passes
