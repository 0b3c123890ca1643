// Small edits that all passes share.
#ifndef COMPILER_PASSES_REWRITE_H_
#define COMPILER_PASSES_REWRITE_H_

#include <string>
#include <vector>

#include "compiler/graph/graph.h"

namespace bw::passes {

// A value name that no value of the graph has: `base`, else `base` with a number.
std::string FreshValueName(const graph::Graph& graph, const std::string& base);
std::string FreshNodeName(const graph::Graph& graph, const std::string& base);

// A new float32 constant, rounded from doubles.
graph::ValueId AddFloats(graph::Graph& graph, const std::string& base, tensor::Shape shape,
                         const std::vector<double>& values);

// The node that makes `id`, if node `reader` is the only one that reads it (once or more), it is no
// graph output and carries no quantisation, which is a rounding between the two; else nullptr.
graph::Node* SoleProducer(graph::Graph& graph, graph::ValueId id, int reader);

// Every reader of `from`, graph outputs included, reads `to` instead.
void ReplaceUses(graph::Graph& graph, graph::ValueId from, graph::ValueId to);

// Removes the nodes whose indices are marked.
void EraseMarked(graph::Graph& graph, const std::vector<bool>& marked);

bool IsConstant(const graph::Graph& graph, graph::ValueId id);

}  // namespace bw::passes

#endif  // COMPILER_PASSES_REWRITE_H_
