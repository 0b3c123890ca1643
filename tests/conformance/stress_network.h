// Networks built by hand, through the whole integer path: float reference, budget, every machine.
#ifndef TESTS_CONFORMANCE_STRESS_NETWORK_H_
#define TESTS_CONFORMANCE_STRESS_NETWORK_H_

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/conformance/int_path.h"
#include "tests/support/graph_builder.h"

namespace bw::conformance {

using graph::Ints;
using graph::Op;
using graph::ValueId;
using Attributes = std::map<std::string, graph::Attribute>;

// A float graph with random constants and inputs. Names are made from the operators.
class StressNetwork {
 public:
  explicit StressNetwork(uint32_t seed) : rng_(seed) {}

  ValueId Input(tensor::Shape shape, float low = -2, float high = 3);
  ValueId Constant(tensor::Shape shape, float low = -1, float high = 1);
  ValueId Values(tensor::Shape shape, const std::vector<float>& values);
  ValueId Add(Op op, std::vector<ValueId> inputs, Attributes attributes = {});
  void Output(ValueId id) { builder_.graph.outputs.push_back(id); }

  const tensor::Shape& shape(ValueId id) const { return builder_.graph.value(id).shape; }
  int64_t Extent(ValueId id, int axis) const { return shape(id)[axis]; }
  const graph::Graph& graph() const { return builder_.graph; }
  // One sample.
  const std::vector<tensor::Tensor>& inputs() const { return inputs_; }

  // ---- operators with their attributes
  struct ConvSpec {
    int64_t out = 8;
    Ints kernel = {3, 3};
    Ints strides = {1, 1};
    Ints pads = {1, 1, 1, 1};
    Ints dilations = {1, 1};
    int64_t group = 1;
    bool bias = true;
  };
  ValueId Conv(ValueId x, const ConvSpec& spec);
  ValueId Depthwise(ValueId x, Ints strides = {1, 1});
  ValueId Pointwise(ValueId x, int64_t out);
  ValueId Gemm(ValueId x, int64_t out);
  ValueId Clip(ValueId x, double min, double max) {
    return Add(Op::kClip, {x}, {{"min", min}, {"max", max}});
  }
  ValueId Relu(ValueId x) { return Add(Op::kRelu, {x}); }
  ValueId Reshape(ValueId x, Ints shape) {
    return Add(Op::kReshape, {x}, {{"shape", std::move(shape)}});
  }
  ValueId Transpose(ValueId x, Ints perm) {
    return Add(Op::kTranspose, {x}, {{"perm", std::move(perm)}});
  }
  ValueId Concat(std::vector<ValueId> parts, int64_t axis) {
    return Add(Op::kConcat, std::move(parts), {{"axis", axis}});
  }
  ValueId Softmax(ValueId x, int64_t axis) { return Add(Op::kSoftmax, {x}, {{"axis", axis}}); }

 private:
  std::vector<float> Random(int64_t count, float low, float high);

  std::mt19937 rng_;
  graph::Builder builder_;
  std::vector<tensor::Tensor> inputs_;
};

struct StressOptions {
  std::vector<int> bits = {8, 12};
  std::vector<std::string> machines = {"tiny", "edge", "wide"};
  // A value that is read twice makes errors that do not average out.
  Allow allow = Allow::kBudget;
};

// One arithmetic: what lowering aims at, and the machines that must have it.
struct Arithmetic {
  lower::Settings settings;
  std::vector<hwconfig::HwConfig> machines;
};
void ExpectIntPath(const StressNetwork& network, const Arithmetic& arithmetic, Allow allow);

// The same on the shipped configurations: float reference on the graph as it is, golden on the
// lowered one within its budget, machines equal to the golden.
void ExpectIntPath(const StressNetwork& network, const StressOptions& options = {});

}  // namespace bw::conformance

#endif  // TESTS_CONFORMANCE_STRESS_NETWORK_H_
