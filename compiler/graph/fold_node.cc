// FoldNode: constants that keep the integers that they came from.
#include <algorithm>

#include "compiler/graph/evaluate.h"
#include "compiler/graph/quant_operands.h"

namespace bw::graph {
namespace {

using tensor::Shape;
using tensor::Tensor;

bool MovesElements(Op op) {
  switch (op) {
    case Op::kIdentity:
    case Op::kDropout:
    case Op::kReshape:
    case Op::kSlice:
    case Op::kResize:
    case Op::kFlatten:
    case Op::kSqueeze:
    case Op::kUnsqueeze:
    case Op::kTranspose:
      return true;
    default:
      return false;
  }
}

// Row-major elements in front of `axis`.
int64_t Before(const Shape& shape, int axis) {
  int64_t product = 1;
  for (int i = 0; i < axis; ++i) product *= shape[i];
  return product;
}

// Where axis `axis` of the operand is in the result; -1 when it is not there as a whole.
int AxisBehind(const Node& node, int axis, const Shape& from, const Shape& to) {
  if (node.op == Op::kTranspose) {
    const std::vector<int64_t>& perm = node.Ints("perm");
    return static_cast<int>(std::find(perm.begin(), perm.end(), axis) - perm.begin());
  }
  for (int i = 0; i < to.rank(); ++i) {
    if (to[i] == from[axis] && Before(to, i) == Before(from, axis)) return i;
  }
  return -1;
}

// The integers of the operand, moved as the node moves reals.
Result<std::vector<int32_t>> MovedIntegers(const Graph& graph, const Node& node) {
  const Value& from = graph.value(node.inputs[0]);
  Graph scratch;
  scratch.file = graph.file;
  Value integers{from.name, tensor::DType::kI32, from.shape,
                 Tensor::From<int32_t>(from.shape, from.quantisation->integers)};
  Node move = node;
  move.inputs = {scratch.AddValue(std::move(integers))};
  move.outputs = {scratch.AddValue({"moved", tensor::DType::kI32, {}, {}})};
  BW_ASSIGN_OR_RETURN(const auto moved, EvaluateConstant(scratch, move));
  BW_CHECK(moved.has_value(), "{} does not fold", node.name);
  const int32_t* data = moved->data<int32_t>();
  return std::vector<int32_t>(data, data + moved->elements());
}

Result<std::optional<Quantisation>> MovedQuantisation(const Graph& graph, const Node& node,
                                                      const Shape& to) {
  const Value& from = graph.value(node.inputs[0]);
  std::optional<Quantisation> none;
  if (!from.quantisation || from.quantisation->integers.empty()) return none;
  Quantisation moved = *from.quantisation;
  const bool picks = node.op == Op::kSlice || node.op == Op::kResize;
  if (picks && moved.axis >= 0) return none;
  if (moved.axis >= 0) {
    moved.axis = AxisBehind(node, moved.axis, from.shape, to);
    if (moved.axis < 0) return none;
  }
  BW_ASSIGN_OR_RETURN(moved.integers, MovedIntegers(graph, node));
  return std::optional<Quantisation>(std::move(moved));
}

Result<std::optional<Quantisation>> QuantisationOf(const Graph& graph, const Node& node,
                                                   const Shape& to) {
  if (MovesElements(node.op)) return MovedQuantisation(graph, node, to);
  if (node.op != Op::kDequantizeLinear) return std::optional<Quantisation>();
  BW_ASSIGN_OR_RETURN(Quantisation quantisation,
                      ReadQuantisation(graph, node, QuantRoles(graph, node)[0]));
  const std::vector<int64_t> integers = graph.value(node.inputs[0]).constant->ToI64();
  quantisation.integers.assign(integers.begin(), integers.end());
  return std::optional<Quantisation>(std::move(quantisation));
}

}  // namespace

Result<bool> FoldNode(Graph& graph, const Node& node) {
  BW_ASSIGN_OR_RETURN(auto constant, EvaluateConstant(graph, node));
  if (!constant) return false;
  BW_ASSIGN_OR_RETURN(auto quantisation, QuantisationOf(graph, node, constant->shape()));
  Value& out = graph.value(node.outputs[0]);
  // A result of its own quantisation is requantised by the network's arithmetic, not here.
  if (out.quantisation && !(quantisation && SameNumbers(*quantisation, *out.quantisation))) {
    return false;
  }
  out.constant = std::move(constant);
  out.quantisation = std::move(quantisation);
  return true;
}

}  // namespace bw::graph
