// The graph as the back end takes it.
#ifndef COMPILER_CODEGEN_PREPARE_GRAPH_H_
#define COMPILER_CODEGEN_PREPARE_GRAPH_H_

#include <cstdint>
#include <vector>

#include "compiler/graph/int_graph.h"
#include "models/hwconfig/hw_config.h"
#include "models/status/result.h"

namespace bw::codegen {

struct PreparedGraph {
  graph::IntGraph graph;
  std::vector<uint32_t> layer;  // by node: the node of the original graph
  std::vector<bool> is_result;  // by node: whether its output is that node's output
};
// A reshape between shapes that have no common axes goes through a flat tensor.
PreparedGraph PrepareGraph(const graph::IntGraph& graph);

// What this hardware cannot do, whatever the tiles: all problems.
Status CheckSupport(const graph::IntGraph& graph, const hwconfig::HwConfig& config);

// Layers whose sums can leave acc_bits, by the weights' magnitudes: sum of |w - zp| times the
// largest |a - zp|, plus |bias|. One line a layer.
std::vector<std::string> AccumulatorWarnings(const graph::IntGraph& graph,
                                             const hwconfig::HwConfig& config);

}  // namespace bw::codegen

#endif  // COMPILER_CODEGEN_PREPARE_GRAPH_H_
