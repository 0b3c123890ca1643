#include "compiler/graph/window.h"

namespace bw::graph {
namespace {

constexpr int64_t kLimit = int64_t{1} << 31;  // products of two such numbers fit int64

bool InRange(int64_t value, int64_t least) { return value >= least && value < kLimit; }

}  // namespace

std::optional<int64_t> WindowCount(int64_t extent, const Window& window, bool ceil_mode) {
  if (!InRange(extent, 1) || !InRange(window.kernel, 1) || !InRange(window.stride, 1) ||
      !InRange(window.dilation, 1) || !InRange(window.pad_begin, 0) ||
      !InRange(window.pad_end, 0)) {
    return std::nullopt;
  }
  const int64_t reach = window.dilation * (window.kernel - 1) + 1;
  const int64_t room = extent + window.pad_begin + window.pad_end - reach;
  if (room < 0) return std::nullopt;
  int64_t count = room / window.stride + 1;
  if (ceil_mode && room % window.stride != 0) {
    const bool starts_inside = count * window.stride < extent + window.pad_begin;
    if (starts_inside) ++count;
  }
  return count;
}

int64_t ValidElements(int64_t extent, const Window& window, int64_t index) {
  const int64_t start = index * window.stride - window.pad_begin;
  int64_t valid = 0;
  for (int64_t k = 0; k < window.kernel; ++k) {
    const int64_t at = start + k * window.dilation;
    if (at >= 0 && at < extent) ++valid;
  }
  return valid;
}

}  // namespace bw::graph
