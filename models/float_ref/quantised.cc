// Quantised operators on integers: graph::EvaluateQuantised has them.
#include "compiler/graph/evaluate_quantised.h"
#include "models/float_ref/op_call.h"

namespace bw::float_ref {
namespace {

tensor::Tensor Evaluate(const OpCall& call) {
  return graph::EvaluateQuantised(call.node, call.inputs, call.out_dtype, call.out_shape);
}

}  // namespace

tensor::Tensor EvalQuantizeLinear(const OpCall& call) { return Evaluate(call); }
tensor::Tensor EvalDequantizeLinear(const OpCall& call) { return Evaluate(call); }
tensor::Tensor EvalDynamicQuantizeLinear(const OpCall& call) { return Evaluate(call); }
tensor::Tensor EvalQLinearConv(const OpCall& call) { return Evaluate(call); }
tensor::Tensor EvalQLinearMatMul(const OpCall& call) { return Evaluate(call); }
tensor::Tensor EvalConvInteger(const OpCall& call) { return Evaluate(call); }
tensor::Tensor EvalMatMulInteger(const OpCall& call) { return Evaluate(call); }

}  // namespace bw::float_ref
