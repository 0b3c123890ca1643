// Constants, batch normalisation and affine operators.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/passes/passes.h"
#include "tests/unit/passes/equivalence.h"

namespace bw::passes {
namespace {

using graph::Builder;
using graph::ConvAttributes;
using graph::Graph;
using graph::Ints;
using graph::Op;
using graph::ValueId;

ValueId Random(Builder& b, const std::string& name, tensor::Shape shape, float low = -1,
               float high = 1) {
  return b.Constant<float>(
      name, shape, RandomFloats(shape.Elements(), static_cast<uint32_t>(name[0]), low, high));
}

ValueId Norm(Builder& b, const std::string& name, ValueId x, int64_t channels) {
  return b.Add(Op::kBatchNormalization, name,
               {x, Random(b, name + "g", {channels}), Random(b, name + "b", {channels}),
                Random(b, name + "m", {channels}), Random(b, name + "v", {channels}, 0.1f, 2)},
               {{"epsilon", 1e-3}});
}

// The graph after `pass`, which must keep it sound, its names and its function.
Graph After(const Builder& b, Status (*pass)(Graph&)) {
  EXPECT_TRUE(b.status.ok());
  Graph graph = b.graph;
  const Status status = pass(graph);
  EXPECT_TRUE(status.ok()) << ToString(status.errors());
  const Status sound = Verify(graph);
  EXPECT_TRUE(sound.ok()) << ToString(sound.errors());
  EXPECT_LT(RelativeDifference(b.graph, graph), kRounding);
  EXPECT_EQ(graph.value(graph.outputs[0]).name, b.graph.value(b.graph.outputs[0]).name);
  return graph;
}

// y = norm(conv(x)); with a bias on request.
Builder ConvNorm(bool bias, int64_t group = 1) {
  Builder b;
  const ValueId x = b.Input("x", {2, 4, 6, 5});
  std::vector<ValueId> inputs = {x, Random(b, "w", {6, 4 / group, 3, 3})};
  if (bias) inputs.push_back(Random(b, "bias", {6}));
  const ValueId conv =
      b.Add(Op::kConv, "conv", inputs, ConvAttributes({2, 1}, {1, 1, 1, 1}, {1, 1}, group));
  b.graph.outputs = {Norm(b, "y", conv, 6)};
  return b;
}

TEST(FoldBatchNorm, FoldsIntoTheConvolutionBefore) {
  for (const bool bias : {false, true}) {
    for (const int64_t group : {1, 2}) {
      const Graph graph = After(ConvNorm(bias, group), FoldBatchNorm);
      EXPECT_EQ(Ops(graph), "Conv");
      EXPECT_EQ(graph.nodes[0].name, "conv");
      EXPECT_EQ(graph.nodes[0].inputs.size(), 3u);
    }
  }
}

TEST(FoldBatchNorm, LeavesTheConvolutionThatOthersRead) {
  Builder b = ConvNorm(true);
  b.graph.outputs.push_back(b.Add(Op::kRelu, "other", {b.graph.nodes[0].outputs[0]}));
  const Graph graph = After(b, FoldBatchNorm);
  EXPECT_EQ(Ops(graph), "Conv Conv Relu");
  EXPECT_EQ(graph.nodes[1].Int("group"), 6);
}

TEST(FoldBatchNorm, LeavesTheConvolutionWhoseResultIsAnOutput) {
  Builder b = ConvNorm(true);
  b.graph.outputs.push_back(b.graph.nodes[0].outputs[0]);
  EXPECT_EQ(Ops(After(b, FoldBatchNorm)), "Conv Conv");
}

TEST(FoldBatchNorm, LeavesWeightsThatOthersReadUntouched) {
  Builder b = ConvNorm(true);
  const ValueId w = b.graph.nodes[0].inputs[1];
  b.graph.outputs.push_back(b.Add(Op::kConv, "twin", {b.graph.inputs[0], w}, ConvAttributes()));
  EXPECT_EQ(Ops(After(b, FoldBatchNorm)), "Conv Conv");
}

TEST(FoldBatchNorm, AloneBecomesADepthwiseConvolution) {
  for (const tensor::Shape& shape : {tensor::Shape{2, 3, 4, 5}, {2, 3, 7}, {2, 3}}) {
    Builder b;
    b.graph.outputs = {Norm(b, "y", b.Input("x", shape), 3)};
    const Graph graph = After(b, FoldBatchNorm);
    EXPECT_EQ(Ops(graph), shape.rank() == 4 ? "Conv" : "Reshape Conv Reshape");
  }
}

TEST(FoldBatchNorm, FoldsIntoAFullyConnectedLayer) {
  for (const int64_t transposed : {0, 1}) {
    Builder b;
    const ValueId x = b.Input("x", {3, 4});
    const ValueId w = Random(b, "w", transposed ? tensor::Shape{5, 4} : tensor::Shape{4, 5});
    const ValueId gemm =
        b.Add(Op::kGemm, "gemm", {x, w, Random(b, "c", {1, 5})},
              {{"alpha", 0.5}, {"beta", -2.0}, {"transA", int64_t{0}}, {"transB", transposed}});
    b.graph.outputs = {Norm(b, "y", gemm, 5)};
    EXPECT_EQ(Ops(After(b, FoldBatchNorm)), "Gemm");
  }
}

TEST(FoldBatchNorm, FoldsThroughTheReshapeOfAOneDimensionalConvolution) {
  Builder b;
  const ValueId x = b.Input("x", {2, 3, 1, 8});
  const ValueId conv =
      b.Add(Op::kConv, "conv", {x, Random(b, "w", {4, 3, 1, 3})}, ConvAttributes());
  const ValueId flat = b.Add(Op::kReshape, "flat", {conv}, {{"shape", Ints{2, 4, 6}}});
  b.graph.outputs = {Norm(b, "y", flat, 4)};
  EXPECT_EQ(Ops(After(b, FoldBatchNorm)), "Conv Reshape");
}

TEST(FoldBatchNorm, DoesNotFoldThroughAReshapeThatMovesChannels) {
  Builder b;
  const ValueId x = b.Input("x", {1, 3, 4, 4});
  const ValueId conv =
      b.Add(Op::kConv, "conv", {x, Random(b, "w", {4, 3, 1, 1})}, ConvAttributes());
  const ValueId mixed = b.Add(Op::kReshape, "mixed", {conv}, {{"shape", Ints{1, 2, 8, 4}}});
  b.graph.outputs = {Norm(b, "y", mixed, 2)};
  EXPECT_EQ(Ops(After(b, FoldBatchNorm)), "Conv Reshape Conv");
}

TEST(FoldBatchNorm, RefusesBadVariancesAndChangingParameters) {
  Builder b;
  const ValueId x = b.Input("x", {1, 2, 2, 2});
  const ValueId two = b.Constant<float>("two", {2}, {1, 1});
  const ValueId variance = b.Constant<float>("variance", {2}, {1, -1});
  b.graph.outputs = {
      b.Add(Op::kBatchNormalization, "y", {x, two, two, two, variance}, {{"epsilon", 0.5}})};
  EXPECT_EQ(ToString(FoldBatchNorm(b.graph).errors()),
            "test.onnx: BatchNormalization y: variance -1 of channel 1 plus epsilon 0.5 is not "
            "above 0\n");
  b.graph.nodes[0].inputs[3] = b.Input("mean", {2});
  EXPECT_EQ(ToString(FoldBatchNorm(b.graph).errors()),
            "test.onnx: BatchNormalization y: mean must be constant\n");
}

// y = op(conv(x), k) or op(k, conv(x)).
Builder ConvThen(Op op, tensor::Shape k_shape, bool swapped = false) {
  Builder b;
  const ValueId x = b.Input("x", {1, 3, 4, 4});
  const ValueId conv =
      b.Add(Op::kConv, "conv", {x, Random(b, "w", {4, 3, 1, 1})}, ConvAttributes());
  const ValueId k = Random(b, "k", std::move(k_shape), 0.5f, 2);
  b.graph.outputs = {
      b.Add(op, "y", swapped ? std::vector<ValueId>{k, conv} : std::vector<ValueId>{conv, k})};
  return b;
}

TEST(FoldAffine, TakesEveryArithmeticOperator) {
  for (const Op op : {Op::kAdd, Op::kSub, Op::kMul, Op::kDiv}) {
    for (const tensor::Shape& shape :
         {tensor::Shape{}, {1}, {4, 1, 1}, {1, 4, 1, 1}, {1, 1, 1, 1}}) {
      EXPECT_EQ(Ops(After(ConvThen(op, shape), FoldAffine)), "Conv");
    }
  }
}

TEST(FoldAffine, TakesTheConstantOnTheLeftWhereTheResultStaysAffine) {
  EXPECT_EQ(Ops(After(ConvThen(Op::kAdd, {4, 1, 1}, true), FoldAffine)), "Conv");
  EXPECT_EQ(Ops(After(ConvThen(Op::kSub, {4, 1, 1}, true), FoldAffine)), "Conv");
  EXPECT_EQ(Ops(After(ConvThen(Op::kMul, {4, 1, 1}, true), FoldAffine)), "Conv");
  Graph quotient = ConvThen(Op::kDiv, {4, 1, 1}, true).graph;
  EXPECT_TRUE(FoldAffine(quotient).ok());
  EXPECT_EQ(Ops(quotient), "Conv Div");
}

TEST(FoldAffine, TakesChains) {
  Builder b = ConvThen(Op::kMul, {4, 1, 1});
  b.graph.outputs = {b.Add(Op::kAdd, "z", {b.graph.outputs[0], Random(b, "s", {4, 1, 1})})};
  EXPECT_EQ(Ops(After(b, FoldAffine)), "Conv");
}

TEST(FoldAffine, LeavesConstantsThatVaryInSpaceOrEnlarge) {
  EXPECT_EQ(Ops(After(ConvThen(Op::kAdd, {4}), FoldAffine)), "Conv Add");  // along W
  EXPECT_EQ(Ops(After(ConvThen(Op::kMul, {1, 1, 4, 4}), FoldAffine)), "Conv Mul");
  EXPECT_EQ(Ops(After(ConvThen(Op::kMul, {2, 1, 1, 1}), FoldAffine)), "Conv Mul");
}

TEST(FoldAffine, LeavesDivisionByZeroAndOtherReaders) {
  Builder b = ConvThen(Op::kDiv, {1});
  b.graph.value(b.graph.nodes[1].inputs[1]).constant = tensor::Tensor::From<float>({1}, {0});
  Graph divided = b.graph;
  EXPECT_TRUE(FoldAffine(divided).ok());
  EXPECT_EQ(Ops(divided), "Conv Div");
  Builder shared = ConvThen(Op::kMul, {1});
  shared.graph.outputs.push_back(
      shared.Add(Op::kRelu, "other", {shared.graph.nodes[0].outputs[0]}));
  EXPECT_EQ(Ops(After(shared, FoldAffine)), "Conv Mul Relu");
}

TEST(FoldAffine, LeavesALayerWhoseWeightsAreActivations) {
  Builder b;
  const ValueId x = b.Input("x", {1, 3, 4, 4});
  const ValueId w = b.Input("w", {4, 3, 1, 1});
  const ValueId conv = b.Add(Op::kConv, "conv", {x, w}, ConvAttributes());
  b.graph.outputs = {b.Add(Op::kMul, "y", {conv, Random(b, "k", {4, 1, 1})})};
  EXPECT_EQ(Ops(After(b, FoldAffine)), "Conv Mul");
}

TEST(FoldAffine, MatMulWithBiasBecomesGemm) {
  Builder b;
  const ValueId x = b.Input("x", {2, 3});
  const ValueId product = b.Add(Op::kMatMul, "product", {x, Random(b, "w", {3, 5})});
  b.graph.outputs = {b.Add(Op::kAdd, "y", {product, Random(b, "bias", {5})})};
  EXPECT_EQ(Ops(After(b, FoldAffine)), "Gemm");
}

TEST(FoldAffine, LeavesMatMulOfHigherRank) {
  Builder b;
  const ValueId x = b.Input("x", {2, 2, 3});
  const ValueId product = b.Add(Op::kMatMul, "product", {x, Random(b, "w", {3, 5})});
  b.graph.outputs = {b.Add(Op::kAdd, "y", {product, Random(b, "bias", {5})})};
  EXPECT_EQ(Ops(After(b, FoldAffine)), "MatMul Add");
}

TEST(FoldConstants, EvaluatesChainsOnConstants) {
  Builder b;
  const ValueId x = b.Input("x", {2, 3});
  const ValueId k = Random(b, "k", {3, 2});
  const ValueId turned = b.Add(Op::kTranspose, "turned", {k}, {{"perm", Ints{1, 0}}});
  const ValueId twice = b.Add(Op::kAdd, "twice", {turned, turned});
  b.graph.outputs = {b.Add(Op::kAdd, "y", {x, twice})};
  const Graph graph = After(b, FoldConstants);
  EXPECT_EQ(Ops(graph), "Add");
  EXPECT_TRUE(graph.value(graph.nodes[0].inputs[1]).constant.has_value());
}

TEST(FoldConstants, ReportsWhatCannotBeEvaluated) {
  Builder b;
  b.Input("x", {1});
  const ValueId one = b.Constant<int64_t>("one", {1}, {1});
  const ValueId zero = b.Constant<int64_t>("zero", {1}, {0});
  b.Add(Op::kDiv, "q", {one, zero});
  EXPECT_EQ(ToString(FoldConstants(b.graph).errors()),
            "test.onnx: Div q: divides an integer by 0\n");
}

}  // namespace
}  // namespace bw::passes
