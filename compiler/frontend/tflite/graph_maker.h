// Grows the graph value by value and node by node: unique names, inferred shapes, folded constants.
#ifndef COMPILER_FRONTEND_TFLITE_GRAPH_MAKER_H_
#define COMPILER_FRONTEND_TFLITE_GRAPH_MAKER_H_

#include <map>
#include <optional>
#include <string>

#include "compiler/frontend/tflite/constant.h"
#include "compiler/graph/graph.h"
#include "models/status/result.h"

namespace bw::frontend::tflite {

using Attributes = std::map<std::string, graph::Attribute>;

class GraphMaker {
 public:
  // `file_bytes` bounds the constants that are made: a file cannot ask for much more than it holds.
  GraphMaker(std::string file, size_t file_bytes);

  graph::Graph& graph() { return graph_; }
  const graph::Graph& graph() const { return graph_; }

  // `name`, or `name` with a number when another value or node has it. The result is taken.
  std::string FreshValueName(const std::string& name) { return Fresh(name, &value_names_); }
  std::string FreshNodeName(const std::string& name) { return Fresh(name, &node_names_); }

  Result<graph::ValueId> AddConstant(const std::string& name, Constant constant);
  // Adds a node with one result. Data that moves from constants alone becomes a constant, and no
  // node remains.
  Result<graph::ValueId> Add(graph::Node node, const std::string& value_name,
                             std::optional<graph::Quantisation> quantisation);

 private:
  using Names = std::map<std::string, int>;  // with the number to try next
  static std::string Fresh(const std::string& name, Names* taken);
  Error Fail(std::string place, std::string message, std::string hint = "") const;
  Status Spend(const std::string& place, int64_t elements);
  Result<bool> Fold(const graph::Node& node);

  graph::Graph graph_;
  int64_t budget_;  // elements of constants
  Names value_names_;
  Names node_names_;
};

}  // namespace bw::frontend::tflite

#endif  // COMPILER_FRONTEND_TFLITE_GRAPH_MAKER_H_
