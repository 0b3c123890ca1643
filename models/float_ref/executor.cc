#include "models/float_ref/executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "models/float_ref/op_call.h"

namespace bw::float_ref {
namespace {

using graph::Op;
using graph::ValueId;
using tensor::DType;
using tensor::Tensor;

constexpr size_t kKept = std::numeric_limits<size_t>::max();  // a graph output
constexpr size_t kUnread = kKept - 1;                         // no node reads it

Tensor Evaluate(const OpCall& call) {
  switch (call.node.op) {
#define BW_OP(name, inputs, op_class, qdq, attributes, doc) \
  case Op::k##name:                                         \
    return Eval##name(call);
#include "compiler/graph/ops.def"
#undef BW_OP
  }
  BW_CHECK(false, "op = {}", static_cast<int>(call.node.op));
  __builtin_unreachable();
}

Tensor Widen(const Tensor& narrow) {
  return narrow.dtype() == DType::kF32 ? Tensor::From<double>(narrow.shape(), narrow.ToF64())
                                       : narrow;
}

}  // namespace

struct FloatExecutor::State {
  std::vector<const Tensor*> given;            // graph inputs as the caller owns them, by value
  std::vector<std::optional<Tensor>> results;  // by value
};

FloatExecutor::FloatExecutor(const graph::Graph& graph, Precision precision)
    : graph_(graph), precision_(precision), last_use_(graph.values.size(), kUnread) {
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const ValueId id : graph.nodes[i].inputs) {
      if (id != graph::kNoValue) last_use_.at(static_cast<size_t>(id)) = i;
    }
  }
  for (const ValueId id : graph.outputs) last_use_.at(static_cast<size_t>(id)) = kKept;
  if (precision_ != Precision::kDouble) return;
  for (size_t id = 0; id < graph.values.size(); ++id) {
    const auto& constant = graph.values[id].constant;
    if (constant && constant->dtype() == DType::kF32) {
      widened_.emplace(static_cast<ValueId>(id), Widen(*constant));
    }
  }
}

DType FloatExecutor::ComputeType(DType dtype) const {
  return precision_ == Precision::kDouble && dtype == DType::kF32 ? DType::kF64 : dtype;
}

Status FloatExecutor::CheckInputs(const std::vector<Tensor>& inputs) const {
  if (inputs.size() != graph_.inputs.size()) {
    return Error{graph_.file,
                 0,
                 0,
                 graph_.name,
                 fmt::format("{} input tensors given, the network has {}", inputs.size(),
                             graph_.inputs.size()),
                 "give one tensor for each input of the network, in its order"};
  }
  Errors errors;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const graph::Value& wanted = graph_.value(graph_.inputs[i]);
    if (inputs[i].shape() == wanted.shape && inputs[i].dtype() == wanted.dtype) continue;
    errors.push_back(
        Error{graph_.file, 0, 0, wanted.name,
              fmt::format("the input is {} {}, the network takes {} {}",
                          tensor::DTypeName(inputs[i].dtype()), inputs[i].shape().ToString(),
                          tensor::DTypeName(wanted.dtype), wanted.shape.ToString()),
              "convert the input, or bind the network to its shape on import"});
  }
  if (!errors.empty()) return errors;
  return OkStatus();
}

const Tensor* FloatExecutor::Find(const State& state, ValueId id) const {
  if (id == graph::kNoValue) return nullptr;
  const auto index = static_cast<size_t>(id);
  if (state.results[index]) return &*state.results[index];
  if (state.given[index] != nullptr) return state.given[index];
  if (const auto widened = widened_.find(id); widened != widened_.end()) return &widened->second;
  const graph::Value& value = graph_.value(id);
  BW_CHECK(value.constant.has_value(), "value '{}' is read before it is made", value.name);
  return &*value.constant;
}

void FloatExecutor::Release(State& state, size_t node_index) const {
  for (const ValueId id : graph_.nodes[node_index].inputs) {
    if (id != graph::kNoValue && last_use_[static_cast<size_t>(id)] == node_index) {
      state.results[static_cast<size_t>(id)].reset();
    }
  }
}

Result<std::vector<Tensor>> FloatExecutor::Run(const std::vector<Tensor>& inputs,
                                               const Observer& observer) const {
  BW_RETURN_IF_ERROR(CheckInputs(inputs));
  State state;
  state.given.resize(graph_.values.size());
  state.results.resize(graph_.values.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const ValueId id = graph_.inputs[i];
    const auto index = static_cast<size_t>(id);
    if (ComputeType(inputs[i].dtype()) != inputs[i].dtype()) {
      state.results[index] = Widen(inputs[i]);
    } else {
      state.given[index] = &inputs[i];
    }
    if (observer) observer(id, *Find(state, id));
  }
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    const graph::Node& node = graph_.nodes[i];
    const ValueId out = node.outputs.at(0);
    const graph::Value& value = graph_.value(out);
    OpCall call{node, {}, value.shape, ComputeType(value.dtype)};
    for (const ValueId id : node.inputs) call.inputs.push_back(Find(state, id));
    Tensor result = Evaluate(call);
    BW_CHECK(result.shape() == value.shape && result.dtype() == call.out_dtype,
             "{}: computed {} {}, inferred {} {}", node.name, tensor::DTypeName(result.dtype()),
             result.shape().ToString(), tensor::DTypeName(call.out_dtype), value.shape.ToString());
    if (observer) observer(out, result);
    if (last_use_[static_cast<size_t>(out)] != kUnread) {
      state.results[static_cast<size_t>(out)] = std::move(result);
    }
    Release(state, i);
  }
  std::vector<Tensor> outputs;
  for (const ValueId id : graph_.outputs) outputs.push_back(*Find(state, id));
  return outputs;
}

Result<std::map<ValueId, Tensor>> FloatExecutor::RunAll(const std::vector<Tensor>& inputs) const {
  std::map<ValueId, Tensor> all;
  BW_RETURN_IF_ERROR(
      Run(inputs, [&](ValueId id, const Tensor& value) { all.insert_or_assign(id, value); }));
  return all;
}

}  // namespace bw::float_ref
