// Sliding windows over pixels, shared by convolutions and pools.
#ifndef COMPILER_CODEGEN_WINDOW_GEOMETRY_H_
#define COMPILER_CODEGEN_WINDOW_GEOMETRY_H_

#include <cstdint>
#include <vector>

#include "compiler/codegen/view.h"

namespace bw::codegen {

struct WindowGeometry {
  int64_t in_h = 1, in_w = 1, out_h = 1, out_w = 1;
  int64_t kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
  int64_t pad_top = 0, pad_left = 0;

  // Input rows or columns that `count` neighbouring windows span, padding included.
  int64_t SpanRows(int64_t count) const {
    return (count - 1) * stride_h + (kernel_h - 1) * dilation_h + 1;
  }
  int64_t SpanCols(int64_t count) const {
    return (count - 1) * stride_w + (kernel_w - 1) * dilation_w + 1;
  }
  // Whether some window of the whole map reaches outside of the input.
  bool LeavesRows() const { return pad_top > 0 || SpanRows(out_h) - pad_top > in_h; }
  bool LeavesCols() const { return pad_left > 0 || SpanCols(out_w) - pad_left > in_w; }
};

// Rectangle of pixels.
struct PixelBox {
  int64_t y = 0, x = 0, rows = 1, cols = 1;
};
std::vector<PixelBox> SplitPixels(const PixelBox& whole, int64_t rows, int64_t cols);
// Input rectangle that an output rectangle reads, without padding; never empty.
PixelBox InputBox(const WindowGeometry& geometry, const PixelBox& out);

// Axes of a value that play a part; -1: none (extent 1).
struct SpatialAxes {
  int y = -1, x = -1, c = -1;
};
// `prefix` with y, x and c put in their places.
Index Place(Index prefix, const SpatialAxes& axes, int64_t y, int64_t x, int64_t c);
Box PlaceBox(const Index& prefix, const SpatialAxes& axes, const PixelBox& pixels, int64_t c,
             int64_t channels);
inline int64_t Stride(const View& view, int axis) {
  return axis < 0 ? 0 : view.strides[static_cast<size_t>(axis)];
}

}  // namespace bw::codegen

#endif  // COMPILER_CODEGEN_WINDOW_GEOMETRY_H_
