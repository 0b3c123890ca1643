// Where the quantised operators of ops.def have their scales and zero points, and what they say.
#ifndef COMPILER_GRAPH_QUANT_OPERANDS_H_
#define COMPILER_GRAPH_QUANT_OPERANDS_H_

#include <string_view>
#include <vector>

#include "compiler/graph/graph.h"

namespace bw::graph {

inline constexpr int kNoOperand = -1;

// One operand, or the result, of a quantised operator.
struct QuantRole {
  std::string_view what;        // "x", "w", "y": for messages
  int data = kNoOperand;        // index among the inputs; kNoOperand: the result
  int scale = kNoOperand;       // index of the scale; kNoOperand: 1
  int zero_point = kNoOperand;  // index of the zero point; that input may be absent: 0
  bool per_axis = false;        // may have one scale a position of `axis`
  int axis = -1;                // of the data, where per_axis
};

// The integer operands and results of a node whose operator has them; empty for other operators.
// Not among them: the bias of QLinearConv, whose scale is that of x times that of w.
std::vector<QuantRole> QuantRoles(const Graph& graph, const Node& node);
bool IsQuantised(Op op);
// Operators whose results are their operands' integers, in other places or limited (Clip, Relu).
bool MovesIntegers(Op op);
// Types of values that are not constant: float32, and the integers of quantised operators.
bool IsActivationType(tensor::DType dtype);

// The type of the integers that `role` stands for. Unsigned 8 bits where nothing says it.
tensor::DType IntegerType(const Graph& graph, const Node& node, const QuantRole& role);

// Shapes and types of scale and zero point against the data, and the numbers of those that are
// constant: scales finite and above 0.
Status CheckQuantRole(const Graph& graph, const Node& node, const QuantRole& role,
                      const tensor::Shape& data);

// What `role` says of its data; ties_to_even, no integers. Scale and zero point must be constant.
Result<Quantisation> ReadQuantisation(const Graph& graph, const Node& node, const QuantRole& role);

}  // namespace bw::graph

#endif  // COMPILER_GRAPH_QUANT_OPERANDS_H_
