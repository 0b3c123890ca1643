// What each kind of integer node asks of its operands, parameters and result.
#ifndef COMPILER_GRAPH_VERIFY_INT_NODES_H_
#define COMPILER_GRAPH_VERIFY_INT_NODES_H_

#include <string>
#include <vector>

#include "compiler/graph/int_graph.h"

namespace bw::graph {

// Every problem of one node; none means sound. All ids exist and all values are sound by
// themselves.
std::vector<std::string> VerifyIntNode(const IntGraph& graph, const IntNode& node);

}  // namespace bw::graph

#endif  // COMPILER_GRAPH_VERIFY_INT_NODES_H_
