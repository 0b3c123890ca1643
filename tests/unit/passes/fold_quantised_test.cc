// Passes on networks whose values carry integers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/passes/integer_meaning.h"
#include "compiler/passes/passes.h"
#include "tests/unit/passes/equivalence.h"

namespace bw::passes {
namespace {

using graph::Builder;
using graph::ConvAttributes;
using graph::Graph;
using graph::Op;
using graph::Quantisation;
using graph::ValueId;
using testing::ElementsAre;

Quantisation Scale(double scale) {
  Quantisation q;
  q.scales = {scale};
  q.zero_points = {0};
  return q;
}

// conv(x, w) of two 1x1 filters whose weights are the integers 3 and -5 of scale 0.5.
ValueId Conv(Builder& b) {
  const ValueId x = b.Input("x", {1, 1, 2, 2});
  const ValueId w = b.Constant<float>("w", {2, 1, 1, 1}, {0, 0});
  SetIntegers({3, -5}, Scale(0.5), &b.graph.value(w));
  return b.Add(Op::kConv, "conv", {x, w}, ConvAttributes());
}

TEST(FoldAffine, PositiveFactorsGoIntoTheScalesOfIntegers) {
  Builder b;
  const ValueId conv = Conv(b);
  const ValueId k = b.Constant<float>("k", {1, 2, 1, 1}, {2, 4});
  b.graph.outputs = {b.Add(Op::kMul, "y", {conv, k})};
  const Graph before = b.graph;
  ASSERT_TRUE(FoldAffine(b.graph).ok());
  EXPECT_EQ(Ops(b.graph), "Conv");
  const Quantisation& w = *b.graph.value(b.graph.nodes[0].inputs[1]).quantisation;
  EXPECT_THAT(w.integers, ElementsAre(3, -5));
  EXPECT_THAT(w.scales, ElementsAre(1.0, 2.0));
  EXPECT_EQ(w.axis, 0);
  EXPECT_TRUE(Verify(b.graph).ok());
  EXPECT_EQ(RelativeDifference(before, b.graph), 0);
}

TEST(FoldAffine, FactorsThatIntegersCannotTakeStay) {
  Builder b;
  const ValueId conv = Conv(b);
  const ValueId k = b.Constant<float>("k", {1, 2, 1, 1}, {2, -4});
  b.graph.outputs = {b.Add(Op::kMul, "y", {conv, k})};
  ASSERT_TRUE(FoldAffine(b.graph).ok());
  EXPECT_EQ(Ops(b.graph), "Conv Mul");
}

TEST(FoldAffine, NothingMovesAcrossAQuantisedValue) {
  Builder b;
  const ValueId conv = Conv(b);
  b.graph.value(conv).quantisation = Scale(0.25);
  const ValueId k = b.Constant<float>("k", {}, {2});
  b.graph.outputs = {b.Add(Op::kMul, "y", {conv, k})};
  ASSERT_TRUE(FoldAffine(b.graph).ok());
  EXPECT_EQ(Ops(b.graph), "Conv Mul");
}

TEST(FoldAffine, ShiftsOfABiasWithIntegersStay) {
  Builder b;
  const ValueId x = b.Input("x", {1, 1, 2, 2});
  const ValueId w = b.Constant<float>("w", {2, 1, 1, 1}, {1, 2});
  const ValueId bias = b.Constant<float>("bias", {2}, {0, 0});
  Quantisation q = Scale(0.5);
  q.bits = 32;
  SetIntegers({100, -7}, q, &b.graph.value(bias));
  const ValueId conv = b.Add(Op::kConv, "conv", {x, w, bias}, ConvAttributes());
  const ValueId k = b.Constant<float>("k", {}, {2});
  b.graph.outputs = {b.Add(Op::kAdd, "y", {conv, k})};
  ASSERT_TRUE(FoldAffine(b.graph).ok());
  EXPECT_EQ(Ops(b.graph), "Conv Add");
  b.graph.nodes[1].op = Op::kMul;
  ASSERT_TRUE(FoldAffine(b.graph).ok());
  EXPECT_EQ(Ops(b.graph), "Conv");
  const Quantisation& folded = *b.graph.value(b.graph.nodes[0].inputs[2]).quantisation;
  EXPECT_THAT(folded.integers, ElementsAre(100, -7));
  EXPECT_THAT(folded.scales, ElementsAre(1.0));
}

TEST(RemoveIdentities, KeepsRequantisationsAndRemovesTheRest) {
  for (const double scale : {0.5, 0.25}) {
    Builder b;
    const ValueId x = b.Input("x", {1, 4});
    b.graph.value(x).quantisation = Scale(0.5);
    const ValueId same = b.Add(Op::kIdentity, "same", {x});
    b.graph.value(same).quantisation = Scale(scale);
    b.graph.outputs = {b.Add(Op::kRelu, "y", {same})};
    ASSERT_TRUE(RemoveIdentities(b.graph).ok());
    EXPECT_EQ(Ops(b.graph), scale == 0.5 ? "Relu" : "Identity Relu");
  }
}

TEST(RemoveIdentities, AnOutputThatTakesOverAValueTakesItsQuantisation) {
  Builder b;
  const ValueId x = b.Input("x", {1, 4});
  const ValueId relu = b.Add(Op::kRelu, "relu", {x});
  b.graph.value(relu).quantisation = Scale(0.5);
  b.graph.outputs = {b.Add(Op::kIdentity, "y", {relu})};
  ASSERT_TRUE(RemoveIdentities(b.graph).ok());
  EXPECT_EQ(Ops(b.graph), "Relu");
  EXPECT_THAT(b.graph.value(b.graph.outputs[0]).quantisation->scales, ElementsAre(0.5));
}

TEST(RemoveIdentities, ReshapesAcrossARoundingAreNotJoined) {
  for (const bool rounding : {false, true}) {
    Builder b;
    const ValueId x = b.Input("x", {2, 2});
    const ValueId flat = b.Add(Op::kReshape, "flat", {x}, {{"shape", graph::Ints{4}}});
    if (rounding) b.graph.value(flat).quantisation = Scale(0.5);
    b.graph.outputs = {b.Add(Op::kReshape, "y", {flat}, {{"shape", graph::Ints{1, 4}}})};
    ASSERT_TRUE(RemoveIdentities(b.graph).ok());
    EXPECT_EQ(Ops(b.graph), rounding ? "Reshape Reshape" : "Reshape");
  }
}

}  // namespace
}  // namespace bw::passes
