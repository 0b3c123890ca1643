#include "sim/cosim/golden_trace.h"

#include <deque>
#include <utility>

#include "models/status/check.h"

namespace bw::cosim {
namespace {

// The tensor of an input or of a node's result; nullptr for constants.
const golden::IntTensor* Find(const graph::IntGraph& graph, const GoldenTrace& trace,
                              graph::IntValueId id) {
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    if (graph.inputs[i] == id) return &trace.inputs.at(i);
  }
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (graph.nodes[i].output == id) return &trace.results.at(i);
  }
  return nullptr;
}

}  // namespace

Result<GoldenTrace> TraceGolden(const golden::GoldenExecutor& executor,
                                std::vector<golden::IntTensor> inputs) {
  GoldenTrace trace;
  const auto keep = [&trace](size_t, const golden::IntTensor& result) {
    trace.results.push_back(result);
  };
  BW_ASSIGN_OR_RETURN(golden::GoldenRun run, executor.Run(inputs, keep));
  trace.inputs = std::move(inputs);
  trace.counts = std::move(run.counts);
  return trace;
}

const golden::IntTensor& OutputOf(const graph::IntGraph& graph, const GoldenTrace& trace,
                                  size_t index) {
  const golden::IntTensor* found = Find(graph, trace, graph.outputs.at(index));
  BW_CHECK(found != nullptr, "output {} of {} is a constant", index, graph.name);
  return *found;
}

Explanation ExplainIn(const graph::IntGraph& graph, const GoldenTrace& trace, size_t node,
                      int64_t at) {
  std::deque<golden::IntTensor> constants;  // stable addresses
  std::vector<const golden::IntTensor*> operands;
  for (const graph::IntValueId id : graph.nodes.at(node).inputs) {
    operands.push_back(Find(graph, trace, id));
    if (operands.back() != nullptr) continue;
    const graph::IntValue& value = graph.value(id);
    operands.back() = &constants.emplace_back(value.shape, value.constant);
  }
  return Explain(graph, node, operands, at);
}

}  // namespace bw::cosim
