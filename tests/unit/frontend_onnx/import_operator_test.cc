// Operators in canonical form, whatever the operator set writes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/frontend_onnx/model_builder.h"

namespace bw::frontend {
namespace {

using graph::Graph;
using graph::Node;
using graph::Op;
using testing::ElementsAre;
using testing::HasSubstr;

// The imported graph of a model with the output y, which must succeed.
Graph Import(ModelBuilder& m) {
  m.Output("y");
  auto imported = m.Import();
  EXPECT_TRUE(imported.ok()) << ToString(imported.errors());
  return imported.ok() ? std::move(imported).value() : Graph{};
}

// The single node of a model with the output y.
Node Sole(ModelBuilder& m) {
  const Graph graph = Import(m);
  EXPECT_EQ(graph.nodes.size(), 1u);
  return graph.nodes.size() == 1 ? graph.nodes[0] : Node{};
}

std::string OutputShape(const Graph& graph) {
  return graph.outputs.empty() ? "none" : graph.value(graph.outputs[0]).shape.ToString();
}

ModelBuilder WithInput(int64_t opset, const Ints& shape) {
  ModelBuilder m(opset);
  m.Input("x", shape);
  return m;
}

TEST(ImportConv, DefaultsBecomeAttributes) {
  ModelBuilder m = WithInput(13, {1, 2, 5, 5});
  m.Floats("w", {3, 2, 3, 3}, std::vector<float>(54));
  m.Node("Conv", {"x", "w"}, "y");
  const Node conv = Sole(m);
  EXPECT_THAT(conv.Ints("strides"), ElementsAre(1, 1));
  EXPECT_THAT(conv.Ints("pads"), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(conv.Ints("dilations"), ElementsAre(1, 1));
  EXPECT_EQ(conv.Int("group"), 1);
  EXPECT_EQ(conv.inputs.size(), 2u);
}

TEST(ImportConv, AutoPadBecomesNumbers) {
  for (const auto& [rule, pads] :
       std::map<std::string, Ints>{{"SAME_UPPER", {0, 1, 1, 1}}, {"SAME_LOWER", {1, 1, 0, 1}}}) {
    ModelBuilder m = WithInput(13, {1, 1, 6, 5});
    m.Floats("w", {1, 1, 3, 3}, std::vector<float>(9));
    onnx::NodeProto* node = m.Node("Conv", {"x", "w"}, "y");
    Set(node, "auto_pad", rule);
    Set(node, "strides", Ints{2, 2});
    EXPECT_EQ(Sole(m).Ints("pads"), pads) << rule;
  }
  ModelBuilder m = WithInput(13, {1, 1, 6, 5});
  m.Floats("w", {1, 1, 3, 3}, std::vector<float>(9));
  Set(m.Node("Conv", {"x", "w"}, "y"), "auto_pad", std::string("VALID"));
  EXPECT_EQ(OutputShape(Import(m)), "1x1x4x3");
}

TEST(ImportConv, OneDimensionRunsWithHeightOne) {
  ModelBuilder m = WithInput(13, {2, 3, 10});
  m.Floats("w", {4, 3, 3}, std::vector<float>(36));
  onnx::NodeProto* node = m.Node("Conv", {"x", "w"}, "y");
  Set(node, "pads", Ints{2, 1});
  Set(node, "strides", Ints{2});
  const Graph g = Import(m);
  ASSERT_EQ(g.nodes.size(), 3u);
  EXPECT_EQ(g.nodes[0].op, Op::kReshape);
  EXPECT_EQ(g.nodes[1].op, Op::kConv);
  EXPECT_EQ(g.nodes[1].name, "y");
  EXPECT_THAT(g.nodes[1].Ints("pads"), ElementsAre(0, 2, 0, 1));
  EXPECT_THAT(g.nodes[1].Ints("strides"), ElementsAre(1, 2));
  EXPECT_EQ(g.value(g.nodes[1].inputs[1]).shape.ToString(), "4x3x1x3");
  EXPECT_EQ(OutputShape(g), "2x4x6");
  EXPECT_EQ(g.value(g.outputs[0]).name, "y");
}

TEST(ImportPool, KeepsCeilModeAndCountIncludePad) {
  ModelBuilder m = WithInput(13, {1, 1, 6, 6});
  onnx::NodeProto* node = m.Node("AveragePool", {"x"}, "y");
  Set(node, "kernel_shape", Ints{3, 3});
  Set(node, "strides", Ints{2, 2});
  Set(node, "ceil_mode", int64_t{1});
  Set(node, "count_include_pad", int64_t{1});
  const Graph g = Import(m);
  EXPECT_EQ(OutputShape(g), "1x1x3x3");
  EXPECT_EQ(g.nodes[0].Int("ceil_mode"), 1);
  EXPECT_EQ(g.nodes[0].Int("count_include_pad"), 1);
}

TEST(ImportClip, TakesBoundsFromAttributesOrInputs) {
  ModelBuilder old = WithInput(9, {4});
  Set(old.Node("Clip", {"x"}, "y"), "max", 6.0f);
  const Node before = Sole(old);
  EXPECT_EQ(before.Float("max"), 6.0);
  EXPECT_EQ(before.Float("min"), -std::numeric_limits<double>::infinity());

  ModelBuilder m = WithInput(13, {4});
  m.Floats("low", {}, {-1.5f});
  m.Node("Clip", {"x", "low"}, "y");
  const Node now = Sole(m);
  EXPECT_EQ(now.Float("min"), -1.5);
  EXPECT_EQ(now.Float("max"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(now.inputs.size(), 1u);
}

TEST(ImportClip, SkipsAnAbsentLowerBound) {
  ModelBuilder m = WithInput(13, {4});
  m.Floats("high", {}, {6});
  m.Node("Clip", {"x", "", "high"}, "y");
  EXPECT_EQ(Sole(m).Float("max"), 6.0);
}

TEST(ImportClip, FloatLimitsAreNoBounds) {
  ModelBuilder m = WithInput(6, {4});
  onnx::NodeProto* node = m.Node("Clip", {"x"}, "y");
  Set(node, "min", 0.0f);
  Set(node, "max", std::numeric_limits<float>::max());
  EXPECT_EQ(Sole(m).Float("max"), std::numeric_limits<double>::infinity());
}

TEST(ImportSqueeze, TakesAxesFromAttributeOrInput) {
  ModelBuilder old = WithInput(11, {1, 2, 1});
  Set(old.Node("Squeeze", {"x"}, "y"), "axes", Ints{-1});
  EXPECT_EQ(OutputShape(Import(old)), "1x2");
  ModelBuilder m = WithInput(13, {1, 2, 1});
  m.List("axes", {0});
  m.Node("Squeeze", {"x", "axes"}, "y");
  EXPECT_EQ(OutputShape(Import(m)), "2x1");
  ModelBuilder all = WithInput(13, {1, 2, 1});
  all.Node("Squeeze", {"x"}, "y");
  EXPECT_EQ(OutputShape(Import(all)), "2");
}

TEST(ImportUnsqueeze, SortsAxes) {
  ModelBuilder m = WithInput(13, {3, 4});
  m.List("axes", {-1, 0});
  m.Node("Unsqueeze", {"x", "axes"}, "y");
  EXPECT_THAT(Sole(m).Ints("axes"), ElementsAre(0, 3));
}

TEST(ImportReshape, ResolvesZeroAndMinusOne) {
  ModelBuilder m = WithInput(13, {2, 3, 4});
  m.List("shape", {0, -1});
  m.Node("Reshape", {"x", "shape"}, "y");
  EXPECT_THAT(Sole(m).Ints("shape"), ElementsAre(2, 12));
}

TEST(ImportReshape, AllowZeroTakesZeroLiterally) {
  ModelBuilder m = WithInput(14, {0, 3});
  m.List("shape", {3, 0});
  Set(m.Node("Reshape", {"x", "shape"}, "y"), "allowzero", int64_t{1});
  EXPECT_THAT(m.Problems(), HasSubstr("leaves extents open"));  // 0 in an input means: not known
  ModelBuilder sound = WithInput(14, {6});
  sound.List("shape", {0, 1});
  Set(sound.Node("Reshape", {"x", "shape"}, "y"), "allowzero", int64_t{1});
  sound.Output("y");
  EXPECT_THAT(sound.Problems(), HasSubstr("shape 0x1 does not hold the 6 elements"));
}

TEST(ImportPad, TakesPadsFromAttributeOrInput) {
  ModelBuilder old = WithInput(9, {2, 2});
  onnx::NodeProto* node = old.Node("Pad", {"x"}, "y");
  Set(node, "pads", Ints{0, 1, 0, 2});
  Set(node, "value", 0.5f);
  const Node before = Sole(old);
  EXPECT_THAT(before.Ints("pads"), ElementsAre(0, 1, 0, 2));
  EXPECT_EQ(before.Float("value"), 0.5);
  ModelBuilder m = WithInput(13, {2, 2});
  m.List("pads", {1, 0, 0, 0});
  m.Floats("value", {}, {2});
  m.Node("Pad", {"x", "pads", "value"}, "y");
  const Node now = Sole(m);
  EXPECT_THAT(now.Ints("pads"), ElementsAre(1, 0, 0, 0));
  EXPECT_EQ(now.Float("value"), 2.0);
}

TEST(ImportPad, NegativePadsCut) {
  ModelBuilder m = WithInput(13, {5, 2});
  m.List("pads", {-1, 3, -2, 0});
  m.Node("Pad", {"x", "pads"}, "y");
  const Graph g = Import(m);
  ASSERT_EQ(g.nodes.size(), 2u);
  EXPECT_THAT(g.nodes[0].Ints("starts"), ElementsAre(1));
  EXPECT_THAT(g.nodes[0].Ints("ends"), ElementsAre(3));
  EXPECT_THAT(g.nodes[1].Ints("pads"), ElementsAre(0, 3, 0, 0));
  EXPECT_EQ(OutputShape(g), "2x5");
}

TEST(ImportSlice, ClampsBoundsAndSortsAxes) {
  ModelBuilder m = WithInput(13, {10, 6});
  m.List("starts", {-1, -100});
  m.List("ends", {INT64_MIN, INT64_MAX});
  m.List("axes", {1, 0});
  m.List("steps", {-2, 3});
  m.Node("Slice", {"x", "starts", "ends", "axes", "steps"}, "y");
  const Node slice = Sole(m);
  EXPECT_THAT(slice.Ints("axes"), ElementsAre(0, 1));
  EXPECT_THAT(slice.Ints("starts"), ElementsAre(0, 5));
  EXPECT_THAT(slice.Ints("ends"), ElementsAre(10, -1));
  EXPECT_THAT(slice.Ints("steps"), ElementsAre(3, -2));
}

TEST(ImportSlice, TakesAttributesBeforeTen) {
  ModelBuilder m = WithInput(9, {10, 6});
  onnx::NodeProto* node = m.Node("Slice", {"x"}, "y");
  Set(node, "starts", Ints{2});
  Set(node, "ends", Ints{-1});
  const Node slice = Sole(m);
  EXPECT_THAT(slice.Ints("axes"), ElementsAre(0));
  EXPECT_THAT(slice.Ints("ends"), ElementsAre(9));
}

TEST(ImportSplit, IsOneSliceAResult) {
  ModelBuilder m = WithInput(13, {2, 7});
  m.List("parts", {3, 0, 4});
  onnx::NodeProto* node = m.Node("Split", {"x", "parts"}, "a");
  node->add_output("");
  node->add_output("y");
  Set(node, "axis", int64_t{-1});
  m.Node("Relu", {"a"}, "z");
  m.Output("z");
  const graph::Graph g = *m.Import();
  ASSERT_EQ(g.nodes.size(), 3u);
  EXPECT_EQ(g.nodes[0].op, Op::kSlice);
  EXPECT_THAT(g.nodes[0].Ints("starts"), ElementsAre(0));
  EXPECT_THAT(g.nodes[0].Ints("ends"), ElementsAre(3));
  EXPECT_EQ(g.nodes[1].op, Op::kSlice);
  EXPECT_THAT(g.nodes[1].Ints("axes"), ElementsAre(1));
  EXPECT_THAT(g.nodes[1].Ints("starts"), ElementsAre(3));
  EXPECT_THAT(g.nodes[1].Ints("ends"), ElementsAre(7));
}

TEST(ImportSplit, PartsMustMakeTheWhole) {
  ModelBuilder m = WithInput(13, {2, 7});
  m.List("parts", {3, 5});
  m.Node("Split", {"x", "parts"}, "y")->add_output("z");
  EXPECT_THAT(m.Problems(), HasSubstr("parts of 3, 5 do not make the 2 elements of axis 0"));
  ModelBuilder equal = WithInput(11, {2, 7});
  onnx::NodeProto* node = equal.Node("Split", {"x"}, "y");
  node->add_output("z");
  Set(node, "axis", int64_t{1});
  EXPECT_THAT(equal.Problems(), HasSubstr("7 elements on axis 1 do not split into 2 equal parts"));
}

TEST(ImportResize, ListsWhatEveryPositionReads) {
  ModelBuilder m = WithInput(13, {2, 3});
  m.Floats("scales", {2}, {1, 1.5F});
  Set(m.Node("Resize", {"x", "", "scales"}, "y"), "nearest_mode", std::string("floor"));
  const Node resize = Sole(m);
  EXPECT_EQ(resize.op, Op::kResize);
  EXPECT_THAT(resize.Ints("sizes"), ElementsAre(2, 4));
  EXPECT_THAT(resize.Ints("sources"), ElementsAre(0, 1, 0, 0, 1, 1));
}

TEST(ImportResize, UpsampleTakesScalesAsAttributeBeforeNine) {
  ModelBuilder m = WithInput(8, {1, 2});
  onnx::NodeProto* node = m.Node("Upsample", {"x"}, "y");
  onnx::AttributeProto* scales = node->add_attribute();
  scales->set_name("scales");
  scales->set_type(onnx::AttributeProto::FLOATS);
  scales->add_floats(1);
  scales->add_floats(3);
  const Node resize = Sole(m);
  EXPECT_THAT(resize.Ints("sizes"), ElementsAre(1, 6));
  EXPECT_THAT(resize.Ints("sources"), ElementsAre(0, 0, 0, 0, 1, 1, 1));
}

TEST(ImportResize, RefusesWhatIsNotNearest) {
  const auto problems = [](const std::vector<float>& scales, const std::string& attribute,
                           const std::string& value) {
    ModelBuilder m = WithInput(13, {2, 3});
    m.Floats("scales", {static_cast<int64_t>(scales.size())}, scales);
    Set(m.Node("Resize", {"x", "", "scales"}, "y"), attribute, value);
    return m.Problems();
  };
  EXPECT_THAT(problems({1, 2}, "mode", "linear"), HasSubstr("mode linear is not supported"));
  EXPECT_THAT(problems({1, 2}, "nearest_mode", "up"), HasSubstr("nearest_mode up is not known"));
  EXPECT_THAT(problems({1}, "mode", "nearest"), HasSubstr("needs one scale or size for each axis"));
  EXPECT_THAT(problems({1, 1e9F}, "mode", "nearest"), HasSubstr("of axis 1 is not supported"));
  EXPECT_THAT(problems({1, 0}, "mode", "nearest"), HasSubstr("scale 0 of axis 1"));
}

TEST(ImportSoftmax, RunsOverOneAxisFromThirteenOn) {
  ModelBuilder m = WithInput(13, {2, 3, 4});
  Set(m.Node("Softmax", {"x"}, "y"), "axis", int64_t{1});
  EXPECT_EQ(Sole(m).Int("axis"), 1);
  ModelBuilder last = WithInput(13, {2, 3, 4});
  last.Node("Softmax", {"x"}, "y");
  EXPECT_EQ(Sole(last).Int("axis"), 2);
}

TEST(ImportSoftmax, RunsOverAllLaterAxesBefore) {
  ModelBuilder m = WithInput(12, {2, 3, 4});
  m.Node("Softmax", {"x"}, "y");
  const Graph g = Import(m);
  ASSERT_EQ(g.nodes.size(), 3u);
  EXPECT_THAT(g.nodes[0].Ints("shape"), ElementsAre(2, 12));
  EXPECT_EQ(g.nodes[1].op, Op::kSoftmax);
  EXPECT_EQ(g.nodes[1].Int("axis"), 1);
  EXPECT_EQ(OutputShape(g), "2x3x4");
  ModelBuilder plain = WithInput(12, {2, 3, 1, 1});
  plain.Node("Softmax", {"x"}, "y");
  EXPECT_EQ(Sole(plain).Int("axis"), 1);
}

TEST(ImportDropout, IsKeptWithoutItsRatio) {
  ModelBuilder m = WithInput(13, {4});
  m.Floats("ratio", {}, {0.9f});
  m.Node("Dropout", {"x", "ratio"}, "y")->add_output("mask");
  EXPECT_EQ(Sole(m).inputs.size(), 1u);
}

TEST(ImportDropout, RefusesItsMaskAndTraining) {
  ModelBuilder m = WithInput(10, {4});
  m.Node("Dropout", {"x"}, "y")->add_output("mask");
  m.Output("mask");
  EXPECT_EQ(m.Problems(),
            "m.onnx: Dropout y: output 1 (mask) is used; only the first output is supported\n");
  ModelBuilder training = WithInput(12, {4});
  training.Floats("ratio", {}, {0.5f});
  training.Int64s("on", {}, {1});
  training.Node("Dropout", {"x", "ratio", "on"}, "y");
  training.Output("y");
  EXPECT_THAT(training.Problems(), HasSubstr("training_mode is not supported"));
}

TEST(ImportReduceMean, ResolvesAxes) {
  ModelBuilder m = WithInput(13, {2, 3, 4});
  Set(m.Node("ReduceMean", {"x"}, "y"), "axes", Ints{-1, 1});
  EXPECT_THAT(Sole(m).Ints("axes"), ElementsAre(1, 2));
  ModelBuilder all = WithInput(13, {2, 3});
  Set(all.Node("ReduceMean", {"x"}, "y"), "keepdims", int64_t{0});
  EXPECT_EQ(OutputShape(Import(all)), "scalar");
}

TEST(ImportAdd, AlignsTheSecondOperandBeforeSeven) {
  ModelBuilder m = WithInput(6, {2, 3, 4, 5});
  m.Floats("b", {3}, {1, 2, 3});
  onnx::NodeProto* node = m.Node("Add", {"x", "b"}, "y");
  Set(node, "broadcast", int64_t{1});
  Set(node, "axis", int64_t{1});
  const Graph g = Import(m);
  ASSERT_EQ(g.nodes.size(), 1u);
  EXPECT_EQ(g.value(g.nodes[0].inputs[1]).shape.ToString(), "3x1x1");
}

TEST(ImportPRelu, SlopeHasOneValueAChannelBeforeSeven) {
  ModelBuilder m = WithInput(6, {1, 3, 4, 4});
  m.Floats("slope", {3}, {1, 2, 3});
  m.Node("PRelu", {"x", "slope"}, "y");
  const Graph g = Import(m);
  EXPECT_EQ(g.value(g.nodes.at(0).inputs[1]).shape.ToString(), "3x1x1");
}

TEST(ImportAttributes, KeepFloat32Exactly) {
  ModelBuilder m = WithInput(13, {4});
  Set(m.Node("LeakyRelu", {"x"}, "y"), "alpha", 0.1f);
  EXPECT_EQ(Sole(m).Float("alpha"), static_cast<double>(0.1f));
}

TEST(ImportConstant, EveryFormOfTheValue) {
  ModelBuilder m = WithInput(13, {2});
  onnx::NodeProto* ints = m.Node("Constant", {}, "shape");
  Set(ints, "value_ints", Ints{2, 1});
  onnx::NodeProto* scalar = m.Node("Constant", {}, "axis");
  Set(scalar, "value_int", int64_t{1});
  onnx::NodeProto* value = m.Node("Constant", {}, "k");
  onnx::AttributeProto* attribute = value->add_attribute();
  attribute->set_name("value");
  attribute->set_type(onnx::AttributeProto::TENSOR);
  attribute->mutable_t()->set_data_type(onnx::TensorProto::FLOAT);
  attribute->mutable_t()->add_dims(1);
  const float raw = 1.0f / 3.0f;
  attribute->mutable_t()->set_raw_data(&raw, sizeof raw);
  onnx::NodeProto* floats = m.Node("Constant", {}, "f");
  Set(floats, "value_float", 2.5f);
  m.Node("Reshape", {"x", "shape"}, "r");
  m.Node("Add", {"r", "k"}, "s");
  m.Node("Mul", {"s", "f"}, "y");
  const Graph g = Import(m);
  ASSERT_EQ(g.nodes.size(), 3u);
  EXPECT_EQ(g.value(g.nodes[1].inputs[1]).constant->data<float>()[0], 1.0f / 3.0f);
  EXPECT_EQ(g.value(g.nodes[2].inputs[1]).constant->data<float>()[0], 2.5f);
  EXPECT_EQ(OutputShape(g), "2x1");
}

TEST(ImportShapes, ArithmeticFoldsOnceShapesAreBound) {
  // Flatten as exporters write it: Reshape(x, Concat(Unsqueeze(Gather(Shape(x), 0)), -1)).
  ModelBuilder m = WithInput(13, {-2, 3, -3, 4});
  m.Int64s("zero", {}, {0});
  m.List("first", {0});
  m.List("rest", {-1});
  m.Node("Shape", {"x"}, "shape");
  m.Node("Gather", {"shape", "zero"}, "batch");
  m.Node("Unsqueeze", {"batch", "first"}, "batch1");
  m.Node("Concat", {"batch1", "rest"}, "target");
  Set(m.graph->mutable_node(3), "axis", int64_t{0});
  m.Node("Reshape", {"x", "target"}, "y");
  m.Output("y");
  const auto imported = m.Import({{{"", {2, 3, 5, 4}}}, {}});
  ASSERT_TRUE(imported.ok()) << ToString(imported.errors());
  ASSERT_EQ(imported->nodes.size(), 1u);
  EXPECT_THAT(imported->nodes[0].Ints("shape"), ElementsAre(2, 60));
}

TEST(ImportNames, AreMadeUniqueAndFromOutputs) {
  ModelBuilder m = WithInput(13, {4});
  m.Node("Relu", {"x"}, "a")->clear_name();
  m.Node("Relu", {"a"}, "b")->set_name("same");
  m.Node("Relu", {"b"}, "y")->set_name("same");
  const Graph g = Import(m);
  ASSERT_EQ(g.nodes.size(), 3u);
  EXPECT_EQ(g.nodes[0].name, "a");
  EXPECT_EQ(g.nodes[1].name, "same");
  EXPECT_EQ(g.nodes[2].name, "same_2");
}

TEST(ImportConstants, InputsCanBeGivenAsConstants) {
  ModelBuilder m = WithInput(13, {2, 3});
  m.Input("shape", {2}, onnx::TensorProto::INT64);
  m.Node("Reshape", {"x", "shape"}, "y");
  m.Output("y");
  OnnxImportOptions options;
  options.constants["shape"] = tensor::Tensor::From<int64_t>({2}, {3, 2});
  const auto imported = m.Import(options);
  ASSERT_TRUE(imported.ok()) << ToString(imported.errors());
  EXPECT_EQ(OutputShape(*imported), "3x2");
  EXPECT_EQ(imported->inputs.size(), 1u);
}

}  // namespace
}  // namespace bw::frontend
