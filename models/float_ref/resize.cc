// Resize to the nearest neighbour; any element type.
#include <cstring>
#include <vector>

#include "models/float_ref/op_call.h"

namespace bw::float_ref {

using tensor::Tensor;

// One axis after the other, the last one first: what an axis has behind it moves as one run.
Tensor EvalResize(const OpCall& call) {
  const std::vector<int64_t>& sources = call.node.Ints("sources");
  Tensor x = call.in(0);
  auto run = tensor::DTypeSize(call.out_dtype);
  size_t end = sources.size();
  for (int axis = call.out_shape.rank() - 1; axis >= 0; --axis) {
    const auto count = static_cast<size_t>(call.out_shape[axis]);
    const size_t block = run * static_cast<size_t>(x.shape()[axis]);
    tensor::Shape shape = x.shape();
    shape[axis] = call.out_shape[axis];
    Tensor y(call.out_dtype, shape);
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

}  // namespace bw::float_ref
