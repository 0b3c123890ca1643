// Nodes that move data: Reshape, Transpose, Pad, Slice, Concat.
#include <algorithm>
#include <vector>

#include "models/golden/node_kernel.h"

namespace bw::golden {
namespace {

using tensor::Shape;

// Calls visit(i, base + sum of index[axis] * steps[axis]) for every position i of `shape` in order.
template <typename Visit>
void ForEachStrided(const Shape& shape, int64_t base, const std::vector<int64_t>& steps,
                    const Visit& visit) {
  const int64_t elements = shape.Elements();
  std::vector<int64_t> index(shape.dims.size(), 0);
  int64_t at = base;
  for (int64_t i = 0; i < elements; ++i) {
    visit(static_cast<size_t>(i), static_cast<size_t>(at));
    for (size_t axis = index.size(); axis-- > 0;) {
      at += steps[axis];
      if (++index[axis] < shape.dims[axis]) break;
      at -= steps[axis] * shape.dims[axis];
      index[axis] = 0;
    }
  }
}

class ReshapeKernel : public NodeKernel {
 public:
  void Run(const std::vector<const IntTensor*>& inputs, IntTensor& out,
           NodeCounts&) const override {
    out.data = inputs[0]->data;
  }
};

// Reads the input with a start and a signed step along every axis of the output.
class StridedReadKernel : public NodeKernel {
 public:
  StridedReadKernel(int64_t base, std::vector<int64_t> steps)
      : base_(base), steps_(std::move(steps)) {}

  void Run(const std::vector<const IntTensor*>& inputs, IntTensor& out,
           NodeCounts&) const override {
    ForEachStrided(out.shape, base_, steps_,
                   [&](size_t to, size_t from) { out.data[to] = inputs[0]->data[from]; });
  }

 private:
  int64_t base_;
  std::vector<int64_t> steps_;
};

class PadKernel : public NodeKernel {
 public:
  PadKernel(const KernelSpec& spec, const graph::IntPad& params)
      : steps_(spec.out().shape.Strides()), value_(static_cast<int32_t>(params.value)) {
    for (size_t axis = 0; axis < steps_.size(); ++axis) {
      base_ += params.before[axis] * steps_[axis];
    }
  }

  void Run(const std::vector<const IntTensor*>& inputs, IntTensor& out,
           NodeCounts&) const override {
    std::fill(out.data.begin(), out.data.end(), value_);
    ForEachStrided(inputs[0]->shape, base_, steps_,
                   [&](size_t from, size_t to) { out.data[to] = inputs[0]->data[from]; });
  }

 private:
  std::vector<int64_t> steps_;
  int64_t base_ = 0;
  int32_t value_;
};

class ConcatKernel : public NodeKernel {
 public:
  explicit ConcatKernel(int64_t axis) : axis_(static_cast<size_t>(axis)) {}

  void Run(const std::vector<const IntTensor*>& inputs, IntTensor& out,
           NodeCounts&) const override {
    auto to = out.data.begin();
    int64_t outer = 1;
    for (size_t axis = 0; axis < axis_; ++axis) outer *= out.shape.dims[axis];
    for (int64_t i = 0; i < outer; ++i) {
      for (const IntTensor* part : inputs) {
        const int64_t run = part->elements() / outer;
        to = std::copy_n(part->data.begin() + i * run, run, to);
      }
    }
  }

 private:
  size_t axis_;
};

}  // namespace

KernelPtr MakeKernel(const KernelSpec&, const graph::IntReshape&) {
  return std::make_unique<ReshapeKernel>();
}

KernelPtr MakeKernel(const KernelSpec& spec, const graph::IntTranspose& params) {
  const std::vector<int64_t> own = spec.in(0).shape.Strides();
  std::vector<int64_t> steps;
  for (const int64_t axis : params.perm) steps.push_back(own.at(static_cast<size_t>(axis)));
  return std::make_unique<StridedReadKernel>(0, std::move(steps));
}

KernelPtr MakeKernel(const KernelSpec& spec, const graph::IntSlice& params) {
  std::vector<int64_t> steps = spec.in(0).shape.Strides();
  int64_t base = 0;
  for (size_t axis = 0; axis < steps.size(); ++axis) {
    base += params.starts[axis] * steps[axis];
    steps[axis] *= params.steps[axis];
  }
  return std::make_unique<StridedReadKernel>(base, std::move(steps));
}

KernelPtr MakeKernel(const KernelSpec& spec, const graph::IntPad& params) {
  return std::make_unique<PadKernel>(spec, params);
}

KernelPtr MakeKernel(const KernelSpec&, const graph::IntConcat& params) {
  return std::make_unique<ConcatKernel>(params.axis);
}

}  // namespace bw::golden
