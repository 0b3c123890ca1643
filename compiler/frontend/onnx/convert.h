// Conversion of single operators to canonical form: one function a row of ops.def.
#ifndef COMPILER_FRONTEND_ONNX_CONVERT_H_
#define COMPILER_FRONTEND_ONNX_CONVERT_H_

#include <optional>
#include <string_view>

#include "compiler/frontend/onnx/node_context.h"

namespace bw::frontend {

#define BW_OP(name, inputs, op_class, qdq, attributes, doc) Status Convert##name(NodeContext& c);
#include "compiler/graph/ops.def"
#undef BW_OP

// Upsample is a Resize, and every result of Split a Slice; others have rows of their own name.
std::optional<graph::Op> FindConversion(std::string_view op_type);
// Called by ConvertSlice.
Status ConvertSplit(NodeContext& c);

}  // namespace bw::frontend

#endif  // COMPILER_FRONTEND_ONNX_CONVERT_H_
