#include <algorithm>

#include "compiler/passes/passes.h"
#include "compiler/passes/rewrite.h"

namespace bw::passes {
namespace {

using graph::Graph;
using graph::Node;
using graph::Op;
using graph::Value;
using graph::ValueId;

bool Contains(const std::vector<ValueId>& ids, ValueId id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

// Every reader of `id` is an Identity into the same quantised format.
bool AllQuantiseAlike(const Graph& graph, ValueId id) {
  const Value* first = nullptr;
  for (const int reader : graph.Consumers(id)) {
    const Node& node = graph.nodes[static_cast<size_t>(reader)];
    if (node.op != Op::kIdentity) return false;
    const Value& made = graph.value(node.outputs[0]);
    if (!made.quantisation ||
        (first != nullptr && !SameNumbers(*first->quantisation, *made.quantisation)))
      return false;
    first = &made;
  }
  return first != nullptr && !graph.IsOutput(id);
}

// Identity from reals that nothing else reads to a quantised value: the reals become that value.
bool Merge(Graph& graph, const Node& node) {
  if (node.op != Op::kIdentity) return false;
  const ValueId in = node.inputs[0], out = node.outputs[0];
  Value& reals = graph.value(in);
  const bool merges = !reals.quantisation && graph.value(out).quantisation && !reals.constant &&
                      AllQuantiseAlike(graph, in);
  if (!merges) return false;
  if (graph.IsOutput(out)) {
    if (Contains(graph.inputs, in) || graph.Consumers(in).size() != 1) return false;
    graph.nodes[static_cast<size_t>(graph.Producer(in))].outputs[0] = out;
    return true;
  }
  // The readers, this node among them, are left between equal formats.
  reals.quantisation = graph.value(out).quantisation;
  ReplaceUses(graph, out, in);
  return true;
}

}  // namespace

Status MergeQuantise(Graph& graph) {
  for (size_t i = 0; i < graph.nodes.size();) {
    std::vector<bool> gone(graph.nodes.size());
    gone[i] = Merge(graph, graph.nodes[i]);
    if (gone[i]) {
      EraseMarked(graph, gone);
    } else {
      ++i;
    }
  }
  return OkStatus();
}

}  // namespace bw::passes
