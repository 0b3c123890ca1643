// Resize by whole factors: every element several times along each axis.
#include <algorithm>
#include <vector>

#include "models/golden/node_kernel.h"

namespace bw::golden {
namespace {

class ResizeKernel : public NodeKernel {
 public:
  explicit ResizeKernel(const graph::IntResize& params) : factors_(params.factors) {}

  void Run(const std::vector<const IntTensor*>& inputs, IntTensor& out,
           NodeCounts&) const override {
    const tensor::Shape& from = inputs[0]->shape;
    const std::vector<int64_t> strides = from.Strides();
    std::vector<int64_t> index(factors_.size(), 0);
    for (int32_t& result : out.data) {
      int64_t at = 0;
      for (size_t axis = 0; axis < index.size(); ++axis) {
        at += index[axis] / factors_[axis] * strides[axis];
      }
      result = inputs[0]->data[static_cast<size_t>(at)];
      for (size_t axis = index.size(); axis-- > 0 && ++index[axis] == out.shape.dims[axis];) {
        index[axis] = 0;
      }
    }
  }

 private:
  const std::vector<int64_t>& factors_;
};

}  // namespace

KernelPtr MakeKernel(const KernelSpec&, const graph::IntResize& params) {
  return std::make_unique<ResizeKernel>(params);
}

}  // namespace bw::golden
