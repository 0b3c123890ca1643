#include "models/golden/executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "models/golden/node_kernel.h"
#include "models/status/check.h"

namespace bw::golden {
namespace {

using graph::IntGraph;
using graph::IntValue;
using graph::IntValueId;

constexpr size_t kKept = std::numeric_limits<size_t>::max();

std::vector<size_t> LastUses(const IntGraph& graph) {
  std::vector<size_t> last(graph.values.size(), 0);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const IntValueId id : graph.nodes[i].inputs) last.at(static_cast<size_t>(id)) = i;
  }
  for (const IntValueId id : graph.outputs) last.at(static_cast<size_t>(id)) = kKept;
  return last;
}

struct Extremes {
  int32_t low = 0, high = 0;
};
Extremes ExtremesOf(const IntTensor& tensor) {
  Extremes found;
  for (const int32_t v : tensor.data) {
    found.low = std::min(found.low, v);
    found.high = std::max(found.high, v);
  }
  return found;
}

// Extremes include 0, so a type that does not hold 0 would be wrong here; there is none.
bool Fits(const Extremes& extremes, const IntValue& value) {
  const Range range = RangeOf(value);
  return extremes.low >= range.low && extremes.high <= range.high;
}

}  // namespace

GoldenExecutor::GoldenExecutor(const IntGraph& graph, Kernels kernels)
    : graph_(graph), last_use_(LastUses(graph)) {
  for (const IntValue& value : graph.values) {
    constants_.push_back(value.constant.empty() ? IntTensor{}
                                                : IntTensor(value.shape, value.constant));
  }
  for (const graph::IntNode& node : graph.nodes) {
    const KernelSpec spec{graph, node, kernels};
    kernels_.push_back(
        std::visit([&](const auto& params) { return MakeKernel(spec, params); }, node.params));
  }
}

GoldenExecutor::~GoldenExecutor() = default;

Status GoldenExecutor::CheckInputs(const std::vector<IntTensor>& inputs) const {
  if (inputs.size() != graph_.inputs.size()) {
    return Error{"",
                 0,
                 0,
                 graph_.name,
                 fmt::format("{} input tensors given, the network has {}", inputs.size(),
                             graph_.inputs.size()),
                 "give one tensor for each input of the network, in its order"};
  }
  Errors errors;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const IntValue& wanted = graph_.value(graph_.inputs[i]);
    if (inputs[i].shape != wanted.shape || wanted.shape.Elements() != inputs[i].elements()) {
      errors.push_back(Error{"", 0, 0, wanted.name,
                             fmt::format("the input has shape {}, the network takes {}",
                                         inputs[i].shape.ToString(), wanted.shape.ToString()),
                             "convert the input, or bind the network to its shape on import"});
      continue;
    }
    const Extremes extremes = ExtremesOf(inputs[i]);
    if (Fits(extremes, wanted)) continue;
    const Range range = RangeOf(wanted);
    errors.push_back(Error{"", 0, 0, wanted.name,
                           fmt::format("the input holds {}..{}; allowed is {}..{}", extremes.low,
                                       extremes.high, range.low, range.high),
                           "quantise the input with the scale that the network asks for"});
  }
  if (!errors.empty()) return errors;
  return OkStatus();
}

Result<GoldenRun> GoldenExecutor::Run(const std::vector<IntTensor>& inputs,
                                      const Observer& observer) const {
  BW_RETURN_IF_ERROR(CheckInputs(inputs));
  std::vector<IntTensor> results(graph_.values.size());
  std::vector<const IntTensor*> found(graph_.values.size(), nullptr);
  for (size_t id = 0; id < found.size(); ++id) {
    if (!constants_[id].data.empty()) found[id] = &constants_[id];
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    found[static_cast<size_t>(graph_.inputs[i])] = &inputs[i];
  }

  GoldenRun run;
  run.counts.resize(graph_.nodes.size());
  std::vector<const IntTensor*> operands;
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    const graph::IntNode& node = graph_.nodes[i];
    operands.clear();
    for (const IntValueId id : node.inputs) {
      operands.push_back(found[static_cast<size_t>(id)]);
      BW_CHECK(operands.back() != nullptr, "{} reads {} before it is made", node.name,
               graph_.value(id).name);
    }
    const auto out_id = static_cast<size_t>(node.output);
    const IntValue& value = graph_.value(node.output);
    results[out_id] = IntTensor(value.shape);
    kernels_[i]->Run(operands, results[out_id], run.counts[i]);
    const Extremes extremes = ExtremesOf(results[out_id]);
    BW_CHECK(Fits(extremes, value), "{}: {}..{} leave {} bits", node.name, extremes.low,
             extremes.high, value.bits);
    found[out_id] = &results[out_id];
    if (observer) observer(i, results[out_id]);
    for (const IntValueId id : node.inputs) {
      const auto index = static_cast<size_t>(id);
      if (last_use_[index] == i && found[index] == &results[index]) results[index] = IntTensor{};
    }
  }
  for (const IntValueId id : graph_.outputs) {
    run.outputs.push_back(*found[static_cast<size_t>(id)]);
  }
  return run;
}

}  // namespace bw::golden
