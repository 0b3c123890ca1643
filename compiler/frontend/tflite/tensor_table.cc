#include "compiler/frontend/tflite/tensor_table.h"

#include <fmt/format.h>

#include "compiler/frontend/tflite/layout.h"

namespace bw::frontend::tflite {

TensorTable::TensorTable(const FileModel& model, GraphMaker* maker)
    : model_(model), maker_(*maker), is_result_(model.tensors.size()) {
  for (const FileOperator& op : model.operators) {
    for (const int32_t index : op.outputs) {
      if (Exists(index)) is_result_[static_cast<size_t>(index)] = true;
    }
  }
  for (const int32_t index : model.inputs) {
    if (Exists(index)) is_result_[static_cast<size_t>(index)] = true;
  }
}

std::string TensorTable::Label(int32_t index) const {
  const std::string& name = tensor(index).name;
  const std::string first = name.substr(0, name.find(';'));
  return first.empty() ? fmt::format("tensor {}", index) : first;
}

const std::string& TensorTable::ValueName(int32_t index) {
  const auto known = names_.find(index);
  if (known != names_.end()) return known->second;
  return names_[index] = maker_.FreshValueName(Label(index));
}

Error TensorTable::Fail(int32_t index, std::string message, std::string hint) const {
  return Error{
      maker_.graph().file, 0, 0, fmt::format("subgraph 0, {}", Label(index)), std::move(message),
      std::move(hint)};
}

bool TensorTable::IsConstant(int32_t index) const {
  if (constants_.count(index) != 0) return true;
  const FileTensor& file = tensor(index);
  if (!file.data.empty() || file.is_external) return true;
  if (is_result_[static_cast<size_t>(index)]) return false;
  for (const int32_t extent : file.shape) {
    if (extent == 0) return true;
  }
  return false;
}

Result<const Constant*> TensorTable::ConstantOf(int32_t index) {
  const auto known = constants_.find(index);
  if (known != constants_.end()) return &known->second;
  Result<Constant> constant = ReadConstant(tensor(index));
  if (!constant.ok()) return Fail(index, constant.errors()[0].message);
  return &constants_.emplace(index, std::move(constant).value()).first->second;
}

Result<graph::ValueId> TensorTable::ValueOf(int32_t index) {
  const auto known = values_.find(index);
  if (known != values_.end()) return known->second;
  if (!IsConstant(index)) {
    if (tensor(index).is_variable) return Fail(index, "is a variable, which is not supported");
    if (IsIndexType(tensor(index).type)) {
      return Fail(index, fmt::format("is {} and not constant; activations are float32, int8, uint8 "
                                     "or int16",
                                     TypeName(tensor(index).type)));
    }
    return Fail(index, "is read before anything makes it");
  }
  if (IsIndexType(tensor(index).type) || tensor(index).type == TensorType::kBool) {
    return Fail(index, fmt::format("is {}; operands are float32, int8, uint8 or int16",
                                   TypeName(tensor(index).type)));
  }
  BW_ASSIGN_OR_RETURN(const Constant* constant, ConstantOf(index));
  const bool reorder = constant->shape.rank() == kMostRank;
  BW_ASSIGN_OR_RETURN(
      const graph::ValueId id,
      maker_.AddConstant(Label(index), reorder ? Permuted(*constant, ToGraphOrder()) : *constant));
  return values_[index] = id;
}

Result<tensor::Shape> TensorTable::ShapeOf(int32_t index) {
  const auto made = values_.find(index);
  if (made != values_.end()) return FileShape(maker_.graph().value(made->second).shape);
  const auto constant = constants_.find(index);
  if (constant != constants_.end()) return constant->second.shape;
  const Result<CheckedTensor> checked = CheckTensor(tensor(index));
  if (!checked.ok()) return Fail(index, checked.errors()[0].message);
  return checked->shape;
}

Status TensorTable::CheckNew(int32_t index) const {
  if (IsConstant(index)) return Fail(index, "holds data and is also made");
  if (IsMade(index)) return Fail(index, "is made twice");
  return OkStatus();
}

Status TensorTable::Define(int32_t index, graph::ValueId id) {
  BW_RETURN_IF_ERROR(CheckNew(index));
  values_[index] = id;
  return OkStatus();
}

Status TensorTable::Define(int32_t index, Constant constant) {
  BW_RETURN_IF_ERROR(CheckNew(index));
  constants_.emplace(index, std::move(constant));
  return OkStatus();
}

}  // namespace bw::frontend::tflite
