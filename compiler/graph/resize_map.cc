#include "compiler/graph/resize_map.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace bw::graph {
namespace {

float Original(float x, float in, float out, float scale, ResizeCoordinates coordinates) {
  switch (coordinates) {
    case ResizeCoordinates::kHalfPixel:
      return (x + 0.5F) / scale - 0.5F;
    case ResizeCoordinates::kPytorchHalfPixel:
      return out > 1 ? (x + 0.5F) / scale - 0.5F : 0.0F;
    case ResizeCoordinates::kAlignCorners:
      return out > 1 ? x * (in - 1) / (out - 1) : 0.0F;
    case ResizeCoordinates::kAsymmetric:
      return x / scale;
    case ResizeCoordinates::kTfHalfPixelForNn:
      return (x + 0.5F) / scale;
  }
  __builtin_unreachable();
}

// What lies below 0 is clamped, so ties need no case for signs. x - 0.5 is exact, x + 0.5 is not.
float Nearest(float x, float scale, NearestMode mode) {
  switch (mode) {
    case NearestMode::kRoundPreferFloor:
      return std::ceil(x - 0.5F);
    case NearestMode::kRoundPreferCeil:
      return std::round(x);
    case NearestMode::kFloor:
      return std::floor(x);
    case NearestMode::kCeil:
      return std::ceil(x);
    case NearestMode::kSimple:
      return scale < 1 ? std::ceil(x) : std::floor(x);
  }
  __builtin_unreachable();
}

int64_t Within(float position, int64_t in) {
  return std::clamp<int64_t>(static_cast<int64_t>(position), 0, in - 1);
}

}  // namespace

std::optional<ResizeCoordinates> ParseResizeCoordinates(std::string_view name) {
  if (name == "half_pixel") return ResizeCoordinates::kHalfPixel;
  if (name == "pytorch_half_pixel") return ResizeCoordinates::kPytorchHalfPixel;
  if (name == "align_corners") return ResizeCoordinates::kAlignCorners;
  if (name == "asymmetric") return ResizeCoordinates::kAsymmetric;
  if (name == "tf_half_pixel_for_nn") return ResizeCoordinates::kTfHalfPixelForNn;
  return std::nullopt;
}

std::optional<NearestMode> ParseNearestMode(std::string_view name) {
  if (name == "round_prefer_floor") return NearestMode::kRoundPreferFloor;
  if (name == "round_prefer_ceil") return NearestMode::kRoundPreferCeil;
  if (name == "floor") return NearestMode::kFloor;
  if (name == "ceil") return NearestMode::kCeil;
  return std::nullopt;
}

std::vector<int64_t> OnnxNearestSources(int64_t in, int64_t out, float scale,
                                        ResizeCoordinates coordinates, NearestMode mode) {
  std::vector<int64_t> sources;
  for (int64_t i = 0; i < out; ++i) {
    const float x = Original(static_cast<float>(i), static_cast<float>(in), static_cast<float>(out),
                             scale, coordinates);
    sources.push_back(Within(Nearest(x, scale, mode), in));
  }
  return sources;
}

std::vector<int64_t> TfliteNearestSources(int64_t in, int64_t out, bool align_corners,
                                          bool half_pixel_centers) {
  const bool corners = align_corners && out > 1;
  const float scale = corners ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
                              : static_cast<float>(in) / static_cast<float>(out);
  std::vector<int64_t> sources;
  for (int64_t i = 0; i < out; ++i) {
    const float x = (static_cast<float>(i) + (half_pixel_centers ? 0.5F : 0.0F)) * scale;
    sources.push_back(Within(align_corners ? std::round(x) : std::floor(x), in));
  }
  return sources;
}

std::vector<int64_t> SameSources(int64_t n) {
  std::vector<int64_t> sources(static_cast<size_t>(n));
  std::iota(sources.begin(), sources.end(), 0);
  return sources;
}

// One axis after the other, the last one first: what an axis has behind it moves as one run.
tensor::Tensor ResizedBySources(const tensor::Tensor& in, const tensor::Shape& shape,
                                const std::vector<int64_t>& sources) {
  tensor::Tensor x = in;
  auto run = tensor::DTypeSize(in.dtype());
  size_t end = sources.size();
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    const auto count = static_cast<size_t>(shape[axis]);
    const size_t block = run * static_cast<size_t>(x.shape()[axis]);
    tensor::Shape grown = x.shape();
    grown[axis] = shape[axis];
    tensor::Tensor y(in.dtype(), grown);
    uint8_t* to = y.bytes();
    end -= count;
    for (size_t from = 0; from < x.byte_size(); from += block) {
      for (size_t i = 0; i < count; ++i, to += run) {
        std::memcpy(to, x.bytes() + from + static_cast<size_t>(sources[end + i]) * run, run);
      }
    }
    run *= count;
    x = std::move(y);
  }
  return x;
}

}  // namespace bw::graph
