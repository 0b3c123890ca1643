#include "compiler/passes/integer_meaning.h"

#include <fmt/format.h>

#include "compiler/graph/quant_operands.h"
#include "compiler/passes/rewrite.h"
#include "models/arith/quantise.h"

namespace bw::passes {
namespace {

using graph::Graph;
using graph::Node;
using graph::Op;
using graph::Quantisation;
using graph::QuantRole;
using graph::Value;
using graph::ValueId;
using tensor::DType;

using Meanings = std::vector<std::optional<Quantisation>>;

bool IsInteger(const Graph& graph, ValueId id) {
  if (id == graph::kNoValue) return false;
  const Value& value = graph.value(id);
  return !value.constant && value.dtype != DType::kF32 && graph::IsActivationType(value.dtype);
}

Error Fail(const Graph& graph, const Node& node, std::string message, std::string hint) {
  return Error{
      graph.file,     0, 0, fmt::format("{} {}", ToString(node.op), node.name), std::move(message),
      std::move(hint)};
}

// What node `node` makes; nothing when its operands say it, and they do not know.
Result<std::optional<Quantisation>> Made(const Graph& graph, const Node& node,
                                         const Meanings& meanings) {
  for (const QuantRole& role : QuantRoles(graph, node)) {
    if (role.data != graph::kNoOperand) continue;
    BW_ASSIGN_OR_RETURN(Quantisation made, ReadQuantisation(graph, node, role));
    return std::optional<Quantisation>(std::move(made));
  }
  for (const ValueId id : node.inputs) {
    if (!IsInteger(graph, id) || !meanings[static_cast<size_t>(id)]) continue;
    const Quantisation& moved = *meanings[static_cast<size_t>(id)];
    if (moved.axis >= 0) {
      return Fail(
          graph, node,
          fmt::format("moves {}, which has scales along axis {}", graph.value(id).name, moved.axis),
          "quantise activations with one scale");
    }
    return std::optional<Quantisation>(moved);
  }
  return std::optional<Quantisation>();
}

// Gives values without meaning that of the reader `node`.
Status Claim(const Graph& graph, const Node& node, const std::vector<bool>& open,
             Meanings* meanings) {
  for (const QuantRole& role : QuantRoles(graph, node)) {
    if (role.data == graph::kNoOperand) continue;
    const auto id = static_cast<size_t>(node.inputs[static_cast<size_t>(role.data)]);
    if (!open[id]) continue;
    BW_ASSIGN_OR_RETURN((*meanings)[id], ReadQuantisation(graph, node, role));
  }
  if (graph::IsQuantised(node.op)) return OkStatus();
  const auto& result = (*meanings)[static_cast<size_t>(node.outputs[0])];
  for (const ValueId id : node.inputs) {
    if (!IsInteger(graph, id) || !open[static_cast<size_t>(id)]) continue;
    if (node.op == Op::kCast) {
      (*meanings)[static_cast<size_t>(id)] = UnitMeaning(graph.value(id).dtype);
    } else if (result) {
      (*meanings)[static_cast<size_t>(id)] = result;
    }
  }
  return OkStatus();
}

// From the nodes' operands to their results, where these have no meaning yet.
Status Forward(const Graph& graph, Meanings* meanings) {
  for (const Node& node : graph.nodes) {
    auto& made = (*meanings)[static_cast<size_t>(node.outputs[0])];
    if (!IsInteger(graph, node.outputs[0]) || made) continue;
    BW_ASSIGN_OR_RETURN(made, Made(graph, node, *meanings));
  }
  return OkStatus();
}

}  // namespace

Quantisation UnitMeaning(DType dtype) {
  Quantisation unit;
  unit.scales = {1.0};
  unit.zero_points = {0};
  unit.bits = static_cast<int>(8 * DTypeSize(dtype));
  unit.is_signed = dtype != DType::kU8;
  unit.ties_to_even = true;
  return unit;
}

Result<Meanings> FindMeanings(const Graph& graph) {
  for (const Node& node : graph.nodes) {
    if (node.op != Op::kDynamicQuantizeLinear) continue;
    return Fail(graph, node,
                fmt::format("takes its scale from the range that {} has at run time",
                            graph.value(node.inputs[0]).name),
                "quantise the network statically: a QuantizeLinear with a calibrated scale, or the "
                "float network and bitwright's calibration");
  }
  Meanings meanings(graph.values.size());
  BW_RETURN_IF_ERROR(Forward(graph, &meanings));
  std::vector<bool> open(graph.values.size());
  for (size_t i = 0; i < open.size(); ++i) {
    open[i] = IsInteger(graph, static_cast<ValueId>(i)) && !meanings[i];
  }
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    BW_RETURN_IF_ERROR(Claim(graph, *node, open, &meanings));
  }
  BW_RETURN_IF_ERROR(Forward(graph, &meanings));
  for (size_t i = 0; i < open.size(); ++i) {
    if (open[i] && !meanings[i]) meanings[i] = UnitMeaning(graph.values[i].dtype);
  }
  return meanings;
}

void SetIntegers(const std::vector<int64_t>& integers, Quantisation meaning, Value* value) {
  int64_t inner = 1;
  for (int i = meaning.axis + 1; meaning.axis >= 0 && i < value->shape.rank(); ++i) {
    inner *= value->shape[i];
  }
  const auto count = static_cast<int64_t>(meaning.scales.size());
  std::vector<float> reals;
  for (size_t i = 0; i < integers.size(); ++i) {
    const auto at = static_cast<size_t>(static_cast<int64_t>(i) / inner % count);
    reals.push_back(static_cast<float>(
        arith::Dequantise(integers[i], meaning.scales[at], meaning.zero_points[at])));
  }
  meaning.integers.assign(integers.begin(), integers.end());
  value->dtype = DType::kF32;
  value->constant = tensor::Tensor::From<float>(value->shape, reals);
  value->quantisation = std::move(meaning);
}

}  // namespace bw::passes
