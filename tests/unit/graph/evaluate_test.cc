#include "compiler/graph/evaluate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/graph_builder.h"

namespace bw::graph {
namespace {

using tensor::Tensor;
using testing::ElementsAre;

class Evaluate : public testing::Test {
 protected:
  // The values that the node makes, as int64 or double.
  std::optional<Tensor> Run(Op op, std::vector<ValueId> inputs,
                            std::map<std::string, Attribute> attributes = {}) {
    b_.Add(op, "n" + std::to_string(b_.graph.nodes.size()), std::move(inputs),
           std::move(attributes));
    EXPECT_TRUE(b_.status.ok()) << ToString(b_.status.errors());
    const auto result = EvaluateConstant(b_.graph, b_.graph.nodes.back());
    if (!result.ok()) {
      problem_ = ToString(result.errors());
      return std::nullopt;
    }
    return *result;
  }
  std::vector<int64_t> Ints64(Op op, std::vector<ValueId> inputs,
                              std::map<std::string, Attribute> attributes = {}) {
    const auto tensor = Run(op, std::move(inputs), std::move(attributes));
    EXPECT_TRUE(tensor.has_value()) << problem_;
    return tensor ? tensor->ToI64() : std::vector<int64_t>{};
  }

  Builder b_;
  std::string problem_;
};

TEST_F(Evaluate, ShapeNeedsNoConstant) {
  const ValueId x = b_.Input("x", {1, 3, 48, 192});
  EXPECT_THAT(Ints64(Op::kShape, {x}, {{"start", int64_t{1}}, {"end", int64_t{4}}}),
              ElementsAre(3, 48, 192));
}

TEST_F(Evaluate, OthersNeedConstants) {
  const ValueId x = b_.Input("x", {2});
  const ValueId k = b_.Constant<float>("k", {2}, {1, 2});
  EXPECT_EQ(Run(Op::kAdd, {x, k}), std::nullopt);
  EXPECT_EQ(Run(Op::kRelu, {k}), std::nullopt);
  EXPECT_EQ(problem_, "");
}

TEST_F(Evaluate, MovesElements) {
  const ValueId m = b_.Constant<int64_t>("m", {2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(Ints64(Op::kTranspose, {m}, {{"perm", Ints{1, 0}}}), ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(Ints64(Op::kReshape, {m}, {{"shape", Ints{6}}}), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(Ints64(Op::kConcat, {m, m}, {{"axis", int64_t{1}}}),
              ElementsAre(1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6));
  EXPECT_THAT(
      Ints64(Op::kPad, {m},
             {{"mode", std::string("constant")}, {"pads", Ints{1, 0, 0, 1}}, {"value", 9.}}),
      ElementsAre(9, 9, 9, 9, 1, 2, 3, 9, 4, 5, 6, 9));
  EXPECT_THAT(
      Ints64(Op::kSlice, {m},
             {{"axes", Ints{1}}, {"starts", Ints{2}}, {"ends", Ints{-1}}, {"steps", Ints{-2}}}),
      ElementsAre(3, 1, 6, 4));
}

TEST_F(Evaluate, ResizePicksAlongEachAxis) {
  const ValueId m = b_.Constant<int64_t>("m", {2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(Ints64(Op::kResize, {m}, {{"sizes", Ints{3, 2}}, {"sources", Ints{0, 1, 1, 0, 2}}}),
              ElementsAre(1, 3, 4, 6, 4, 6));
}

TEST_F(Evaluate, GatherCountsNegativeIndicesFromTheEnd) {
  const ValueId m = b_.Constant<int64_t>("m", {2, 3}, {1, 2, 3, 4, 5, 6});
  const ValueId i = b_.Constant<int64_t>("i", {2}, {-1, 0});
  EXPECT_THAT(Ints64(Op::kGather, {m, i}, {{"axis", int64_t{1}}}), ElementsAre(3, 1, 6, 4));
  EXPECT_THAT(Ints64(Op::kGather, {m, i}, {{"axis", int64_t{0}}}), ElementsAre(4, 5, 6, 1, 2, 3));
  const ValueId far = b_.Constant<int64_t>("far", {1}, {2});
  EXPECT_EQ(Run(Op::kGather, {m, far}, {{"axis", int64_t{0}}}), std::nullopt);
  EXPECT_EQ(problem_, "test.onnx: Gather n2: index 2; allowed are -2 to 1\n");
}

TEST_F(Evaluate, CastTruncatesAndSaturates) {
  const ValueId x = b_.Constant<float>("x", {5}, {-1.9f, 2.9f, 1e20f, -1e20f, std::nanf("")});
  EXPECT_THAT(Ints64(Op::kCast, {x}, {{"to", int64_t{7}}}),
              ElementsAre(-1, 2, std::numeric_limits<int64_t>::max(),
                          std::numeric_limits<int64_t>::min(), 0));
  EXPECT_THAT(Ints64(Op::kCast, {x}, {{"to", int64_t{3}}}), ElementsAre(-1, 2, 127, -128, 0));
}

TEST_F(Evaluate, ArithmeticBroadcastsAndTruncatesQuotients) {
  const ValueId a = b_.Constant<int64_t>("a", {2, 1}, {-7, 9});
  const ValueId d = b_.Constant<int64_t>("d", {2}, {2, -1});
  EXPECT_THAT(Ints64(Op::kAdd, {a, d}), ElementsAre(-5, -8, 11, 8));
  EXPECT_THAT(Ints64(Op::kSub, {a, d}), ElementsAre(-9, -6, 7, 10));
  EXPECT_THAT(Ints64(Op::kMul, {a, d}), ElementsAre(-14, 7, 18, -9));
  EXPECT_THAT(Ints64(Op::kDiv, {a, d}), ElementsAre(-3, 7, 4, -9));
}

TEST_F(Evaluate, IntegersWrapAndNeverDivideByZero) {
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  const ValueId a = b_.Constant<int64_t>("a", {}, {kLeast});
  const ValueId one = b_.Constant<int64_t>("one", {}, {-1});
  EXPECT_THAT(Ints64(Op::kDiv, {a, one}), ElementsAre(kLeast));
  EXPECT_THAT(Ints64(Op::kAdd, {a, one}), ElementsAre(std::numeric_limits<int64_t>::max()));
  const ValueId zero = b_.Constant<int64_t>("zero", {}, {0});
  EXPECT_EQ(Run(Op::kDiv, {a, zero}), std::nullopt);
  EXPECT_EQ(problem_, "test.onnx: Div n2: divides an integer by 0\n");
}

TEST_F(Evaluate, FloatsStayFloat32) {
  const ValueId a = b_.Constant<float>("a", {}, {1.f});
  const ValueId c = b_.Constant<float>("c", {}, {3.f});
  EXPECT_EQ(Run(Op::kDiv, {a, c})->data<float>()[0], 1.f / 3.f);
}

TEST_F(Evaluate, HugeResultsStayNodes) {
  const ValueId a = b_.Constant<float>("a", {1 << 14, 1}, std::vector<float>(1 << 14));
  const ValueId c = b_.Constant<float>("c", {1, 1 << 14}, std::vector<float>(1 << 14));
  EXPECT_EQ(Run(Op::kAdd, {a, c}), std::nullopt);
  EXPECT_EQ(problem_, "");
}

TEST_F(Evaluate, EmptyResultsAreConstantsToo) {
  const ValueId a = b_.Constant<int64_t>("a", {0}, {});
  const ValueId c = b_.Constant<int64_t>("c", {2}, {4, 5});
  EXPECT_THAT(Ints64(Op::kConcat, {a, c}, {{"axis", int64_t{0}}}), ElementsAre(4, 5));
  EXPECT_THAT(Ints64(Op::kConcat, {a, a}, {{"axis", int64_t{0}}}), ElementsAre());
}

}  // namespace
}  // namespace bw::graph
