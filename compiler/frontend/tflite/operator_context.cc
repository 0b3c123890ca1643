#include "compiler/frontend/tflite/operator_context.h"

#include <limits>

#include "compiler/frontend/tflite/layout.h"

namespace bw::frontend::tflite {
namespace {

using graph::Op;
using graph::ValueId;

struct ActivationNode {
  Op op;
  Attributes attributes;
};

std::optional<ActivationNode> NodeOf(Activation activation) {
  switch (activation) {
    case Activation::kRelu:
      return ActivationNode{Op::kRelu, {}};
    case Activation::kReluN1To1:
      return ActivationNode{Op::kClip, {{"min", -1.0}, {"max", 1.0}}};
    case Activation::kRelu6:
      return ActivationNode{Op::kClip, {{"min", 0.0}, {"max", 6.0}}};
    case Activation::kNone:
      break;
  }
  return std::nullopt;
}

}  // namespace

OperatorContext::OperatorContext(const FileOperator& op, size_t index, std::string name,
                                 FlatBuffer* buffer, TensorTable* tensors, GraphMaker* maker)
    : op_(op),
      index_(index),
      name_(std::move(name)),
      buffer_(*buffer),
      tensors_(*tensors),
      maker_(*maker) {}

std::string OperatorContext::Place() const {
  return fmt::format("subgraph 0, operator {} {} ({})", index_, name_,
                     op_.outputs.empty() ? "no result" : tensors_.Label(op_.outputs[0]));
}

void OperatorContext::NoteWithHint(std::string message, std::string hint) {
  errors_.push_back({maker_.graph().file, 0, 0, Place(), std::move(message), std::move(hint)});
}

// Errors of tensors: their place, the tensor, becomes part of the message.
void OperatorContext::NoteAll(const Errors& errors) {
  for (const Error& error : errors) {
    NoteWithHint(fmt::format("{}: {}", error.place, error.message), error.hint);
  }
}

Status OperatorContext::status() const {
  if (!errors_.empty()) return errors_;
  if (!buffer_.problem()) return OkStatus();
  return Error{maker_.graph().file,
               0,
               0,
               Place(),
               fmt::format("the options are damaged: {}", *buffer_.problem()),
               ""};
}

int32_t OperatorContext::InputIndex(size_t i) {
  if (HasInput(i)) return op_.inputs[i];
  if (errors_.empty()) Note("operand {} is absent", i);
  return -1;
}

tensor::Shape OperatorContext::InputShape(size_t i) {
  const int32_t index = InputIndex(i);
  if (index < 0) return {};
  const auto shape = tensors_.ShapeOf(index);
  if (shape.ok()) return *shape;
  NoteAll(shape.errors());
  return {};
}

bool OperatorContext::IsConstant(size_t i) const {
  return HasInput(i) && tensors_.IsConstant(op_.inputs[i]);
}

bool OperatorContext::IsQuantised(size_t i) const {
  return HasInput(i) && IsQuantisedType(tensors_.tensor(op_.inputs[i]).type);
}

bool OperatorContext::IsReal(size_t i) const {
  return HasInput(i) && IsRealType(tensors_.tensor(op_.inputs[i]).type);
}

bool OperatorContext::IsIndices(size_t i) const {
  return HasInput(i) && IsIndexType(tensors_.tensor(op_.inputs[i]).type);
}

const Constant* OperatorContext::ConstantInput(size_t i, const std::string& what) {
  const int32_t index = InputIndex(i);
  if (index < 0) return nullptr;
  if (!tensors_.IsConstant(index)) {
    Note("{} ({}) must be constant", what, tensors_.Label(index));
    return nullptr;
  }
  const auto constant = tensors_.ConstantOf(index);
  if (constant.ok()) return *constant;
  NoteAll(constant.errors());
  return nullptr;
}

std::optional<Ints> OperatorContext::ConstantInts(size_t i, const std::string& what) {
  if (HasInput(i) && !IsIndices(i)) {
    Note("{} ({}) is {}, must be int32 or int64", what, tensors_.Label(op_.inputs[i]),
         TypeName(tensors_.tensor(op_.inputs[i]).type));
    return std::nullopt;
  }
  const Constant* constant = ConstantInput(i, what);
  if (constant == nullptr) return std::nullopt;
  return constant->integers;
}

ValueId OperatorContext::AnyInput(size_t i) {
  const int32_t index = InputIndex(i);
  if (index < 0) return graph::kNoValue;
  const auto id = tensors_.ValueOf(index);
  if (id.ok()) return *id;
  NoteAll(id.errors());
  return graph::kNoValue;
}

ValueId OperatorContext::Input(size_t i) {
  const ValueId id = AnyInput(i);
  if (id != graph::kNoValue && IsQuantised(i) != IsResultQuantised()) {
    Note("reads {} ({}) and makes {}; only QUANTIZE and DEQUANTIZE may mix them",
         tensors_.Label(op_.inputs[i]), TypeName(tensors_.tensor(op_.inputs[i]).type),
         TypeName(tensors_.tensor(OutputIndex(0)).type));
  }
  if (id != graph::kNoValue && QuantisationOf(id) && QuantisationOf(id)->axis >= 0) {
    Note("{} has several scales; an operand that is no weights must have one",
         tensors_.Label(op_.inputs[i]));
  }
  return id;
}

int64_t OperatorContext::Axis(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank) {
    Note("axis {} is out of range; allowed are {} to {}", axis, -rank, rank - 1);
    return 0;
  }
  return axis < 0 ? axis + rank : axis;
}

Ints OperatorContext::IntsOption(int field) {
  const std::vector<int32_t> values = op_.options.Vector<int32_t>(field);
  return {values.begin(), values.end()};
}

std::optional<tensor::Shape> OperatorContext::DeclaredShape(size_t output) {
  const std::vector<int32_t>& extents = tensors_.tensor(OutputIndex(output)).shape;
  if (extents.empty()) return std::nullopt;
  return tensor::Shape(Ints(extents.begin(), extents.end()));
}

bool OperatorContext::IsResultQuantised(size_t output) const {
  return IsQuantisedType(tensors_.tensor(OutputIndex(output)).type);
}

std::optional<graph::Quantisation> OperatorContext::ResultQuantisation(size_t output) {
  const int32_t index = OutputIndex(output);
  const TensorType type = tensors_.tensor(index).type;
  if (type != TensorType::kFloat32 && !IsQuantisedType(type)) {
    NoteAll(
        {tensors_.Fail(index, fmt::format("is a result and {}; results are float32, int8, uint8 "
                                          "or int16",
                                          TypeName(type)))});
    return std::nullopt;
  }
  const Result<CheckedTensor> checked = CheckTensor(tensors_.tensor(index));
  if (!checked.ok()) {
    NoteAll({tensors_.Fail(index, checked.errors()[0].message)});
    return std::nullopt;
  }
  if (checked->quantisation && checked->quantisation->axis >= 0) {
    NoteAll({tensors_.Fail(index, "has several scales; an activation must have one")});
  }
  return checked->quantisation;
}

const std::string& OperatorContext::ResultName(size_t output) {
  return tensors_.ValueName(OutputIndex(output));
}

Result<ValueId> OperatorContext::AddConstant(Constant constant, const std::string& suffix) {
  BW_RETURN_IF_ERROR(status());
  return maker_.AddConstant(ResultName() + "/" + suffix, std::move(constant));
}

Result<ValueId> OperatorContext::Emit(Op op, std::vector<ValueId> inputs, Attributes attributes,
                                      const std::string& suffix,
                                      std::optional<graph::Quantisation> quantisation) {
  BW_RETURN_IF_ERROR(status());
  graph::Node node;
  node.op = op;
  node.name = maker_.FreshNodeName(suffix.empty() ? ResultName() : ResultName() + "/" + suffix);
  node.inputs = std::move(inputs);
  node.attributes = std::move(attributes);
  const std::string value = ResultName() + "/" + (suffix.empty() ? "main" : suffix);
  return maker_.Add(std::move(node), maker_.FreshValueName(value), std::move(quantisation));
}

// Extents that the file leaves open may be others than the stored ones.
Status OperatorContext::CheckDeclared(ValueId id, size_t output) {
  const std::optional<tensor::Shape> declared = DeclaredShape(output);
  const std::vector<int32_t>& signature = tensors_.tensor(OutputIndex(output)).signature;
  const tensor::Shape made = FileShape(ValueShape(id));
  bool fits = !declared || declared->rank() == made.rank();
  for (size_t i = 0; declared && fits && i < made.dims.size(); ++i) {
    const bool open = signature.size() == made.dims.size() && signature[i] == -1;
    fits = open || declared->dims[i] == made.dims[i];
  }
  if (!fits) {
    Note("makes shape {}; the file says {} of {}", made.ToString(), declared->ToString(),
         tensors_.Label(OutputIndex(output)));
  }
  return status();
}

Status OperatorContext::Finish(Op op, std::vector<ValueId> inputs, Attributes attributes,
                               const std::string& suffix, size_t output) {
  std::optional<graph::Quantisation> quantisation = ResultQuantisation(output);
  BW_RETURN_IF_ERROR(status());
  graph::Node node;
  node.op = op;
  const std::string& name = ResultName(output);
  node.name = maker_.FreshNodeName(suffix.empty() ? name : name + "/" + suffix);
  node.inputs = std::move(inputs);
  node.attributes = std::move(attributes);
  BW_ASSIGN_OR_RETURN(const ValueId id, maker_.Add(std::move(node), name, std::move(quantisation)));
  BW_RETURN_IF_ERROR(CheckDeclared(id, output));
  return tensors_.Define(OutputIndex(output), id);
}

Result<ValueId> OperatorContext::EmitActivated(Op op, std::vector<ValueId> inputs,
                                               Attributes attributes, Activation activation,
                                               std::optional<graph::Quantisation> quantisation) {
  const std::optional<ActivationNode> node = NodeOf(activation);
  CheckActivation(activation);
  if (!node) return Emit(op, std::move(inputs), std::move(attributes), "", std::move(quantisation));
  BW_ASSIGN_OR_RETURN(const ValueId raw, Emit(op, std::move(inputs), std::move(attributes), ""));
  return Emit(node->op, {raw}, node->attributes, "activation", std::move(quantisation));
}

Status OperatorContext::FinishActivated(Op op, std::vector<ValueId> inputs, Attributes attributes,
                                        Activation activation) {
  const std::optional<ActivationNode> node = NodeOf(activation);
  CheckActivation(activation);
  if (!node) return Finish(op, std::move(inputs), std::move(attributes));
  BW_ASSIGN_OR_RETURN(const ValueId raw, Emit(op, std::move(inputs), std::move(attributes), ""));
  return Finish(node->op, {raw}, node->attributes, "activation");
}

void OperatorContext::CheckActivation(Activation activation) {
  if (activation == Activation::kNone || NodeOf(activation)) return;
  NoteWithHint(fmt::format("fused activation {} is not supported", static_cast<int>(activation)),
               "supported are none (0), RELU (1), RELU_N1_TO_1 (2) and RELU6 (3)");
}

Status OperatorContext::FinishWith(Constant constant) {
  BW_RETURN_IF_ERROR(status());
  return tensors_.Define(OutputIndex(0), std::move(constant));
}

}  // namespace bw::frontend::tflite
