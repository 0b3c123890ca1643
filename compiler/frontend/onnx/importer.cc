#include "compiler/frontend/onnx/importer.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/frontend/onnx/convert.h"
#include "compiler/frontend/onnx/read_model.h"
#include "compiler/frontend/onnx/tensor_proto.h"

namespace bw::frontend {
namespace {

using graph::Op;
using graph::ValueId;

std::string NodePlace(const onnx::NodeProto& node) {
  std::string name = node.name();
  if (name.empty() && node.output_size() > 0) name = node.output(0);
  return fmt::format("{} {}", node.op_type(), name);
}

// How many outputs of an operator are read; the others must be unused.
int OutputsOf(const onnx::NodeProto& proto, Op op) {
  if (proto.op_type() == "Split") return proto.output_size();
  return op == Op::kDynamicQuantizeLinear ? 3 : 1;
}

Status Convert(NodeContext& context) {
  switch (context.op()) {
#define BW_OP(name, inputs, op_class, qdq, attributes, doc) \
  case Op::k##name:                                         \
    return Convert##name(context);
#include "compiler/graph/ops.def"
#undef BW_OP
  }
  BW_CHECK(false, "op = {}", static_cast<int>(context.op()));
  return OkStatus();
}

}  // namespace

std::optional<Op> FindConversion(std::string_view op_type) {
  if (op_type == "Upsample") return Op::kResize;
  if (op_type == "Split") return Op::kSlice;
  return graph::FindOp(op_type);
}

Importer::Importer(const onnx::ModelProto& model, int64_t opset, const std::string& file,
                   const OnnxImportOptions& options)
    : proto_(model.graph()), opset_(opset), options_(options), assembler_(file) {}

Error Importer::Fail(std::string place, std::string message, std::string hint) const {
  return Error{assembler_.graph().file, 0, 0, std::move(place), std::move(message),
               std::move(hint)};
}

// Every operator that is not supported, once, so that the user sees all that is missing.
void Importer::CheckOperators() {
  struct Use {
    std::string place;
    int count = 0;
  };
  std::map<std::pair<std::string, std::string>, Use> foreign;
  for (const onnx::NodeProto& node : proto_.node()) {
    const bool standard = node.domain().empty() || node.domain() == "ai.onnx";
    if (standard && FindConversion(node.op_type())) continue;
    Use& use = foreign[{standard ? "" : node.domain(), node.op_type()}];
    if (use.count++ == 0) use.place = NodePlace(node);
  }
  for (const auto& [key, use] : foreign) {
    const auto& [domain, op] = key;
    const std::string others = use.count == 1 ? "" : fmt::format(" (in {} nodes)", use.count);
    errors_.push_back(
        Fail(use.place,
             domain.empty()
                 ? fmt::format("operator {} is not supported{}", op, others)
                 : fmt::format("operator {} of domain {} is not supported{}", op, domain, others),
             "'bitwright describe ops' lists the operators"));
  }
}

void Importer::ReserveNames() {
  for (const onnx::ValueInfoProto& input : proto_.input()) assembler_.Reserve(input.name());
  for (const onnx::TensorProto& tensor : proto_.initializer()) assembler_.Reserve(tensor.name());
  for (const onnx::ValueInfoProto& output : proto_.output()) read_.insert(output.name());
  for (const onnx::NodeProto& node : proto_.node()) {
    for (const std::string& name : node.output()) assembler_.Reserve(name);
    read_.insert(node.input().begin(), node.input().end());
  }
}

Result<ValueId> Importer::Define(const std::string& name, ValueId id) {
  if (name.empty()) return Fail("", "a tensor has no name");
  if (!ids_.emplace(name, id).second) return Fail(name, "two tensors have this name");
  return id;
}

void Importer::AddInitializers() {
  if (proto_.sparse_initializer_size() > 0) {
    errors_.push_back(Fail("", "sparse initializers are not supported"));
  }
  for (const onnx::TensorProto& proto : proto_.initializer()) {
    const std::string& name = proto.name();
    Result<tensor::Tensor> tensor =
        ToTensor(proto, assembler_.graph().file, fmt::format("initializer {}", name));
    if (!tensor.ok()) {
      errors_.insert(errors_.end(), tensor.errors().begin(), tensor.errors().end());
      continue;
    }
    const auto id = Define(name, assembler_.AddConstant(name, std::move(tensor).value()));
    if (!id.ok()) errors_.push_back(id.errors()[0]);
  }
}

Status Importer::CheckOutputs(const onnx::NodeProto& proto, Op op) const {
  for (int i = 0; i < proto.output_size(); ++i) {
    const std::string& name = proto.output(i);
    if (name.empty()) continue;
    if (i < OutputsOf(proto, op)) {
      if (ids_.count(name) == 0) continue;
      return Fail(NodePlace(proto), fmt::format("makes {}, which exists already", name));
    }
    if (read_.count(name) == 0) continue;
    return Fail(
        NodePlace(proto),
        OutputsOf(proto, op) == 1
            ? fmt::format("output {} ({}) is used; only the first output is supported", i, name)
            : fmt::format("output {} ({}) is used; there are {}", i, name, OutputsOf(proto, op)));
  }
  return OkStatus();
}

Result<std::vector<ValueId>> Importer::Operands(const onnx::NodeProto& proto) const {
  std::vector<ValueId> ids;
  for (const std::string& name : proto.input()) {
    const auto it = ids_.find(name);
    if (name.empty()) {
      ids.push_back(graph::kNoValue);
    } else if (it != ids_.end()) {
      ids.push_back(it->second);
    } else {
      return Fail(NodePlace(proto), fmt::format("reads {}, which no input, initializer or earlier "
                                                "node makes",
                                                name));
    }
  }
  return ids;
}

Status Importer::AddNode(const onnx::NodeProto& proto) {
  const auto op = FindConversion(proto.op_type());
  BW_CHECK(op.has_value(), "op_type = {}", proto.op_type());
  BW_RETURN_IF_ERROR(CheckOutputs(proto, *op));
  const auto& outputs = proto.output();
  const bool unread = std::all_of(
      outputs.begin(), outputs.begin() + std::min(OutputsOf(proto, *op), proto.output_size()),
      [](const std::string& name) { return name.empty(); });
  if (unread) return OkStatus();
  BW_ASSIGN_OR_RETURN(std::vector<ValueId> operands, Operands(proto));
  NodeContext context(proto, *op, opset_, std::move(operands), &assembler_);
  BW_RETURN_IF_ERROR(Convert(context));
  context.CheckAllRead();
  BW_RETURN_IF_ERROR(context.status());
  for (const auto& [output, id] : context.results()) ids_[proto.output(output)] = id;
  return OkStatus();
}

void Importer::AddOutputs() {
  if (proto_.output_size() == 0) errors_.push_back(Fail("", "the graph has no outputs"));
  for (const onnx::ValueInfoProto& output : proto_.output()) {
    const auto it = ids_.find(output.name());
    if (it == ids_.end()) {
      errors_.push_back(Fail(fmt::format("output {}", output.name()), "nothing makes it"));
    } else {
      assembler_.graph().outputs.push_back(it->second);
    }
  }
}

Result<graph::Graph> Importer::Run() {
  CheckOperators();
  ReserveNames();
  AddInitializers();
  AddInputs();
  if (!errors_.empty()) return errors_;
  for (const onnx::NodeProto& node : proto_.node()) BW_RETURN_IF_ERROR(AddNode(node));
  AddOutputs();
  if (!errors_.empty()) return errors_;
  graph::Graph& graph = assembler_.graph();
  graph.name = proto_.name().empty() ? graph.file : proto_.name();
  BW_RETURN_IF_ERROR(Verify(graph));
  return std::move(graph);
}

Result<graph::Graph> ImportOnnxBytes(std::string_view bytes, const std::string& name,
                                     const OnnxImportOptions& options) {
  BW_ASSIGN_OR_RETURN(const onnx::ModelProto model, ParseModel(bytes, name));
  BW_ASSIGN_OR_RETURN(const int64_t opset, DefaultOpset(model, name));
  return Importer(model, opset, name, options).Run();
}

Result<graph::Graph> ImportOnnx(const std::string& path, const OnnxImportOptions& options) {
  BW_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path));
  return ImportOnnxBytes(bytes, path, options);
}

}  // namespace bw::frontend
