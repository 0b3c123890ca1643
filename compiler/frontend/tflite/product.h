// Operands that convolutions and fully connected layers share: weights and bias.
#ifndef COMPILER_FRONTEND_TFLITE_PRODUCT_H_
#define COMPILER_FRONTEND_TFLITE_PRODUCT_H_

#include <vector>

#include "compiler/frontend/tflite/operator_context.h"

namespace bw::frontend::tflite {

// {input, weights} or {input, weights, bias}; `weights` have the output channels on axis 0 and the
// bias is operand 2. The bias stands for integers of scale s_input * s_weights[channel], which is
// what TensorFlow Lite's kernels add; the scales that the file gives it are not read. On a float32
// input, weights that are stored as integers are their reals.
Result<std::vector<graph::ValueId>> ProductOperands(OperatorContext& c, graph::ValueId input,
                                                    Constant weights);

}  // namespace bw::frontend::tflite

#endif  // COMPILER_FRONTEND_TFLITE_PRODUCT_H_
