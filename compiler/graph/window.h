// Sliding windows over one axis: how many there are, and how many elements each one covers.
#ifndef COMPILER_GRAPH_WINDOW_H_
#define COMPILER_GRAPH_WINDOW_H_

#include <cstdint>
#include <optional>

namespace bw::graph {

// One axis of a convolution or pool. Positions are in the input; padding lies at negative positions
// and at positions >= the input's extent.
struct Window {
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t pad_begin = 0;
  int64_t pad_end = 0;
};

// Windows over `extent` elements: floor((extent + pads - reach) / stride) + 1 with
// reach = dilation * (kernel - 1) + 1; with ceil_mode the division rounds up, but a window that
// would start behind the last element (in the end padding) is dropped, as PyTorch does and ONNX
// says since opset 22. Nothing when no window fits, when a parameter is out of range (kernel,
// stride, dilation >= 1, pads >= 0) or larger than 2^31.
std::optional<int64_t> WindowCount(int64_t extent, const Window& window, bool ceil_mode);

// Elements of window `index` that lie on the input, not on padding.
int64_t ValidElements(int64_t extent, const Window& window, int64_t index);

}  // namespace bw::graph

#endif  // COMPILER_GRAPH_WINDOW_H_
