// Conversion of single operators to canonical form: one function a row of ops.def.
#ifndef COMPILER_FRONTEND_ONNX_CONVERT_H_
#define COMPILER_FRONTEND_ONNX_CONVERT_H_

#include "compiler/frontend/onnx/node_context.h"

namespace bw::frontend {

#define BW_OP(name, inputs, op_class, qdq, attributes, doc) Status Convert##name(NodeContext& c);
#include "compiler/graph/ops.def"
#undef BW_OP

}  // namespace bw::frontend

#endif  // COMPILER_FRONTEND_ONNX_CONVERT_H_
