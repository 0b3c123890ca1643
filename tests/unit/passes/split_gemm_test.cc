// Gemm with a C that the accumulators cannot take.
#include <gtest/gtest.h>

#include "compiler/passes/passes.h"
#include "tests/unit/passes/equivalence.h"

namespace bw::passes {
namespace {

using graph::Builder;
using graph::Graph;
using graph::Op;
using graph::ValueId;

enum class C { kConstant, kActivation };

// 3x4 times 4x5 with a C of that shape.
Graph Gemm(tensor::Shape shape, C kind, double beta, bool constant_weights = true) {
  Builder b;
  const ValueId a = b.Input("a", {3, 4});
  const ValueId w =
      constant_weights ? b.Constant<float>("w", {4, 5}, RandomFloats(20, 1)) : b.Input("w", {4, 5});
  const ValueId c = kind == C::kActivation
                        ? b.Input("c", shape)
                        : b.Constant<float>("c", shape, RandomFloats(shape.Elements(), 2));
  const ValueId y =
      b.Add(Op::kGemm, "y", {a, w, c},
            {{"alpha", 0.5}, {"beta", beta}, {"transA", int64_t{0}}, {"transB", int64_t{0}}});
  EXPECT_TRUE(b.status.ok()) << ToString(b.status.errors());
  b.graph.outputs = {y};
  return b.graph;
}

// Operators after the pass, which must keep the function.
std::string Split(const Graph& before) {
  Graph graph = before;
  EXPECT_TRUE(SplitGemm(graph).ok());
  const Status sound = Verify(graph);
  EXPECT_TRUE(sound.ok()) << ToString(sound.errors());
  EXPECT_LT(RelativeDifference(before, graph), kRounding);
  return Ops(graph);
}

TEST(SplitGemm, ConstantRowsStay) {
  EXPECT_EQ(Split(Gemm({5}, C::kConstant, 2)), "Gemm");
  EXPECT_EQ(Split(Gemm({1, 5}, C::kConstant, 1)), "Gemm");
  EXPECT_EQ(Split(Gemm({1}, C::kConstant, 1)), "Gemm");
}

TEST(SplitGemm, ConstantMatricesAndColumnsBecomeASum) {
  EXPECT_EQ(Split(Gemm({3, 5}, C::kConstant, 1)), "Gemm Add");
  EXPECT_EQ(Split(Gemm({3, 1}, C::kConstant, -2)), "Gemm Add");
}

TEST(SplitGemm, ActivationsBecomeASum) {
  EXPECT_EQ(Split(Gemm({5}, C::kActivation, 1)), "Gemm Add");
  EXPECT_EQ(Split(Gemm({3, 5}, C::kActivation, 0.25)), "Gemm Mul Add");
  EXPECT_EQ(Split(Gemm(tensor::Shape({}), C::kActivation, 0.25)), "Gemm Mul Add");
}

TEST(SplitGemm, ProductsOfActivationsGiveTheirBiasAway) {
  EXPECT_EQ(Split(Gemm({5}, C::kConstant, 2, false)), "Gemm Add");
}

TEST(SplitGemm, WithoutBetaThereIsNoSum) {
  EXPECT_EQ(Split(Gemm({3, 5}, C::kConstant, 0)), "Gemm");
}

}  // namespace
}  // namespace bw::passes
