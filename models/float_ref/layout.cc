// Operators that move data and compute nothing; any element type. Also Cast and Shape.
#include <algorithm>
#include <cstring>
#include <vector>

#include "models/float_ref/op_call.h"

namespace bw::float_ref {
namespace {

using tensor::Shape;
using tensor::Tensor;

Tensor SameElements(const OpCall& call) { return call.in(0).Reshaped(call.out_shape); }

// Fills `out` from bytes of `in`: output position i reads element base + sum(i[axis] *
// steps[axis]).
void CopyStrided(const Tensor& in, int64_t base, const std::vector<int64_t>& steps, Tensor& out) {
  const size_t size = tensor::DTypeSize(in.dtype());
  const auto& dims = out.shape().dims;
  std::vector<int64_t> index(dims.size(), 0);
  int64_t from = base;
  for (int64_t to = 0; to < out.elements(); ++to) {
    std::memcpy(out.bytes() + static_cast<size_t>(to) * size,
                in.bytes() + static_cast<size_t>(from) * size, size);
    for (size_t axis = dims.size(); axis-- > 0;) {
      from += steps[axis];
      if (++index[axis] < dims[axis]) break;
      from -= steps[axis] * dims[axis];
      index[axis] = 0;
    }
  }
}

// Elements from `axis` on, or behind it.
int64_t InnerElements(const Shape& shape, size_t axis) {
  int64_t inner = 1;
  for (; axis < shape.dims.size(); ++axis) inner *= shape.dims[axis];
  return inner;
}

}  // namespace

Tensor EvalFlatten(const OpCall& call) { return SameElements(call); }
Tensor EvalReshape(const OpCall& call) { return SameElements(call); }
Tensor EvalSqueeze(const OpCall& call) { return SameElements(call); }
Tensor EvalUnsqueeze(const OpCall& call) { return SameElements(call); }
Tensor EvalIdentity(const OpCall& call) { return SameElements(call); }
Tensor EvalDropout(const OpCall& call) { return SameElements(call); }

Tensor EvalTranspose(const OpCall& call) {
  const std::vector<int64_t> own = call.in(0).shape().Strides();
  std::vector<int64_t> steps;
  for (const int64_t axis : call.node.Ints("perm"))
    steps.push_back(own.at(static_cast<size_t>(axis)));
  Tensor out(call.out_dtype, call.out_shape);
  CopyStrided(call.in(0), 0, steps, out);
  return out;
}

Tensor EvalSlice(const OpCall& call) {
  const std::vector<int64_t> own = call.in(0).shape().Strides();
  std::vector<int64_t> steps = own;
  int64_t base = 0;
  const auto& axes = call.node.Ints("axes");
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<size_t>(axes[i]);
    base += call.node.Ints("starts").at(i) * own.at(axis);
    steps.at(axis) *= call.node.Ints("steps").at(i);
  }
  Tensor out(call.out_dtype, call.out_shape);
  CopyStrided(call.in(0), base, steps, out);
  return out;
}

Tensor EvalConcat(const OpCall& call) {
  Tensor out(call.out_dtype, call.out_shape);
  const auto axis = static_cast<size_t>(call.node.Int("axis"));
  const size_t size = tensor::DTypeSize(call.out_dtype);
  const auto out_run = static_cast<size_t>(InnerElements(call.out_shape, axis)) * size;
  size_t at = 0;
  for (const Tensor* part : call.inputs) {
    const auto run = static_cast<size_t>(InnerElements(part->shape(), axis)) * size;
    if (run == 0) continue;
    for (size_t from = 0, to = at; from < part->byte_size(); from += run, to += out_run) {
      std::memcpy(out.bytes() + to, part->bytes() + from, run);
    }
    at += run;
  }
  return out;
}

// Pads may be negative (ONNX: they crop); value fills the rest.
Tensor EvalPad(const OpCall& call) {
  BW_CHECK(call.node.String("mode") == "constant", "mode = {}", call.node.String("mode"));
  const Tensor& in = call.in(0);
  const auto& pads = call.node.Ints("pads");
  const size_t rank = in.shape().dims.size();
  BW_CHECK(pads.size() == 2 * rank, "{} pads for rank {}", pads.size(), rank);
  return tensor::VisitDType(in.dtype(), [&](auto zero) {
    using T = decltype(zero);
    Tensor out(call.out_dtype, call.out_shape);
    const T* x = in.data<T>();
    T* y = out.data<T>();
    std::fill(y, y + out.elements(), static_cast<T>(call.node.Float("value")));
    const std::vector<int64_t> strides = call.out_shape.Strides();
    std::vector<int64_t> index(rank, 0);
    for (int64_t i = 0; i < in.elements(); ++i) {
      int64_t to = 0;
      bool inside = true;
      for (size_t axis = 0; axis < rank; ++axis) {
        const int64_t at = index[axis] + pads[axis];
        inside = inside && at >= 0 && at < call.out_shape.dims[axis];
        to += at * strides[axis];
      }
      if (inside) y[to] = x[i];
      for (size_t axis = rank; axis-- > 0 && ++index[axis] == in.shape().dims[axis];) {
        index[axis] = 0;
      }
    }
    return out;
  });
}

Tensor EvalGather(const OpCall& call) {
  const Tensor& in = call.in(0);
  const auto axis = static_cast<size_t>(call.node.Int("axis"));
  const int64_t extent = in.shape().dims.at(axis);
  const size_t size = tensor::DTypeSize(in.dtype());
  const auto run = static_cast<size_t>(InnerElements(in.shape(), axis + 1)) * size;
  const std::vector<int64_t> indices = call.in(1).ToI64();
  Tensor out(call.out_dtype, call.out_shape);
  uint8_t* to = out.bytes();
  const size_t block = run * static_cast<size_t>(extent);
  for (size_t from = 0; from < in.byte_size(); from += block) {
    for (const int64_t given : indices) {
      const int64_t index = given < 0 ? given + extent : given;
      BW_CHECK(index >= 0 && index < extent, "{}: index {} of {}", call.node.name, given, extent);
      std::memcpy(to, in.bytes() + from + static_cast<size_t>(index) * run, run);
      to += run;
    }
  }
  return out;
}

Tensor EvalCast(const OpCall& call) {
  return tensor::VisitDType(call.in(0).dtype(), [&](auto from) {
    return tensor::VisitDType(call.out_dtype, [&](auto to) {
      const auto* x = call.in(0).data<decltype(from)>();
      Tensor out(call.out_dtype, call.out_shape);
      auto* y = out.data<decltype(to)>();
      for (int64_t i = 0; i < out.elements(); ++i) y[i] = static_cast<decltype(to)>(x[i]);
      return out;
    });
  });
}

Tensor EvalShape(const OpCall& call) {
  const auto& dims = call.in(0).shape().dims;
  const auto first = static_cast<size_t>(call.node.Int("start"));
  const auto last = static_cast<size_t>(call.node.Int("end"));
  BW_CHECK(first <= last && last <= dims.size(), "{}: [{}, {})", call.node.name, first, last);
  return Tensor::From<int64_t>(call.out_shape, {dims.begin() + static_cast<int64_t>(first),
                                                dims.begin() + static_cast<int64_t>(last)});
}

Tensor EvalConstant(const OpCall& call) {
  BW_CHECK(false, "{}: constants are values, not nodes, after import", call.node.name);
  __builtin_unreachable();
}

}  // namespace bw::float_ref
