#include "models/arith/softmax.h"
#include "models/golden/node_kernel.h"

namespace bw::golden {
namespace {

// Along the last axis.
class SoftmaxKernel : public NodeKernel {
 public:
  explicit SoftmaxKernel(const graph::IntSoftmax& params) : params_(params) {}

  void Run(const std::vector<const IntTensor*>& inputs, IntTensor& out,
           NodeCounts&) const override {
    const int64_t n = out.shape.dims.back();
    for (int64_t at = 0; at < out.elements(); at += n) {
      arith::IntSoftmax(inputs[0]->data.data() + at, n, 1, params_.exp_table, params_.one,
                        params_.lo, params_.hi, out.data.data() + at);
    }
  }

 private:
  const graph::IntSoftmax& params_;
};

}  // namespace

KernelPtr MakeKernel(const KernelSpec&, const graph::IntSoftmax& params) {
  return std::make_unique<SoftmaxKernel>(params);
}

}  // namespace bw::golden
