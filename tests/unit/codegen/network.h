// Integer networks by hand, with random weights and scales that spread results over their range.
#ifndef TESTS_UNIT_CODEGEN_NETWORK_H_
#define TESTS_UNIT_CODEGEN_NETWORK_H_

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "compiler/graph/int_graph.h"

namespace bw::codegen {

struct ConvSpec {
  int64_t out = 8, kernel_h = 3, kernel_w = 3, stride = 1, dilation = 1, group = 1;
  int64_t pad_top = 1, pad_left = 1, pad_bottom = 1, pad_right = 1;
  int weight_bits = 8;
  bool bias = true, per_channel = true, leaky = false;
};
ConvSpec Pointwise(int64_t out);
ConvSpec Depthwise(int64_t channels);

struct PoolSpec {
  bool is_max = true;
  int64_t kernel_h = 2, kernel_w = 2, stride = 2, dilation = 1;
  int64_t pad_top = 0, pad_left = 0, pad_bottom = 0, pad_right = 0;
};

class Network {
 public:
  using Id = graph::IntValueId;
  explicit Network(uint32_t seed, int bits = 8) : rng_(seed), bits_(bits) {
    graph_.name = "test";
    graph_.acc_bits = 32;
  }

  // Width, sign and zero point of the values that are made from here on.
  void SetBits(int bits) { bits_ = bits; }
  void SetSigned(bool is_signed) { signed_ = is_signed; }
  void SetZeroPoints(bool on) { zero_points_ = on; }

  Id Input(tensor::Shape shape);
  Id Constant(tensor::Shape shape);
  Id Conv(Id x, const ConvSpec& spec);
  Id MatMul(Id a, int64_t columns, bool bias = true);
  Id MatMulOf(Id a, Id b);
  Id Add(Id a, Id b, bool subtract = false, bool two_stage = true);
  Id Mul(Id a, Id b);
  Id Requant(Id x, bool per_channel, bool negative);
  Id Lut(Id x, int segments = 256, bool interpolate = false);
  Id Pool(Id x, const PoolSpec& spec);
  Id GlobalPool(Id x, bool is_max = false);
  Id Reshape(Id x, tensor::Shape shape);
  Id Transpose(Id x, std::vector<int64_t> perm);
  Id Pad(Id x, std::vector<int64_t> before, std::vector<int64_t> after);
  Id Slice(Id x, std::vector<int64_t> starts, std::vector<int64_t> steps, tensor::Shape shape);
  Id Concat(std::vector<Id> parts, int64_t axis);
  Id Resize(Id x, std::vector<int64_t> factors);
  Id Softmax(Id x);
  void Output(Id id) { graph_.outputs.push_back(id); }

  // Checks the graph before handing it out.
  const graph::IntGraph& graph() const;
  graph::IntGraph& mutable_graph() { return graph_; }
  const tensor::Shape& shape(Id id) const { return graph_.value(id).shape; }
  std::vector<int32_t> RandomValues(const graph::IntValue& value);
  int64_t Below(int64_t n) { return static_cast<int64_t>(rng_() % static_cast<uint64_t>(n)); }

 private:
  Id AddValue(tensor::Shape shape);
  // Another view of the values of `like`: same type.
  Id AddLike(Id like, tensor::Shape shape);
  Id AddNode(graph::Op op, std::vector<Id> inputs, Id output, graph::IntParams params);
  Id Weights(tensor::Shape shape, int bits);
  Id Bias(int64_t channels, double magnitude);
  // Entries that bring values of `magnitude` to about the range of `out`.
  graph::RequantSet Requants(Id out, int64_t entries, double magnitude, bool negative);
  arith::Requant OneRequant(Id out, double magnitude);

  std::mt19937 rng_;
  graph::IntGraph graph_;
  int bits_;
  bool signed_ = true, zero_points_ = false;
};

}  // namespace bw::codegen

#endif  // TESTS_UNIT_CODEGEN_NETWORK_H_
