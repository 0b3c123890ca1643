#include "compiler/graph/evaluate.h"
#include "compiler/passes/passes.h"
#include "compiler/passes/rewrite.h"

namespace bw::passes {

Status FoldConstants(graph::Graph& graph) {
  std::vector<bool> folded(graph.nodes.size());
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    BW_ASSIGN_OR_RETURN(auto constant, EvaluateConstant(graph, graph.nodes[i]));
    if (!constant) continue;
    graph.value(graph.nodes[i].outputs[0]).constant = std::move(constant);
    folded[i] = true;
  }
  EraseMarked(graph, folded);
  return OkStatus();
}

}  // namespace bw::passes
