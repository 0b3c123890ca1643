#include "models/arith/softmax.h"
#include "models/arith/tflite_softmax.h"
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
      const int32_t* x = inputs[0]->data.data() + at;
      int32_t* y = out.data.data() + at;
      if (params_.tflite) {
        arith::TfliteSoftmax(x, n, 1, params_.exp_table, y);
      } else {
        arith::IntSoftmax(x, n, 1, params_.exp_table, params_.one, params_.lo, params_.hi, y);
      }
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
