// Operators that move data: shapes, bounds and axes become resolved attributes.
#include <algorithm>
#include <limits>

#include "compiler/frontend/onnx/convert.h"

namespace bw::frontend {
namespace {

using graph::Op;
using graph::ValueId;
using tensor::Shape;
using Ints = std::vector<int64_t>;

// An argument that is an attribute before operator set `since` and an input from then on.
std::optional<Ints> IntsArgument(NodeContext& c, const std::string& name, size_t input,
                                 int64_t since) {
  if (c.opset() >= since) return c.ConstantInts(input, name);
  if (!c.Has(name)) return std::nullopt;
  return c.Ints(name);
}

// 0 copies the input's extent (unless allow_zero), one -1 takes what is left.
Ints ResolveShape(NodeContext& c, const Shape& x, Ints shape, bool allow_zero) {
  int64_t known = 1;
  int64_t* open = nullptr;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0 && !allow_zero) {
      if (i >= x.dims.size()) {
        c.Note("extent {} of the new shape copies one that input {} has not", i, x.ToString());
        return {};
      }
      shape[i] = x.dims[i];
    }
    if (shape[i] == -1) {
      if (open != nullptr) c.Note("two extents of the new shape are -1");
      open = &shape[i];
    } else if (shape[i] < 0 || shape[i] > INT32_MAX || known > INT32_MAX) {
      c.Note("extent {} of the new shape is {}", i, shape[i]);
      return {};
    } else {
      known *= shape[i];
    }
  }
  if (open == nullptr) return shape;
  const int64_t elements = x.Elements();
  if (known == 0 || elements % known != 0) {
    c.Note("the {} elements of {} do not fill a multiple of {}", elements, x.ToString(), known);
    return {};
  }
  *open = elements / known;
  return shape;
}

struct SliceForm {
  Ints axes, starts, ends, steps;

  Attributes ToAttributes() const {
    return {{"axes", axes}, {"starts", starts}, {"ends", ends}, {"steps", steps}};
  }
};

// Bounds of one axis as ops.def wants them; numpy's clamping.
void AppendSlice(NodeContext& c, int64_t axis, int64_t extent, int64_t start, int64_t end,
                 int64_t step, SliceForm* form) {
  if (step == 0 || step < -INT32_MAX) {
    c.Note("step {} on axis {} is not supported", step, axis);
    return;
  }
  step = std::min<int64_t>(step, INT32_MAX);
  const auto from_end = [extent](int64_t at) { return at < 0 ? at + extent : at; };
  if (step > 0) {
    start = std::clamp<int64_t>(from_end(start), 0, extent);
    end = std::clamp<int64_t>(from_end(end), start, std::max(start, extent));
  } else {
    start = std::clamp<int64_t>(from_end(start), 0, std::max<int64_t>(extent - 1, 0));
    end = std::clamp<int64_t>(from_end(end), -1, start);
    if (extent == 0) end = start;
  }
  form->axes.push_back(axis);
  form->starts.push_back(start);
  form->ends.push_back(end);
  form->steps.push_back(step);
}

}  // namespace

Status ConvertConcat(NodeContext& c) {
  if (c.opset() >= 4 && !c.Has("axis")) c.Note("attribute axis is missing");
  std::vector<ValueId> ids;
  for (size_t i = 0; i < c.inputs(); ++i) ids.push_back(c.input(i));
  const int64_t axis = c.Axis(c.Int("axis", 1), c.InputShape(0).rank());
  return c.Finish(c.op(), std::move(ids), {{"axis", axis}});
}

Status ConvertFlatten(NodeContext& c) {
  const int64_t axis = c.Axis(c.Int("axis", 1), c.InputShape(0).rank(), true);
  return c.Finish(c.op(), {c.input(0)}, {{"axis", axis}});
}

Status ConvertReshape(NodeContext& c) {
  const auto shape = IntsArgument(c, "shape", 1, 5);
  if (!shape) {
    if (c.status().ok()) c.Note("the new shape is missing");
    return c.status();
  }
  const bool allow_zero = c.opset() >= 14 && c.Int("allowzero", 0) != 0;
  const Ints resolved = ResolveShape(c, c.InputShape(0), *shape, allow_zero);
  return c.Finish(c.op(), {c.input(0)}, {{"shape", resolved}});
}

Status ConvertSqueeze(NodeContext& c) {
  const Shape x = c.InputShape(0);
  auto axes = IntsArgument(c, "axes", 1, 13);
  if (!axes) {
    axes.emplace();
    for (int i = 0; i < x.rank(); ++i) {
      if (x[i] == 1) axes->push_back(i);
    }
  }
  return c.Finish(c.op(), {c.input(0)}, {{"axes", c.Axes(std::move(*axes), x.rank())}});
}

Status ConvertUnsqueeze(NodeContext& c) {
  auto axes = IntsArgument(c, "axes", 1, 13);
  if (!axes) {
    if (c.status().ok()) c.Note("axes are missing");
    return c.status();
  }
  const int64_t rank = c.InputShape(0).rank() + static_cast<int64_t>(axes->size());
  return c.Finish(c.op(), {c.input(0)}, {{"axes", c.Axes(std::move(*axes), rank)}});
}

Status ConvertTranspose(NodeContext& c) {
  Ints reversed(c.InputShape(0).dims.size());
  for (size_t i = 0; i < reversed.size(); ++i) {
    reversed[i] = static_cast<int64_t>(reversed.size() - 1 - i);
  }
  return c.Finish(c.op(), {c.input(0)}, {{"perm", c.Ints("perm", reversed)}});
}

// Negative pads cut: a slice before the padding proper.
Status ConvertPad(NodeContext& c) {
  const Shape x = c.InputShape(0);
  const std::string mode = c.String("mode", "constant");
  if (mode != "constant") {
    c.NoteWithHint(fmt::format("mode {} is not supported", mode), "mode must be constant");
  }
  auto pads = IntsArgument(c, c.opset() < 2 ? "paddings" : "pads", 1, 11);
  const double value =
      c.opset() < 11 ? c.Float("value", 0.0) : c.ConstantScalar(2, "constant_value").value_or(0.0);
  const size_t rank = x.dims.size();
  if (!pads || pads->size() != 2 * rank) {
    if (c.status().ok()) c.Note("needs {} pads, two for each axis of {}", 2 * rank, x.ToString());
    return c.status();
  }
  SliceForm cut;
  for (size_t i = 0; i < rank; ++i) {
    int64_t& begin = (*pads)[i];
    int64_t& end = (*pads)[i + rank];
    if (std::max(std::abs(begin / 2), std::abs(end / 2)) > INT32_MAX / 2) {
      c.Note("pads {} and {} on axis {} are too large", begin, end, i);
      return c.status();
    }
    if (begin >= 0 && end >= 0) continue;
    const int64_t from = std::max<int64_t>(-begin, 0);
    const int64_t to = x.dims[i] - std::max<int64_t>(-end, 0);
    if (from > to) c.Note("pads {} and {} cut more than axis {} has", begin, end, i);
    AppendSlice(c, static_cast<int64_t>(i), x.dims[i], from, to, 1, &cut);
    begin = std::max<int64_t>(begin, 0);
    end = std::max<int64_t>(end, 0);
  }
  ValueId id = c.input(0);
  if (!cut.axes.empty()) {
    BW_ASSIGN_OR_RETURN(id, c.Emit(Op::kSlice, {id}, cut.ToAttributes(), "cut"));
  }
  return c.Finish(c.op(), {id}, {{"mode", mode}, {"pads", *pads}, {"value", value}});
}

Status ConvertSlice(NodeContext& c) {
  if (c.op_type() == "Split") return ConvertSplit(c);
  const Shape x = c.InputShape(0);
  const auto starts = IntsArgument(c, "starts", 1, 10);
  const auto ends = IntsArgument(c, "ends", 2, 10);
  if (!starts || !ends || starts->size() != ends->size()) {
    if (c.status().ok()) c.Note("needs as many ends as starts");
    return c.status();
  }
  Ints first(starts->size());
  for (size_t i = 0; i < first.size(); ++i) first[i] = static_cast<int64_t>(i);
  const Ints axes = IntsArgument(c, "axes", 3, 10).value_or(first);
  Ints steps(starts->size(), 1);
  if (c.opset() >= 10) steps = c.ConstantInts(4, "steps").value_or(steps);
  if (axes.size() != starts->size() || steps.size() != starts->size()) {
    c.Note("has {} starts, {} axes and {} steps", starts->size(), axes.size(), steps.size());
    return c.status();
  }
  const Ints sorted = c.Axes(axes, x.rank());
  BW_RETURN_IF_ERROR(c.status());
  SliceForm form;
  for (const int64_t axis : sorted) {
    for (size_t i = 0; i < axes.size(); ++i) {
      if (c.Axis(axes[i], x.rank()) != axis) continue;
      AppendSlice(c, axis, x.dims[static_cast<size_t>(axis)], (*starts)[i], (*ends)[i], steps[i],
                  &form);
    }
  }
  return c.Finish(c.op(), {c.input(0)}, form.ToAttributes());
}

Status ConvertSplit(NodeContext& c) {
  const Shape x = c.InputShape(0);
  const int64_t axis = c.Axis(c.Int("axis", 0), x.rank());
  BW_RETURN_IF_ERROR(c.status());
  const int64_t extent = x[static_cast<int>(axis)];
  auto parts = IntsArgument(c, "split", 1, 13);
  if (!parts) {
    BW_RETURN_IF_ERROR(c.status());
    const int64_t outputs = c.outputs();
    if (extent % outputs != 0) {
      c.Note("{} elements on axis {} do not split into {} equal parts", extent, axis, outputs);
    }
    parts = Ints(static_cast<size_t>(outputs), extent / outputs);
  }
  int64_t left = extent;
  for (const int64_t part : *parts) left = part < 0 || part > left ? -1 : left - part;
  if (static_cast<int>(parts->size()) != c.outputs() || left != 0) {
    c.Note("parts of {} do not make the {} elements of axis {} in {} results",
           fmt::join(*parts, ", "), extent, axis, c.outputs());
    return c.status();
  }
  int64_t start = 0;
  for (int i = 0; i < c.outputs(); ++i) {
    const int64_t end = start + (*parts)[static_cast<size_t>(i)];
    const Attributes slice = {
        {"axes", Ints{axis}}, {"starts", Ints{start}}, {"ends", Ints{end}}, {"steps", Ints{1}}};
    BW_RETURN_IF_ERROR(c.FinishOutput(i, Op::kSlice, {c.input(0)}, slice));
    start = end;
  }
  return OkStatus();
}

Status ConvertIdentity(NodeContext& c) { return c.Finish(c.op(), {c.input(0)}, {}); }

Status ConvertDropout(NodeContext& c) {
  if (c.opset() < 7) c.RequireInt("is_test", 0, 1, "training is not supported");
  if (c.opset() < 12) c.Float("ratio", 0.5);
  c.Int("seed", 0);
  if (c.ConstantScalar(2, "training_mode").value_or(0.0) != 0.0) {
    c.Note("training_mode is not supported");
  }
  return c.Finish(c.op(), {c.input(0)}, {});
}

Status ConvertCast(NodeContext& c) {
  if (c.opset() < 6) {
    const std::string name = c.String("to", "");
    onnx::TensorProto::DataType type = onnx::TensorProto::UNDEFINED;
    if (!onnx::TensorProto::DataType_Parse(name, &type)) c.Note("type '{}' is not known", name);
    return c.Finish(c.op(), {c.input(0)}, {{"to", static_cast<int64_t>(type)}});
  }
  if (!c.Has("to")) c.Note("attribute to is missing");
  return c.Finish(c.op(), {c.input(0)}, {{"to", c.Int("to", 1)}});
}

Status ConvertShape(NodeContext& c) {
  const int64_t rank = c.InputShape(0).rank();
  int64_t start = 0, end = rank;
  if (c.opset() >= 15) {
    const auto resolve = [rank](int64_t at) {
      return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank);
    };
    start = resolve(c.Int("start", 0));
    end = std::max(start, resolve(c.Int("end", rank)));
  }
  return c.Finish(c.op(), {c.input(0)}, {{"start", start}, {"end", end}});
}

Status ConvertGather(NodeContext& c) {
  const int64_t axis = c.Axis(c.Int("axis", 0), c.InputShape(0).rank());
  if (c.HasInput(1) && !(c.IsConstant(0) && c.IsConstant(1))) {
    c.Note("is supported on constants alone");
  }
  return c.Finish(c.op(), {c.input(0), c.input(1)}, {{"axis", axis}});
}

}  // namespace bw::frontend
