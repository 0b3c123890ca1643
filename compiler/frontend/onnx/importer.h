// One import: the graph's inputs and constants, then its nodes in order, then its outputs.
#ifndef COMPILER_FRONTEND_ONNX_IMPORTER_H_
#define COMPILER_FRONTEND_ONNX_IMPORTER_H_

#include <onnx/onnx_pb.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/frontend/onnx/assembler.h"
#include "compiler/frontend/onnx/onnx_import.h"

namespace bw::frontend {

class Importer {
 public:
  Importer(const onnx::ModelProto& model, int64_t opset, const std::string& file,
           const OnnxImportOptions& options);
  // Once only.
  Result<graph::Graph> Run();

 private:
  Error Fail(std::string place, std::string message, std::string hint = "") const;
  void CheckOperators();
  void ReserveNames();
  void AddInitializers();
  void AddInputs();
  // The graph inputs that are activations; those given as constants become constants.
  std::vector<const onnx::ValueInfoProto*> ActivationInputs();
  // Each binding with the name of its input.
  std::map<std::string, const std::vector<int64_t>*> MatchBindings(
      const std::vector<const onnx::ValueInfoProto*>& inputs);
  void AddInput(const onnx::ValueInfoProto& info, const std::vector<int64_t>* binding);
  Result<graph::ValueId> Define(const std::string& name, graph::ValueId id);
  Status AddNode(const onnx::NodeProto& proto);
  Status CheckOutputs(const onnx::NodeProto& proto, graph::Op op) const;
  Result<std::vector<graph::ValueId>> Operands(const onnx::NodeProto& proto) const;
  void AddOutputs();

  // Extents of an input from the file and the binding; -1 where neither says it.
  std::vector<int64_t> Extents(const onnx::ValueInfoProto& info,
                               const std::vector<int64_t>* binding);
  void ReportOpenExtents(const onnx::ValueInfoProto& info, const std::vector<int64_t>& extents);

  const onnx::GraphProto& proto_;
  const int64_t opset_;
  const OnnxImportOptions& options_;
  Assembler assembler_;
  Errors errors_;
  std::map<std::string, graph::ValueId> ids_;  // by ONNX name
  std::map<std::string, int64_t> symbols_;     // extents by dim_param
  std::set<std::string> read_;                 // names that nodes or outputs read
};

}  // namespace bw::frontend

#endif  // COMPILER_FRONTEND_ONNX_IMPORTER_H_
