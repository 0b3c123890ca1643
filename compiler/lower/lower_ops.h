// One lowering function an operator, declared from ops.def: a row without its function does not
// link.
#ifndef COMPILER_LOWER_LOWER_OPS_H_
#define COMPILER_LOWER_LOWER_OPS_H_

#include "compiler/lower/builder.h"

namespace bw::lower {

// `index` is the node's index in the float graph. The function adds the integer nodes and binds the
// node's result (Builder::AddResult or Bind).
#define BW_OP(name, inputs, op_class, qdq, attributes, doc) \
  Status Lower##name(Builder& b, int index);
#include "compiler/graph/ops.def"
#undef BW_OP

}  // namespace bw::lower

#endif  // COMPILER_LOWER_LOWER_OPS_H_
