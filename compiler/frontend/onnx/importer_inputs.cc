// Graph inputs: types, and extents from the file and the caller's bindings.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/frontend/onnx/importer.h"
#include "compiler/graph/element_type.h"
#include "compiler/graph/infer.h"
#include "compiler/graph/quant_operands.h"

namespace bw::frontend {
namespace {

std::string Place(const onnx::ValueInfoProto& info) { return fmt::format("input {}", info.name()); }

const onnx::TensorShapeProto& DeclaredShape(const onnx::ValueInfoProto& info) {
  return info.type().tensor_type().shape();
}

std::string TypeName(int32_t number) {
  if (!onnx::TensorProto::DataType_IsValid(number)) return std::to_string(number);
  return onnx::TensorProto::DataType_Name(static_cast<onnx::TensorProto::DataType>(number));
}

// Exporters write 0 and -1 for extents that they leave open.
bool IsFixed(const onnx::TensorShapeProto::Dimension& dim) {
  return dim.has_dim_value() && dim.dim_value() > 0;
}

// "1x3xHxW": fixed extents as numbers, the others by name or '?'.
std::string DeclaredText(const onnx::ValueInfoProto& info) {
  std::string text;
  for (const auto& dim : DeclaredShape(info).dim()) {
    if (!text.empty()) text += "x";
    if (IsFixed(dim)) {
      text += std::to_string(dim.dim_value());
    } else {
      text += dim.dim_param().empty() ? "?" : dim.dim_param();
    }
  }
  return text;
}

}  // namespace

std::vector<int64_t> Importer::Extents(const onnx::ValueInfoProto& info,
                                       const std::vector<int64_t>* binding) {
  const auto misfit = [&](const std::string& what) {
    errors_.push_back(Fail(
        Place(info), fmt::format("shape {} does not fit the declared {}: {}",
                                 tensor::Shape(*binding).ToString(), DeclaredText(info), what)));
  };
  if (!info.type().tensor_type().has_shape() && binding != nullptr) return *binding;
  std::vector<int64_t> extents;
  for (const auto& dim : DeclaredShape(info).dim()) {
    extents.push_back(IsFixed(dim) ? dim.dim_value() : -1);
  }
  if (binding == nullptr) return extents;
  if (binding->size() != extents.size()) {
    misfit(fmt::format("{} extents instead of {}", binding->size(), extents.size()));
    return *binding;
  }
  for (size_t i = 0; i < extents.size(); ++i) {
    if (extents[i] >= 0 && extents[i] != (*binding)[i]) {
      misfit(fmt::format("axis {} is fixed at {}", i, extents[i]));
    }
    extents[i] = (*binding)[i];
    const std::string& symbol = DeclaredShape(info).dim(static_cast<int>(i)).dim_param();
    if (symbol.empty()) continue;
    const auto [known, fresh] = symbols_.emplace(symbol, extents[i]);
    if (!fresh && known->second != extents[i]) {
      misfit(fmt::format("{} is {} elsewhere", symbol, known->second));
    }
  }
  return extents;
}

void Importer::ReportOpenExtents(const onnx::ValueInfoProto& info,
                                 const std::vector<int64_t>& extents) {
  std::string open, example;
  for (size_t i = 0; i < extents.size(); ++i) {
    if (i > 0) example += "x";
    example += extents[i] >= 0 ? std::to_string(extents[i]) : (i == 0 ? "1" : "64");
    if (extents[i] >= 0) continue;
    const std::string& symbol = DeclaredShape(info).dim(static_cast<int>(i)).dim_param();
    open += fmt::format("{}{}{}", open.empty() ? "" : ", ", i,
                        symbol.empty() ? "" : fmt::format(" ('{}')", symbol));
  }
  errors_.push_back(
      Fail(Place(info),
           fmt::format("the file leaves extents open: axis {} of {}", open, DeclaredText(info)),
           fmt::format("give them all, for instance --shape {}={}", info.name(), example)));
}

void Importer::AddInput(const onnx::ValueInfoProto& info, const std::vector<int64_t>* binding) {
  if (!info.type().has_tensor_type()) {
    errors_.push_back(Fail(Place(info), "is not a tensor; only tensors are supported"));
    return;
  }
  const int32_t type = info.type().tensor_type().elem_type();
  const auto dtype = graph::DTypeFromOnnx(type);
  if (!dtype || !graph::IsActivationType(*dtype)) {
    errors_.push_back(Fail(Place(info), fmt::format("has type {}; activations must be FLOAT "
                                                    "(float32), or UINT8, INT8 or INT32",
                                                    TypeName(type))));
    return;
  }
  if (!info.type().tensor_type().has_shape() && binding == nullptr) {
    errors_.push_back(Fail(Place(info), "has no shape",
                           fmt::format("give it, for instance --shape {}=1x3x64x64", info.name())));
    return;
  }
  std::vector<int64_t> extents = Extents(info, binding);
  for (size_t i = 0; i < extents.size(); ++i) {
    if (extents[i] >= 0) continue;
    const auto known = symbols_.find(DeclaredShape(info).dim(static_cast<int>(i)).dim_param());
    if (known == symbols_.end()) {
      ReportOpenExtents(info, extents);
      return;
    }
    extents[i] = known->second;
  }
  const tensor::Shape shape(extents);
  if (!graph::IsSound(shape)) {
    errors_.push_back(
        Fail(Place(info), fmt::format("shape {} has too many elements", shape.ToString())));
    return;
  }
  const auto id =
      Define(info.name(), assembler_.graph().AddValue({info.name(), *dtype, shape, {}}));
  if (!id.ok()) errors_.push_back(id.errors()[0]);
}

std::vector<const onnx::ValueInfoProto*> Importer::ActivationInputs() {
  std::vector<const onnx::ValueInfoProto*> inputs;
  for (const onnx::ValueInfoProto& info : proto_.input()) {
    if (ids_.count(info.name()) != 0) continue;  // old files list initializers among the inputs
    const auto given = options_.constants.find(info.name());
    if (given == options_.constants.end()) {
      inputs.push_back(&info);
      continue;
    }
    const auto id = Define(info.name(), assembler_.AddConstant(info.name(), given->second));
    if (!id.ok()) errors_.push_back(id.errors()[0]);
  }
  return inputs;
}

std::map<std::string, const std::vector<int64_t>*> Importer::MatchBindings(
    const std::vector<const onnx::ValueInfoProto*>& inputs) {
  std::set<std::string> names;
  for (const onnx::ValueInfoProto* info : inputs) names.insert(info->name());
  std::map<std::string, const std::vector<int64_t>*> bindings;
  for (const auto& [name, extents] : options_.bindings) {
    const bool sole = name.empty() && inputs.size() == 1;
    if (sole || names.count(name) != 0) {
      bindings[sole ? inputs[0]->name() : name] = &extents;
      continue;
    }
    errors_.push_back(Fail("--shape",
                           name.empty()
                               ? fmt::format("the network has {} inputs; say which", inputs.size())
                               : fmt::format("the network has no input {}", name),
                           fmt::format("its inputs: {}", fmt::join(names, ", "))));
  }
  return bindings;
}

void Importer::AddInputs() {
  const std::vector<const onnx::ValueInfoProto*> inputs = ActivationInputs();
  const auto bindings = MatchBindings(inputs);
  if (!errors_.empty()) return;
  // Bound inputs first: they give the values of symbols that others share.
  for (const bool bound : {true, false}) {
    for (const onnx::ValueInfoProto* info : inputs) {
      const auto binding = bindings.find(info->name());
      if ((binding != bindings.end()) != bound) continue;
      AddInput(*info, bound ? binding->second : nullptr);
    }
  }
  if (!errors_.empty()) return;
  for (const onnx::ValueInfoProto* info : inputs) {
    assembler_.graph().inputs.push_back(ids_.at(info->name()));
  }
}

}  // namespace bw::frontend
