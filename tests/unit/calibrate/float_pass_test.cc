#include "compiler/calibrate/float_pass.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace bw::calibrate {
namespace {

using testing::HasSubstr;

graph::Graph ReluGraph() {
  graph::Graph g;
  graph::Value x, y;
  x.name = "x", y.name = "y";
  x.shape = y.shape = tensor::Shape{1, 3};
  g.inputs = {g.AddValue(x)};
  g.outputs = {g.AddValue(y)};
  graph::Node relu;
  relu.op = graph::Op::kRelu;
  relu.name = "relu";
  relu.inputs = g.inputs;
  relu.outputs = g.outputs;
  g.nodes.push_back(relu);
  return g;
}

// Sample i is {-i, i / 2, 1}.
Result<std::vector<tensor::Tensor>> Ramp(size_t i) {
  const auto v = static_cast<float>(i);
  return std::vector<tensor::Tensor>{
      tensor::Tensor::From<float>(tensor::Shape{1, 3}, {-v, v / 2, 1.0F})};
}

TEST(FloatPass, RangesCoverAllSamplesWithAnyNumberOfThreads) {
  const graph::Graph g = ReluGraph();
  for (int threads : {1, 2, 7}) {
    FloatPassOptions options;
    options.threads = threads;
    const FloatPass pass = RunFloatPass(g, 9, Ramp, options).value();
    EXPECT_EQ(pass.ranges.at("x").min, -8.0);
    EXPECT_EQ(pass.ranges.at("x").max, 4.0);
    EXPECT_EQ(pass.ranges.at("x").MaxAbs(), 8.0);
    EXPECT_EQ(pass.ranges.at("y").min, 0.0);
    ASSERT_EQ(pass.outputs.size(), 9u);
    EXPECT_EQ(pass.outputs[6][0].data<float>()[1], 3.0F) << "results stay with their samples";
  }
}

TEST(FloatPass, NotANumberSpoilsTheRangeInsteadOfHiding) {
  const auto source = [](size_t i) -> Result<std::vector<tensor::Tensor>> {
    const float v = i == 1 ? NAN : 2.0F;
    return std::vector<tensor::Tensor>{
        tensor::Tensor::From<float>(tensor::Shape{1, 3}, {v, 1.0F, 1.0F})};
  };
  const FloatPass pass = RunFloatPass(ReluGraph(), 1, source, {}).value();
  EXPECT_EQ(pass.ranges.at("x").max, 2.0);
  const FloatPass spoilt = RunFloatPass(ReluGraph(), 3, source, {}).value();
  EXPECT_TRUE(std::isnan(spoilt.ranges.at("x").min) || std::isnan(spoilt.ranges.at("x").max));
}

TEST(FloatPass, ABadSampleEndsThePassWithItsError) {
  const auto source = [](size_t i) -> Result<std::vector<tensor::Tensor>> {
    if (i == 2) return Error{"b.png", 0, 0, "", "cannot read", ""};
    return Ramp(i);
  };
  FloatPassOptions options;
  options.threads = 2;
  const auto pass = RunFloatPass(ReluGraph(), 50, source, options);
  ASSERT_FALSE(pass.ok());
  EXPECT_THAT(ToString(pass.errors()), HasSubstr("b.png: cannot read"));
}

}  // namespace
}  // namespace bw::calibrate
