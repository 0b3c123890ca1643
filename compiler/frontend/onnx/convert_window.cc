// Convolution and pooling: padding by rule becomes numbers, and 1-D becomes 2-D with H = 1.
#include <algorithm>

#include "compiler/frontend/onnx/convert.h"

namespace bw::frontend {
namespace {

using graph::Op;
using graph::ValueId;
using tensor::Shape;
using Ints = std::vector<int64_t>;

constexpr int64_t kMost = INT32_MAX;

// Spatial parameters in 2-D, as attributes.
struct Spatial {
  Ints kernel, strides, dilations;
  Ints pads;  // {top, left, bottom, right}
};

// A list attribute with one number an axis, all in least..2^31 - 1.
Ints AxisInts(NodeContext& c, const std::string& name, size_t count, int64_t least,
              int64_t otherwise) {
  Ints values = c.Ints(name, Ints(count, otherwise));
  if (values.size() != count) {
    c.Note("attribute {} has {} numbers, must have {}", name, values.size(), count);
    return Ints(count, least);
  }
  for (int64_t& value : values) {
    if (value >= least && value <= kMost) continue;
    c.Note("attribute {} has the number {}; allowed are {} to {}", name, value, least, kMost);
    value = least;
  }
  return values;
}

// SAME: ceil(extent / stride) results; an odd element of padding goes to the end (upper) or the
// beginning (lower).
void PadSame(const Shape& x, bool upper, Spatial* s) {
  const size_t axes = s->kernel.size();
  for (size_t i = 0; i < axes; ++i) {
    const int64_t extent = x[static_cast<int>(i) + 2];
    const int64_t reach = (s->kernel[i] - 1) * s->dilations[i] + 1;
    const int64_t results = (extent + s->strides[i] - 1) / s->strides[i];
    const int64_t total = std::max<int64_t>((results - 1) * s->strides[i] + reach - extent, 0);
    s->pads[i] = upper ? total / 2 : total - total / 2;
    s->pads[i + axes] = total - s->pads[i];
  }
}

void ResolvePads(NodeContext& c, const Shape& x, Spatial* s) {
  const size_t axes = s->kernel.size();
  const std::string rule = c.String("auto_pad", "NOTSET");
  s->pads = AxisInts(c, "pads", 2 * axes, 0, 0);
  if (rule == "NOTSET" || rule.empty()) return;
  if (std::any_of(s->pads.begin(), s->pads.end(), [](int64_t pad) { return pad != 0; })) {
    c.Note("has both auto_pad {} and pads", rule);
  }
  if (rule == "SAME_UPPER" || rule == "SAME_LOWER") {
    PadSame(x, rule == "SAME_UPPER", s);
  } else if (rule != "VALID") {
    c.Note("auto_pad {} is not known", rule);
  }
}

// Reads strides, dilations and pads; adds the axis of extent 1 to 1-D parameters.
Spatial ReadSpatial(NodeContext& c, const Shape& x, Ints kernel) {
  Spatial s;
  const size_t axes = kernel.size();
  s.kernel = std::move(kernel);
  s.strides = AxisInts(c, "strides", axes, 1, 1);
  s.dilations = AxisInts(c, "dilations", axes, 1, 1);
  ResolvePads(c, x, &s);
  if (axes == 1) {
    s.kernel.insert(s.kernel.begin(), 1);
    s.strides.insert(s.strides.begin(), 1);
    s.dilations.insert(s.dilations.begin(), 1);
    s.pads = {0, s.pads[0], 0, s.pads[1]};
  }
  return s;
}

// Notes an error unless `shape` is [N,C,W] or [N,C,H,W].
bool CheckRank(NodeContext& c, const Shape& shape, std::string_view what) {
  if (shape.rank() == 3 || shape.rank() == 4) return true;
  c.Note("{} has shape {} of rank {}; supported are 3 (1-D) and 4 (2-D)", what, shape.ToString(),
         shape.rank());
  return false;
}

// x[a,b,w] as [a,b,1,w].
Result<ValueId> AddHeight(NodeContext& c, ValueId id, const std::string& suffix) {
  const Shape x = c.ShapeOf(id);
  return c.Emit(Op::kReshape, {id}, {{"shape", Ints{x[0], x[1], 1, x[2]}}}, suffix);
}

// Ends the conversion of a node on [N,C,H,W]; one on [N,C,W] runs with H = 1 between two reshapes.
Status FinishSpatial(NodeContext& c, std::vector<ValueId> inputs, Attributes attributes) {
  if (c.InputShape(0).rank() == 4) return c.Finish(c.op(), std::move(inputs), attributes);
  BW_ASSIGN_OR_RETURN(inputs[0], AddHeight(c, inputs[0], "to_2d"));
  BW_ASSIGN_OR_RETURN(const ValueId y, c.Emit(c.op(), std::move(inputs), attributes, ""));
  const Shape shape = c.ShapeOf(y);
  return c.Finish(Op::kReshape, {y}, {{"shape", Ints{shape[0], shape[1], shape[3]}}}, "to_1d");
}

struct PoolForm {
  Spatial spatial;
  int64_t ceil_mode = 0;
};

// Shared by both pools; nothing when the input's rank is wrong.
std::optional<PoolForm> ReadPool(NodeContext& c) {
  const Shape x = c.InputShape(0);
  if (!CheckRank(c, x, "the input")) return std::nullopt;
  const auto axes = static_cast<size_t>(x.rank() - 2);
  if (!c.Has("kernel_shape")) c.Note("attribute kernel_shape is missing");
  PoolForm form;
  form.spatial = ReadSpatial(c, x, AxisInts(c, "kernel_shape", axes, 1, 1));
  form.ceil_mode = c.Int("ceil_mode", 0) != 0 ? 1 : 0;
  return form;
}

Status ConvertGlobalPool(NodeContext& c) {
  const Shape x = c.InputShape(0);
  if (!CheckRank(c, x, "the input")) return c.status();
  return FinishSpatial(c, {c.input(0)}, {});
}

}  // namespace

Status ConvertConv(NodeContext& c) {
  const Shape x = c.InputShape(0);
  const Shape w = c.InputShape(1);
  if (!CheckRank(c, x, "the input") || !CheckRank(c, w, "the kernel")) return c.status();
  if (x.rank() != w.rank()) {
    c.Note("input {} and kernel {} differ in rank", x.ToString(), w.ToString());
    return c.status();
  }
  const Ints kernel(w.dims.begin() + 2, w.dims.end());
  const Ints declared = c.Ints("kernel_shape", kernel);
  if (declared != kernel) c.Note("kernel_shape differs from the weights' shape {}", w.ToString());
  const Spatial s = ReadSpatial(c, x, kernel);
  const Attributes attributes = {{"strides", s.strides},
                                 {"pads", s.pads},
                                 {"dilations", s.dilations},
                                 {"group", c.Int("group", 1)}};
  std::vector<ValueId> inputs = {c.input(0), c.input(1)};
  if (c.HasInput(2)) inputs.push_back(c.input(2));
  if (x.rank() == 3) {
    BW_ASSIGN_OR_RETURN(inputs[1], AddHeight(c, inputs[1], "kernel_to_2d"));
  }
  return FinishSpatial(c, std::move(inputs), attributes);
}

Status ConvertMaxPool(NodeContext& c) {
  c.Int("storage_order", 0);  // the order of indices, which are not supported as a result
  const auto form = ReadPool(c);
  if (!form) return c.status();
  return FinishSpatial(c, {c.input(0)},
                       {{"kernel_shape", form->spatial.kernel},
                        {"strides", form->spatial.strides},
                        {"pads", form->spatial.pads},
                        {"dilations", form->spatial.dilations},
                        {"ceil_mode", form->ceil_mode}});
}

Status ConvertAveragePool(NodeContext& c) {
  if (c.Has("dilations")) c.Note("attribute dilations is not known in operator set {}", c.opset());
  const auto form = ReadPool(c);
  if (!form) return c.status();
  const int64_t include = c.Int("count_include_pad", 0) != 0 ? 1 : 0;
  return FinishSpatial(c, {c.input(0)},
                       {{"kernel_shape", form->spatial.kernel},
                        {"strides", form->spatial.strides},
                        {"pads", form->spatial.pads},
                        {"ceil_mode", form->ceil_mode},
                        {"count_include_pad", include}});
}

Status ConvertGlobalAveragePool(NodeContext& c) { return ConvertGlobalPool(c); }
Status ConvertGlobalMaxPool(NodeContext& c) { return ConvertGlobalPool(c); }

}  // namespace bw::frontend
