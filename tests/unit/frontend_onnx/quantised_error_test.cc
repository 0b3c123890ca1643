// What is wrong with quantised operators, and files that make much of little.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/frontend_onnx/model_builder.h"

namespace bw::frontend {
namespace {

using onnx::TensorProto;
using testing::HasSubstr;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// y = QuantizeLinear(x[2,3]) with the given scales and zero points along `axis`.
ModelBuilder Quantize(const Ints& shape, const std::vector<float>& scales, const Ints& zeros,
                      TensorProto::DataType type = TensorProto::UINT8, int64_t axis = 1) {
  ModelBuilder m(13);
  m.Input("x", {2, 3});
  m.Floats("s", shape, scales);
  m.Integers("z", type, shape, zeros);
  Set(m.Node("QuantizeLinear", {"x", "s", "z"}, "y"), "axis", axis);
  m.Output("y");
  return m;
}

TEST(QuantisedErrors, SoundScalesAreTaken) {
  EXPECT_EQ(Quantize({}, {0.5f}, {3}).Problems(), "");
  EXPECT_EQ(Quantize({1}, {0.5f}, {3}).Problems(), "");
  EXPECT_EQ(Quantize({3}, {1, 2, 3}, {1, 2, 3}).Problems(), "");
  EXPECT_EQ(Quantize({2}, {1, 2}, {1, 2}, TensorProto::INT8, -2).Problems(), "");
}

TEST(QuantisedErrors, ScalesAreFiniteAndAboveZero) {
  EXPECT_EQ(Quantize({}, {0.0f}, {0}).Problems(),
            "m.onnx: QuantizeLinear y: scale of y (s) is 0 at 0; scales are finite and above 0\n");
  EXPECT_THAT(Quantize({3}, {1, -2, 1}, {0, 0, 0}).Problems(), HasSubstr("is -2 at 1; scales are"));
  EXPECT_THAT(Quantize({}, {kNaN}, {0}).Problems(), HasSubstr("is nan at 0"));
  EXPECT_THAT(Quantize({}, {kInfinity}, {0}).Problems(), HasSubstr("is inf at 0"));
}

TEST(QuantisedErrors, ScalesFitTheAxis) {
  EXPECT_EQ(Quantize({2}, {1, 2}, {0, 0}).Problems(),
            "m.onnx: QuantizeLinear y: scale of y (s) has shape 2; allowed is one value, or 3 (one "
            "a position of axis 1 of 2x3)\n");
  EXPECT_THAT(Quantize({1, 3}, {1, 2, 3}, {0, 0, 0}).Problems(), HasSubstr("has shape 1x3"));
  EXPECT_THAT(Quantize({3}, {1, 2, 3}, {0, 0, 0}, TensorProto::UINT8, 2).Problems(),
              HasSubstr("axis 2 is out of range; allowed are -2 to 1"));
  ModelBuilder old = Quantize({3}, {1, 2, 3}, {0, 0, 0});
  old.model.mutable_opset_import(0)->set_version(10);
  old.graph->mutable_node(0)->clear_attribute();
  EXPECT_THAT(old.Problems(), HasSubstr("has several scales; there is one in operator set 10"));
}

TEST(QuantisedErrors, IntegersHaveOneTypeAndEightBits) {
  EXPECT_THAT(Quantize({}, {1}, {0}, TensorProto::INT32).Problems(),
              HasSubstr("zero point of y (z) has type int32, must be uint8 or int8"));
  ModelBuilder m(13);
  m.Input("x", {2, 3}, TensorProto::UINT8);
  m.Floats("s", {}, {1});
  m.Integers("z", TensorProto::INT8, {}, {0});
  m.Node("DequantizeLinear", {"x", "s", "z"}, "y");
  m.Output("y");
  EXPECT_EQ(m.Problems(),
            "m.onnx: DequantizeLinear y: zero point of x (z) has type int8, the integers uint8\n");
  constexpr int kInt4 = 22;
  m.graph->mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(kInt4);
  EXPECT_THAT(m.Problems(), HasSubstr("input x: has type 22; activations must be FLOAT"));
}

// QLinearMatMul of x (2x3 uint8) and w.
ModelBuilder Product(const Ints& scale_shape, const std::vector<float>& scales) {
  ModelBuilder m(13);
  m.Input("x", {2, 3}, TensorProto::UINT8);
  m.Integers("w", TensorProto::INT8, {3, 2}, {1, 2, 3, 4, 5, 6});
  m.Floats("s", {}, {0.5f});
  m.Floats("ws", scale_shape, scales);
  m.Integers("z", TensorProto::UINT8, {}, {0});
  m.Integers("wz", TensorProto::INT8, {}, {0});
  m.Node("QLinearMatMul", {"x", "s", "z", "w", "ws", "wz", "s", "z"}, "y");
  m.Output("y");
  return m;
}

TEST(QuantisedErrors, OneScaleAColumnOfTheSecondFactorAlone) {
  EXPECT_EQ(Product({2}, {1, 2}).Problems(), "");
  EXPECT_THAT(Product({3}, {1, 2, 3}).Problems(),
              HasSubstr("scale of b (ws) has shape 3; allowed is one value, or 2"));
  ModelBuilder m = Product({}, {1});
  m.Floats("rows", {2}, {1, 2});
  m.graph->mutable_node(0)->set_input(1, "rows");
  EXPECT_THAT(m.Problems(), HasSubstr("scale of a (rows) has shape 2; allowed is one value"));
}

TEST(QuantisedErrors, LeftOutZeroPointsOfProductsAreZero) {
  ModelBuilder m = Product({}, {1});
  for (const int i : {2, 5, 7}) m.graph->mutable_node(0)->set_input(i, "");
  EXPECT_EQ(m.Problems(), "");
}

TEST(QuantisedErrors, BiasesAreInt32OneAFilter) {
  ModelBuilder m(13);
  m.Input("x", {1, 1, 3, 3}, TensorProto::UINT8);
  m.Integers("w", TensorProto::INT8, {2, 1, 1, 1}, {1, 2});
  m.Floats("s", {}, {0.5f});
  m.Integers("z", TensorProto::UINT8, {}, {0});
  m.Integers("wz", TensorProto::INT8, {}, {0});
  m.Floats("b", {2}, {1, 2});
  m.Node("QLinearConv", {"x", "s", "z", "w", "s", "wz", "s", "z", "b"}, "y");
  m.Output("y");
  EXPECT_THAT(m.Problems(), HasSubstr("bias (b) has type float32, must be int32"));
}

TEST(QuantisedErrors, IntegersBehindNothingQuantisedAreRefused) {
  ModelBuilder m(13);
  m.Input("x", {4});
  Set(m.Node("Cast", {"x"}, "y"), "to", int64_t{TensorProto::INT8});
  m.Output("y");
  EXPECT_THAT(m.Problems(), HasSubstr("makes int8 values from activations"));
  EXPECT_THAT(m.Problems(), HasSubstr("or come from quantised operators"));
}

// A file of some hundred bytes whose constants grow: none of it is ever allocated.
TEST(Bounds, ConstantsDoNotGrowWithoutLimit) {
  ModelBuilder m(13);
  m.Int64s("one", {1}, {1});
  m.Int64s("pads", {2}, {0, 1 << 25});
  m.Node("Pad", {"one", "pads"}, "y");
  m.Output("y");
  EXPECT_THAT(m.Problems(), HasSubstr("makes int64 values from activations"));
}

// Each is below the bound of one result; together they are not.
TEST(Bounds, ComputedConstantsTogetherAreBounded) {
  ModelBuilder m(13);
  m.Floats("one", {1}, {1});
  m.Int64s("pads", {2}, {0, (1 << 22) - 2});
  for (int i = 0; i < 100; ++i) {
    m.Node("Pad", {"one", "pads"}, "y" + std::to_string(i));
  }
  m.Output("y99");
  EXPECT_THAT(m.Problems(), HasSubstr("computed constants take"));
  EXPECT_THAT(m.Problems(), HasSubstr("at most 268435"));
}

TEST(Bounds, TensorsHoldWhatTheirShapesSay) {
  ModelBuilder m(13);
  m.Input("x", {4});
  onnx::TensorProto* w = m.Floats("w", {1 << 20, 1 << 20}, {});
  m.Node("Add", {"x", "w"}, "y");
  m.Output("y");
  EXPECT_THAT(m.Problems(), HasSubstr("has a negative extent or too many elements"));
  w->set_dims(1, 1 << 10);
  w->set_raw_data("abc");
  EXPECT_THAT(m.Problems(), HasSubstr("holds 3 bytes; shape 1048576x1024 of float32 needs"));
  w->set_data_location(TensorProto::EXTERNAL);
  EXPECT_THAT(m.Problems(), HasSubstr("keeps its data in another file"));
  w->set_data_location(TensorProto::DEFAULT);
  w->set_data_type(TensorProto::STRING);
  EXPECT_THAT(m.Problems(), HasSubstr("element type STRING is not supported"));
}

TEST(Bounds, HugeResizesAreRefused) {
  ModelBuilder m(13);
  m.Input("x", {1, 1, 1, 1});
  m.Int64s("sizes", {4}, {1 << 20, 1 << 20, 1 << 20, 1 << 20});
  m.Node("Resize", {"x", "", "", "sizes"}, "y");
  m.Output("y");
  EXPECT_THAT(m.Problems(), HasSubstr("the result would have shape 1048576x1048576"));
}

TEST(Bounds, SubgraphsAreRefused) {
  ModelBuilder m(13);
  m.Input("x", {4});
  onnx::NodeProto* node = m.Node("If", {"x"}, "y");
  onnx::AttributeProto* branch = node->add_attribute();
  branch->set_name("then_branch");
  branch->set_type(onnx::AttributeProto::GRAPH);
  *branch->mutable_g() = *m.graph;
  m.Output("y");
  EXPECT_THAT(m.Problems(), HasSubstr("operator If is not supported"));
  node->set_op_type("Relu");
  EXPECT_THAT(m.Problems(), HasSubstr("attribute then_branch is not known"));
}

}  // namespace
}  // namespace bw::frontend
