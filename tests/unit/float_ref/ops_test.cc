#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/unit/float_ref/one_node.h"

namespace bw::float_ref {
namespace {

using graph::Op;
using tensor::Shape;
using tensor::Tensor;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::Pointwise;

std::vector<float> Values(const Tensor& t) {
  return {t.data<float>(), t.data<float>() + t.elements()};
}

TEST(Elementwise, AddBroadcastsBothOperands) {
  const Tensor y = Evaluate(Op::kAdd, {}, {F32({2, 1}, {10, 20}), F32({3}, {1, 2, 3})}, {2, 3});
  EXPECT_THAT(Values(y), ElementsAre(11, 12, 13, 21, 22, 23));
}

TEST(Elementwise, MulBroadcastsInTheMiddle) {
  const Tensor y = Evaluate(
      Op::kMul, {}, {F32({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), F32({2, 1, 1}, {1, -1})}, {2, 2, 2});
  EXPECT_THAT(Values(y), ElementsAre(1, 2, 3, 4, -5, -6, -7, -8));
}

TEST(Elementwise, ScalarsAreAllowed) {
  const Tensor y = Evaluate(Op::kSub, {}, {F32({}, {1}), F32({}, {3})}, {});
  EXPECT_THAT(Values(y), ElementsAre(-2));
}

TEST(Elementwise, IntegersWrapAndDivideTowardZero) {
  const auto a = Tensor::From<uint8_t>({2}, {200, 7}), b = Tensor::From<uint8_t>({2}, {100, 2});
  const Tensor sum = Evaluate(Op::kAdd, {}, {a, b}, {2});
  EXPECT_EQ(sum, Tensor::From<uint8_t>({2}, {44, 9}));
  const Tensor quotient = Evaluate(Op::kDiv, {}, {a, b}, {2});
  EXPECT_EQ(quotient, Tensor::From<uint8_t>({2}, {2, 3}));
  const auto least = Tensor::From<int64_t>({2}, {std::numeric_limits<int64_t>::min(), -7});
  const Tensor wrapped = Evaluate(Op::kDiv, {}, {least, Tensor::From<int64_t>({2}, {-1, 2})}, {2});
  EXPECT_EQ(wrapped, Tensor::From<int64_t>({2}, {std::numeric_limits<int64_t>::min(), -3}));
}

TEST(Elementwise, UnaryFunctionsFollowTheirDefinitions) {
  const Tensor x = F32({5}, {-4, -1, 0, 1, 4});
  EXPECT_THAT(Values(Evaluate(Op::kRelu, {}, {x}, {5})), ElementsAre(0, 0, 0, 1, 4));
  EXPECT_THAT(Values(Evaluate(Op::kClip, {{"min", -2.0}, {"max", 0.5}}, {x}, {5})),
              ElementsAre(-2, -1, 0, 0.5, 0.5));
  EXPECT_THAT(Values(Evaluate(Op::kLeakyRelu, {{"alpha", 0.25}}, {x}, {5})),
              ElementsAre(-1, -0.25, 0, 1, 4));
  EXPECT_THAT(Values(Evaluate(Op::kHardSigmoid, {{"alpha", 0.25}, {"beta", 0.5}}, {x}, {5})),
              ElementsAre(0, 0.25, 0.5, 0.75, 1));
  EXPECT_THAT(Values(Evaluate(Op::kHardSwish, {}, {x}, {5})),
              Pointwise(FloatNear(1e-6F), {0.0, -1.0 / 3, 0.0, 2.0 / 3, 4.0}));
  EXPECT_THAT(Values(Evaluate(Op::kSigmoid, {}, {x}, {5})),
              Pointwise(FloatNear(1e-6F), {0.01798621, 0.26894142, 0.5, 0.73105858, 0.98201379}));
  EXPECT_THAT(Values(Evaluate(Op::kTanh, {}, {x}, {5})),
              Pointwise(FloatNear(1e-6F), {-0.9993293, -0.76159416, 0., 0.76159416, 0.9993293}));
}

TEST(Elementwise, SigmoidSurvivesLargeArguments) {
  EXPECT_THAT(Values(Evaluate(Op::kSigmoid, {}, {F32({2}, {-1000, 1000})}, {2})),
              ElementsAre(0, 1));
}

TEST(Elementwise, PReluTakesOneSlopePerChannel) {
  const Tensor y =
      Evaluate(Op::kPRelu, {}, {F32({1, 2, 1, 2}, {-4, 4, -4, 4}), F32({2, 1, 1}, {0.5, 0.25})},
               {1, 2, 1, 2});
  EXPECT_THAT(Values(y), ElementsAre(-2, 4, -1, 4));
}

TEST(Pool, MaximumIgnoresPaddingEvenBelowZero) {
  const Tensor y = Evaluate(Op::kMaxPool,
                            {{"kernel_shape", Ints{2, 2}},
                             {"strides", Ints{2, 2}},
                             {"pads", Ints{1, 1, 1, 1}},
                             {"dilations", Ints{1, 1}},
                             {"ceil_mode", int64_t{0}}},
                            {F32({1, 1, 2, 2}, {-1, -2, -3, -4})}, {1, 1, 2, 2});
  EXPECT_THAT(Values(y), ElementsAre(-1, -2, -3, -4));
}

Attributes AverageAttributes(int64_t include_pad, Ints pads, int64_t ceil_mode = 0) {
  return {{"kernel_shape", Ints{2, 2}},
          {"strides", Ints{2, 2}},
          {"pads", std::move(pads)},
          {"ceil_mode", ceil_mode},
          {"count_include_pad", include_pad}};
}

TEST(Pool, AverageCountsPaddingOnlyWhenAsked) {
  const Tensor x = F32({1, 1, 2, 2}, {4, 8, 12, 16});
  EXPECT_THAT(
      Values(Evaluate(Op::kAveragePool, AverageAttributes(0, {1, 1, 1, 1}), {x}, {1, 1, 2, 2})),
      ElementsAre(4, 8, 12, 16));
  EXPECT_THAT(
      Values(Evaluate(Op::kAveragePool, AverageAttributes(1, {1, 1, 1, 1}), {x}, {1, 1, 2, 2})),
      ElementsAre(1, 2, 3, 4));
}

TEST(Pool, WindowsThatCeilModeAddsCountOnlyThePaddedExtent) {
  const Tensor x = F32({1, 1, 3, 3}, {2, 2, 4, 2, 2, 4, 6, 6, 8});
  EXPECT_THAT(
      Values(Evaluate(Op::kAveragePool, AverageAttributes(1, {0, 0, 0, 0}, 1), {x}, {1, 1, 2, 2})),
      ElementsAre(2, 4, 6, 8));
}

TEST(Pool, GlobalPoolsReduceThePlane) {
  const Tensor x = F32({1, 2, 1, 3}, {1, 2, 6, -1, -2, -6});
  EXPECT_THAT(Values(Evaluate(Op::kGlobalAveragePool, {}, {x}, {1, 2, 1, 1})), ElementsAre(3, -3));
  EXPECT_THAT(Values(Evaluate(Op::kGlobalMaxPool, {}, {x}, {1, 2, 1, 1})), ElementsAre(6, -1));
}

TEST(Reduce, MeanOverAnyAxes) {
  const Tensor x = F32({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_THAT(
      Values(Evaluate(Op::kReduceMean, {{"axes", Ints{0, 2}}, {"keepdims", int64_t{0}}}, {x}, {2})),
      ElementsAre(3.5, 5.5));
  EXPECT_THAT(Values(Evaluate(Op::kReduceMean, {{"axes", Ints{1}}, {"keepdims", int64_t{1}}}, {x},
                              {2, 1, 2})),
              ElementsAre(2, 3, 6, 7));
}

TEST(Reduce, SoftmaxAlongAnAxisSurvivesLargeNumbers) {
  const Tensor x = F32({2, 2}, {1000, 0, 1000, std::log(3.0F)});
  EXPECT_THAT(Values(Evaluate(Op::kSoftmax, {{"axis", int64_t{0}}}, {x}, {2, 2})),
              Pointwise(FloatNear(1e-6F), {0.5, 0.25, 0.5, 0.75}));
}

TEST(MatMul, LeadingAxesBroadcast) {
  const Tensor a = F32({2, 1, 1, 2}, {1, 2, 3, 4}), b = F32({2, 2, 1}, {1, 1, 1, -1});
  const Tensor y = Evaluate(Op::kMatMul, {}, {a, b}, {2, 2, 1, 1});
  EXPECT_THAT(Values(y), ElementsAre(3, -1, 7, -1));
}

TEST(MatMul, VectorsAreRowsOnTheLeftAndColumnsOnTheRight) {
  const Tensor v = F32({2}, {1, 2}), m = F32({2, 2}, {1, 2, 3, 4});
  EXPECT_THAT(Values(Evaluate(Op::kMatMul, {}, {v, m}, {2})), ElementsAre(7, 10));
  EXPECT_THAT(Values(Evaluate(Op::kMatMul, {}, {m, v}, {2})), ElementsAre(5, 11));
}

TEST(Gemm, TransposesScalesAndBroadcastsTheBias) {
  const Tensor a = F32({2, 1}, {1, 2}), b = F32({3, 2}, {1, 2, 3, 4, 5, 6});
  const Tensor y = Evaluate(
      Op::kGemm, {{"alpha", 2.0}, {"beta", 0.5}, {"transA", int64_t{1}}, {"transB", int64_t{1}}},
      {a, b, F32({3}, {2, 4, 6})}, {1, 3});
  EXPECT_THAT(Values(y), ElementsAre(11, 24, 37));
}

TEST(Layout, MovesElements) {
  const Tensor x = F32({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(Values(Evaluate(Op::kTranspose, {{"perm", Ints{1, 0}}}, {x}, {3, 2})),
              ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(
      Values(Evaluate(Op::kConcat, {{"axis", int64_t{1}}}, {x, F32({2, 1}, {9, 8})}, {2, 4})),
      ElementsAre(1, 2, 3, 9, 4, 5, 6, 8));
  EXPECT_THAT(Values(Evaluate(Op::kReshape, {{"shape", Ints{3, 2}}}, {x}, {3, 2})),
              ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(Values(Evaluate(Op::kGather, {{"axis", int64_t{1}}},
                              {x, Tensor::From<int64_t>({2}, {-1, 0})}, {2, 2})),
              ElementsAre(3, 1, 6, 4));
}

TEST(Layout, SliceStepsBackward) {
  const Tensor y = Evaluate(
      Op::kSlice,
      {{"starts", Ints{1, 2}}, {"ends", Ints{2, -1}}, {"axes", Ints{0, 1}}, {"steps", Ints{1, -2}}},
      {F32({2, 3}, {1, 2, 3, 4, 5, 6})}, {1, 2});
  EXPECT_THAT(Values(y), ElementsAre(6, 4));
}

TEST(Layout, PadFillsAndCrops) {
  const Tensor y = Evaluate(
      Op::kPad, {{"pads", Ints{1, -1, 0, 1}}, {"mode", std::string("constant")}, {"value", 7.0}},
      {F32({1, 2}, {1, 2})}, {2, 2});
  EXPECT_THAT(Values(y), ElementsAre(7, 7, 2, 7));
}

TEST(BatchNormalization, NormalisesEachChannel) {
  const Tensor y = Evaluate(Op::kBatchNormalization, {{"epsilon", 1.0}},
                            {F32({1, 2, 1, 1}, {5, 5}), F32({2}, {2, 4}), F32({2}, {1, 0}),
                             F32({2}, {1, 3}), F32({2}, {3, 15})},
                            {1, 2, 1, 1});
  EXPECT_THAT(Values(y), ElementsAre(5, 2));
}

}  // namespace
}  // namespace bw::float_ref
