#include "compiler/frontend/tflite/graph_maker.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/graph/evaluate.h"

namespace bw::frontend::tflite {
namespace {

// Elements of constants that any file may have; a larger file may have more.
constexpr int64_t kLeastBudget = int64_t{1} << 22;
constexpr int64_t kBudgetFactor = 4;

bool IsConstant(const graph::Graph& graph, const graph::Node& node) {
  return std::all_of(node.inputs.begin(), node.inputs.end(), [&graph](graph::ValueId id) {
    return id == graph::kNoValue || graph.value(id).constant.has_value();
  });
}

}  // namespace

GraphMaker::GraphMaker(std::string file, size_t file_bytes)
    : budget_(kLeastBudget + kBudgetFactor * static_cast<int64_t>(file_bytes)) {
  graph_.file = std::move(file);
}

std::string GraphMaker::Fresh(const std::string& name, Names* taken) {
  const auto [known, fresh] = taken->emplace(name, 2);
  if (fresh && !name.empty()) return name;
  while (true) {
    std::string other = fmt::format("{}_{}", name, known->second++);
    if (taken->emplace(other, 2).second) return other;
  }
}

Error GraphMaker::Fail(std::string place, std::string message, std::string hint) const {
  return Error{graph_.file, 0, 0, std::move(place), std::move(message), std::move(hint)};
}

Status GraphMaker::Spend(const std::string& place, int64_t elements) {
  budget_ -= elements;
  if (budget_ >= 0) return OkStatus();
  return Fail(place, "the network's constants have many more elements than the file");
}

Result<graph::ValueId> GraphMaker::AddConstant(const std::string& name, Constant constant) {
  BW_RETURN_IF_ERROR(Spend(name, constant.shape.Elements()));
  return graph_.AddValue(ToValue(FreshValueName(name), std::move(constant)));
}

// Makes the node's result a constant; false when this operator cannot be evaluated.
Result<bool> GraphMaker::Fold(const graph::Node& node) {
  const std::string place = fmt::format("{} {}", ToString(node.op), node.name);
  graph::Value& value = graph_.value(node.outputs[0]);
  const bool moves = Info(node.op).op_class == graph::OpClass::kL;
  if (!moves && value.quantisation) {
    return Fail(place, "computes integers from constants alone, which is not supported",
                "convert the network with constant folding");
  }
  BW_RETURN_IF_ERROR(Spend(place, value.shape.Elements()));
  BW_ASSIGN_OR_RETURN(auto folded, EvaluateConstant(graph_, node));
  if (!folded) return false;
  if (value.quantisation) {
    const float* reals = folded->data<float>();
    Constant constant{value.shape, {reals, reals + folded->elements()}, {}, std::nullopt};
    value = ToValue(value.name, Quantised(constant, *value.quantisation));
  } else {
    value.constant = std::move(folded);
  }
  return true;
}

Result<graph::ValueId> GraphMaker::Add(graph::Node node, const std::string& value_name,
                                       std::optional<graph::Quantisation> quantisation) {
  graph::Value value;
  value.name = value_name;
  value.quantisation = std::move(quantisation);
  if (value.quantisation) value.quantisation->integers.clear();  // another constant's
  const graph::ValueId output = graph_.AddValue(std::move(value));
  node.outputs = {output};
  BW_RETURN_IF_ERROR(InferShapes(graph_, node));
  const bool moves = Info(node.op).op_class == graph::OpClass::kL;
  const bool evaluated = moves || node.op == graph::Op::kAdd || node.op == graph::Op::kSub ||
                         node.op == graph::Op::kMul || node.op == graph::Op::kDiv;
  if (evaluated && IsConstant(graph_, node)) {
    BW_ASSIGN_OR_RETURN(const bool folded, Fold(node));
    if (folded) return output;
  }
  graph_.nodes.push_back(std::move(node));
  return output;
}

}  // namespace bw::frontend::tflite
