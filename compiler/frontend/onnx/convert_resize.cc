// Resize and Upsample: the modes become one list of source positions.
#include <cmath>
#include <string>

#include "compiler/frontend/onnx/convert.h"
#include "compiler/graph/infer.h"
#include "compiler/graph/resize_map.h"

namespace bw::frontend {
namespace {

using graph::NearestMode;
using graph::ResizeCoordinates;
using tensor::Shape;
using Ints = std::vector<int64_t>;

constexpr int64_t kMostExtent = 1 << 20;  // bounds what a hostile file makes us list

struct ResizeForm {
  Ints sizes;
  std::vector<float> scales;
  ResizeCoordinates coordinates = ResizeCoordinates::kAsymmetric;
  NearestMode mode = NearestMode::kSimple;
};

// floor(extent * scale) along each axis.
void SizesFromScales(NodeContext& c, const Shape& x, ResizeForm* form) {
  for (size_t i = 0; i < form->scales.size() && i < x.dims.size(); ++i) {
    const float size = std::floor(static_cast<float>(x.dims[i]) * form->scales[i]);
    if (!(form->scales[i] > 0) || !(size <= static_cast<float>(kMostExtent))) {
      c.Note("scale {} of axis {} is not supported", form->scales[i], i);
      return;
    }
    form->sizes.push_back(static_cast<int64_t>(size));
  }
}

void ReadScales(NodeContext& c, const Shape& x, ResizeForm* form) {
  const bool upsample = c.op_type() == "Upsample";
  if (upsample && c.opset() < 9) {
    form->scales = c.Floats("scales");
  } else {
    const size_t input = upsample || c.opset() < 11 ? 1 : 2;
    form->scales = c.ConstantFloats(input, "scales").value_or(std::vector<float>{});
  }
  if (!form->scales.empty()) return SizesFromScales(c, x, form);
  if (!upsample && c.opset() >= 11) form->sizes = c.ConstantInts(3, "sizes").value_or(Ints{});
  for (size_t i = 0; i < form->sizes.size() && i < x.dims.size(); ++i) {
    const int64_t size = form->sizes[i];
    if (size < 0 || size > kMostExtent) c.Note("size {} of axis {} is not supported", size, i);
    form->scales.push_back(static_cast<float>(size) / static_cast<float>(x.dims[i]));
  }
}

void ReadModes(NodeContext& c, ResizeForm* form) {
  const std::string mode = c.String("mode", "nearest");
  if (mode != "nearest") {
    c.NoteWithHint(fmt::format("mode {} is not supported", mode), "mode must be nearest");
  }
  if (c.op_type() == "Upsample" || c.opset() < 11) return;
  const std::string coordinates = c.String("coordinate_transformation_mode", "half_pixel");
  const std::string nearest = c.String("nearest_mode", "round_prefer_floor");
  const auto parsed = graph::ParseResizeCoordinates(coordinates);
  const auto rounding = graph::ParseNearestMode(nearest);
  if (!parsed) c.Note("coordinate_transformation_mode {} is not supported", coordinates);
  if (!rounding) c.Note("nearest_mode {} is not known", nearest);
  form->coordinates = parsed.value_or(form->coordinates);
  form->mode = rounding.value_or(form->mode);
  c.Float("cubic_coeff_a", 0);  // of modes that are refused
  c.Int("exclude_outside", 0);
  c.Float("extrapolation_value", 0);
}

}  // namespace

Status ConvertResize(NodeContext& c) {
  const Shape x = c.InputShape(0);
  ResizeForm form;
  ReadModes(c, &form);
  ReadScales(c, x, &form);
  BW_RETURN_IF_ERROR(c.status());
  if (form.sizes.size() != x.dims.size() || form.scales.size() != x.dims.size()) {
    c.Note("needs one scale or size for each axis of {}", x.ToString());
    return c.status();
  }
  if (!graph::IsSound(Shape(form.sizes))) {
    c.Note("the result would have shape {}", Shape(form.sizes).ToString());
    return c.status();
  }
  for (const int64_t size : form.sizes) {
    BW_RETURN_IF_ERROR(c.Charge(static_cast<size_t>(size) * sizeof(int64_t)));
  }
  Ints sources;
  for (size_t axis = 0; axis < x.dims.size(); ++axis) {
    const int64_t in = x.dims[axis], out = form.sizes[axis];
    if (in == 0 && out > 0) c.Note("axis {} of {} has nothing to read", axis, x.ToString());
    BW_RETURN_IF_ERROR(c.status());
    const Ints along =
        in == out && form.scales[axis] == 1
            ? graph::SameSources(in)
            : graph::OnnxNearestSources(in, out, form.scales[axis], form.coordinates, form.mode);
    sources.insert(sources.end(), along.begin(), along.end());
  }
  return c.Finish(c.op(), {c.input(0)}, {{"sizes", form.sizes}, {"sources", sources}});
}

}  // namespace bw::frontend
