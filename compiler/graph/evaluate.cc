#include "compiler/graph/evaluate.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <type_traits>

#include "compiler/graph/element_type.h"
#include "compiler/graph/evaluate_quantised.h"
#include "compiler/graph/infer.h"
#include "compiler/graph/resize_map.h"

namespace bw::graph {
namespace {

using tensor::DType;
using tensor::Shape;
using tensor::Tensor;
using Folded = Result<std::optional<Tensor>>;

constexpr int64_t kMostElements = int64_t{1} << 26;
// Of a result that has more elements than its operands: what a small file can make us allocate.
constexpr int64_t kMostGrown = int64_t{1} << 22;

// Calls f(offset) for every index of `shape` in row-major order; offset = base + index * strides.
template <typename F>
void Walk(const Shape& shape, const std::vector<int64_t>& strides, int64_t base, F f) {
  const int64_t elements = shape.Elements();
  std::vector<int64_t> index(shape.dims.size());
  int64_t offset = base;
  for (int64_t n = 0; n < elements; ++n) {
    f(offset);
    for (size_t axis = index.size(); axis-- > 0;) {
      offset += strides[axis];
      if (++index[axis] < shape.dims[axis]) break;
      offset -= strides[axis] * shape.dims[axis];
      index[axis] = 0;
    }
  }
}

// out[index] = in[base + index * strides], whatever the element type.
Tensor GatherStrided(const Tensor& in, const Shape& shape, const std::vector<int64_t>& strides,
                     int64_t base) {
  Tensor out(in.dtype(), shape);
  const size_t size = DTypeSize(in.dtype());
  uint8_t* to = out.bytes();
  Walk(shape, strides, base, [&](int64_t offset) {
    std::memcpy(to, in.bytes() + static_cast<size_t>(offset) * size, size);
    to += size;
  });
  return out;
}

Tensor Transposed(const Tensor& in, const Shape& shape, const std::vector<int64_t>& perm) {
  const std::vector<int64_t> strides = in.shape().Strides();
  std::vector<int64_t> permuted;
  for (const int64_t axis : perm) permuted.push_back(strides[static_cast<size_t>(axis)]);
  return GatherStrided(in, shape, permuted, 0);
}

Tensor Sliced(const Tensor& in, const Shape& shape, const Node& node) {
  std::vector<int64_t> strides = in.shape().Strides();
  int64_t base = 0;
  const std::vector<int64_t>& axes = node.Ints("axes");
  for (size_t i = 0; i < axes.size(); ++i) {
    int64_t& stride = strides[static_cast<size_t>(axes[i])];
    base += node.Ints("starts")[i] * stride;
    stride *= node.Ints("steps")[i];
  }
  return GatherStrided(in, shape, strides, base);
}

Tensor Concatenated(const InferContext& c, const Shape& shape) {
  Tensor out(c.In(0).dtype, shape);
  const auto axis = static_cast<size_t>(c.node().Int("axis"));
  int64_t outer = 1;
  for (size_t i = 0; i < axis; ++i) outer *= shape.dims[i];
  uint8_t* to = out.bytes();
  for (int64_t row = 0; row < outer; ++row) {
    for (size_t i = 0; i < c.inputs(); ++i) {
      const Tensor& in = *c.In(i).constant;
      const size_t run = in.byte_size() / static_cast<size_t>(outer);
      if (run == 0) continue;
      std::memcpy(to, in.bytes() + static_cast<size_t>(row) * run, run);
      to += run;
    }
  }
  return out;
}

// Floats to integers: toward zero, saturated at the ends, NaN to 0 (C++ leaves these open).
template <typename To, typename From>
To Convert(From x) {
  if constexpr (std::is_same_v<To, bool>) {
    return x != From{};
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    if (std::isnan(x)) return 0;
    const auto wide = static_cast<double>(x);
    if (wide <= static_cast<double>(std::numeric_limits<To>::min())) {
      return std::numeric_limits<To>::min();
    }
    if (wide >= static_cast<double>(std::numeric_limits<To>::max())) {
      return std::numeric_limits<To>::max();
    }
    return static_cast<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

// The constant tensor `in` inside a frame of `value`.
Tensor Padded(const Tensor& in, const Shape& shape, const Node& node) {
  Tensor out(in.dtype(), shape);
  VisitDType(in.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* to = out.data<T>();
    std::fill_n(to, out.elements(), Convert<T>(node.Float("value")));
    const std::vector<int64_t> strides = shape.Strides();
    int64_t base = 0;
    for (size_t i = 0; i < strides.size(); ++i) base += node.Ints("pads")[i] * strides[i];
    const T* from = in.data<T>();
    Walk(in.shape(), strides, base, [&](int64_t offset) { to[offset] = *from++; });
  });
  return out;
}

Folded Gathered(const InferContext& c, const Shape& shape) {
  const Tensor& in = *c.In(0).constant;
  const auto axis = static_cast<int>(c.node().Int("axis"));
  const int64_t extent = in.shape()[axis];
  const std::vector<int64_t> indices = c.In(1).constant->ToI64();
  const size_t run =
      static_cast<size_t>(in.shape().Strides()[static_cast<size_t>(axis)]) * DTypeSize(in.dtype());
  int64_t outer = 1;
  for (int i = 0; i < axis; ++i) outer *= in.shape()[i];
  Tensor out(in.dtype(), shape);
  uint8_t* to = out.bytes();
  for (int64_t row = 0; row < outer; ++row) {
    for (const int64_t index : indices) {
      if (index < -extent || index >= extent) {
        return c.Fail("index {}; allowed are {} to {}", index, -extent, extent - 1);
      }
      const int64_t at = row * extent + (index < 0 ? index + extent : index);
      std::memcpy(to, in.bytes() + static_cast<size_t>(at) * run, run);
      to += run;
    }
  }
  return std::optional<Tensor>(std::move(out));
}

Tensor Cast(const Tensor& in, DType dtype) {
  Tensor out(dtype, in.shape());
  VisitDType(in.dtype(), [&](auto from) {
    VisitDType(dtype, [&](auto to) {
      using From = decltype(from);
      using To = decltype(to);
      const From* source = in.data<From>();
      std::transform(source, source + in.elements(), out.data<To>(),
                     [](From x) { return Convert<To>(x); });
    });
  });
  return out;
}

// One result of Add, Sub, Mul or Div. Integers wrap; the divisor is not 0.
template <typename T>
T Apply(Op op, T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (op == Op::kAdd) return a + b;
    if (op == Op::kSub) return a - b;
    return op == Op::kMul ? a * b : a / b;
  } else {
    const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
    if (op == Op::kAdd) return static_cast<T>(x + y);
    if (op == Op::kSub) return static_cast<T>(x - y);
    if (op == Op::kMul) return static_cast<T>(x * y);
    // The one overflow of a division, min / -1, as a wrapping negation.
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return static_cast<T>(0 - x);
    return static_cast<T>(a / b);
  }
}

std::vector<int64_t> OffsetsUnder(const Shape& shape, const Shape& result) {
  std::vector<int64_t> strides(result.dims.size());
  const std::vector<int64_t> own = shape.Strides();
  for (size_t i = 0; i < own.size(); ++i) {
    if (shape.dims[i] != 1) strides[strides.size() - own.size() + i] = own[i];
  }
  std::vector<int64_t> offsets;
  offsets.reserve(static_cast<size_t>(result.Elements()));
  Walk(result, strides, 0, [&](int64_t offset) { offsets.push_back(offset); });
  return offsets;
}

template <typename T>
Folded Arithmetic(const InferContext& c, const Shape& shape) {
  const Op op = c.node().op;
  const T* a = c.In(0).constant->data<T>();
  const T* b = c.In(1).constant->data<T>();
  const std::vector<int64_t> at_a = OffsetsUnder(c.ShapeOf(0), shape);
  const std::vector<int64_t> at_b = OffsetsUnder(c.ShapeOf(1), shape);
  Tensor out(c.In(0).dtype, shape);
  T* to = out.data<T>();
  for (size_t i = 0; i < at_a.size(); ++i) {
    const T divisor = b[at_b[i]];
    if (op == Op::kDiv && std::is_integral_v<T> && divisor == T{}) {
      return c.Fail("divides an integer by 0");
    }
    to[i] = Apply<T>(op, a[at_a[i]], divisor);
  }
  return std::optional<Tensor>(std::move(out));
}

Folded Elementwise(const InferContext& c, const Shape& shape) {
  return VisitDType(c.In(0).dtype, [&](auto zero) -> Folded {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, bool>) {
      return std::optional<Tensor>();
    } else {
      return Arithmetic<T>(c, shape);
    }
  });
}

Tensor ShapeTensor(const InferContext& c) {
  const std::vector<int64_t>& dims = c.ShapeOf(0).dims;
  const std::vector<int64_t> part(dims.begin() + c.node().Int("start"),
                                  dims.begin() + c.node().Int("end"));
  return Tensor::From<int64_t>(Shape({static_cast<int64_t>(part.size())}), part);
}

Tensor Quantised(const InferContext& c, const TensorType& type) {
  std::vector<const Tensor*> inputs;
  for (size_t i = 0; i < c.inputs(); ++i) inputs.push_back(c.Has(i) ? &*c.In(i).constant : nullptr);
  return EvaluateQuantised(c.node(), inputs, type.dtype, type.shape);
}

bool MayLackOperands(Op op) { return op == Op::kQuantizeLinear || op == Op::kDequantizeLinear; }

Folded Dispatch(const InferContext& c, const TensorType& type) {
  const auto first = [&]() -> const Tensor& { return *c.In(0).constant; };
  const auto done = [](Tensor tensor) { return std::optional<Tensor>(std::move(tensor)); };
  switch (c.node().op) {
    case Op::kIdentity:
    case Op::kDropout:
    case Op::kReshape:
    case Op::kFlatten:
    case Op::kSqueeze:
    case Op::kUnsqueeze:
      return done(first().Reshaped(type.shape));
    case Op::kTranspose:
      return done(Transposed(first(), type.shape, c.node().Ints("perm")));
    case Op::kSlice:
      return done(Sliced(first(), type.shape, c.node()));
    case Op::kResize:
      return done(ResizedBySources(first(), type.shape, c.node().Ints("sources")));
    case Op::kPad:
      return done(Padded(first(), type.shape, c.node()));
    case Op::kConcat:
      return done(Concatenated(c, type.shape));
    case Op::kCast:
      return done(Cast(first(), type.dtype));
    case Op::kGather:
      return Gathered(c, type.shape);
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kDiv:
      return Elementwise(c, type.shape);
    case Op::kQuantizeLinear:
    case Op::kDequantizeLinear:
    case Op::kDynamicQuantizeLinear:
      return done(Quantised(c, type));
    default:
      return std::optional<Tensor>();
  }
}

int64_t MostResult(const InferContext& c) {
  std::set<ValueId> operands(c.node().inputs.begin(), c.node().inputs.end());
  operands.erase(kNoValue);
  int64_t elements = 0;
  for (const ValueId id : operands) elements += c.graph().value(id).shape.Elements();
  return std::clamp(elements, kMostGrown, kMostElements);
}

}  // namespace

Folded EvaluateConstant(const Graph& graph, const Node& node) {
  BW_ASSIGN_OR_RETURN(const TensorType type, InferOutput(graph, node));
  const InferContext context(graph, node);
  if (node.op == Op::kShape) return std::optional<Tensor>(ShapeTensor(context));
  for (size_t i = 0; i < context.inputs(); ++i) {
    if (!context.Has(i) && MayLackOperands(node.op)) continue;
    if (!context.Has(i) || !context.In(i).constant) return std::optional<Tensor>();
  }
  if (type.shape.Elements() > MostResult(context)) return std::optional<Tensor>();
  // Nothing to compute, and no operand to read from.
  if (type.shape.Elements() == 0) return std::optional<Tensor>(Tensor(type.dtype, type.shape));
  return Dispatch(context, type);
}

}  // namespace bw::graph
