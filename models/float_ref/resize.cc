// Resize to the nearest neighbour; any element type.
#include "compiler/graph/resize_map.h"
#include "models/float_ref/op_call.h"

namespace bw::float_ref {

tensor::Tensor EvalResize(const OpCall& call) {
  return graph::ResizedBySources(call.in(0), call.out_shape, call.node.Ints("sources"));
}

}  // namespace bw::float_ref
