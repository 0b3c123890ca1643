#include "models/float_ref/executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "tests/unit/float_ref/one_node.h"

namespace bw::float_ref {
namespace {

using graph::Graph;
using graph::Op;
using graph::Value;
using graph::ValueId;
using tensor::DType;
using tensor::Tensor;

Value Named(const std::string& name, tensor::Shape shape) {
  Value value;
  value.name = name;
  value.shape = std::move(shape);
  return value;
}

// out = relu(x + c) * (x + c), c = -1: the sum has two consumers.
Graph Diamond() {
  Graph g;
  g.file = "diamond.onnx";
  const ValueId x = g.AddValue(Named("x", {3}));
  const ValueId c = g.AddValue(Named("c", {1}));
  const ValueId sum = g.AddValue(Named("sum", {3}));
  const ValueId positive = g.AddValue(Named("positive", {3}));
  const ValueId out = g.AddValue(Named("out", {3}));
  g.value(c).constant = F32({1}, {-1});
  g.nodes.push_back({Op::kAdd, "add", {x, c}, {sum}, {}});
  g.nodes.push_back({Op::kRelu, "relu", {sum}, {positive}, {}});
  g.nodes.push_back({Op::kMul, "mul", {positive, sum}, {out}, {}});
  g.inputs = {x};
  g.outputs = {out};
  return g;
}

TEST(FloatExecutor, EvaluatesInOrderAndShowsEveryValueOnce) {
  const Graph g = Diamond();
  std::string seen;
  const auto result = FloatExecutor(g).Run(
      {F32({3}, {2, 1, 3})}, [&](ValueId id, const Tensor&) { seen += g.value(id).name + " "; });
  EXPECT_EQ(result.value().at(0), F32({3}, {1, 0, 4}));
  EXPECT_EQ(seen, "x sum positive out ");
}

TEST(FloatExecutor, RunAllKeepsIntermediates) {
  const Graph g = Diamond();
  const auto all = FloatExecutor(g).RunAll({F32({3}, {0, 1, 3})}).value();
  EXPECT_EQ(all.size(), 4u);
  EXPECT_EQ(all.at(2), F32({3}, {-1, 0, 2}));
}

TEST(FloatExecutor, DoubleWidensInputsAndConstants) {
  const Graph g = Diamond();
  const auto y = FloatExecutor(g, Precision::kDouble).Run({F32({3}, {0.1F, 1, 3})}).value().at(0);
  ASSERT_EQ(y.dtype(), DType::kF64);
  EXPECT_EQ(y.data<double>()[2], 4.0);
}

TEST(FloatExecutor, AnOutputMayBeAnInput) {
  Graph g = Diamond();
  g.outputs.push_back(g.inputs[0]);
  EXPECT_EQ(FloatExecutor(g).Run({F32({3}, {0, 1, 3})}).value().at(1), F32({3}, {0, 1, 3}));
}

TEST(FloatExecutor, ReportsWrongInputs) {
  const Graph g = Diamond();
  const FloatExecutor executor(g);
  const auto none = executor.Run({});
  ASSERT_FALSE(none.ok());
  EXPECT_THAT(none.errors()[0].ToString(),
              ::testing::HasSubstr("0 input tensors given, the network has 1"));
  const auto shape = executor.Run({F32({2}, {1, 2})});
  ASSERT_FALSE(shape.ok());
  EXPECT_EQ(shape.errors()[0].ToString(),
            "diamond.onnx: x: the input is float32 2, the network takes float32 3 (convert the "
            "input, or bind the network to its shape on import)");
  EXPECT_FALSE(executor.Run({Tensor::From<int8_t>({3}, {1, 2, 3})}).ok());
}

TEST(FloatExecutor, RunsFromManyThreads) {
  const Graph g = Diamond();
  const FloatExecutor executor(g);
  std::vector<std::thread> threads;
  std::vector<float> last(4);
  for (size_t t = 0; t < last.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        const auto x = static_cast<float>(t + 1);
        last[t] = executor.Run({F32({3}, {0, 1, x})}).value().at(0).data<float>()[2];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(last, ::testing::ElementsAre(0, 1, 4, 9));
}

}  // namespace
}  // namespace bw::float_ref
