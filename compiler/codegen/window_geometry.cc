#include "compiler/codegen/window_geometry.h"

#include <algorithm>

namespace bw::codegen {

std::vector<PixelBox> SplitPixels(const PixelBox& whole, int64_t rows, int64_t cols) {
  std::vector<PixelBox> made;
  for (int64_t y = 0; y < whole.rows; y += rows) {
    for (int64_t x = 0; x < whole.cols; x += cols) {
      made.push_back({whole.y + y, whole.x + x, std::min(rows, whole.rows - y),
                      std::min(cols, whole.cols - x)});
    }
  }
  return made;
}

PixelBox InputBox(const WindowGeometry& p, const PixelBox& out) {
  const auto span = [](int64_t first, int64_t count, int64_t stride, int64_t pad, int64_t kernel,
                       int64_t dilation, int64_t limit, int64_t* begin, int64_t* extent) {
    const int64_t low = first * stride - pad;
    const int64_t high = (first + count - 1) * stride - pad + (kernel - 1) * dilation;
    *begin = std::clamp<int64_t>(low, 0, limit - 1);
    *extent = std::clamp<int64_t>(high, *begin, limit - 1) - *begin + 1;
  };
  PixelBox box;
  span(out.y, out.rows, p.stride_h, p.pad_top, p.kernel_h, p.dilation_h, p.in_h, &box.y, &box.rows);
  span(out.x, out.cols, p.stride_w, p.pad_left, p.kernel_w, p.dilation_w, p.in_w, &box.x,
       &box.cols);
  return box;
}

Index Place(Index prefix, const SpatialAxes& axes, int64_t y, int64_t x, int64_t c) {
  if (axes.y >= 0) prefix[static_cast<size_t>(axes.y)] = y;
  if (axes.x >= 0) prefix[static_cast<size_t>(axes.x)] = x;
  if (axes.c >= 0) prefix[static_cast<size_t>(axes.c)] = c;
  return prefix;
}

Box PlaceBox(const Index& prefix, const SpatialAxes& axes, const PixelBox& pixels, int64_t c,
             int64_t channels) {
  return {Place(prefix, axes, pixels.y, pixels.x, c),
          Place(Index(prefix.size(), 1), axes, pixels.rows, pixels.cols, channels)};
}

}  // namespace bw::codegen
