// The axes that two shapes with the same elements in the same row-major order have in common.
#ifndef COMPILER_CODEGEN_RESHAPE_AXES_H_
#define COMPILER_CODEGEN_RESHAPE_AXES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/codegen/view.h"

namespace bw::codegen {

// `extent` steps of `from_step` on axis `from_axis` of one shape, which are the same elements as
// `extent` steps of `to_step` on axis `to_axis` of the other.
struct SharedAxis {
  int64_t extent = 1;
  size_t from_axis = 0, to_axis = 0;
  int64_t from_step = 1, to_step = 1;
};

// Outermost first, extents of 1 left out. [4,6] to [2,12] is 2 x 2 x 6. Nothing when a factor of
// one shape straddles two of the other without dividing: [4,9] to [6,6].
std::optional<std::vector<SharedAxis>> SharedAxes(const Index& from, const Index& to);

// Strides of the reshaped tensor in place, when its axes are linear in the memory of the first one.
std::optional<Index> ReshapedStrides(const std::vector<SharedAxis>& shared, const Index& strides,
                                     size_t to_rank);

}  // namespace bw::codegen

#endif  // COMPILER_CODEGEN_RESHAPE_AXES_H_
