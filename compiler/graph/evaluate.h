// Evaluation of nodes on constants: layout operators on every type, arithmetic of shapes and of
// constant parameters. It is what makes shape computations vanish once the input shapes are bound.
#ifndef COMPILER_GRAPH_EVALUATE_H_
#define COMPILER_GRAPH_EVALUATE_H_

#include <optional>

#include "compiler/graph/graph.h"
#include "models/status/result.h"
#include "models/tensor/tensor.h"

namespace bw::graph {

// The node's result when all its operands are constant (Shape: when its operand's shape is known,
// which is always). Nothing when an operand is not constant, when the operator is not one of
// layout, Shape, Gather, Cast, Add, Sub, Mul, Div, QuantizeLinear, DequantizeLinear and
// DynamicQuantizeLinear, or when the result would have more than 2^26 elements, or more than 2^22
// and more than its operands together. Integers wrap as in
// ONNX runtimes; a division by the integer 0 or an index outside is an error that names the node.
// The node's form must be sound (InferShapes has succeeded).
Result<std::optional<tensor::Tensor>> EvaluateConstant(const Graph& graph, const Node& node);

// Makes the node's result a constant where EvaluateConstant can; true when the node is no longer
// needed. Integers are kept: a DequantizeLinear gives its result the quantisation that it had, and
// data movement takes that of its operand along (per-axis scales through Transpose, and reshapes
// that leave the axis whole).
Result<bool> FoldNode(Graph& graph, const Node& node);

}  // namespace bw::graph

#endif  // COMPILER_GRAPH_EVALUATE_H_
