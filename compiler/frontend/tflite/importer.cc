#include "compiler/frontend/tflite/importer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "compiler/frontend/tflite/convert.h"
#include "compiler/frontend/tflite/layout.h"
#include "compiler/graph/infer.h"

namespace bw::frontend {
namespace tflite {
namespace {

using graph::ValueId;
using tensor::Shape;

struct OperatorRow {
  const char* name;
  int32_t code;
  int options;
  Status (*convert)(OperatorContext& c);
};

constexpr OperatorRow kRows[] = {
#define BW_TFLITE_OP(name, code, options, convert, becomes, doc) \
  {#name, code, options, Convert##convert},
#include "compiler/frontend/tflite/operators.def"
#undef BW_TFLITE_OP
};

const OperatorRow* FindRow(int32_t code) {
  for (const OperatorRow& row : kRows) {
    if (row.code == code) return &row;
  }
  return nullptr;
}

std::string OperatorPlace(size_t number) { return fmt::format("subgraph 0, operator {}", number); }

}  // namespace

Importer::Importer(const FileModel& model, const std::string& file, size_t file_bytes,
                   const TfliteImportOptions& options)
    : model_(model), options_(options), maker_(file, file_bytes), tensors_(model, &maker_) {}

Error Importer::Fail(std::string place, std::string message, std::string hint) const {
  return Error{maker_.graph().file, 0, 0, std::move(place), std::move(message), std::move(hint)};
}

void Importer::CheckOperators() {
  struct Use {
    size_t first = 0;
    int count = 0;
  };
  std::map<std::pair<int32_t, std::string>, Use> foreign;
  for (size_t i = 0; i < model_.operators.size(); ++i) {
    const FileOperator& op = model_.operators[i];
    if (FindRow(op.code) != nullptr) continue;
    Use& use = foreign[{op.code, op.code == kCustomCode ? op.custom_code : ""}];
    if (use.count++ == 0) use.first = i;
  }
  for (const auto& [key, use] : foreign) {
    const auto& [code, custom] = key;
    errors_.push_back(
        Fail(OperatorPlace(use.first),
             fmt::format("{} is not supported{}",
                         code == kCustomCode ? fmt::format("custom operator '{}'", custom)
                                             : fmt::format("builtin operator {}", code),
                         use.count == 1 ? "" : fmt::format(" (in {} operators)", use.count)),
             "'bitwright describe ops' lists the operators"));
  }
}

const std::vector<int64_t>* Importer::Binding(int32_t index) const {
  auto it = options_.bindings.find(tensors_.tensor(index).name);
  if (it == options_.bindings.end() && model_.inputs.size() == 1) it = options_.bindings.find("");
  return it == options_.bindings.end() ? nullptr : &it->second;
}

void Importer::CheckBindings() {
  std::set<std::string> names;
  for (const int32_t index : model_.inputs) names.insert(tensors_.tensor(index).name);
  for (const auto& [name, extents] : options_.bindings) {
    if (names.count(name) != 0 || (name.empty() && model_.inputs.size() == 1)) continue;
    errors_.push_back(Fail("--shape",
                           name.empty()
                               ? fmt::format("the network has {} inputs; say which", names.size())
                               : fmt::format("the network has no input {}", name),
                           fmt::format("its inputs: {}", fmt::join(names, ", "))));
  }
}

Result<Shape> Importer::InputShape(int32_t index, const Shape& stored,
                                   const std::vector<int64_t>& binding) const {
  const Shape asked(binding);
  const std::vector<int32_t>& signature = tensors_.tensor(index).signature;
  bool fits = asked.rank() == stored.rank();
  for (size_t i = 0; fits && i < binding.size(); ++i) {
    const bool open = signature.size() == binding.size() && signature[i] == -1;
    fits = binding[i] == stored.dims[i] || (open && binding[i] > 0);
  }
  if (fits && graph::IsSound(asked)) return asked;
  return tensors_.Fail(
      index,
      fmt::format("shape {} does not fit the file's {}", asked.ToString(), stored.ToString()),
      "axes are in the file's order, N x H x W x C");
}

void Importer::AddInput(int32_t index, const std::vector<int64_t>* binding) {
  const FileTensor& file = tensors_.tensor(index);
  if (file.type != TensorType::kFloat32 && !IsQuantisedType(file.type)) {
    errors_.push_back(tensors_.Fail(
        index, fmt::format("is an input and {}; inputs are float32, int8, uint8 or int16",
                           TypeName(file.type))));
    return;
  }
  Result<CheckedTensor> checked = CheckTensor(file);
  if (!checked.ok()) {
    errors_.push_back(tensors_.Fail(index, checked.errors()[0].message));
    return;
  }
  if (checked->quantisation && checked->quantisation->axis >= 0) {
    errors_.push_back(tensors_.Fail(index, "has several scales; an activation must have one"));
    return;
  }
  Shape shape = checked->shape;
  if (binding != nullptr) {
    const Result<Shape> bound = InputShape(index, shape, *binding);
    if (!bound.ok()) {
      errors_.push_back(bound.errors()[0]);
      return;
    }
    shape = *bound;
  }
  graph::Value value;
  value.name = tensors_.ValueName(index);
  value.shape = GraphShape(shape);
  value.quantisation = std::move(checked->quantisation);
  const ValueId id = maker_.graph().AddValue(std::move(value));
  const Status defined = tensors_.Define(index, id);
  if (!defined.ok()) errors_.push_back(defined.errors()[0]);
  maker_.graph().inputs.push_back(id);
}

void Importer::AddInputs() {
  for (const int32_t index : model_.inputs) {
    if (tensors_.Exists(index)) continue;
    errors_.push_back(Fail("subgraph 0", fmt::format("input tensor {} does not exist", index)));
  }
  if (!errors_.empty()) return;
  CheckBindings();
  if (!errors_.empty()) return;
  for (const int32_t index : model_.inputs) AddInput(index, Binding(index));
  // The ends of the network have the first choice of names: users see them.
  for (const int32_t index : model_.outputs) {
    if (tensors_.Exists(index)) tensors_.ValueName(index);
  }
}

// Operands may be absent (-1), results not.
Status Importer::CheckIndices(size_t number) const {
  const FileOperator& op = model_.operators[number];
  for (const int32_t index : op.inputs) {
    if (index == -1 || tensors_.Exists(index)) continue;
    return Fail(OperatorPlace(number), fmt::format("reads tensor {}, which does not exist", index));
  }
  for (const int32_t index : op.outputs) {
    if (tensors_.Exists(index)) continue;
    return Fail(OperatorPlace(number), fmt::format("makes tensor {}, which does not exist", index));
  }
  if (op.outputs.empty()) return Fail(OperatorPlace(number), "has no result");
  return OkStatus();
}

// Shape arithmetic: nothing on the way of activations reads it, except RESHAPE, which knows its
// result's shape.
bool Importer::MakesIndicesAlone(const FileOperator& op) const {
  for (const int32_t index : op.outputs) {
    if (!IsIndexType(tensors_.tensor(index).type)) return false;
  }
  return true;
}

Status Importer::AddOperator(size_t number) {
  BW_RETURN_IF_ERROR(CheckIndices(number));
  const FileOperator& op = model_.operators[number];
  const OperatorRow* row = FindRow(op.code);
  BW_CHECK(row != nullptr, "code = {}", op.code);
  if (MakesIndicesAlone(op)) return OkStatus();
  OperatorContext context(op, number, row->name, model_.buffer.get(), &tensors_, &maker_);
  if (row->options != 0 && op.options_type != 0 && op.options_type != row->options) {
    context.Note("has options of kind {}, must be {}", op.options_type, row->options);
  }
  BW_RETURN_IF_ERROR(context.status());
  return row->convert(context);
}

void Importer::AddOutputs() {
  if (model_.outputs.empty()) errors_.push_back(Fail("subgraph 0", "the network has no outputs"));
  for (const int32_t index : model_.outputs) {
    if (!tensors_.Exists(index)) {
      errors_.push_back(Fail("subgraph 0", fmt::format("output tensor {} does not exist", index)));
      continue;
    }
    const Result<ValueId> id = tensors_.ValueOf(index);
    if (id.ok()) {
      maker_.graph().outputs.push_back(*id);
    } else {
      errors_.push_back(id.errors()[0]);
    }
  }
}

Result<graph::Graph> Importer::Run() {
  CheckOperators();
  AddInputs();
  if (!errors_.empty()) return errors_;
  for (size_t i = 0; i < model_.operators.size(); ++i) BW_RETURN_IF_ERROR(AddOperator(i));
  AddOutputs();
  if (!errors_.empty()) return errors_;
  graph::Graph& graph = maker_.graph();
  for (const std::vector<ValueId>* ends : {&graph.inputs, &graph.outputs}) {
    for (const ValueId id : *ends) {
      graph::Value& value = graph.value(id);
      if (value.shape.rank() == kMostRank) value.file_axes = {0, 2, 3, 1};
    }
  }
  graph.name = model_.name.empty() ? graph.file : model_.name;
  BW_RETURN_IF_ERROR(Verify(graph));
  return std::move(graph);
}

}  // namespace tflite

Result<graph::Graph> ImportTfliteBuffer(std::string_view bytes, const std::string& name,
                                        const TfliteImportOptions& options) {
  BW_ASSIGN_OR_RETURN(const tflite::FileModel model, tflite::ReadModel(bytes, name));
  return tflite::Importer(model, name, bytes.size(), options).Run();
}

Result<graph::Graph> ImportTflite(const std::string& path, const TfliteImportOptions& options) {
  BW_ASSIGN_OR_RETURN(const std::string bytes, tflite::ReadFile(path));
  return ImportTfliteBuffer(bytes, path, options);
}

}  // namespace bw::frontend
