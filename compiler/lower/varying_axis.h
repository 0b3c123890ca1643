// Which axis of a result a broadcast constant follows.
#ifndef COMPILER_LOWER_VARYING_AXIS_H_
#define COMPILER_LOWER_VARYING_AXIS_H_

#include <optional>

#include "models/tensor/shape.h"

namespace bw::lower {

inline constexpr int kNoAxis = -1;

// The axis that requantisation sets count along (int_graph.h): 1 for rank 4, otherwise the last.
inline int ChannelAxis(const tensor::Shape& shape) {
  return shape.rank() == 4 ? 1 : shape.rank() - 1;
}

// The only axis of `result` along which a constant of shape `constant` has more than one value;
// kNoAxis when it has a single one, nothing when there are several axes. `constant` broadcasts to
// `result`. Worked: 3x1x1 on 2x3x4x5 is axis 1.
inline std::optional<int> VaryingAxis(const tensor::Shape& constant, const tensor::Shape& result) {
  int found = kNoAxis;
  for (int axis = 0; axis < constant.rank(); ++axis) {
    if (constant[axis] == 1) continue;
    if (found != kNoAxis) return std::nullopt;
    found = axis + result.rank() - constant.rank();
  }
  return found;
}

}  // namespace bw::lower

#endif  // COMPILER_LOWER_VARYING_AXIS_H_
