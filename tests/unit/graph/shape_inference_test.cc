#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/graph_builder.h"

namespace bw::graph {
namespace {

using tensor::DType;
using testing::HasSubstr;

class Infer : public testing::Test {
 protected:
  Builder b_;
};

TEST_F(Infer, ConvUsesStridesPadsAndDilations) {
  const ValueId x = b_.Input("x", {2, 8, 15, 20});
  const ValueId w = b_.Input("w", {6, 4, 3, 5});
  EXPECT_EQ(b_.Infer(Op::kConv, {x, w}, ConvAttributes({2, 3}, {1, 0, 2, 4}, {2, 1}, 2)),
            "2x6x7x7");
}

TEST_F(Infer, ConvRefusesWhatDoesNotFit) {
  const ValueId x = b_.Input("x", {1, 8, 5, 5});
  const ValueId w = b_.Input("w", {6, 4, 3, 3});
  const ValueId bias = b_.Input("bias", {5});
  EXPECT_THAT(b_.Infer(Op::kConv, {x, w}, ConvAttributes()),
              HasSubstr("input 1x8x5x5, weights 6x4x3x3 and group 1 do not fit"));
  EXPECT_THAT(b_.Infer(Op::kConv, {x, w, bias}, ConvAttributes({1, 1}, {0, 0, 0, 0}, {1, 1}, 2)),
              HasSubstr("bias bias has shape 5, must be 6"));
  EXPECT_THAT(b_.Infer(Op::kConv, {x, w}, ConvAttributes({1, 1}, {0, 0, 0, 0}, {9, 9}, 2)),
              HasSubstr("no window fits"));
  EXPECT_THAT(b_.Infer(Op::kConv, {x, w}, ConvAttributes({0, 1}, {0, 0, 0, 0}, {1, 1}, 2)),
              HasSubstr("strides has the number 0; allowed are 1 to"));
  EXPECT_THAT(b_.Infer(Op::kConv, {x, w}, ConvAttributes({1, 1}, {0, 0}, {1, 1}, 2)),
              HasSubstr("pads has 2 numbers, must have 4"));
  EXPECT_THAT(b_.Infer(Op::kConv, {x, w}, {}), HasSubstr("attribute strides is missing"));
  EXPECT_THAT(b_.Infer(Op::kConv, {x}, ConvAttributes()),
              HasSubstr("1 inputs; allowed are 2 to 3"));
}

TEST_F(Infer, GemmTransposesAndBroadcastsC) {
  const ValueId a = b_.Input("a", {3, 4});
  const ValueId w = b_.Input("w", {5, 3});
  const ValueId c = b_.Input("c", {5});
  const std::map<std::string, Attribute> attributes = {
      {"alpha", 1.0}, {"beta", 1.0}, {"transA", int64_t{1}}, {"transB", int64_t{1}}};
  EXPECT_EQ(b_.Infer(Op::kGemm, {a, w, c}, attributes), "4x5");
  const ValueId wrong = b_.Input("wrong", {4});
  EXPECT_THAT(b_.Infer(Op::kGemm, {a, w, wrong}, attributes), HasSubstr("C 4 does not broadcast"));
}

TEST_F(Infer, MatMulBroadcastsLeadingAxesAndTakesVectors) {
  const ValueId a = b_.Input("a", {2, 1, 3, 4});
  const ValueId w = b_.Input("w", {5, 4, 6});
  const ValueId v = b_.Input("v", {4});
  EXPECT_EQ(b_.Infer(Op::kMatMul, {a, w}), "2x5x3x6");
  EXPECT_EQ(b_.Infer(Op::kMatMul, {a, v}), "2x1x3");
  EXPECT_EQ(b_.Infer(Op::kMatMul, {v, w}), "5x6");
  EXPECT_EQ(b_.Infer(Op::kMatMul, {v, v}), "scalar");
  EXPECT_THAT(b_.Infer(Op::kMatMul, {w, a}), HasSubstr("do not fit"));
}

TEST_F(Infer, ElementwiseBroadcastsAndRefusesMixedTypes) {
  const ValueId a = b_.Input("a", {2, 1, 4});
  const ValueId c = b_.Input("c", {3, 1});
  const ValueId i = b_.Input("i", {3}, DType::kI64);
  EXPECT_EQ(b_.Infer(Op::kAdd, {a, c}), "2x3x4");
  EXPECT_THAT(b_.Infer(Op::kMul, {a, i}), HasSubstr("have types float32 and int64"));
  const ValueId d = b_.Input("d", {3, 5});
  EXPECT_THAT(b_.Infer(Op::kSub, {a, d}), HasSubstr("shapes 2x1x4 and 3x5 do not broadcast"));
  EXPECT_THAT(b_.Infer(Op::kRelu, {i}), HasSubstr("input i has type int64, must be float32"));
}

TEST_F(Infer, PoolsRoundUpWithCeilMode) {
  const ValueId x = b_.Input("x", {1, 2, 6, 7});
  std::map<std::string, Attribute> attributes = {{"kernel_shape", Ints{3, 3}},
                                                 {"strides", Ints{2, 2}},
                                                 {"pads", Ints{0, 0, 0, 0}},
                                                 {"dilations", Ints{1, 1}},
                                                 {"ceil_mode", int64_t{0}}};
  EXPECT_EQ(b_.Infer(Op::kMaxPool, {x}, attributes), "1x2x2x3");
  attributes["ceil_mode"] = int64_t{1};
  EXPECT_EQ(b_.Infer(Op::kMaxPool, {x}, attributes), "1x2x3x3");
  EXPECT_EQ(b_.Infer(Op::kGlobalAveragePool, {x}), "1x2x1x1");
}

TEST_F(Infer, ReduceMeanKeepsOrDropsAxes) {
  const ValueId x = b_.Input("x", {2, 3, 4});
  EXPECT_EQ(b_.Infer(Op::kReduceMean, {x}, {{"axes", Ints{0, 2}}, {"keepdims", int64_t{1}}}),
            "1x3x1");
  EXPECT_EQ(b_.Infer(Op::kReduceMean, {x}, {{"axes", Ints{0, 2}}, {"keepdims", int64_t{0}}}), "3");
  EXPECT_THAT(b_.Infer(Op::kReduceMean, {x}, {{"axes", Ints{2, 0}}, {"keepdims", int64_t{0}}}),
              HasSubstr("axes must rise"));
}

TEST_F(Infer, LayoutOperatorsMoveExtents) {
  const ValueId x = b_.Input("x", {2, 3, 1, 5});
  EXPECT_EQ(b_.Infer(Op::kFlatten, {x}, {{"axis", int64_t{2}}}), "6x5");
  EXPECT_EQ(b_.Infer(Op::kFlatten, {x}, {{"axis", int64_t{0}}}), "1x30");
  EXPECT_EQ(b_.Infer(Op::kReshape, {x}, {{"shape", Ints{5, 6}}}), "5x6");
  EXPECT_EQ(b_.Infer(Op::kSqueeze, {x}, {{"axes", Ints{2}}}), "2x3x5");
  EXPECT_EQ(b_.Infer(Op::kUnsqueeze, {x}, {{"axes", Ints{0, 5}}}), "1x2x3x1x5x1");
  EXPECT_EQ(b_.Infer(Op::kTranspose, {x}, {{"perm", Ints{3, 0, 1, 2}}}), "5x2x3x1");
  EXPECT_EQ(b_.Infer(Op::kConcat, {x, x, x}, {{"axis", int64_t{1}}}), "2x9x1x5");
  EXPECT_THAT(b_.Infer(Op::kReshape, {x}, {{"shape", Ints{4, 8}}}),
              HasSubstr("shape 4x8 does not hold the 30 elements of x"));
  EXPECT_THAT(b_.Infer(Op::kSqueeze, {x}, {{"axes", Ints{1}}}), HasSubstr("axis 1 of 2x3x1x5"));
  EXPECT_THAT(b_.Infer(Op::kTranspose, {x}, {{"perm", Ints{0, 0, 1, 2}}}), HasSubstr("each once"));
}

TEST_F(Infer, PadAddsOnBothSides) {
  const ValueId x = b_.Input("x", {2, 3});
  const auto pad = [](std::string mode, Ints pads) {
    return std::map<std::string, Attribute>{{"mode", mode}, {"pads", pads}, {"value", 0.0}};
  };
  EXPECT_EQ(b_.Infer(Op::kPad, {x}, pad("constant", {0, 1, 2, 3})), "4x7");
  EXPECT_THAT(b_.Infer(Op::kPad, {x}, pad("reflect", {0, 1, 2, 3})), HasSubstr("mode reflect"));
  EXPECT_THAT(b_.Infer(Op::kPad, {x}, pad("constant", {0, -1, 2, 3})), HasSubstr("number -1"));
}

TEST_F(Infer, SliceCountsInBothDirections) {
  const ValueId x = b_.Input("x", {10, 4});
  const auto slice = [](Ints starts, Ints ends, Ints steps, Ints axes) {
    return std::map<std::string, Attribute>{
        {"starts", starts}, {"ends", ends}, {"steps", steps}, {"axes", axes}};
  };
  EXPECT_EQ(b_.Infer(Op::kSlice, {x}, slice({1}, {10}, {4}, {0})), "3x4");
  EXPECT_EQ(b_.Infer(Op::kSlice, {x}, slice({9}, {-1}, {-3}, {0})), "4x4");
  EXPECT_EQ(b_.Infer(Op::kSlice, {x}, slice({3, 2}, {3, 4}, {1, 1}, {0, 1})), "0x2");
  EXPECT_THAT(b_.Infer(Op::kSlice, {x}, slice({1}, {11}, {1}, {0})), HasSubstr("do not fit axis"));
  EXPECT_THAT(b_.Infer(Op::kSlice, {x}, slice({1}, {5}, {0}, {0})), HasSubstr("do not fit axis"));
}

TEST_F(Infer, ShapeArithmeticHasIntegerTypes) {
  const ValueId x = b_.Input("x", {2, 3, 4});
  const ValueId shape =
      b_.Add(Op::kShape, "shape", {x}, {{"start", int64_t{0}}, {"end", int64_t{3}}});
  EXPECT_EQ(b_.graph.value(shape).dtype, DType::kI64);
  const ValueId index = b_.Constant<int64_t>("index", {2}, {0, 2});
  const ValueId picked = b_.Add(Op::kGather, "picked", {shape, index}, {{"axis", int64_t{0}}});
  EXPECT_EQ(b_.graph.value(picked).shape.ToString(), "2");
  const ValueId narrow = b_.Add(Op::kCast, "narrow", {picked}, {{"to", int64_t{6}}});
  EXPECT_EQ(b_.graph.value(narrow).dtype, DType::kI32);
  EXPECT_THAT(b_.Infer(Op::kCast, {picked}, {{"to", int64_t{8}}}), HasSubstr("element type 8"));
}

TEST_F(Infer, HugeResultsAreRefused) {
  const ValueId a = b_.Input("a", {1 << 20, 1});
  const ValueId c = b_.Input("c", {1, 1 << 20});
  EXPECT_THAT(b_.Infer(Op::kAdd, {a, c}), HasSubstr("more than 2147483648 elements are refused"));
}

TEST_F(Infer, ErrorsNameFileOperatorAndNode) {
  const ValueId x = b_.Input("x", {2, 3});
  b_.Add(Op::kConcat, "joined", {x}, {{"axis", int64_t{2}}});
  EXPECT_EQ(ToString(b_.status.errors()), "test.onnx: Concat joined: axis 2; allowed are 0 to 1\n");
}

}  // namespace
}  // namespace bw::graph
