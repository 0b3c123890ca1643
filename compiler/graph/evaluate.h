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
// layout, Shape, Gather, Cast, Add, Sub, Mul and Div, or when the result would have more than 2^26
// elements. Integers wrap as in ONNX runtimes; a division by the integer 0 or an index outside is
// an error that names the node. The node's form must be sound (InferShapes has succeeded).
Result<std::optional<tensor::Tensor>> EvaluateConstant(const Graph& graph, const Node& node);

}  // namespace bw::graph

#endif  // COMPILER_GRAPH_EVALUATE_H_
