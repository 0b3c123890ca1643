#include "compiler/frontend/onnx/node_context.h"

#include <algorithm>

namespace bw::frontend {
namespace {

using graph::ValueId;
using onnx::AttributeProto;

bool IsInteger(tensor::DType dtype) {
  return dtype == tensor::DType::kI64 || dtype == tensor::DType::kI32;
}

// Absent inputs behind the last one that is there.
void DropTrailing(std::vector<ValueId>* inputs) {
  while (!inputs->empty() && inputs->back() == graph::kNoValue) inputs->pop_back();
}

}  // namespace

NodeContext::NodeContext(const onnx::NodeProto& proto, graph::Op op, int64_t opset,
                         std::vector<ValueId> inputs, Assembler* assembler)
    : proto_(proto), op_(op), opset_(opset), inputs_(std::move(inputs)), assembler_(*assembler) {
  const std::string named = proto.name().empty() ? proto.output(0) : proto.name();
  name_ = assembler_.FreshNodeName(named.empty() ? proto.op_type() : named);
}

tensor::Shape NodeContext::InputShape(size_t i) {
  if (HasInput(i)) return ShapeOf(inputs_[i]);
  if (errors_.empty()) Note("input {} is absent", i);
  return {};
}

void NodeContext::NoteWithHint(std::string message, std::string hint) {
  errors_.push_back({file(), 0, 0, Place(), std::move(message), std::move(hint)});
}

Status NodeContext::status() const {
  if (!errors_.empty()) return errors_;
  return OkStatus();
}

const AttributeProto* NodeContext::Find(const std::string& name) {
  read_.insert(name);
  for (const AttributeProto& attribute : proto_.attribute()) {
    if (attribute.name() == name) return &attribute;
  }
  return nullptr;
}

int64_t NodeContext::Int(const std::string& name, int64_t otherwise) {
  const AttributeProto* attribute = Find(name);
  if (attribute == nullptr) return otherwise;
  if (attribute->type() == AttributeProto::INT) return attribute->i();
  Note("attribute {} must be an integer", name);
  return otherwise;
}

double NodeContext::Float(const std::string& name, double otherwise) {
  const AttributeProto* attribute = Find(name);
  if (attribute == nullptr) return otherwise;
  if (attribute->type() == AttributeProto::FLOAT) return static_cast<double>(attribute->f());
  Note("attribute {} must be a float", name);
  return otherwise;
}

std::string NodeContext::String(const std::string& name, const std::string& otherwise) {
  const AttributeProto* attribute = Find(name);
  if (attribute == nullptr) return otherwise;
  if (attribute->type() == AttributeProto::STRING) return attribute->s();
  Note("attribute {} must be a string", name);
  return otherwise;
}

std::vector<int64_t> NodeContext::Ints(const std::string& name, std::vector<int64_t> otherwise) {
  const AttributeProto* attribute = Find(name);
  if (attribute == nullptr) return otherwise;
  if (attribute->type() == AttributeProto::INTS) {
    return {attribute->ints().begin(), attribute->ints().end()};
  }
  Note("attribute {} must be a list of integers", name);
  return otherwise;
}

std::vector<float> NodeContext::Floats(const std::string& name) {
  const AttributeProto* attribute = Find(name);
  if (attribute == nullptr) return {};
  if (attribute->type() == AttributeProto::FLOATS) {
    return {attribute->floats().begin(), attribute->floats().end()};
  }
  Note("attribute {} must be a list of floats", name);
  return {};
}

void NodeContext::RequireInt(const std::string& name, int64_t otherwise, int64_t supported,
                             const std::string& reason) {
  const int64_t value = Int(name, otherwise);
  if (value == supported) return;
  Note("{} = {} is not supported; must be {} ({})", name, value, supported, reason);
}

std::optional<std::vector<int64_t>> NodeContext::ConstantInts(size_t i, const std::string& what) {
  if (!HasInput(i)) return std::nullopt;
  const graph::Value& value = assembler_.graph().value(inputs_[i]);
  if (!value.constant) {
    NoteWithHint(fmt::format("{} ({}) must be constant", what, value.name),
                 "it may depend on input shapes, never on input values");
    return std::nullopt;
  }
  if (!IsInteger(value.dtype) || value.shape.rank() > 1) {
    Note("{} ({}) must be a list of int64, not {} {}", what, value.name,
         tensor::DTypeName(value.dtype), value.shape.ToString());
    return std::nullopt;
  }
  return value.constant->ToI64();
}

std::optional<double> NodeContext::ConstantScalar(size_t i, const std::string& what) {
  if (!HasInput(i)) return std::nullopt;
  const graph::Value& value = assembler_.graph().value(inputs_[i]);
  if (!value.constant || value.shape.Elements() != 1) {
    Note("{} ({}) must be a constant with one element", what, value.name);
    return std::nullopt;
  }
  return value.constant->ToF64()[0];
}

std::optional<std::vector<float>> NodeContext::ConstantFloats(size_t i, const std::string& what) {
  if (!HasInput(i)) return std::nullopt;
  const graph::Value& value = assembler_.graph().value(inputs_[i]);
  if (!value.constant || value.dtype != tensor::DType::kF32 || value.shape.rank() > 1) {
    NoteWithHint(fmt::format("{} ({}) must be a constant list of float32", what, value.name),
                 "it may depend on input shapes, never on input values");
    return std::nullopt;
  }
  const auto* first = value.constant->data<float>();
  return std::vector<float>(first, first + value.constant->elements());
}

int64_t NodeContext::Axis(int64_t axis, int64_t rank, bool past_the_end) {
  const int64_t most = past_the_end ? rank : rank - 1;
  if (axis < -rank || axis > most) {
    Note("axis {} is out of range; allowed are {} to {}", axis, -rank, most);
    return 0;
  }
  return axis < 0 ? axis + rank : axis;
}

std::vector<int64_t> NodeContext::Axes(std::vector<int64_t> axes, int64_t rank) {
  for (int64_t& axis : axes) axis = Axis(axis, rank);
  std::sort(axes.begin(), axes.end());
  if (errors_.empty() && std::adjacent_find(axes.begin(), axes.end()) != axes.end()) {
    Note("an axis is listed twice");
  }
  return axes;
}

Result<ValueId> NodeContext::Emit(graph::Op op, std::vector<ValueId> inputs, Attributes attributes,
                                  const std::string& suffix) {
  BW_RETURN_IF_ERROR(status());
  graph::Node node;
  node.op = op;
  node.name = suffix.empty() ? name_ : assembler_.FreshNodeName(name_ + "/" + suffix);
  node.inputs = std::move(inputs);
  DropTrailing(&node.inputs);
  node.attributes = std::move(attributes);
  const std::string value = suffix.empty() ? "main" : suffix;
  return assembler_.Add(std::move(node), assembler_.FreshValueName(proto_.output(0) + "/" + value));
}

Result<ValueId> NodeContext::EmitZero(ValueId like, const std::string& suffix) {
  BW_RETURN_IF_ERROR(status());
  return assembler_.AddConstant(assembler_.FreshValueName(proto_.output(0) + "/" + suffix),
                                tensor::Tensor(assembler_.graph().value(like).dtype, {}));
}

Status NodeContext::Finish(graph::Op op, std::vector<ValueId> inputs, Attributes attributes,
                           const std::string& suffix) {
  BW_RETURN_IF_ERROR(status());
  graph::Node node;
  node.op = op;
  node.name = suffix.empty() ? name_ : assembler_.FreshNodeName(name_ + "/" + suffix);
  node.inputs = std::move(inputs);
  DropTrailing(&node.inputs);
  node.attributes = std::move(attributes);
  BW_ASSIGN_OR_RETURN(results_[0], assembler_.Add(std::move(node), proto_.output(0)));
  return OkStatus();
}

Status NodeContext::FinishOutput(int output, graph::Op op, std::vector<ValueId> inputs,
                                 Attributes attributes) {
  BW_RETURN_IF_ERROR(status());
  if (output >= proto_.output_size() || proto_.output(output).empty()) return OkStatus();
  graph::Node node;
  node.op = op;
  node.name = assembler_.FreshNodeName(fmt::format("{}/{}", name_, proto_.output(output)));
  node.inputs = std::move(inputs);
  node.attributes = std::move(attributes);
  BW_ASSIGN_OR_RETURN(results_[output], assembler_.Add(std::move(node), proto_.output(output)));
  return OkStatus();
}

Status NodeContext::FinishWith(tensor::Tensor constant) {
  BW_RETURN_IF_ERROR(status());
  results_[0] = assembler_.AddConstant(proto_.output(0), std::move(constant));
  return OkStatus();
}

void NodeContext::CheckAllRead() {
  for (const AttributeProto& attribute : proto_.attribute()) {
    // In-place hints of operator sets before 6.
    if (attribute.name() == "consumed_inputs") continue;
    if (read_.count(attribute.name()) != 0) continue;
    Note("attribute {} is not known in operator set {}", attribute.name(), opset_);
  }
}

}  // namespace bw::frontend
