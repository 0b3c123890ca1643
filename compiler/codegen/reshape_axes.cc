#include "compiler/codegen/reshape_axes.h"

#include <algorithm>

namespace bw::codegen {

std::optional<std::vector<SharedAxis>> SharedAxes(const Index& from, const Index& to) {
  std::vector<SharedAxis> shared;  // innermost first
  size_t i = from.size(), j = to.size();
  int64_t from_left = 1, to_left = 1, from_step = 1, to_step = 1;
  for (;;) {
    while (from_left == 1 && i > 0) from_left = from[--i], from_step = 1;
    while (to_left == 1 && j > 0) to_left = to[--j], to_step = 1;
    if (from_left == 1 && to_left == 1) break;
    const int64_t extent = std::min(from_left, to_left);
    if (extent == 1 || from_left % extent != 0 || to_left % extent != 0) return std::nullopt;
    shared.push_back({extent, i, j, from_step, to_step});
    from_left /= extent, to_left /= extent;
    from_step *= extent, to_step *= extent;
  }
  std::reverse(shared.begin(), shared.end());
  return shared;
}

std::optional<Index> ReshapedStrides(const std::vector<SharedAxis>& shared, const Index& strides,
                                     size_t to_rank) {
  Index made(to_rank, 0);
  std::vector<int64_t> covered(to_rank, 0);  // elements of the axis so far; 0: none yet
  for (size_t n = shared.size(); n-- > 0;) {
    const SharedAxis& axis = shared[n];
    const int64_t stride = strides[axis.from_axis] * axis.from_step;
    int64_t& done = covered[axis.to_axis];
    if (done == 0) {
      made[axis.to_axis] = stride;
      done = axis.extent;
    } else {
      if (stride != made[axis.to_axis] * done) return std::nullopt;
      done *= axis.extent;
    }
  }
  return made;
}

}  // namespace bw::codegen
