// Whether two graphs compute the same function, judged in double on seeded random inputs.
#ifndef TESTS_UNIT_PASSES_EQUIVALENCE_H_
#define TESTS_UNIT_PASSES_EQUIVALENCE_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "models/float_ref/executor.h"
#include "tests/support/graph_builder.h"

namespace bw::passes {

inline std::vector<float> RandomFloats(int64_t count, uint32_t seed, float low = -2,
                                       float high = 2) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> uniform(low, high);
  std::vector<float> values(static_cast<size_t>(count));
  std::generate(values.begin(), values.end(), [&] { return uniform(engine); });
  return values;
}

// Outputs, one after the other.
inline std::vector<double> Evaluate(const graph::Graph& graph, uint32_t seed) {
  const float_ref::FloatExecutor executor(graph, float_ref::Precision::kDouble);
  std::vector<tensor::Tensor> inputs;
  for (const graph::ValueId id : graph.inputs) {
    const tensor::Shape& shape = graph.value(id).shape;
    inputs.push_back(
        tensor::Tensor::From<float>(shape, RandomFloats(shape.Elements(), seed++, -8, 8)));
  }
  const auto outputs = executor.Run(inputs);
  EXPECT_TRUE(outputs.ok());
  std::vector<double> values;
  if (!outputs.ok()) return values;
  for (const tensor::Tensor& output : *outputs) {
    const std::vector<double> part = output.ToF64();
    values.insert(values.end(), part.begin(), part.end());
  }
  return values;
}

// Largest difference over largest magnitude; the graphs must have outputs of equal size.
inline double RelativeDifference(const graph::Graph& before, const graph::Graph& after) {
  double difference = 0, magnitude = 1e-30;
  for (const uint32_t seed : {1u, 2u, 3u}) {
    const std::vector<double> a = Evaluate(before, seed), b = Evaluate(after, seed);
    EXPECT_EQ(a.size(), b.size());
    EXPECT_FALSE(a.empty());
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      difference = std::max(difference, std::abs(a[i] - b[i]));
      magnitude = std::max(magnitude, std::abs(a[i]));
    }
  }
  return difference / magnitude;
}

// Folded constants are rounded to float32 (2^-24 each) before they are summed.
inline constexpr double kRounding = 1e-6;

// Operators of the graph in order, as "Conv Relu".
inline std::string Ops(const graph::Graph& graph) {
  std::string text;
  for (const graph::Node& node : graph.nodes) {
    text += (text.empty() ? "" : " ") + std::string(ToString(node.op));
  }
  return text;
}

}  // namespace bw::passes

#endif  // TESTS_UNIT_PASSES_EQUIVALENCE_H_
