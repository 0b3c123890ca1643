// Convolution and pooling: padding by rule becomes numbers, and 1-D becomes 2-D with H = 1.
#include "compiler/frontend/onnx/convert.h"
#include "compiler/frontend/onnx/spatial.h"

namespace bw::frontend {
namespace {

using graph::Op;
using graph::ValueId;
using tensor::Shape;
using Ints = std::vector<int64_t>;

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
  std::vector<ValueId> inputs = {c.input(0), c.input(1)};
  if (c.HasInput(2)) inputs.push_back(c.input(2));
  return FinishConv(c, std::move(inputs), 1);
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
