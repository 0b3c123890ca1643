// One kernel for every alternative of graph::IntParams.
#ifndef MODELS_GOLDEN_NODE_KERNEL_H_
#define MODELS_GOLDEN_NODE_KERNEL_H_

#include <memory>
#include <vector>

#include "compiler/graph/int_graph.h"
#include "models/golden/executor.h"
#include "models/golden/int_tensor.h"

namespace bw::golden {

// A node made ready to run: constants repacked once, parameters resolved.
class NodeKernel {
 public:
  virtual ~NodeKernel() = default;
  // `inputs` in the node's order, constants among them; `out` has its shape.
  virtual void Run(const std::vector<const IntTensor*>& inputs, IntTensor& out,
                   NodeCounts& counts) const = 0;
};

// What a kernel is made from.
struct KernelSpec {
  const graph::IntGraph& graph;
  const graph::IntNode& node;
  Kernels kernels;

  const graph::IntValue& in(size_t index) const { return graph.value(node.inputs.at(index)); }
  bool has(size_t index) const { return index < node.inputs.size(); }
  const graph::IntValue& out() const { return graph.value(node.output); }
};

// An alternative without its function does not link.
using KernelPtr = std::unique_ptr<NodeKernel>;
KernelPtr MakeKernel(const KernelSpec& spec, const graph::IntConv& params);
KernelPtr MakeKernel(const KernelSpec& spec, const graph::IntMatMul& params);
KernelPtr MakeKernel(const KernelSpec& spec, const graph::IntAdd& params);
KernelPtr MakeKernel(const KernelSpec& spec, const graph::IntMul& params);
KernelPtr MakeKernel(const KernelSpec& spec, const graph::IntRequant& params);
KernelPtr MakeKernel(const KernelSpec& spec, const graph::IntLut& params);
KernelPtr MakeKernel(const KernelSpec& spec, const graph::IntPool& params);
KernelPtr MakeKernel(const KernelSpec& spec, const graph::IntReshape& params);
KernelPtr MakeKernel(const KernelSpec& spec, const graph::IntTranspose& params);
KernelPtr MakeKernel(const KernelSpec& spec, const graph::IntPad& params);
KernelPtr MakeKernel(const KernelSpec& spec, const graph::IntSlice& params);
KernelPtr MakeKernel(const KernelSpec& spec, const graph::IntResize& params);
KernelPtr MakeKernel(const KernelSpec& spec, const graph::IntConcat& params);
KernelPtr MakeKernel(const KernelSpec& spec, const graph::IntSoftmax& params);

// Least and greatest number of a value's type.
struct Range {
  int64_t low, high;
};
inline Range RangeOf(const graph::IntValue& value) {
  const int magnitude_bits = value.is_signed ? value.bits - 1 : value.bits;
  const int64_t top = int64_t{1} << magnitude_bits;
  return {value.is_signed ? -top : 0, top - 1};
}

}  // namespace bw::golden

#endif  // MODELS_GOLDEN_NODE_KERNEL_H_
