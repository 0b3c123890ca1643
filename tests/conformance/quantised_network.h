// Networks whose every value carries the quantisation that a file would give it.
#ifndef TESTS_CONFORMANCE_QUANTISED_NETWORK_H_
#define TESTS_CONFORMANCE_QUANTISED_NETWORK_H_

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/lower/settings.h"
#include "models/golden/int_tensor.h"
#include "models/status/result.h"
#include "tests/conformance/stress_network.h"

namespace bw::conformance {

using graph::Quantisation;

// Integers of an 8-bit type; scales are float32, as files have them.
class QuantisedNetwork {
 public:
  // Activations are int8, or uint8 with uint8 weights.
  QuantisedNetwork(uint32_t seed, bool is_signed);

  // ---- random numbers
  int64_t Uniform(int64_t least, int64_t most);
  bool OneIn(int64_t n) { return Uniform(1, n) == 1; }
  float Scale(double low, double high);  // spread evenly over the magnitudes
  std::vector<int32_t> Integers(int64_t count, int32_t least, int32_t most);

  // ---- formats
  // A zero point anywhere in the type, often at an end or at 0.
  Quantisation Format(float scale);
  // The format of a result whose integers spread over the type, where the sum that makes it has a
  // standard deviation of `spread` (in reals).
  Quantisation FormatFor(double spread);

  // ---- the graph
  ValueId Input(tensor::Shape shape, Quantisation format);
  // The reals are made from `format` and the integers.
  ValueId Constant(tensor::Shape shape, Quantisation format, std::vector<int32_t> integers);
  // A node; its result is quantised when a format is given.
  ValueId Add(Op op, std::vector<ValueId> inputs, Attributes attributes = {},
              std::optional<Quantisation> format = std::nullopt);
  void Output(ValueId id) { builder_.graph.outputs.push_back(id); }

  // Weights [O, I, kH, kW] or [N, K] and a bias in accumulator steps, for an input of `in`.
  struct Filter {
    ValueId weights = -1, bias = -1;
    double step = 0;    // reals of an accumulator step (the mean over channels)
    double spread = 0;  // reals: standard deviation of the sums on random inputs
  };
  Filter MakeFilter(const Quantisation& in, tensor::Shape shape, bool per_channel);

  bool is_signed() const { return is_signed_; }
  const graph::Graph& graph() const { return builder_.graph; }
  const graph::Value& value(ValueId id) const { return builder_.graph.value(id); }
  const tensor::Shape& shape(ValueId id) const { return value(id).shape; }
  const Quantisation& format(ValueId id) const { return *value(id).quantisation; }
  // A sample: integers over the whole type.
  std::vector<golden::IntTensor> RandomInputs();

 private:
  std::mt19937 rng_;
  const bool is_signed_;
  graph::Builder builder_;
};

// Canonicalises and lowers; nothing is calibrated.
Result<graph::IntGraph> LowerQuantised(graph::Graph graph, const lower::Settings& settings);

}  // namespace bw::conformance

#endif  // TESTS_CONFORMANCE_QUANTISED_NETWORK_H_
