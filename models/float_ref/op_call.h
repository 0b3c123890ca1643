// One function per operator of ops.def, each a plain evaluation of the operator's definition.
#ifndef MODELS_FLOAT_REF_OP_CALL_H_
#define MODELS_FLOAT_REF_OP_CALL_H_

#include <cstddef>
#include <vector>

#include "compiler/graph/graph.h"
#include "models/status/check.h"
#include "models/tensor/tensor.h"

namespace bw::float_ref {

// A node with its operands. The graph has passed graph::Verify, so attributes are in canonical form
// and `out` has the inferred shape.
struct OpCall {
  const graph::Node& node;
  std::vector<const tensor::Tensor*> inputs;  // null: an optional input that is absent
  const tensor::Shape& out_shape;
  tensor::DType out_dtype;

  bool has(size_t index) const { return index < inputs.size() && inputs[index] != nullptr; }
  const tensor::Tensor& in(size_t index) const {
    BW_CHECK(has(index), "{}: input {} of {}", node.name, index, inputs.size());
    return *inputs[index];
  }
};

// EvalConv(), EvalGemm(), ...: the node's first output. A row of ops.def without its function does
// not link.
#define BW_OP(name, inputs, op_class, qdq, attributes, doc) \
  tensor::Tensor Eval##name(const OpCall& call);
#include "compiler/graph/ops.def"
#undef BW_OP

// Calls f(T{}) for a floating-point tensor, T its element type.
template <typename F>
decltype(auto) VisitFloat(const OpCall& call, F&& f) {
  const tensor::DType dtype = call.in(0).dtype();
  BW_CHECK(tensor::IsFloat(dtype), "{}: dtype = {}", call.node.name, tensor::DTypeName(dtype));
  return dtype == tensor::DType::kF32 ? f(float{}) : f(double{});
}

}  // namespace bw::float_ref

#endif  // MODELS_FLOAT_REF_OP_CALL_H_
