#include "compiler/passes/passes.h"
#include "compiler/passes/rewrite.h"

namespace bw::passes {

Status RemoveDead(graph::Graph& graph) {
  std::vector<bool> live(graph.values.size());
  for (const graph::ValueId id : graph.outputs) live[static_cast<size_t>(id)] = true;
  std::vector<bool> dead(graph.nodes.size());
  for (size_t i = graph.nodes.size(); i-- > 0;) {
    const graph::Node& node = graph.nodes[i];
    dead[i] = !live[static_cast<size_t>(node.outputs[0])];
    if (dead[i]) continue;
    for (const graph::ValueId id : node.inputs) {
      if (id != graph::kNoValue) live[static_cast<size_t>(id)] = true;
    }
  }
  EraseMarked(graph, dead);
  return OkStatus();
}

}  // namespace bw::passes
