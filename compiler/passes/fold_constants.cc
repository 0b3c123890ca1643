#include "compiler/graph/evaluate.h"
#include "compiler/passes/passes.h"
#include "compiler/passes/rewrite.h"

namespace bw::passes {

Status FoldConstants(graph::Graph& graph) {
  std::vector<bool> folded(graph.nodes.size());
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    BW_ASSIGN_OR_RETURN(folded[i], FoldNode(graph, graph.nodes[i]));
  }
  EraseMarked(graph, folded);
  return OkStatus();
}

}  // namespace bw::passes
