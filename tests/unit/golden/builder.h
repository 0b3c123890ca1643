// Small integer graphs for tests.
#ifndef TESTS_UNIT_GOLDEN_BUILDER_H_
#define TESTS_UNIT_GOLDEN_BUILDER_H_

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "compiler/graph/int_graph.h"
#include "models/golden/executor.h"

namespace bw::golden {

using graph::IntGraph;
using graph::IntValue;
using graph::IntValueId;
using graph::RequantSet;
using tensor::Shape;

struct Type {
  int bits = 8;
  bool is_signed = true;
  int64_t zero_point = 0;

  int64_t low() const { return is_signed ? -(int64_t{1} << (bits - 1)) : 0; }
  int64_t high() const { return low() + (int64_t{1} << bits) - 1; }
};

inline IntValueId AddValue(IntGraph& g, const std::string& name, Shape shape, Type type = {},
                           std::vector<int32_t> constant = {}) {
  IntValue value;
  value.name = name;
  value.shape = std::move(shape);
  value.bits = type.bits;
  value.is_signed = type.is_signed;
  value.zero_point = type.zero_point;
  value.constant = std::move(constant);
  g.values.push_back(value);
  return static_cast<IntValueId>(g.values.size() - 1);
}

inline IntValueId AddInput(IntGraph& g, Shape shape, Type type = {}) {
  const IntValueId id = AddValue(g, "in" + std::to_string(g.inputs.size()), std::move(shape), type);
  g.inputs.push_back(id);
  return id;
}

inline IntValueId AddBias(IntGraph& g, std::vector<int32_t> values) {
  const auto channels = static_cast<int64_t>(values.size());
  return AddValue(g, "bias", {channels}, {32}, std::move(values));
}

// A node whose result is the graph's only output.
inline IntValueId AddNode(IntGraph& g, graph::IntParams params, std::vector<IntValueId> inputs,
                          Shape out_shape, Type type = {}) {
  graph::IntNode node;
  node.name = "node" + std::to_string(g.nodes.size());
  node.inputs = std::move(inputs);
  node.output = AddValue(g, node.name + "_out", std::move(out_shape), type);
  node.params = std::move(params);
  g.outputs = {node.output};
  g.nodes.push_back(std::move(node));
  return g.outputs[0];
}

// clip(v * m / 2^s + zp) within a type.
inline RequantSet Scaled(int64_t m, int s, const Type& type = {}) {
  return {{{m, s, type.zero_point, type.low(), type.high()}}, {}};
}
// The accumulator itself, in 32 bits.
inline const Type kWide{32};
inline RequantSet Raw() { return Scaled(1, 0, kWide); }

inline GoldenRun RunGraph(const IntGraph& g, const std::vector<IntTensor>& inputs,
                          Kernels kernels = Kernels::kFast) {
  const Status sound = graph::Verify(g);
  EXPECT_TRUE(sound.ok()) << (sound.ok() ? "" : ToString(sound.errors()));
  return GoldenExecutor(g, kernels).Run(inputs).value();
}

inline std::vector<int32_t> Results(const IntGraph& g, const std::vector<IntTensor>& inputs) {
  return RunGraph(g, inputs).outputs.at(0).data;
}

inline std::vector<int32_t> RandomValues(std::mt19937& rng, int64_t n, const Type& type) {
  std::uniform_int_distribution<int64_t> value(type.low(), type.high());
  std::vector<int32_t> made(static_cast<size_t>(n));
  for (int32_t& v : made) v = static_cast<int32_t>(value(rng));
  return made;
}
inline IntTensor RandomTensor(std::mt19937& rng, const Shape& shape, const Type& type) {
  return IntTensor(shape, RandomValues(rng, shape.Elements(), type));
}

}  // namespace bw::golden

#endif  // TESTS_UNIT_GOLDEN_BUILDER_H_
