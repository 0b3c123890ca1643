// Integer convolutions and matrix products, element by element (internal to evaluate_quantised.cc).
#ifndef COMPILER_GRAPH_QUANT_SUMS_H_
#define COMPILER_GRAPH_QUANT_SUMS_H_

#include <cstdint>
#include <vector>

#include "compiler/graph/graph.h"
#include "models/tensor/tensor.h"

namespace bw::graph {

// One number for all, or one a position of an axis.
struct PerAxis {
  std::vector<int64_t> values;
  int64_t At(size_t position) const { return values[values.size() == 1 ? 0 : position]; }
};
// 0 when absent.
PerAxis ZeroPoints(const tensor::Tensor* tensor);

// Which position of `axis` a row-major index has; 0 for an axis of -1.
class AxisWalk {
 public:
  AxisWalk(const tensor::Shape& shape, int axis);
  size_t Position(size_t index) const { return index / inner_ % extent_; }

 private:
  size_t inner_ = 1;
  size_t extent_ = 1;
};

// a * b with zero points (of b: one a filter or a column) and an int32 bias; absent ones are null.
struct QuantProduct {
  const tensor::Tensor* a;
  const tensor::Tensor* b;
  const tensor::Tensor* zero_a;
  const tensor::Tensor* zero_b;
  const tensor::Tensor* bias;
};

// The sums as int32, which wrap. Padding contributes 0. Attributes of `node` as those of Conv.
std::vector<int32_t> ConvSums(const Node& node, const QuantProduct& product,
                              const tensor::Shape& out);
std::vector<int32_t> MatMulSums(const QuantProduct& product, const tensor::Shape& out);

}  // namespace bw::graph

#endif  // COMPILER_GRAPH_QUANT_SUMS_H_
