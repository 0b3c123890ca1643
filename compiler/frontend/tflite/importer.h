// One import: the graph's inputs, then its operators in order, then its outputs.
#ifndef COMPILER_FRONTEND_TFLITE_IMPORTER_H_
#define COMPILER_FRONTEND_TFLITE_IMPORTER_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "compiler/frontend/tflite/graph_maker.h"
#include "compiler/frontend/tflite/read_model.h"
#include "compiler/frontend/tflite/tensor_table.h"
#include "compiler/frontend/tflite/tflite_import.h"

namespace bw::frontend::tflite {

class Importer {
 public:
  Importer(const FileModel& model, const std::string& file, size_t file_bytes,
           const TfliteImportOptions& options);
  // Once only.
  Result<graph::Graph> Run();

 private:
  Error Fail(std::string place, std::string message, std::string hint = "") const;
  // Every operator that is not supported, once a kind.
  void CheckOperators();
  void AddInputs();
  void AddInput(int32_t index, const std::vector<int64_t>* binding);
  // The shape from the options, or nullptr.
  const std::vector<int64_t>* Binding(int32_t index) const;
  void CheckBindings();
  Result<tensor::Shape> InputShape(int32_t index, const tensor::Shape& stored,
                                   const std::vector<int64_t>& binding) const;
  Status CheckIndices(size_t number) const;
  bool MakesIndicesAlone(const FileOperator& op) const;
  Status AddOperator(size_t number);
  void AddOutputs();

  const FileModel& model_;
  const TfliteImportOptions& options_;
  GraphMaker maker_;
  TensorTable tensors_;
  Errors errors_;
};

}  // namespace bw::frontend::tflite

#endif  // COMPILER_FRONTEND_TFLITE_IMPORTER_H_
