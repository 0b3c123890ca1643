// Conversion of single operators to canonical form: one function a name in operators.def.
#ifndef COMPILER_FRONTEND_TFLITE_CONVERT_H_
#define COMPILER_FRONTEND_TFLITE_CONVERT_H_

#include "compiler/frontend/tflite/operator_context.h"

namespace bw::frontend::tflite {

// Several rows of operators.def may name one function.
#define BW_TFLITE_OP(name, code, options, convert, becomes, doc) \
  Status Convert##convert(OperatorContext& c);
#include "compiler/frontend/tflite/operators.def"
#undef BW_TFLITE_OP

// Codes that the functions for several operators tell apart.
enum BuiltinCode : int32_t {
#define BW_TFLITE_OP(name, code, options, convert, becomes, doc) k_##name = code,
#include "compiler/frontend/tflite/operators.def"
#undef BW_TFLITE_OP
};

// The value as a tensor of another shape with the elements in the file's row-major order; shapes
// are in the file's order of axes too. Moves data only where the orders differ.
Result<graph::ValueId> Reshaped(OperatorContext& c, graph::ValueId id, const tensor::Shape& from,
                                const tensor::Shape& to, const std::string& suffix);
// The same as the operator's result; `suffix` is empty unless Emit has used the operator's name.
Status FinishReshaped(OperatorContext& c, graph::ValueId id, const tensor::Shape& from,
                      const tensor::Shape& to, const std::string& suffix = "");

}  // namespace bw::frontend::tflite

#endif  // COMPILER_FRONTEND_TFLITE_CONVERT_H_
