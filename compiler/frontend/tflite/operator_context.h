// One operator under conversion: its operands, options and results.
#ifndef COMPILER_FRONTEND_TFLITE_OPERATOR_CONTEXT_H_
#define COMPILER_FRONTEND_TFLITE_OPERATOR_CONTEXT_H_

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "compiler/frontend/tflite/tensor_table.h"

namespace bw::frontend::tflite {

using Ints = std::vector<int64_t>;

// Reading an operand or an option that is wrong notes an error and gives a default, so that
// converters need few checks of their own; Emit and Finish stop when an error was noted.
class OperatorContext {
 public:
  OperatorContext(const FileOperator& op, size_t index, std::string name, FlatBuffer* buffer,
                  TensorTable* tensors, GraphMaker* maker);

  int32_t code() const { return op_.code; }

  size_t inputs() const { return op_.inputs.size(); }
  size_t outputs() const { return op_.outputs.size(); }
  bool HasInput(size_t i) const { return i < inputs() && op_.inputs[i] >= 0; }
  // Of operands that must be present; all in the file's order of axes.
  tensor::Shape InputShape(size_t i);
  bool IsConstant(size_t i) const;
  bool IsQuantised(size_t i) const;
  bool IsReal(size_t i) const;     // float32 or float16
  bool IsIndices(size_t i) const;  // int32 or int64
  // nullptr when it is not constant.
  const Constant* ConstantInput(size_t i, const std::string& what);
  std::optional<Ints> ConstantInts(size_t i, const std::string& what);
  // The graph's value; quantised if and only if the operator's result is.
  graph::ValueId Input(size_t i);
  // The same without that check.
  graph::ValueId AnyInput(size_t i);
  tensor::Shape ValueShape(graph::ValueId id) const { return maker_.graph().value(id).shape; }
  const std::optional<graph::Quantisation>& QuantisationOf(graph::ValueId id) const {
    return maker_.graph().value(id).quantisation;
  }

  // An axis from -rank to rank - 1 as a non-negative number.
  int64_t Axis(int64_t axis, int64_t rank);

  // Options by their field's number in the schema; defaults are the schema's.
  template <typename T>
  T Option(int field, T otherwise) {
    return op_.options.Scalar<T>(field, otherwise);
  }
  Activation ActivationOption(int field) {
    return static_cast<Activation>(Option<int8_t>(field, 0));
  }
  Ints IntsOption(int field);

  // Of results, in the file's order of axes; nothing when the file leaves the shape empty.
  std::optional<tensor::Shape> DeclaredShape(size_t output);
  std::optional<graph::Quantisation> ResultQuantisation(size_t output = 0);
  bool IsResultQuantised(size_t output = 0) const;
  const std::string& ResultName(size_t output = 0);

  // A constant for the graph, named after the result with `/suffix`.
  Result<graph::ValueId> AddConstant(Constant constant, const std::string& suffix);
  // A helper node, named after the result with `/suffix`; the empty suffix is the operator's own
  // name. Its value is unquantised unless it is given a quantisation.
  Result<graph::ValueId> Emit(graph::Op op, std::vector<graph::ValueId> inputs,
                              Attributes attributes, const std::string& suffix,
                              std::optional<graph::Quantisation> quantisation = std::nullopt);
  // The same with an activation behind it, which reads an unquantised value.
  Result<graph::ValueId> EmitActivated(graph::Op op, std::vector<graph::ValueId> inputs,
                                       Attributes attributes, Activation activation,
                                       std::optional<graph::Quantisation> quantisation);
  // The node that makes result `output`. With a suffix, when Emit has used the operator's name.
  Status Finish(graph::Op op, std::vector<graph::ValueId> inputs, Attributes attributes,
                const std::string& suffix = "", size_t output = 0);
  // The same with an activation behind it.
  Status FinishActivated(graph::Op op, std::vector<graph::ValueId> inputs, Attributes attributes,
                         Activation activation);
  // The result is a constant.
  Status FinishWith(Constant constant);

  // Notes an error of this operator.
  template <typename... Args>
  void Note(fmt::format_string<Args...> text, Args&&... args) {
    NoteWithHint(fmt::format(text, std::forward<Args>(args)...), "");
  }
  void NoteWithHint(std::string message, std::string hint);
  // Errors noted so far, or success.
  Status status() const;

 private:
  std::string Place() const;
  void NoteAll(const Errors& errors);
  int32_t InputIndex(size_t i);  // -1 and a noted error when it is absent
  int32_t OutputIndex(size_t i) const { return op_.outputs.at(i); }
  void CheckActivation(Activation activation);
  Status CheckDeclared(graph::ValueId id, size_t output);

  const FileOperator& op_;
  const size_t index_;
  const std::string name_;  // of the operator's kind
  FlatBuffer& buffer_;
  TensorTable& tensors_;
  GraphMaker& maker_;
  Errors errors_;
};

}  // namespace bw::frontend::tflite

#endif  // COMPILER_FRONTEND_TFLITE_OPERATOR_CONTEXT_H_
