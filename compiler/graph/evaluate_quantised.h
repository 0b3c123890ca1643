// The quantised operators on integer tensors, as the ONNX specification has them: for the float
// reference and for constants.
#ifndef COMPILER_GRAPH_EVALUATE_QUANTISED_H_
#define COMPILER_GRAPH_EVALUATE_QUANTISED_H_

#include <vector>

#include "compiler/graph/graph.h"
#include "models/tensor/tensor.h"

namespace bw::graph {

// The result of a node for which IsQuantised holds, of the inferred type and shape. `inputs` has
// one tensor an operand, null where it is absent; reals may be float64 and are used as float32.
//
// QuantizeLinear: x / scale in float32, to even, zero point, saturated. DequantizeLinear:
// (x - zero point) * scale in float32. DynamicQuantizeLinear: the range of x and 0 over 255 steps;
// a range of nothing has scale 1. QLinearConv, QLinearMatMul: sums in int32 (they wrap), then
// profile fp32_even of NUMERICS.md section 3 with s_x * s_w / s_y in float32. ConvInteger,
// MatMulInteger: the sums.
tensor::Tensor EvaluateQuantised(const Node& node, const std::vector<const tensor::Tensor*>& inputs,
                                 tensor::DType dtype, const tensor::Shape& shape);

}  // namespace bw::graph

#endif  // COMPILER_GRAPH_EVALUATE_QUANTISED_H_
