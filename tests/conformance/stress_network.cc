#include "tests/conformance/stress_network.h"

#include <cmath>
#include <utility>

#include "models/float_ref/executor.h"

namespace bw::conformance {

std::vector<float> StressNetwork::Random(int64_t count, float low, float high) {
  std::uniform_real_distribution<float> uniform(low, high);
  std::vector<float> values(static_cast<size_t>(count));
  for (float& v : values) v = uniform(rng_);
  return values;
}

ValueId StressNetwork::Input(tensor::Shape shape, float low, float high) {
  const std::string name = "in" + std::to_string(inputs_.size());
  inputs_.push_back(tensor::Tensor::From<float>(shape, Random(shape.Elements(), low, high)));
  return builder_.Input(name, std::move(shape));
}

ValueId StressNetwork::Constant(tensor::Shape shape, float low, float high) {
  const std::vector<float> values = Random(shape.Elements(), low, high);
  return Values(std::move(shape), values);
}

ValueId StressNetwork::Values(tensor::Shape shape, const std::vector<float>& values) {
  const std::string name = "c" + std::to_string(builder_.graph.values.size());
  return builder_.Constant<float>(name, std::move(shape), values);
}

ValueId StressNetwork::Add(Op op, std::vector<ValueId> inputs, Attributes attributes) {
  const std::string name =
      std::string(graph::ToString(op)) + std::to_string(builder_.graph.nodes.size());
  const ValueId out = builder_.Add(op, name, std::move(inputs), std::move(attributes));
  BW_CHECK(builder_.status.ok(), "{}", ToString(builder_.status.errors()));
  return out;
}

ValueId StressNetwork::Conv(ValueId x, const ConvSpec& spec) {
  const int64_t depth = Extent(x, 1) / spec.group;
  const auto reach = static_cast<float>(
      1 / std::sqrt(static_cast<double>(depth * spec.kernel[0] * spec.kernel[1])));
  std::vector<ValueId> inputs = {
      x, Constant({spec.out, depth, spec.kernel[0], spec.kernel[1]}, -2 * reach, 2 * reach)};
  if (spec.bias) inputs.push_back(Constant({spec.out}));
  return Add(Op::kConv, std::move(inputs),
             graph::ConvAttributes(spec.strides, spec.pads, spec.dilations, spec.group));
}

ValueId StressNetwork::Depthwise(ValueId x, Ints strides) {
  ConvSpec spec;
  spec.out = spec.group = Extent(x, 1);
  spec.strides = std::move(strides);
  return Conv(x, spec);
}

ValueId StressNetwork::Pointwise(ValueId x, int64_t out) {
  ConvSpec spec;
  spec.out = out, spec.kernel = {1, 1}, spec.pads = {0, 0, 0, 0};
  return Conv(x, spec);
}

ValueId StressNetwork::Gemm(ValueId x, int64_t out) {
  const int64_t depth = Extent(x, 1);
  const auto reach = static_cast<float>(2 / std::sqrt(static_cast<double>(depth)));
  const ValueId weights = Constant({out, depth}, -reach, reach);
  return Add(Op::kGemm, {x, weights, Constant({out})},
             {{"alpha", 1.0}, {"beta", 1.0}, {"transA", int64_t{0}}, {"transB", int64_t{1}}});
}

void ExpectIntPath(const StressNetwork& network, const Arithmetic& arithmetic, Allow allow) {
  const Status sound = graph::Verify(network.graph());
  ASSERT_TRUE(sound.ok()) << ToString(sound.errors());
  const float_ref::FloatExecutor reference(network.graph(), float_ref::Precision::kDouble);
  const auto expected = reference.Run(network.inputs());
  ASSERT_TRUE(expected.ok()) << ToString(expected.errors());
  const auto lowered = LowerOn(network.graph(), network.inputs(), arithmetic.settings);
  ASSERT_TRUE(lowered.ok()) << ToString(lowered.errors());
  EXPECT_TRUE(lowered->graph.warnings.empty()) << lowered->graph.warnings[0];
  const Distance distance = FloatDistance(*lowered, *expected, allow);
  EXPECT_GT(distance.elements, 0);
  EXPECT_LE(distance.excess, 1) << distance.where;
  for (const hwconfig::HwConfig& machine : arithmetic.machines) {
    SCOPED_TRACE(machine.name);
    int64_t elements = 0;
    EXPECT_EQ(MachineProblem(*lowered, machine, &elements), "");
    EXPECT_GT(elements, 0);
  }
}

void ExpectIntPath(const StressNetwork& network, const StressOptions& options) {
  for (const int bits : options.bits) {
    SCOPED_TRACE(std::to_string(bits) + " bits");
    Arithmetic arithmetic = {SettingsOf(bits), {}};
    for (const std::string& machine : options.machines) {
      arithmetic.machines.push_back(Machine(machine, bits));
    }
    ExpectIntPath(network, arithmetic, options.allow);
  }
}

}  // namespace bw::conformance
