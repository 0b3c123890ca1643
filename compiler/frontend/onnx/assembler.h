// Grows a graph node by node: shapes are inferred and constants folded as nodes arrive.
#ifndef COMPILER_FRONTEND_ONNX_ASSEMBLER_H_
#define COMPILER_FRONTEND_ONNX_ASSEMBLER_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "models/status/result.h"

namespace bw::frontend {

using Attributes = std::map<std::string, graph::Attribute>;

class Assembler {
 public:
  explicit Assembler(std::string file);

  graph::Graph& graph() { return graph_; }
  const graph::Graph& graph() const { return graph_; }

  // Keeps a value name for the file's own use, so that no made-up name takes it.
  void Reserve(const std::string& name) { value_names_.insert(name); }
  // `name`, or `name` with a number when another value or node has it. The result is taken.
  std::string FreshValueName(const std::string& name) { return Fresh(name, &value_names_); }
  std::string FreshNodeName(const std::string& name) { return Fresh(name, &node_names_); }

  // Accounts for memory that the node at `place` takes beyond what the file holds. An error when a
  // file makes much more of itself: 2^28 bytes and four times the constants that it gives.
  Status Charge(const std::string& place, size_t bytes);

  graph::ValueId AddConstant(const std::string& name, tensor::Tensor tensor);

  // Adds a node with one result. When all operands are constant and the operator can be evaluated,
  // the result is a constant and no node remains. Other results are float32, or the integers of
  // quantised operators; anything else is an error.
  Result<graph::ValueId> Add(graph::Node node, const std::string& value_name);

 private:
  bool MayMake(const graph::Node& node, tensor::DType dtype) const;
  std::string Fresh(const std::string& name, std::set<std::string>* taken);

  graph::Graph graph_;
  std::set<std::string> value_names_;
  std::set<std::string> node_names_;
  std::map<std::string, int> next_number_;  // by name, of Fresh
  size_t given_bytes_ = 0;                  // of constants in the file
  size_t made_bytes_ = 0;                   // charged
};

}  // namespace bw::frontend

#endif  // COMPILER_FRONTEND_ONNX_ASSEMBLER_H_
