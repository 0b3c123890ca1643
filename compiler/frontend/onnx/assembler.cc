#include "compiler/frontend/onnx/assembler.h"

#include <fmt/format.h>

#include "compiler/graph/evaluate.h"

namespace bw::frontend {

Assembler::Assembler(std::string file) { graph_.file = std::move(file); }

std::string Assembler::Fresh(const std::string& name, std::set<std::string>* taken) {
  if (!name.empty() && taken->insert(name).second) return name;
  for (int i = 2;; ++i) {
    std::string other = fmt::format("{}_{}", name, i);
    if (taken->insert(other).second) return other;
  }
}

graph::ValueId Assembler::AddConstant(const std::string& name, tensor::Tensor tensor) {
  return graph_.AddValue({name, tensor.dtype(), tensor.shape(), std::move(tensor)});
}

Result<graph::ValueId> Assembler::Add(graph::Node node, const std::string& value_name) {
  const graph::ValueId output = graph_.AddValue({value_name, tensor::DType::kF32, {}, {}});
  node.outputs = {output};
  BW_RETURN_IF_ERROR(InferShapes(graph_, node));
  BW_ASSIGN_OR_RETURN(auto folded, EvaluateConstant(graph_, node));
  if (folded) {
    graph_.value(output).constant = std::move(folded);
    return output;
  }
  const tensor::DType dtype = graph_.value(output).dtype;
  if (dtype != tensor::DType::kF32) {
    return Error{graph_.file,
                 0,
                 0,
                 fmt::format("{} {}", ToString(node.op), node.name),
                 fmt::format("makes {} values from activations; only float32 is supported",
                             tensor::DTypeName(dtype)),
                 "integer values must be constant once the input shapes are known"};
  }
  graph_.nodes.push_back(std::move(node));
  return output;
}

}  // namespace bw::frontend
