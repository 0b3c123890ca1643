// The common end of every arithmetic node: exact sums or products to the output's type.
#ifndef MODELS_GOLDEN_REQUANTISER_H_
#define MODELS_GOLDEN_REQUANTISER_H_

#include <cstdint>
#include <vector>

#include "compiler/graph/int_graph.h"
#include "models/golden/executor.h"
#include "models/golden/node_kernel.h"
#include "models/tensor/shape.h"

namespace bw::golden {

// How flat positions of a tensor map to channels: axis 1 of rank 4, else the last axis (none for a
// scalar). position = (outer * channels + channel) * inner + rest.
struct ChannelView {
  int64_t channels = 1;
  int64_t inner = 1;

  explicit ChannelView(const tensor::Shape& shape);
  int64_t channel(int64_t position) const { return position / inner % channels; }
};

// How a node scales and rounds.
struct RequantRule {
  arith::Rounding rounding = arith::Rounding::kHalfUp;
  bool float_scale = false;  // profile fp32_even: the scale is a float32
};
RequantRule RuleOf(const KernelSpec& spec);

// For sums and products that no accumulator holds.
inline constexpr int kNoWrap = 64;

int32_t RequantiseOne(RequantRule rule, const arith::Requant& requant, int64_t value,
                      NodeCounts& counts);

class Requantiser {
 public:
  // Values are first wrapped to acc_bits two's complement (or kNoWrap); those that change are
  // counted as overflows.
  Requantiser(const graph::RequantSet& set, RequantRule rule, int acc_bits);

  // `count` results of one channel: out[i] from values[i * step] + bias.
  void Channel(int64_t channel, const int32_t* values, int64_t step, int64_t bias, int64_t count,
               int32_t* out, NodeCounts& counts) const;
  void Channel(int64_t channel, const int64_t* values, int64_t step, int64_t bias, int64_t count,
               int32_t* out, NodeCounts& counts) const;
  // A whole tensor, row-major.
  void All(const tensor::Shape& shape, const std::vector<int64_t>& values, int32_t* out,
           NodeCounts& counts) const;

 private:
  const graph::RequantSet& set_;
  RequantRule rule_;
  int acc_bits_;
};

}  // namespace bw::golden

#endif  // MODELS_GOLDEN_REQUANTISER_H_
