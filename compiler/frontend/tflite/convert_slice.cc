// Parts of tensors: bounds and masks become resolved slices.
#include <algorithm>

#include "compiler/frontend/tflite/convert.h"
#include "compiler/frontend/tflite/layout.h"

namespace bw::frontend::tflite {
namespace {

using graph::Op;
using graph::ValueId;
using tensor::Shape;

// Of one axis of the file's tensor; resolved as ops.def wants it: end -1 below a negative step.
struct Bounds {
  int64_t start = 0, end = 0, step = 1;
};

Bounds Whole(int64_t extent) { return {0, extent, 1}; }

// Slice's attributes, one row an axis that is cut, in the graph's order.
Attributes SliceAttributes(const Shape& x, const std::vector<Bounds>& bounds) {
  Ints axes, starts, ends, steps;
  for (int graph_axis = 0; graph_axis < x.rank(); ++graph_axis) {
    for (int i = 0; i < x.rank(); ++i) {
      if (GraphAxis(i, x.rank()) != graph_axis) continue;
      const Bounds& b = bounds[static_cast<size_t>(i)];
      axes.push_back(graph_axis);
      starts.push_back(b.start);
      ends.push_back(b.end);
      steps.push_back(b.step);
    }
  }
  return {{"axes", axes}, {"starts", starts}, {"ends", ends}, {"steps", steps}};
}

// numpy's clamping. A negative start or end counts from the extent.
Bounds Resolve(OperatorContext& c, int64_t extent, Bounds b, bool open_start, bool open_end) {
  if (b.step == 0 || b.step < -INT32_MAX) {
    c.Note("a stride is {}", b.step);
    return Whole(extent);
  }
  const auto from_end = [extent](int64_t at) { return at < 0 ? at + extent : at; };
  const int64_t last = std::max<int64_t>(extent - 1, 0);
  if (b.step > 0) {
    b.start = open_start ? 0 : std::clamp<int64_t>(from_end(b.start), 0, extent);
    b.end = open_end ? extent : std::clamp<int64_t>(from_end(b.end), 0, extent);
    b.end = std::max(b.start, b.end);
  } else {
    b.start = open_start ? last : std::clamp<int64_t>(from_end(b.start), 0, last);
    b.end = open_end ? -1 : std::clamp<int64_t>(from_end(b.end), -1, last);
    b.end = extent == 0 ? b.start : std::min(b.start, b.end);
  }
  return b;
}

// The operands and masks of STRIDED_SLICE; bit i of a mask is about entry i.
struct Slicing {
  Ints begin, end, strides;
  bool end_is_offset = false;
  int32_t begin_mask = 0, end_mask = 0, ellipsis = 0, new_axis = 0, shrink = 0;

  static bool Bit(int32_t mask, size_t i) { return i < 31 && ((mask >> i) & 1) != 0; }
  // Entries that name an axis of the input.
  size_t Axes() const {
    size_t axes = 0;
    for (size_t i = 0; i < begin.size(); ++i) {
      axes += Bit(ellipsis, i) || Bit(new_axis, i) ? 0U : 1U;
    }
    return axes;
  }
};

std::optional<Slicing> ReadSlicing(OperatorContext& c) {
  namespace field = strided_slice_field;
  const auto begin = c.ConstantInts(1, "begin");
  const auto end = c.ConstantInts(2, "end");
  const auto strides = c.ConstantInts(3, "strides");
  if (!begin || !end || !strides) return std::nullopt;
  Slicing s{*begin, *end, *strides};
  s.begin_mask = c.Option<int32_t>(field::kBeginMask, 0);
  s.end_mask = c.Option<int32_t>(field::kEndMask, 0);
  s.ellipsis = c.Option<int32_t>(field::kEllipsisMask, 0);
  s.new_axis = c.Option<int32_t>(field::kNewAxisMask, 0);
  s.shrink = c.Option<int32_t>(field::kShrinkAxisMask, 0);
  s.end_is_offset = c.Option<uint8_t>(field::kOffset, 0) != 0;
  if (s.end.size() != s.begin.size() || s.strides.size() != s.begin.size()) {
    c.Note("begin, end and strides have {}, {} and {} numbers", s.begin.size(), s.end.size(),
           s.strides.size());
  }
  constexpr size_t kMostEntries = 8;
  if (s.begin.size() > kMostEntries) c.Note("has bounds of {} axes", s.begin.size());
  if ((s.ellipsis & (s.ellipsis - 1)) != 0) c.Note("the ellipsis mask has more than one bit");
  if (!c.status().ok()) return std::nullopt;
  return s;
}

// Entry i as bounds of an axis with `extent` elements.
Bounds EntryBounds(OperatorContext& c, const Slicing& s, size_t i, int64_t extent) {
  const bool open_start = Slicing::Bit(s.begin_mask, i), open_end = Slicing::Bit(s.end_mask, i);
  Bounds b{s.begin[i], s.end[i], s.strides[i]};
  for (int64_t& bound : {std::ref(b.start), std::ref(b.end)}) {
    bound = std::clamp<int64_t>(bound, INT32_MIN, INT32_MAX);
  }
  if (Slicing::Bit(s.shrink, i)) {
    const int64_t at = open_start ? 0 : b.start < 0 ? b.start + extent : b.start;
    if (at < 0 || at >= extent) c.Note("begin {} is outside of {} elements", b.start, extent);
    return {std::clamp<int64_t>(at, 0, extent), std::min(at, extent - 1) + 1, 1};
  }
  if (s.end_is_offset) b.end += b.start;
  return Resolve(c, extent, b, open_start, open_end);
}

// Bounds of every axis of `x`, the shape after the slice, and the shape of the result, in which
// axes are added and dropped.
struct Sliced {
  std::vector<Bounds> bounds;
  Shape kept, result;
};

int64_t Count(const Bounds& b) {
  return b.step > 0 ? (b.end - b.start + b.step - 1) / b.step
                    : (b.start - b.end - b.step - 1) / -b.step;
}

Sliced Apply(OperatorContext& c, const Shape& x, const Slicing& s) {
  Sliced sliced;
  const auto rank = static_cast<size_t>(x.rank());
  const size_t named = s.Axes();
  if (named > rank) {
    c.Note("has bounds of {} axes; the input is {}", named, x.ToString());
    return sliced;
  }
  const auto take = [&](const Bounds& b, bool shrink) {
    sliced.bounds.push_back(b);
    sliced.kept.dims.push_back(Count(b));
    if (!shrink) sliced.result.dims.push_back(Count(b));
  };
  const auto take_whole = [&](size_t count) {
    for (; count > 0; --count) take(Whole(x.dims[sliced.bounds.size()]), false);
  };
  for (size_t i = 0; i < s.begin.size(); ++i) {
    if (Slicing::Bit(s.ellipsis, i)) {
      take_whole(rank - named);
    } else if (Slicing::Bit(s.new_axis, i)) {
      sliced.result.dims.push_back(1);
    } else {
      take(EntryBounds(c, s, i, x.dims[sliced.bounds.size()]), Slicing::Bit(s.shrink, i));
    }
  }
  take_whole(rank - sliced.bounds.size());
  return sliced;
}

Status SplitInto(OperatorContext& c, size_t input, int64_t axis, const Ints& sizes) {
  const Shape x = c.InputShape(input);
  const ValueId id = c.Input(input);
  BW_RETURN_IF_ERROR(c.status());
  int64_t start = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    std::vector<Bounds> bounds;
    for (const int64_t extent : x.dims) bounds.push_back(Whole(extent));
    bounds[static_cast<size_t>(axis)] = {start, start + sizes[i], 1};
    start += sizes[i];
    BW_RETURN_IF_ERROR(c.Finish(Op::kSlice, {id}, SliceAttributes(x, bounds), "", i));
  }
  return OkStatus();
}

// The one number in operand `i`.
int64_t AxisOperand(OperatorContext& c, size_t i, int64_t rank) {
  const std::optional<Ints> axis = c.ConstantInts(i, "the axis");
  if (axis && axis->size() != 1) c.Note("the axis has {} elements", axis->size());
  return c.status().ok() ? c.Axis((*axis)[0], rank) : 0;
}

}  // namespace

Status ConvertStridedSlice(OperatorContext& c) {
  const Shape x = c.InputShape(0);
  const std::optional<Slicing> slicing = ReadSlicing(c);
  if (!slicing) return c.status();
  const Sliced sliced = Apply(c, x, *slicing);
  const ValueId input = c.Input(0);
  BW_RETURN_IF_ERROR(c.status());
  const Attributes attributes = SliceAttributes(x, sliced.bounds);
  if (sliced.result == sliced.kept) return c.Finish(Op::kSlice, {input}, attributes);
  BW_ASSIGN_OR_RETURN(const ValueId part,
                      c.Emit(Op::kSlice, {input}, attributes, "", c.QuantisationOf(input)));
  return FinishReshaped(c, part, sliced.kept, sliced.result, "shape");
}

Status ConvertSlice(OperatorContext& c) {
  const Shape x = c.InputShape(0);
  const auto begin = c.ConstantInts(1, "begin");
  const auto size = c.ConstantInts(2, "size");
  const ValueId input = c.Input(0);
  BW_RETURN_IF_ERROR(c.status());
  const auto rank = static_cast<size_t>(x.rank());
  if (begin->size() != rank || size->size() != rank) {
    c.Note("begin and size have {} and {} numbers; the input is {}", begin->size(), size->size(),
           x.ToString());
    return c.status();
  }
  std::vector<Bounds> bounds;
  for (size_t i = 0; i < rank; ++i) {
    const int64_t extent = x.dims[i], start = (*begin)[i];
    const int64_t count =
        (*size)[i] == -1 ? extent - std::clamp<int64_t>(start, 0, extent) : (*size)[i];
    if (start < 0 || count < 0 || start > extent || count > extent - start) {
      c.Note("begin {} and size {} leave axis {} of {}", start, (*size)[i], i, x.ToString());
      return c.status();
    }
    bounds.push_back({start, start + count, 1});
  }
  return c.Finish(Op::kSlice, {input}, SliceAttributes(x, bounds));
}

Status ConvertSplit(OperatorContext& c) {
  const Shape x = c.InputShape(1);
  const int64_t axis = AxisOperand(c, 0, x.rank());
  BW_RETURN_IF_ERROR(c.status());
  const auto parts = static_cast<int64_t>(c.outputs());
  const int64_t extent = x[static_cast<int>(axis)];
  if (c.Option<int32_t>(kFirstField, 0) != parts || extent % parts != 0) {
    c.Note("num_splits {} with {} results does not divide axis {} of {}",
           c.Option<int32_t>(kFirstField, 0), parts, axis, x.ToString());
  }
  return SplitInto(c, 1, axis, Ints(c.outputs(), extent / parts));
}

Status ConvertSplitV(OperatorContext& c) {
  const Shape x = c.InputShape(0);
  std::optional<Ints> sizes = c.ConstantInts(1, "the sizes");
  const int64_t axis = AxisOperand(c, 2, x.rank());
  if (sizes && sizes->size() != c.outputs()) {
    c.Note("has {} sizes and {} results", sizes->size(), c.outputs());
  }
  BW_RETURN_IF_ERROR(c.status());
  int64_t* open = nullptr;
  int64_t left = x[static_cast<int>(axis)];
  for (int64_t& size : *sizes) {
    if (size == -1 && open == nullptr) {
      open = &size;
    } else if (size < 0 || size > left) {
      c.Note("the sizes do not fit axis {} of {}", axis, x.ToString());
      return c.status();
    } else {
      left -= size;
    }
  }
  if (open != nullptr) {
    *open = left;
  } else if (left != 0) {
    c.Note("the sizes leave {} of axis {} of {}", left, axis, x.ToString());
  }
  return SplitInto(c, 0, axis, *sizes);
}

}  // namespace bw::frontend::tflite
