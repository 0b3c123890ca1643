// Which element each element of a nearest-neighbour resize takes, along one axis, exactly as the
// frameworks that write such files compute it. Importers resolve their coordinate modes here into
// the attribute `sources` of Resize (ops.def); nobody else knows of them.
#ifndef COMPILER_GRAPH_RESIZE_MAP_H_
#define COMPILER_GRAPH_RESIZE_MAP_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "models/tensor/tensor.h"

namespace bw::graph {

// ONNX Resize: coordinate_transformation_mode and nearest_mode. kSimple is that of Upsample and of
// Resize before operator set 11: floor when the axis grows, ceil when it shrinks.
enum class ResizeCoordinates : uint8_t {
  kHalfPixel,         // (x + 0.5) / scale - 0.5
  kPytorchHalfPixel,  // the same, and 0 when the result has one element
  kAlignCorners,      // x * (in - 1) / (out - 1), and 0 when the result has one element
  kAsymmetric,        // x / scale
  kTfHalfPixelForNn,  // (x + 0.5) / scale
};
enum class NearestMode : uint8_t { kRoundPreferFloor, kRoundPreferCeil, kFloor, kCeil, kSimple };

// By the names that ONNX gives them; nothing for those that are not supported.
std::optional<ResizeCoordinates> ParseResizeCoordinates(std::string_view name);
std::optional<NearestMode> ParseNearestMode(std::string_view name);

// `out` positions in 0..in - 1 (in >= 1), in float32 as onnxruntime computes them. scale > 0 is
// out / in where the file gives sizes. Worked: in 2, out 4, scale 2, asymmetric, floor: 0 0 1 1.
std::vector<int64_t> OnnxNearestSources(int64_t in, int64_t out, float scale,
                                        ResizeCoordinates coordinates, NearestMode mode);

// The same for TFLite's RESIZE_NEAREST_NEIGHBOR, in float32 as its reference kernel: the scale is
// in / out, or (in - 1) / (out - 1) with align_corners and out > 1; (x, plus 0.5 with
// half_pixel_centers) * scale, floored, or rounded half away from zero with align_corners. Call it
// for H and W; other axes map 0..n-1.
std::vector<int64_t> TfliteNearestSources(int64_t in, int64_t out, bool align_corners,
                                          bool half_pixel_centers);

// 0..n-1: an axis that keeps its extent.
std::vector<int64_t> SameSources(int64_t n);

// The result of a Resize (attribute `sources`) in its shape, whatever the element type.
tensor::Tensor ResizedBySources(const tensor::Tensor& in, const tensor::Shape& shape,
                                const std::vector<int64_t>& sources);

}  // namespace bw::graph

#endif  // COMPILER_GRAPH_RESIZE_MAP_H_
