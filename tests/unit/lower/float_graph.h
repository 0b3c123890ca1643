// Small float graphs by hand.
#ifndef TESTS_UNIT_LOWER_FLOAT_GRAPH_H_
#define TESTS_UNIT_LOWER_FLOAT_GRAPH_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/calibrate/ranges.h"
#include "compiler/graph/graph.h"

namespace bw::lower {

// Builds a graph node by node; every activation gets the range [-max_abs, max_abs] that is said.
class FloatGraph {
 public:
  graph::ValueId Input(const std::string& name, tensor::Shape shape, double max_abs) {
    const auto id = Activation(name, std::move(shape), max_abs);
    graph.inputs.push_back(id);
    return id;
  }
  graph::ValueId Constant(const std::string& name, tensor::Shape shape, std::vector<float> data) {
    graph::Value value;
    value.name = name;
    value.shape = shape;
    value.constant = tensor::Tensor::From<float>(std::move(shape), data);
    return graph.AddValue(std::move(value));
  }
  graph::ValueId Node(graph::Op op, const std::string& name, std::vector<graph::ValueId> inputs,
                      tensor::Shape shape, double max_abs,
                      std::map<std::string, graph::Attribute> attributes = {}) {
    const auto out = Activation(name + "_out", std::move(shape), max_abs);
    graph::Node node;
    node.op = op;
    node.name = name;
    node.inputs = std::move(inputs);
    node.outputs = {out};
    node.attributes = std::move(attributes);
    graph.nodes.push_back(std::move(node));
    return out;
  }
  void Output(graph::ValueId id) { graph.outputs.push_back(id); }

  graph::Graph graph;
  calibrate::Ranges ranges;

 private:
  graph::ValueId Activation(const std::string& name, tensor::Shape shape, double max_abs) {
    graph::Value value;
    value.name = name;
    value.shape = std::move(shape);
    ranges[name] = {-max_abs, max_abs};
    return graph.AddValue(std::move(value));
  }
};

inline std::map<std::string, graph::Attribute> ConvAttributes() {
  using Ints = std::vector<int64_t>;
  return {{"strides", Ints{1, 1}},
          {"dilations", Ints{1, 1}},
          {"pads", Ints{0, 0, 0, 0}},
          {"group", int64_t{1}}};
}

}  // namespace bw::lower

#endif  // TESTS_UNIT_LOWER_FLOAT_GRAPH_H_
