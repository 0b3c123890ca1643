// Everything that the golden model computes for one sample.
#ifndef SIM_COSIM_GOLDEN_TRACE_H_
#define SIM_COSIM_GOLDEN_TRACE_H_

#include <cstddef>
#include <vector>

#include "compiler/graph/int_graph.h"
#include "models/golden/executor.h"
#include "models/golden/int_tensor.h"
#include "models/status/result.h"
#include "sim/cosim/explain.h"

namespace bw::cosim {

struct GoldenTrace {
  std::vector<golden::IntTensor> inputs;   // in the order of graph.inputs
  std::vector<golden::IntTensor> results;  // by node
  std::vector<golden::NodeCounts> counts;  // by node
};

Result<GoldenTrace> TraceGolden(const golden::GoldenExecutor& executor,
                                std::vector<golden::IntTensor> inputs);

// The value that output `index` of the graph has in a trace.
const golden::IntTensor& OutputOf(const graph::IntGraph& graph, const GoldenTrace& trace,
                                  size_t index);
// Element `at` of the result of `node` in a trace, explained.
Explanation ExplainIn(const graph::IntGraph& graph, const GoldenTrace& trace, size_t node,
                      int64_t at);

}  // namespace bw::cosim

#endif  // SIM_COSIM_GOLDEN_TRACE_H_
