#include "compiler/frontend/onnx/spatial.h"

#include <algorithm>

namespace bw::frontend {
namespace {

using graph::Op;
using graph::ValueId;
using tensor::Shape;
using Ints = std::vector<int64_t>;

constexpr int64_t kMost = INT32_MAX;

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

// x[a,b,w] as [a,b,1,w].
Result<ValueId> AddHeight(NodeContext& c, ValueId id, const std::string& suffix) {
  const Shape x = c.ShapeOf(id);
  return c.Emit(Op::kReshape, {id}, {{"shape", Ints{x[0], x[1], 1, x[2]}}}, suffix);
}

}  // namespace

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

bool CheckRank(NodeContext& c, const Shape& shape, std::string_view what) {
  if (shape.rank() == 3 || shape.rank() == 4) return true;
  c.Note("{} has shape {} of rank {}; supported are 3 (1-D) and 4 (2-D)", what, shape.ToString(),
         shape.rank());
  return false;
}

Status FinishSpatial(NodeContext& c, std::vector<ValueId> inputs, Attributes attributes) {
  if (c.InputShape(0).rank() == 4) return c.Finish(c.op(), std::move(inputs), attributes);
  BW_ASSIGN_OR_RETURN(inputs[0], AddHeight(c, inputs[0], "to_2d"));
  BW_ASSIGN_OR_RETURN(const ValueId y, c.Emit(c.op(), std::move(inputs), attributes, ""));
  const Shape shape = c.ShapeOf(y);
  return c.Finish(Op::kReshape, {y}, {{"shape", Ints{shape[0], shape[1], shape[3]}}}, "to_1d");
}

Status FinishConv(NodeContext& c, std::vector<ValueId> inputs, size_t weights) {
  const Shape x = c.InputShape(0);
  const Shape w = c.InputShape(weights);
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
  if (x.rank() == 3) {
    BW_ASSIGN_OR_RETURN(inputs[weights], AddHeight(c, inputs[weights], "kernel_to_2d"));
  }
  return FinishSpatial(c, std::move(inputs), attributes);
}

}  // namespace bw::frontend
