// Add, Mul, Requant, Lut.
#include <vector>

#include "models/arith/eltwise.h"
#include "models/arith/lut.h"
#include "models/golden/node_kernel.h"
#include "models/golden/requantiser.h"
#include "models/status/check.h"

namespace bw::golden {
namespace {

using tensor::Shape;

// Element steps of `in` along the axes of `out`, both of one rank; 0 where `in` is repeated.
std::vector<int64_t> BroadcastSteps(const Shape& in, const Shape& out) {
  BW_CHECK(in.rank() == out.rank(), "{} against {}", in.ToString(), out.ToString());
  std::vector<int64_t> steps = in.Strides();
  for (size_t axis = 0; axis < steps.size(); ++axis) {
    if (in.dims[axis] == 1) steps[axis] = 0;
  }
  return steps;
}

// values[i] = f(a, b) for every position of `out`.
template <typename F>
std::vector<int64_t> Combine(const IntTensor& a, const IntTensor& b, const Shape& out, const F& f) {
  std::vector<int64_t> values(static_cast<size_t>(out.Elements()));
  if (a.shape == b.shape) {
    for (size_t i = 0; i < values.size(); ++i) values[i] = f(a.data[i], b.data[i]);
    return values;
  }
  const auto step_a = BroadcastSteps(a.shape, out), step_b = BroadcastSteps(b.shape, out);
  std::vector<int64_t> index(out.dims.size(), 0);
  int64_t at_a = 0, at_b = 0;
  for (int64_t& value : values) {
    value = f(a.data[static_cast<size_t>(at_a)], b.data[static_cast<size_t>(at_b)]);
    for (size_t axis = index.size(); axis-- > 0;) {
      at_a += step_a[axis];
      at_b += step_b[axis];
      if (++index[axis] < out.dims[axis]) break;
      at_a -= step_a[axis] * out.dims[axis];
      at_b -= step_b[axis] * out.dims[axis];
      index[axis] = 0;
    }
  }
  return values;
}

class AddKernel : public NodeKernel {
 public:
  AddKernel(const KernelSpec& spec, const graph::IntAdd& params)
      : add_(params.add),
        rounding_(spec.node.rounding),
        requantiser_(params.requant, RuleOf(spec), kNoWrap) {}

  void Run(const std::vector<const IntTensor*>& inputs, IntTensor& out,
           NodeCounts& counts) const override {
    const auto sums = Combine(*inputs[0], *inputs[1], out.shape, [&](int64_t a, int64_t b) {
      return arith::AddAligned(a, b, add_, rounding_);
    });
    requantiser_.All(out.shape, sums, out.data.data(), counts);
  }

 private:
  arith::EltwiseAdd add_;
  arith::Rounding rounding_;
  Requantiser requantiser_;
};

class MulKernel : public NodeKernel {
 public:
  MulKernel(const KernelSpec& spec, const graph::IntMul& params)
      : zero_a_(spec.in(0).zero_point),
        zero_b_(spec.in(1).zero_point),
        requantiser_(params.requant, RuleOf(spec), kNoWrap) {}

  void Run(const std::vector<const IntTensor*>& inputs, IntTensor& out,
           NodeCounts& counts) const override {
    const auto products = Combine(*inputs[0], *inputs[1], out.shape, [&](int64_t a, int64_t b) {
      return arith::MulOperands(a, b, zero_a_, zero_b_);
    });
    requantiser_.All(out.shape, products, out.data.data(), counts);
  }

 private:
  int64_t zero_a_, zero_b_;
  Requantiser requantiser_;
};

class RequantKernel : public NodeKernel {
 public:
  RequantKernel(const KernelSpec& spec, const graph::IntRequant& params)
      : zero_(spec.in(0).zero_point), requantiser_(params.requant, RuleOf(spec), kNoWrap) {}

  void Run(const std::vector<const IntTensor*>& inputs, IntTensor& out,
           NodeCounts& counts) const override {
    std::vector<int64_t> values(inputs[0]->data.begin(), inputs[0]->data.end());
    for (int64_t& value : values) value -= zero_;
    requantiser_.All(out.shape, values, out.data.data(), counts);
  }

 private:
  int64_t zero_;
  Requantiser requantiser_;
};

class LutKernel : public NodeKernel {
 public:
  explicit LutKernel(const graph::IntLut& lut) : lut_(lut) {
    BW_CHECK(arith::IsValid(lut.params) &&
                 static_cast<int64_t>(lut.table.size()) >= arith::LutEntries(lut.params),
             "table of {} values", lut.table.size());
  }

  void Run(const std::vector<const IntTensor*>& inputs, IntTensor& out,
           NodeCounts&) const override {
    for (size_t i = 0; i < out.data.size(); ++i) {
      out.data[i] = static_cast<int32_t>(
          arith::LutLookup(inputs[0]->data[i], lut_.params, lut_.table.data()));
    }
  }

 private:
  const graph::IntLut& lut_;
};

}  // namespace

KernelPtr MakeKernel(const KernelSpec& spec, const graph::IntAdd& params) {
  return std::make_unique<AddKernel>(spec, params);
}
KernelPtr MakeKernel(const KernelSpec& spec, const graph::IntMul& params) {
  return std::make_unique<MulKernel>(spec, params);
}
KernelPtr MakeKernel(const KernelSpec& spec, const graph::IntRequant& params) {
  return std::make_unique<RequantKernel>(spec, params);
}
KernelPtr MakeKernel(const KernelSpec&, const graph::IntLut& params) {
  return std::make_unique<LutKernel>(params);
}

}  // namespace bw::golden
