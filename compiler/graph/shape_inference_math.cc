// Shape inference of operators that compute: convolution, products, elementwise, pools, reductions.
#include "compiler/graph/infer.h"
#include "compiler/graph/window.h"

namespace bw::graph {
namespace {

using tensor::DType;
using tensor::Shape;

// A function of each element.
Result<TensorType> Unary(const InferContext& c) {
  BW_RETURN_IF_ERROR(c.CheckFloat(0));
  return TensorType{DType::kF32, c.ShapeOf(0)};
}

// Maxima and minima are the same on the integers that stand for reals.
Status CheckComparable(const InferContext& c) {
  const DType type = c.In(0).dtype;
  if (type == DType::kF32 || type == DType::kU8 || type == DType::kI8) return OkStatus();
  return c.Fail("input {} has type {}, must be float32, uint8 or int8", c.In(0).name,
                tensor::DTypeName(type));
}

Result<TensorType> Limited(const InferContext& c) {
  BW_RETURN_IF_ERROR(CheckComparable(c));
  return TensorType{c.In(0).dtype, c.ShapeOf(0)};
}

// Integers too: shape arithmetic runs on them until it folds.
Result<TensorType> Binary(const InferContext& c) {
  BW_RETURN_IF_ERROR(c.CheckSameType());
  const auto shape = Broadcast(c.ShapeOf(0), c.ShapeOf(1));
  if (!shape) {
    return c.Fail("shapes {} and {} do not broadcast", c.ShapeOf(0).ToString(),
                  c.ShapeOf(1).ToString());
  }
  return TensorType{c.In(0).dtype, *shape};
}

// Appends the extents after windows of kernel[] to `shape`.
Status AppendWindows(const InferContext& c, const std::vector<int64_t>& kernel,
                     const std::vector<int64_t>& dilations, bool ceil_mode, Shape* shape) {
  BW_RETURN_IF_ERROR(c.CheckInts("strides", 2, 1));
  BW_RETURN_IF_ERROR(c.CheckInts("pads", 4, 0));
  const std::vector<int64_t>& strides = c.node().Ints("strides");
  const std::vector<int64_t>& pads = c.node().Ints("pads");
  for (size_t i = 0; i < 2; ++i) {
    const Window window{kernel[i], strides[i], dilations[i], pads[i], pads[i + 2]};
    const int64_t extent = c.ShapeOf(0)[static_cast<int>(i) + 2];
    const auto count = WindowCount(extent, window, ceil_mode);
    if (!count) {
      return c.Fail("no window fits input {}: kernel {}, dilation {}, padding {} + {} on axis {}",
                    c.ShapeOf(0).ToString(), kernel[i], dilations[i], pads[i], pads[i + 2], i + 2);
    }
    shape->dims.push_back(*count);
  }
  return OkStatus();
}

Result<TensorType> Pool(const InferContext& c, const std::vector<int64_t>& dilations) {
  BW_RETURN_IF_ERROR(c.CheckRank(0, 4, 4));
  BW_RETURN_IF_ERROR(c.CheckInts("kernel_shape", 2, 1));
  Shape shape({c.ShapeOf(0)[0], c.ShapeOf(0)[1]});
  BW_RETURN_IF_ERROR(AppendWindows(c, c.node().Ints("kernel_shape"), dilations,
                                   c.node().Int("ceil_mode") != 0, &shape));
  return TensorType{c.In(0).dtype, shape};
}

Result<TensorType> GlobalPool(const InferContext& c) {
  BW_RETURN_IF_ERROR(c.CheckRank(0, 4, 4));
  const Shape& x = c.ShapeOf(0);
  if (x[2] * x[3] == 0) return c.Fail("input {} has shape {}", c.In(0).name, x.ToString());
  return TensorType{c.In(0).dtype, Shape({x[0], x[1], 1, 1})};
}

}  // namespace

Result<Shape> ConvShape(const InferContext& c, size_t w_index) {
  BW_RETURN_IF_ERROR(c.CheckRank(0, 4, 4));
  BW_RETURN_IF_ERROR(c.CheckRank(w_index, 4, 4));
  BW_RETURN_IF_ERROR(c.CheckInts("dilations", 2, 1));
  const Shape& x = c.ShapeOf(0);
  const Shape& w = c.ShapeOf(w_index);
  const int64_t group = c.node().Int("group");
  if (group < 1 || w[0] < 1 || w[0] % group != 0 || x[1] % group != 0 || x[1] / group != w[1]) {
    return c.Fail("input {}, weights {} and group {} do not fit", x.ToString(), w.ToString(),
                  group);
  }
  Shape shape({x[0], w[0]});
  BW_RETURN_IF_ERROR(AppendWindows(c, {w[2], w[3]}, c.node().Ints("dilations"), false, &shape));
  return shape;
}

Status CheckConvBias(const InferContext& c, size_t bias, int64_t filters) {
  if (c.ShapeOf(bias) == Shape({filters})) return OkStatus();
  return c.Fail("bias {} has shape {}, must be {}", c.In(bias).name, c.ShapeOf(bias).ToString(),
                filters);
}

Result<TensorType> InferConv(const InferContext& c) {
  for (size_t i = 0; i < c.inputs(); ++i) {
    if (c.Has(i)) BW_RETURN_IF_ERROR(c.CheckFloat(i));
  }
  BW_ASSIGN_OR_RETURN(const Shape shape, ConvShape(c, 1));
  if (c.Has(2)) BW_RETURN_IF_ERROR(CheckConvBias(c, 2, shape[1]));
  return TensorType{DType::kF32, shape};
}

Result<TensorType> InferGemm(const InferContext& c) {
  BW_RETURN_IF_ERROR(c.CheckFloat(0));
  BW_RETURN_IF_ERROR(c.CheckSameType());
  BW_RETURN_IF_ERROR(c.CheckRank(0, 2, 2));
  BW_RETURN_IF_ERROR(c.CheckRank(1, 2, 2));
  const int ta = c.node().Int("transA") != 0 ? 1 : 0;
  const int tb = c.node().Int("transB") != 0 ? 1 : 0;
  const Shape& a = c.ShapeOf(0);
  const Shape& b = c.ShapeOf(1);
  if (a[1 - ta] != b[tb]) {
    return c.Fail("A {} and B {} do not fit (transA {}, transB {})", a.ToString(), b.ToString(), ta,
                  tb);
  }
  const Shape shape({a[ta], b[1 - tb]});
  if (c.Has(2) && Broadcast(c.ShapeOf(2), shape) != shape) {
    return c.Fail("C {} does not broadcast to {}", c.ShapeOf(2).ToString(), shape.ToString());
  }
  return TensorType{DType::kF32, shape};
}

Result<Shape> MatMulShape(const InferContext& c, size_t a_index, size_t b_index) {
  Shape a = c.ShapeOf(a_index);
  Shape b = c.ShapeOf(b_index);
  const auto misfit = [&] {
    return c.Fail("shapes {} and {} do not fit", c.ShapeOf(a_index).ToString(),
                  c.ShapeOf(b_index).ToString());
  };
  if (a.rank() == 0 || b.rank() == 0) return misfit();
  const bool row = a.rank() == 1, column = b.rank() == 1;  // as numpy: the added axis goes again
  if (row) a.dims.insert(a.dims.begin(), 1);
  if (column) b.dims.push_back(1);
  if (a[a.rank() - 1] != b[b.rank() - 2]) return misfit();
  const auto leading = Broadcast(Shape(std::vector<int64_t>(a.dims.begin(), a.dims.end() - 2)),
                                 Shape(std::vector<int64_t>(b.dims.begin(), b.dims.end() - 2)));
  if (!leading) return misfit();
  Shape shape = *leading;
  if (!row) shape.dims.push_back(a[a.rank() - 2]);
  if (!column) shape.dims.push_back(b[b.rank() - 1]);
  return shape;
}

Result<TensorType> InferMatMul(const InferContext& c) {
  BW_RETURN_IF_ERROR(c.CheckFloat(0));
  BW_RETURN_IF_ERROR(c.CheckSameType());
  BW_ASSIGN_OR_RETURN(const Shape shape, MatMulShape(c, 0, 1));
  return TensorType{DType::kF32, shape};
}

Result<TensorType> InferBatchNormalization(const InferContext& c) {
  BW_RETURN_IF_ERROR(c.CheckFloat(0));
  BW_RETURN_IF_ERROR(c.CheckSameType());
  BW_RETURN_IF_ERROR(c.CheckRank(0, 2, 4));
  for (size_t i = 1; i < 5; ++i) {
    if (c.ShapeOf(i) == Shape({c.ShapeOf(0)[1]})) continue;
    return c.Fail("input {} has shape {}, must be {} (channels of {})", c.In(i).name,
                  c.ShapeOf(i).ToString(), c.ShapeOf(0)[1], c.In(0).name);
  }
  return TensorType{DType::kF32, c.ShapeOf(0)};
}

Result<TensorType> InferAdd(const InferContext& c) { return Binary(c); }
Result<TensorType> InferSub(const InferContext& c) { return Binary(c); }
Result<TensorType> InferMul(const InferContext& c) { return Binary(c); }
Result<TensorType> InferDiv(const InferContext& c) { return Binary(c); }

Result<TensorType> InferRelu(const InferContext& c) { return Limited(c); }
Result<TensorType> InferClip(const InferContext& c) { return Limited(c); }
Result<TensorType> InferLeakyRelu(const InferContext& c) { return Unary(c); }
Result<TensorType> InferSigmoid(const InferContext& c) { return Unary(c); }
Result<TensorType> InferTanh(const InferContext& c) { return Unary(c); }
Result<TensorType> InferHardSigmoid(const InferContext& c) { return Unary(c); }
Result<TensorType> InferHardSwish(const InferContext& c) { return Unary(c); }

Result<TensorType> InferPRelu(const InferContext& c) {
  BW_RETURN_IF_ERROR(c.CheckFloat(0));
  BW_RETURN_IF_ERROR(c.CheckSameType());
  if (Broadcast(c.ShapeOf(0), c.ShapeOf(1)) != c.ShapeOf(0)) {
    return c.Fail("slope {} does not broadcast to {}", c.ShapeOf(1).ToString(),
                  c.ShapeOf(0).ToString());
  }
  return TensorType{DType::kF32, c.ShapeOf(0)};
}

Result<TensorType> InferMaxPool(const InferContext& c) {
  BW_RETURN_IF_ERROR(CheckComparable(c));
  BW_RETURN_IF_ERROR(c.CheckInts("dilations", 2, 1));
  return Pool(c, c.node().Ints("dilations"));
}

Result<TensorType> InferAveragePool(const InferContext& c) {
  BW_RETURN_IF_ERROR(c.CheckFloat(0));
  return Pool(c, {1, 1});
}

Result<TensorType> InferGlobalAveragePool(const InferContext& c) {
  BW_RETURN_IF_ERROR(c.CheckFloat(0));
  return GlobalPool(c);
}

Result<TensorType> InferGlobalMaxPool(const InferContext& c) {
  BW_RETURN_IF_ERROR(CheckComparable(c));
  return GlobalPool(c);
}

Result<TensorType> InferReduceMean(const InferContext& c) {
  BW_RETURN_IF_ERROR(c.CheckFloat(0));
  Shape shape = c.ShapeOf(0);
  const std::vector<int64_t>& axes = c.node().Ints("axes");
  BW_RETURN_IF_ERROR(c.CheckAxes(axes, shape.rank()));
  for (auto it = axes.rbegin(); it != axes.rend(); ++it) {
    if (c.node().Int("keepdims") != 0) {
      shape.dims[static_cast<size_t>(*it)] = 1;
    } else {
      shape.dims.erase(shape.dims.begin() + *it);
    }
  }
  return TensorType{DType::kF32, shape};
}

Result<TensorType> InferSoftmax(const InferContext& c) {
  BW_RETURN_IF_ERROR(c.CheckAxis(c.node().Int("axis"), c.ShapeOf(0).rank()));
  return Unary(c);
}

}  // namespace bw::graph
