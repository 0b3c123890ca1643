#include "compiler/frontend/onnx/assembler.h"

#include <fmt/format.h>

#include "compiler/graph/evaluate.h"
#include "compiler/graph/quant_operands.h"

namespace bw::frontend {

Assembler::Assembler(std::string file) { graph_.file = std::move(file); }

std::string Assembler::Fresh(const std::string& name, std::set<std::string>* taken) {
  if (!name.empty() && taken->insert(name).second) return name;
  for (int& i = next_number_.emplace(name, 2).first->second;; ++i) {
    std::string other = fmt::format("{}_{}", name, i);
    if (taken->insert(other).second) return other;
  }
}

Status Assembler::Charge(const std::string& place, size_t bytes) {
  constexpr size_t kFree = size_t{1} << 28;
  made_bytes_ += bytes;
  const size_t most = kFree + 4 * given_bytes_;
  if (made_bytes_ <= most) return OkStatus();
  return Error{graph_.file,
               0,
               0,
               place,
               fmt::format("computed constants take {} bytes up to here; at most {} are allowed",
                           made_bytes_, most),
               "save the results in the file, for instance by constant folding on export"};
}

graph::ValueId Assembler::AddConstant(const std::string& name, tensor::Tensor tensor) {
  given_bytes_ += tensor.byte_size();
  return graph_.AddValue({name, tensor.dtype(), tensor.shape(), std::move(tensor)});
}

// Integers come from quantised operators, and pass through those that move data.
bool Assembler::MayMake(const graph::Node& node, tensor::DType dtype) const {
  if (dtype == tensor::DType::kF32 || graph::IsQuantised(node.op)) return true;
  return !node.inputs.empty() && graph_.value(node.inputs[0]).dtype == dtype &&
         graph::MovesIntegers(node.op);
}

Result<graph::ValueId> Assembler::Add(graph::Node node, const std::string& value_name) {
  const graph::ValueId output = graph_.AddValue({value_name, tensor::DType::kF32, {}, {}});
  node.outputs = {output};
  BW_RETURN_IF_ERROR(InferShapes(graph_, node));
  BW_ASSIGN_OR_RETURN(const bool folded, FoldNode(graph_, node));
  if (folded) {
    const graph::Value& value = graph_.value(output);
    size_t bytes = value.constant->byte_size();
    if (value.quantisation) bytes += value.quantisation->integers.size() * sizeof(int32_t);
    BW_RETURN_IF_ERROR(Charge(fmt::format("{} {}", ToString(node.op), node.name), bytes));
    return output;
  }
  const tensor::DType dtype = graph_.value(output).dtype;
  if (!graph::IsActivationType(dtype) || !MayMake(node, dtype)) {
    return Error{graph_.file,
                 0,
                 0,
                 fmt::format("{} {}", ToString(node.op), node.name),
                 fmt::format("makes {} values from activations; only float32 is supported",
                             tensor::DTypeName(dtype)),
                 "integer values must be constant once the input shapes are known, or come from "
                 "quantised operators"};
  }
  graph_.nodes.push_back(std::move(node));
  return output;
}

}  // namespace bw::frontend
