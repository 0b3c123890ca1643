// Convolution, pooling and resizing: padding by rule becomes numbers, weights become O, I, H, W,
// and modes of coordinates the positions that they take.
#include <algorithm>

#include "compiler/frontend/tflite/convert.h"
#include "compiler/frontend/tflite/product.h"
#include "compiler/graph/resize_map.h"

namespace bw::frontend::tflite {
namespace {

using graph::Op;
using graph::ValueId;
using tensor::Shape;

// Spatial parameters, vertical before horizontal.
struct Spatial {
  Padding padding{};
  Ints kernel, strides, dilations;
};

constexpr int kRows = 1, kColumns = 2;  // axes of a tensor in the file

bool CheckRank(OperatorContext& c, const Shape& shape, const std::string& what) {
  if (!c.status().ok()) return false;
  if (shape.rank() == 4) return true;
  c.Note("{} has shape {} of rank {}, must be 4", what, shape.ToString(), shape.rank());
  return false;
}

// {top, left, bottom, right}. SAME: ceil(extent / stride) results; an odd element of padding goes
// to the end.
Ints Pads(OperatorContext& c, const Shape& x, const Spatial& s) {
  Ints pads(4);
  if (s.padding == Padding::kValid) return pads;
  if (s.padding != Padding::kSame) c.Note("padding {} is not known", static_cast<int>(s.padding));
  for (size_t i = 0; i < 2; ++i) {
    if (s.strides[i] < 1 || s.dilations[i] < 1 || s.kernel[i] < 1)
      return pads;  // inference says so
    const int64_t extent = x[static_cast<int>(i) + kRows];
    const int64_t reach = (s.kernel[i] - 1) * s.dilations[i] + 1;
    const int64_t results = (extent + s.strides[i] - 1) / s.strides[i];
    const int64_t total = std::max<int64_t>((results - 1) * s.strides[i] + reach - extent, 0);
    pads[i] = total / 2;
    pads[i + 2] = total - pads[i];
  }
  return pads;
}

// Ends both convolutions; the weights are in the graph's order.
Status FinishConv(OperatorContext& c, const Shape& x, const Spatial& s, Constant weights,
                  int64_t group, Activation activation) {
  const Ints pads = Pads(c, x, s);
  const ValueId input = c.Input(0);
  BW_ASSIGN_OR_RETURN(std::vector<ValueId> inputs, ProductOperands(c, input, std::move(weights)));
  return c.FinishActivated(
      Op::kConv, std::move(inputs),
      {{"strides", s.strides}, {"pads", pads}, {"dilations", s.dilations}, {"group", group}},
      activation);
}

}  // namespace

Status ConvertConv2d(OperatorContext& c) {
  const Shape x = c.InputShape(0);
  const Constant* w = c.ConstantInput(1, "the weights");
  if (w == nullptr || !CheckRank(c, x, "the input") || !CheckRank(c, w->shape, "the weights")) {
    return c.status();
  }
  namespace field = conv_field;
  Spatial s;
  s.padding = static_cast<Padding>(c.Option<int8_t>(field::kPadding, 0));
  s.kernel = {w->shape[kRows], w->shape[kColumns]};
  s.strides = {c.Option<int32_t>(field::kStrideH, 0), c.Option<int32_t>(field::kStrideW, 0)};
  s.dilations = {c.Option<int32_t>(field::kDilationH, 1), c.Option<int32_t>(field::kDilationW, 1)};
  const int64_t group = w->shape[3] == 0 ? 0 : x[3] / w->shape[3];
  return FinishConv(c, x, s, Permuted(*w, {0, 3, 1, 2}), group,
                    c.ActivationOption(field::kActivation));
}

// Result channel i * M + m is made from input channel i, M the depth multiplier: a convolution with
// as many groups as input channels.
Status ConvertDepthwiseConv2d(OperatorContext& c) {
  const Shape x = c.InputShape(0);
  const Constant* w = c.ConstantInput(1, "the weights");
  if (w == nullptr || !CheckRank(c, x, "the input") || !CheckRank(c, w->shape, "the weights")) {
    return c.status();
  }
  namespace field = depthwise_field;
  if (w->shape[0] != 1) c.Note("weights {} must have 1 first", w->shape.ToString());
  const int64_t multiplier = x[3] == 0 ? 0 : w->shape[3] / x[3];
  const auto declared = c.Option<int32_t>(field::kDepthMultiplier, 0);
  // Old files leave it 0; kernels take the quotient.
  if (declared != 0 && declared != multiplier) {
    c.Note("depth_multiplier is {}; input {} and weights {} make {}", declared, x.ToString(),
           w->shape.ToString(), multiplier);
  }
  Spatial s;
  s.padding = static_cast<Padding>(c.Option<int8_t>(field::kPadding, 0));
  s.kernel = {w->shape[kRows], w->shape[kColumns]};
  s.strides = {c.Option<int32_t>(field::kStrideH, 0), c.Option<int32_t>(field::kStrideW, 0)};
  s.dilations = {c.Option<int32_t>(field::kDilationH, 1), c.Option<int32_t>(field::kDilationW, 1)};
  return FinishConv(c, x, s, Permuted(*w, {3, 0, 1, 2}), x[3],
                    c.ActivationOption(field::kActivation));
}

Status ConvertPool(OperatorContext& c) {
  const Shape x = c.InputShape(0);
  if (!CheckRank(c, x, "the input")) return c.status();
  namespace field = pool_field;
  Spatial s;
  s.padding = static_cast<Padding>(c.Option<int8_t>(field::kPadding, 0));
  s.kernel = {c.Option<int32_t>(field::kFilterH, 0), c.Option<int32_t>(field::kFilterW, 0)};
  s.strides = {c.Option<int32_t>(field::kStrideH, 0), c.Option<int32_t>(field::kStrideW, 0)};
  s.dilations = {1, 1};
  Attributes attributes = {{"kernel_shape", s.kernel},
                           {"strides", s.strides},
                           {"pads", Pads(c, x, s)},
                           {"ceil_mode", int64_t{0}}};
  const bool maximum = c.code() == k_MAX_POOL_2D;
  if (maximum) {
    attributes["dilations"] = s.dilations;
  } else {
    attributes["count_include_pad"] = int64_t{0};
  }
  return c.FinishActivated(maximum ? Op::kMaxPool : Op::kAveragePool, {c.Input(0)},
                           std::move(attributes), c.ActivationOption(field::kActivation));
}

Status ConvertResizeNearest(OperatorContext& c) {
  constexpr int64_t kMostExtent = 1 << 20;  // each position is listed
  const Shape x = c.InputShape(0);
  const std::optional<Ints> size = c.ConstantInts(1, "the size");
  if (!size || !CheckRank(c, x, "the input")) return c.status();
  if (size->size() != 2) {
    c.Note("the size has {} numbers, must have 2", size->size());
    return c.status();
  }
  const Ints from = {x[0], x[3], x[kRows], x[kColumns]};
  const Ints to = {x[0], x[3], (*size)[0], (*size)[1]};
  Ints sources;
  for (size_t i = 0; i < to.size(); ++i) {
    if (from[i] < 1 || to[i] < 1 || to[i] > kMostExtent) {
      c.Note("input {} and size {} x {}: extents must be 1 to {}", x.ToString(), (*size)[0],
             (*size)[1], kMostExtent);
      return c.status();
    }
    const bool spatial = i >= 2;
    const Ints along =
        spatial ? graph::TfliteNearestSources(
                      from[i], to[i], c.Option<uint8_t>(resize_field::kAlignCorners, 0) != 0,
                      c.Option<uint8_t>(resize_field::kHalfPixelCenters, 0) != 0)
                : graph::SameSources(to[i]);
    sources.insert(sources.end(), along.begin(), along.end());
  }
  return c.Finish(Op::kResize, {c.Input(0)}, {{"sizes", to}, {"sources", sources}});
}

}  // namespace bw::frontend::tflite
