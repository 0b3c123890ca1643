// Elementwise operators, with numpy's broadcasting for those of two inputs.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <type_traits>
#include <vector>

#include "models/float_ref/op_call.h"

namespace bw::float_ref {
namespace {

using tensor::Shape;
using tensor::Tensor;

// Element strides of `in` along the axes of `out`; 0 where `in` is repeated.
std::vector<int64_t> BroadcastStrides(const Shape& in, const Shape& out) {
  std::vector<int64_t> strides(out.dims.size(), 0);
  const std::vector<int64_t> own = in.Strides();
  const size_t skipped = out.dims.size() - in.dims.size();
  for (size_t axis = 0; axis < in.dims.size(); ++axis) {
    const int64_t extent = in.dims[axis];
    BW_CHECK(extent == 1 || extent == out.dims[axis + skipped], "{} against {}", in.ToString(),
             out.ToString());
    strides[axis + skipped] = extent == 1 ? 0 : own[axis];
  }
  return strides;
}

// Calls row(offset in out, offset in a, offset in b) for every run along the last axis.
template <typename Row>
void ForEachRow(const Shape& out, const std::vector<int64_t>& a, const std::vector<int64_t>& b,
                const Row& row) {
  const size_t rank = out.dims.size();
  const int64_t width = out.dims[rank - 1];
  std::vector<int64_t> index(rank, 0);
  int64_t at_a = 0, at_b = 0;
  for (int64_t at = 0; at < out.Elements(); at += width) {
    row(at, at_a, at_b);
    for (size_t axis = rank - 1; axis-- > 0;) {
      at_a += a[axis];
      at_b += b[axis];
      if (++index[axis] < out.dims[axis]) break;
      at_a -= a[axis] * out.dims[axis];
      at_b -= b[axis] * out.dims[axis];
      index[axis] = 0;
    }
  }
}

template <typename T, typename F>
Tensor Binary(const OpCall& call, const F& f) {
  Tensor out(call.out_dtype, call.out_shape);
  if (out.elements() == 0) return out;
  const T* a = call.in(0).data<T>();
  const T* b = call.in(1).data<T>();
  T* y = out.data<T>();
  if (call.in(0).shape() == call.in(1).shape()) {
    for (int64_t i = 0; i < out.elements(); ++i) y[i] = static_cast<T>(f(a[i], b[i]));
    return out;
  }
  const auto step_a = BroadcastStrides(call.in(0).shape(), call.out_shape);
  const auto step_b = BroadcastStrides(call.in(1).shape(), call.out_shape);
  const int64_t width = call.out_shape.dims.back();
  const int64_t a1 = step_a.back(), b1 = step_b.back();
  ForEachRow(call.out_shape, step_a, step_b, [&](int64_t at, int64_t at_a, int64_t at_b) {
    for (int64_t i = 0; i < width; ++i) {
      y[at + i] = static_cast<T>(f(a[at_a + i * a1], b[at_b + i * b1]));
    }
  });
  return out;
}

// Arithmetic is defined for every numeric type (ONNX: integers wrap).
template <typename F>
Tensor Arithmetic(const OpCall& call, const F& f) {
  BW_CHECK(call.in(0).dtype() == call.in(1).dtype(), "{}: {} and {}", call.node.name,
           tensor::DTypeName(call.in(0).dtype()), tensor::DTypeName(call.in(1).dtype()));
  return tensor::VisitDType(call.in(0).dtype(),
                            [&](auto zero) { return Binary<decltype(zero)>(call, f); });
}

// Integers as their unsigned kind, wide enough that nothing overflows with a sign.
template <typename T>
auto Wrapping(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return value;
  } else {
    return static_cast<uint64_t>(value);
  }
}

template <typename F>
Tensor Unary(const OpCall& call, const F& f) {
  return VisitFloat(call, [&](auto zero) {
    using T = decltype(zero);
    Tensor out(call.out_dtype, call.out_shape);
    const T* x = call.in(0).data<T>();
    T* y = out.data<T>();
    for (int64_t i = 0; i < out.elements(); ++i) y[i] = static_cast<T>(f(x[i]));
    return out;
  });
}

// As Unary, on the integers of quantised values too: f gives what their type holds.
template <typename F>
Tensor Limited(const OpCall& call, const F& f) {
  if (tensor::IsFloat(call.in(0).dtype())) return Unary(call, f);
  return tensor::VisitDType(call.in(0).dtype(), [&](auto zero) {
    using T = decltype(zero);
    Tensor out(call.out_dtype, call.out_shape);
    const T* x = call.in(0).data<T>();
    T* y = out.data<T>();
    constexpr auto kLeast = static_cast<double>(std::numeric_limits<T>::lowest());
    constexpr auto kMost = static_cast<double>(std::numeric_limits<T>::max());
    for (int64_t i = 0; i < out.elements(); ++i) {
      y[i] = static_cast<T>(std::clamp(f(static_cast<double>(x[i])), kLeast, kMost));
    }
    return out;
  });
}

}  // namespace

Tensor EvalAdd(const OpCall& call) {
  return Arithmetic(call, [](auto a, auto b) { return Wrapping(a) + Wrapping(b); });
}

Tensor EvalSub(const OpCall& call) {
  return Arithmetic(call, [](auto a, auto b) { return Wrapping(a) - Wrapping(b); });
}

Tensor EvalMul(const OpCall& call) {
  return Arithmetic(call, [](auto a, auto b) { return Wrapping(a) * Wrapping(b); });
}

Tensor EvalDiv(const OpCall& call) {
  return Arithmetic(call, [&](auto a, auto b) {
    using T = decltype(a);
    if constexpr (std::is_floating_point_v<T>) {
      return a / b;
    } else {
      BW_CHECK(b != T{0}, "{}: integer division by zero", call.node.name);
      // The most negative number divided by -1 wraps to itself.
      if (std::is_signed_v<T> && static_cast<int64_t>(b) == -1) {
        return static_cast<int64_t>(0 - static_cast<uint64_t>(a));
      }
      return static_cast<int64_t>(a) / static_cast<int64_t>(b);
    }
  });
}

Tensor EvalRelu(const OpCall& call) {
  return Limited(call, [](auto x) { return x > 0 ? x : decltype(x){0}; });
}

Tensor EvalClip(const OpCall& call) {
  const double low = call.node.Float("min"), high = call.node.Float("max");
  // ONNX: when the bounds cross, every result is the upper one.
  return Limited(call, [=](auto x) { return std::min(std::max<double>(x, low), high); });
}

Tensor EvalLeakyRelu(const OpCall& call) {
  const double alpha = call.node.Float("alpha");
  return Unary(call, [=](auto x) { return x >= 0 ? x : alpha * x; });
}

Tensor EvalPRelu(const OpCall& call) {
  return VisitFloat(call, [&](auto zero) {
    return Binary<decltype(zero)>(call, [](auto x, auto slope) { return x >= 0 ? x : slope * x; });
  });
}

Tensor EvalSigmoid(const OpCall& call) {
  return Unary(call, [](auto x) { return 1 / (1 + std::exp(-x)); });
}

Tensor EvalTanh(const OpCall& call) {
  return Unary(call, [](auto x) { return std::tanh(x); });
}

Tensor EvalHardSigmoid(const OpCall& call) {
  const double alpha = call.node.Float("alpha"), beta = call.node.Float("beta");
  return Unary(call, [=](auto x) { return std::clamp(alpha * x + beta, 0.0, 1.0); });
}

Tensor EvalHardSwish(const OpCall& call) {
  return Unary(call, [](auto x) { return x * std::clamp(x / 6.0 + 0.5, 0.0, 1.0); });
}

}  // namespace bw::float_ref
