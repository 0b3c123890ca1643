// Small float graphs for tests: values and nodes by name, shapes by inference.
#ifndef TESTS_SUPPORT_GRAPH_BUILDER_H_
#define TESTS_SUPPORT_GRAPH_BUILDER_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/graph/graph.h"

namespace bw::graph {

class Builder {
 public:
  Builder() { graph.name = graph.file = "test.onnx"; }

  ValueId Input(const std::string& name, tensor::Shape shape,
                tensor::DType dtype = tensor::DType::kF32) {
    const ValueId id = graph.AddValue({name, dtype, std::move(shape), std::nullopt});
    graph.inputs.push_back(id);
    return id;
  }
  template <typename T>
  ValueId Constant(const std::string& name, tensor::Shape shape, const std::vector<T>& values) {
    tensor::Tensor tensor = tensor::Tensor::From<T>(shape, values);
    return graph.AddValue({name, tensor.dtype(), tensor.shape(), std::move(tensor)});
  }
  // Adds a node and its result, named `name` both, and infers the result's shape. A problem is kept
  // in `status`.
  ValueId Add(Op op, const std::string& name, std::vector<ValueId> inputs,
              std::map<std::string, Attribute> attributes = {}) {
    const ValueId output = graph.AddValue({name, tensor::DType::kF32, {}, std::nullopt});
    graph.nodes.push_back({op, name, std::move(inputs), {output}, std::move(attributes)});
    status = InferShapes(graph, graph.nodes.back());
    return output;
  }
  // The shape that the operator makes, as text, or the error.
  std::string Infer(Op op, std::vector<ValueId> inputs,
                    std::map<std::string, Attribute> attributes = {}) {
    const ValueId id =
        Add(op, "n" + std::to_string(graph.nodes.size()), std::move(inputs), std::move(attributes));
    if (!status.ok()) return ToString(status.errors());
    return graph.value(id).shape.ToString();
  }

  Graph graph;
  Status status = OkStatus();
};

using Ints = std::vector<int64_t>;

inline std::map<std::string, Attribute> ConvAttributes(Ints strides = {1, 1},
                                                       Ints pads = {0, 0, 0, 0},
                                                       Ints dilations = {1, 1}, int64_t group = 1) {
  return {{"strides", strides}, {"pads", pads}, {"dilations", dilations}, {"group", group}};
}

}  // namespace bw::graph

#endif  // TESTS_SUPPORT_GRAPH_BUILDER_H_
