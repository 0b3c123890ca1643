#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/graph_builder.h"

namespace bw::graph {
namespace {

using testing::HasSubstr;

// y = relu(x + k)
Builder Sound() {
  Builder b;
  const ValueId x = b.Input("x", {1, 4});
  const ValueId k = b.Constant<float>("k", {4}, {1, 2, 3, 4});
  const ValueId sum = b.Add(Op::kAdd, "sum", {x, k});
  b.graph.outputs = {b.Add(Op::kRelu, "y", {sum})};
  return b;
}

std::string Problems(const Graph& graph) {
  const Status status = Verify(graph);
  return status.ok() ? "" : ToString(status.errors());
}

TEST(Verify, AcceptsASoundGraph) { EXPECT_EQ(Problems(Sound().graph), ""); }

TEST(Verify, FindsReadsBeforeTheProducer) {
  Builder b = Sound();
  std::swap(b.graph.nodes[0], b.graph.nodes[1]);
  EXPECT_EQ(Problems(b.graph), "test.onnx: Relu y: sum is read before it is made\n");
}

TEST(Verify, FindsEqualNames) {
  Builder b = Sound();
  b.graph.nodes[1].name = "sum";
  b.graph.values[0].name = "k";
  EXPECT_THAT(Problems(b.graph), HasSubstr("k: two values have this name"));
  EXPECT_THAT(Problems(b.graph), HasSubstr("Relu sum: two nodes have this name"));
}

TEST(Verify, FindsShapesThatInferenceDoesNotMake) {
  Builder b = Sound();
  b.graph.value(b.graph.outputs[0]).shape = {4, 1};
  EXPECT_EQ(Problems(b.graph),
            "test.onnx: Relu y: y is float32 4x1, the operator makes float32 1x4\n");
}

TEST(Verify, FindsConstantsOfAnotherShape) {
  Builder b = Sound();
  b.graph.values[1].shape = {5};
  EXPECT_THAT(Problems(b.graph), HasSubstr("k: constant is float32 4, the value float32 5"));
}

TEST(Verify, FindsUnresolvedShapes) {
  Builder b = Sound();
  b.graph.values[0].shape = {-1, 4};
  EXPECT_THAT(Problems(b.graph), HasSubstr("x: shape -1x4 is not resolved"));
}

TEST(Verify, FindsForeignAttributesAndMissingValues) {
  Builder b = Sound();
  b.graph.nodes[1].attributes["alpha"] = 1.0;
  b.graph.nodes[0].inputs[1] = 99;
  EXPECT_THAT(Problems(b.graph), HasSubstr("Relu y: attribute alpha does not belong here"));
  EXPECT_THAT(Problems(b.graph), HasSubstr("Add sum: input 1 is value 99, which does not exist"));
}

TEST(Verify, FindsAttributesOfAnotherType) {
  Builder b = Sound();
  b.graph.outputs = {b.Add(Op::kLeakyRelu, "leaky", {b.graph.outputs[0]}, {{"alpha", 0.1}})};
  EXPECT_EQ(Problems(b.graph), "");
  b.graph.nodes.back().attributes["alpha"] = int64_t{1};
  EXPECT_THAT(Problems(b.graph), HasSubstr("attribute alpha is not of type f"));
}

TEST(Verify, FindsDoubleProducersAndOutputsNeverMade) {
  Builder b = Sound();
  b.graph.nodes.push_back(b.graph.nodes[1]);
  b.graph.nodes.back().name = "again";
  b.graph.outputs.push_back(b.graph.AddValue({"nowhere", tensor::DType::kF32, {1}, std::nullopt}));
  EXPECT_THAT(Problems(b.graph), HasSubstr("Relu again: y is made twice"));
  EXPECT_THAT(Problems(b.graph), HasSubstr("nowhere: graph output is never made"));
}

TEST(Graph, KnowsProducersAndConsumers) {
  const Builder b = Sound();
  const ValueId sum = b.graph.nodes[0].outputs[0];
  EXPECT_EQ(b.graph.Producer(sum), 0);
  EXPECT_EQ(b.graph.Producer(b.graph.inputs[0]), -1);
  EXPECT_THAT(b.graph.Consumers(sum), testing::ElementsAre(1));
  EXPECT_TRUE(b.graph.IsOutput(b.graph.outputs[0]));
  EXPECT_FALSE(b.graph.IsOutput(sum));
}

TEST(GraphDeathTest, MissingAttributesAreBrokenInvariants) {
  const Builder b = Sound();
  EXPECT_DEATH(b.graph.nodes[0].Int("axis"), "Add sum has no attribute axis");
}

}  // namespace
}  // namespace bw::graph
