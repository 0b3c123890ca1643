// Shape inference of operators that move data, and of shape arithmetic.
#include <algorithm>

#include "compiler/graph/element_type.h"
#include "compiler/graph/infer.h"

namespace bw::graph {
namespace {

using tensor::DType;
using tensor::Shape;

Result<TensorType> Same(const InferContext& c) { return TensorType{c.In(0).dtype, c.ShapeOf(0)}; }

// Elements that a slice takes from one axis; the bounds are resolved (see CheckBounds).
int64_t SliceCount(int64_t start, int64_t end, int64_t step) {
  return step > 0 ? (end - start + step - 1) / step : (start - end - step - 1) / -step;
}

// Rising: 0 <= start <= end <= extent. Falling: -1 <= end <= start < max(extent, 1); end -1 means
// that element 0 is taken too.
bool BoundsFit(int64_t extent, int64_t start, int64_t end, int64_t step) {
  if (step > 0) return start >= 0 && start <= end && end <= extent;
  return step < 0 && end >= -1 && end <= start && start < std::max<int64_t>(extent, 1);
}

}  // namespace

Result<TensorType> InferConcat(const InferContext& c) {
  BW_RETURN_IF_ERROR(c.CheckSameType());
  Shape shape = c.ShapeOf(0);
  BW_RETURN_IF_ERROR(c.CheckAxis(c.node().Int("axis"), shape.rank()));
  const auto axis = static_cast<int>(c.node().Int("axis"));
  for (size_t i = 1; i < c.inputs(); ++i) {
    Shape other = c.ShapeOf(i);
    if (other.rank() == shape.rank()) {
      shape[axis] += other[axis];
      other[axis] = shape[axis];
    }
    if (other == shape) continue;
    return c.Fail("inputs {} and {} with shapes {} and {} do not join along axis {}", c.In(0).name,
                  c.In(i).name, c.ShapeOf(0).ToString(), c.ShapeOf(i).ToString(), axis);
  }
  return TensorType{c.In(0).dtype, shape};
}

Result<TensorType> InferFlatten(const InferContext& c) {
  const Shape& x = c.ShapeOf(0);
  const int64_t axis = c.node().Int("axis");
  BW_RETURN_IF_ERROR(c.CheckAxis(axis, x.rank() + 1));
  Shape shape({1, 1});
  for (int i = 0; i < x.rank(); ++i) shape[i < axis ? 0 : 1] *= x[i];
  return TensorType{c.In(0).dtype, shape};
}

Result<TensorType> InferReshape(const InferContext& c) {
  const Shape shape(c.node().Ints("shape"));
  const auto elements = shape.CheckedElements();
  if (!elements || *elements != c.ShapeOf(0).Elements()) {
    return c.Fail("shape {} does not hold the {} elements of {} ({})", shape.ToString(),
                  c.ShapeOf(0).Elements(), c.In(0).name, c.ShapeOf(0).ToString());
  }
  return TensorType{c.In(0).dtype, shape};
}

Result<TensorType> InferSqueeze(const InferContext& c) {
  Shape shape = c.ShapeOf(0);
  const std::vector<int64_t>& axes = c.node().Ints("axes");
  BW_RETURN_IF_ERROR(c.CheckAxes(axes, shape.rank()));
  for (auto it = axes.rbegin(); it != axes.rend(); ++it) {
    if (shape.dims[static_cast<size_t>(*it)] != 1) {
      return c.Fail("axis {} of {} has not the extent 1", *it, c.ShapeOf(0).ToString());
    }
    shape.dims.erase(shape.dims.begin() + *it);
  }
  return TensorType{c.In(0).dtype, shape};
}

Result<TensorType> InferUnsqueeze(const InferContext& c) {
  Shape shape = c.ShapeOf(0);
  const std::vector<int64_t>& axes = c.node().Ints("axes");
  BW_RETURN_IF_ERROR(c.CheckAxes(axes, shape.rank() + static_cast<int>(axes.size())));
  for (const int64_t axis : axes) shape.dims.insert(shape.dims.begin() + axis, 1);
  return TensorType{c.In(0).dtype, shape};
}

Result<TensorType> InferTranspose(const InferContext& c) {
  const Shape& x = c.ShapeOf(0);
  const std::vector<int64_t>& perm = c.node().Ints("perm");
  std::vector<int64_t> sorted = perm;
  std::sort(sorted.begin(), sorted.end());
  bool fits = static_cast<int>(perm.size()) == x.rank();
  for (size_t i = 0; fits && i < sorted.size(); ++i) fits = sorted[i] == static_cast<int64_t>(i);
  if (!fits) return c.Fail("perm must list the {} axes of {}, each once", x.rank(), c.In(0).name);
  Shape shape;
  for (const int64_t axis : perm) shape.dims.push_back(x.dims[static_cast<size_t>(axis)]);
  return TensorType{c.In(0).dtype, shape};
}

Result<TensorType> InferPad(const InferContext& c) {
  if (c.node().String("mode") != "constant") {
    return c.Make(fmt::format("mode {} is not supported", c.node().String("mode")),
                  "mode must be constant");
  }
  Shape shape = c.ShapeOf(0);
  const auto rank = static_cast<size_t>(shape.rank());
  BW_RETURN_IF_ERROR(c.CheckInts("pads", 2 * rank, 0));
  const std::vector<int64_t>& pads = c.node().Ints("pads");
  for (size_t i = 0; i < rank; ++i) shape.dims[i] += pads[i] + pads[i + rank];
  return TensorType{c.In(0).dtype, shape};
}

Result<TensorType> InferSlice(const InferContext& c) {
  Shape shape = c.ShapeOf(0);
  const std::vector<int64_t>& axes = c.node().Ints("axes");
  const std::vector<int64_t>& starts = c.node().Ints("starts");
  const std::vector<int64_t>& ends = c.node().Ints("ends");
  const std::vector<int64_t>& steps = c.node().Ints("steps");
  BW_RETURN_IF_ERROR(c.CheckAxes(axes, shape.rank()));
  if (starts.size() != axes.size() || ends.size() != axes.size() || steps.size() != axes.size()) {
    return c.Fail("starts, ends, axes and steps have {}, {}, {} and {} numbers", starts.size(),
                  ends.size(), axes.size(), steps.size());
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    int64_t& extent = shape.dims[static_cast<size_t>(axes[i])];
    if (!BoundsFit(extent, starts[i], ends[i], steps[i])) {
      return c.Fail("start {}, end {}, step {} do not fit axis {} of {}", starts[i], ends[i],
                    steps[i], axes[i], c.ShapeOf(0).ToString());
    }
    extent = SliceCount(starts[i], ends[i], steps[i]);
  }
  return TensorType{c.In(0).dtype, shape};
}

Result<TensorType> InferResize(const InferContext& c) {
  const Shape& x = c.ShapeOf(0);
  BW_RETURN_IF_ERROR(c.CheckInts("sizes", x.dims.size(), 0));
  const Shape shape(c.node().Ints("sizes"));
  size_t count = 0;
  for (const int64_t extent : shape.dims) count += static_cast<size_t>(extent);
  BW_RETURN_IF_ERROR(c.CheckInts("sources", count, 0));
  auto source = c.node().Ints("sources").begin();
  for (int axis = 0; axis < shape.rank(); ++axis) {
    for (int64_t i = 0; i < shape[axis]; ++i, ++source) {
      if (*source < x[axis]) continue;
      return c.Fail("position {} of axis {} reads {} of {} elements", i, axis, *source, x[axis]);
    }
  }
  return TensorType{c.In(0).dtype, shape};
}

Result<TensorType> InferIdentity(const InferContext& c) { return Same(c); }
Result<TensorType> InferDropout(const InferContext& c) { return Same(c); }

Result<TensorType> InferCast(const InferContext& c) {
  const auto dtype = DTypeFromOnnx(c.node().Int("to"));
  if (!dtype) return c.Fail("element type {} is not supported", c.node().Int("to"));
  return TensorType{*dtype, c.ShapeOf(0)};
}

Result<TensorType> InferShape(const InferContext& c) {
  const int64_t start = c.node().Int("start"), end = c.node().Int("end");
  if (start < 0 || end < start || end > c.ShapeOf(0).rank()) {
    return c.Fail("start {} and end {} leave 0 to {}", start, end, c.ShapeOf(0).rank());
  }
  return TensorType{DType::kI64, Shape({end - start})};
}

Result<TensorType> InferConstant(const InferContext& c) {
  return c.Fail("a constant must be a value, not a node");
}

Result<TensorType> InferGather(const InferContext& c) {
  const Shape& x = c.ShapeOf(0);
  BW_RETURN_IF_ERROR(c.CheckAxis(c.node().Int("axis"), x.rank()));
  if (c.In(1).dtype != DType::kI64 && c.In(1).dtype != DType::kI32) {
    return c.Fail("indices {} have type {}", c.In(1).name, tensor::DTypeName(c.In(1).dtype));
  }
  const auto axis = static_cast<size_t>(c.node().Int("axis"));
  Shape shape(std::vector<int64_t>(x.dims.begin(), x.dims.begin() + static_cast<int64_t>(axis)));
  const std::vector<int64_t>& indices = c.ShapeOf(1).dims;
  shape.dims.insert(shape.dims.end(), indices.begin(), indices.end());
  shape.dims.insert(shape.dims.end(), x.dims.begin() + static_cast<int64_t>(axis) + 1,
                    x.dims.end());
  return TensorType{c.In(0).dtype, shape};
}

}  // namespace bw::graph
