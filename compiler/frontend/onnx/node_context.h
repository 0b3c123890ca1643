// One ONNX node under conversion: its operands, attributes and results.
#ifndef COMPILER_FRONTEND_ONNX_NODE_CONTEXT_H_
#define COMPILER_FRONTEND_ONNX_NODE_CONTEXT_H_

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/frontend/onnx/assembler.h"
#include "compiler/graph/graph.h"
#include "models/status/result.h"

namespace bw::frontend {

// Reading an attribute or a constant operand that is wrong notes an error and gives the default, so
// that converters need no checks of their own; Emit and Finish stop when an error was noted.
class NodeContext {
 public:
  // `inputs`: one value an input of the node, kNoValue where it is absent.
  NodeContext(const onnx::NodeProto& proto, graph::Op op, int64_t opset,
              std::vector<graph::ValueId> inputs, Assembler* assembler);

  graph::Op op() const { return op_; }
  // As in the file: several ONNX operators may become one of the graph's (convert.h).
  const std::string& op_type() const { return proto_.op_type(); }
  int64_t opset() const { return opset_; }
  const std::string& file() const { return assembler_.graph().file; }
  std::string Place() const { return fmt::format("{} {}", op_type(), name_); }

  size_t inputs() const { return inputs_.size(); }
  bool HasInput(size_t i) const { return i < inputs_.size() && inputs_[i] != graph::kNoValue; }
  graph::ValueId input(size_t i) const { return i < inputs_.size() ? inputs_[i] : graph::kNoValue; }
  bool IsConstant(size_t i) const {
    return HasInput(i) && assembler_.graph().value(inputs_[i]).constant.has_value();
  }
  // Of an input that must be present; a scalar float when it is not (and an error is noted).
  tensor::Shape InputShape(size_t i);
  tensor::Shape ShapeOf(graph::ValueId id) const { return assembler_.graph().value(id).shape; }

  // Attributes. A default for those that may be absent.
  const onnx::AttributeProto* Find(const std::string& name);
  bool Has(const std::string& name) { return Find(name) != nullptr; }
  int64_t Int(const std::string& name, int64_t otherwise);
  double Float(const std::string& name, double otherwise);
  std::string String(const std::string& name, const std::string& otherwise);
  std::vector<int64_t> Ints(const std::string& name, std::vector<int64_t> otherwise = {});
  std::vector<float> Floats(const std::string& name);
  // A flag or mode of which one value is supported alone.
  void RequireInt(const std::string& name, int64_t otherwise, int64_t supported,
                  const std::string& reason);

  // Operands that must be constant. `what` names the operand in errors.
  std::optional<std::vector<int64_t>> ConstantInts(size_t i, const std::string& what);
  std::optional<double> ConstantScalar(size_t i, const std::string& what);
  std::optional<std::vector<float>> ConstantFloats(size_t i, const std::string& what);
  // An axis from -rank to rank - 1 (or to rank, with past_the_end) as a non-negative number.
  int64_t Axis(int64_t axis, int64_t rank, bool past_the_end = false);
  // The same for a list, sorted; equal axes are an error.
  std::vector<int64_t> Axes(std::vector<int64_t> axes, int64_t rank);

  // A helper node, named after this one with `/suffix`. The empty suffix is the node's own name.
  Result<graph::ValueId> Emit(graph::Op op, std::vector<graph::ValueId> inputs,
                              Attributes attributes, const std::string& suffix);
  // A constant scalar 0 of the type of `like`.
  Result<graph::ValueId> EmitZero(graph::ValueId like, const std::string& suffix);
  // The node that makes this node's result. With a suffix, when Emit has used the node's own name.
  Status Finish(graph::Op op, std::vector<graph::ValueId> inputs, Attributes attributes,
                const std::string& suffix = "");
  // A node for output `output` of an operator with several, named after that output; it does
  // nothing when the file gives that output no name.
  Status FinishOutput(int output, graph::Op op, std::vector<graph::ValueId> inputs,
                      Attributes attributes);
  int outputs() const { return proto_.output_size(); }
  // The result is a constant.
  Status FinishWith(tensor::Tensor constant);

  // Accounts for memory that the node takes (Assembler::Charge).
  Status Charge(size_t bytes) { return assembler_.Charge(Place(), bytes); }

  // Notes an error of this node.
  template <typename... Args>
  void Note(fmt::format_string<Args...> text, Args&&... args) {
    NoteWithHint(fmt::format(text, std::forward<Args>(args)...), "");
  }
  void NoteWithHint(std::string message, std::string hint);
  // Errors noted so far, or success; then also unknown attributes.
  Status status() const;
  void CheckAllRead();

  // The values that the node's outputs stand for, by output, once Finish or its kin have succeeded.
  const std::map<int, graph::ValueId>& results() const { return results_; }

 private:
  const onnx::NodeProto& proto_;
  const graph::Op op_;
  const int64_t opset_;
  const std::vector<graph::ValueId> inputs_;
  Assembler& assembler_;
  std::string name_;
  std::set<std::string> read_;
  Errors errors_;
  std::map<int, graph::ValueId> results_;
};

}  // namespace bw::frontend

#endif  // COMPILER_FRONTEND_ONNX_NODE_CONTEXT_H_
