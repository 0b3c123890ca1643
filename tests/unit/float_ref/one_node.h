// Graphs of one node, for tests of single operators.
#ifndef TESTS_UNIT_FLOAT_REF_ONE_NODE_H_
#define TESTS_UNIT_FLOAT_REF_ONE_NODE_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/graph/graph.h"
#include "models/float_ref/executor.h"

namespace bw::float_ref {

using Attributes = std::map<std::string, graph::Attribute>;
using Ints = std::vector<int64_t>;

inline tensor::Tensor F32(tensor::Shape shape, const std::vector<float>& values) {
  return tensor::Tensor::From<float>(std::move(shape), values);
}

// A graph whose only node reads `inputs` (all of them graph inputs).
inline graph::Graph OneNode(graph::Op op, Attributes attributes,
                            const std::vector<tensor::Tensor>& inputs, tensor::Shape out_shape) {
  graph::Graph g;
  graph::Node node;
  node.op = op;
  node.name = "node";
  node.attributes = std::move(attributes);
  for (const tensor::Tensor& input : inputs) {
    graph::Value value;
    value.name = "in" + std::to_string(node.inputs.size());
    value.dtype = input.dtype();
    value.shape = input.shape();
    node.inputs.push_back(g.AddValue(value));
  }
  g.inputs = node.inputs;
  graph::Value out;
  out.name = "out";
  out.dtype = inputs.at(0).dtype();
  out.shape = std::move(out_shape);
  node.outputs = g.outputs = {g.AddValue(out)};
  g.nodes.push_back(std::move(node));
  return g;
}

inline tensor::Tensor Evaluate(graph::Op op, Attributes attributes,
                               const std::vector<tensor::Tensor>& inputs, tensor::Shape out_shape) {
  const graph::Graph g = OneNode(op, std::move(attributes), inputs, std::move(out_shape));
  return FloatExecutor(g).Run(inputs).value().at(0);
}

}  // namespace bw::float_ref

#endif  // TESTS_UNIT_FLOAT_REF_ONE_NODE_H_
