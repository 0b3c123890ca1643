#include <algorithm>
#include <limits>

#include "models/golden/node_kernel.h"
#include "models/golden/requantiser.h"
#include "models/status/check.h"

namespace bw::golden {
namespace {

using graph::IntPool;

// Calls visit(value) for every element of a window that lies inside the plane.
struct Windows {
  int64_t height, width;
  IntPool pool;

  template <typename Visit>
  void ForEach(const int32_t* plane, int64_t oh, int64_t ow, const Visit& visit) const {
    for (int64_t kh = 0; kh < pool.kernel_h; ++kh) {
      const int64_t ih = oh * pool.stride_h - pool.pad_top + kh * pool.dilation_h;
      if (ih < 0 || ih >= height) continue;
      for (int64_t kw = 0; kw < pool.kernel_w; ++kw) {
        const int64_t iw = ow * pool.stride_w - pool.pad_left + kw * pool.dilation_w;
        if (iw >= 0 && iw < width) visit(plane[ih * width + iw]);
      }
    }
  }
};

class PoolKernel : public NodeKernel {
 public:
  PoolKernel(const KernelSpec& spec, const IntPool& params)
      : windows_{spec.in(0).shape[2], spec.in(0).shape[3], params},
        rule_(RuleOf(spec)),
        zero_(params.raw_sum ? 0 : spec.in(0).zero_point) {}

  void Run(const std::vector<const IntTensor*>& inputs, IntTensor& out,
           NodeCounts& counts) const override {
    const int64_t planes = out.shape[0] * out.shape[1];
    const int32_t* plane = inputs[0]->data.data();
    int32_t* to = out.data.data();
    for (int64_t p = 0; p < planes; ++p, plane += windows_.height * windows_.width) {
      for (int64_t oh = 0; oh < out.shape[2]; ++oh) {
        for (int64_t ow = 0; ow < out.shape[3]; ++ow) {
          *to++ = windows_.pool.is_max ? Maximum(plane, oh, ow) : Sum(plane, oh, ow, counts);
        }
      }
    }
  }

 private:
  int32_t Maximum(const int32_t* plane, int64_t oh, int64_t ow) const {
    int32_t most = std::numeric_limits<int32_t>::min();
    windows_.ForEach(plane, oh, ow, [&](int32_t v) { most = std::max(most, v); });
    return most;
  }

  // requantise(sum - n * zero point) by the entry of n, the number of valid elements.
  int32_t Sum(const int32_t* plane, int64_t oh, int64_t ow, NodeCounts& counts) const {
    int64_t sum = 0, n = 0;
    windows_.ForEach(plane, oh, ow, [&](int32_t v) {
      sum += v;
      ++n;
    });
    const auto entry = windows_.pool.by_count.find(n);
    BW_CHECK(entry != windows_.pool.by_count.end(), "no requantisation for {} elements", n);
    return RequantiseOne(rule_, entry->second, sum - n * zero_, counts);
  }

  Windows windows_;
  RequantRule rule_;
  int64_t zero_;
};

}  // namespace

KernelPtr MakeKernel(const KernelSpec& spec, const IntPool& params) {
  return std::make_unique<PoolKernel>(spec, params);
}

}  // namespace bw::golden
