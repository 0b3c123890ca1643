// The tensors of the subgraph under import, and what stands for them in the graph.
#ifndef COMPILER_FRONTEND_TFLITE_TENSOR_TABLE_H_
#define COMPILER_FRONTEND_TFLITE_TENSOR_TABLE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "compiler/frontend/tflite/constant.h"
#include "compiler/frontend/tflite/graph_maker.h"
#include "compiler/frontend/tflite/read_model.h"

namespace bw::frontend::tflite {

// Tensors are named by their index in the file. Errors name the tensor as their place.
class TensorTable {
 public:
  TensorTable(const FileModel& model, GraphMaker* maker);

  bool Exists(int32_t index) const {
    return index >= 0 && static_cast<size_t>(index) < model_.tensors.size();
  }
  // These need an index that exists.
  const FileTensor& tensor(int32_t index) const {
    return model_.tensors[static_cast<size_t>(index)];
  }
  // "conv1/Relu", or "tensor 12" without a name. Of the names that converters join with semicolons
  // when they fuse operators, the first one: the others repeat what is fused.
  std::string Label(int32_t index) const;
  // The name of its value, unique in the graph.
  const std::string& ValueName(int32_t index);

  // Constant: holds data, or holds no element and nothing makes it, or is made from constants.
  bool IsConstant(int32_t index) const;
  bool IsMade(int32_t index) const { return values_.count(index) != 0; }
  Result<const Constant*> ConstantOf(int32_t index);
  // An activation, or a constant in the graph's order of axes.
  Result<graph::ValueId> ValueOf(int32_t index);
  // In the file's order of axes: of activations what has been inferred, of others what is stored.
  Result<tensor::Shape> ShapeOf(int32_t index);

  // What stands for a tensor from now on. One that is constant or made already is an error.
  Status Define(int32_t index, graph::ValueId id);
  Status Define(int32_t index, Constant constant);

  Error Fail(int32_t index, std::string message, std::string hint = "") const;

 private:
  Status CheckNew(int32_t index) const;

  const FileModel& model_;
  GraphMaker& maker_;
  std::vector<bool> is_result_;               // of an operator
  std::map<int32_t, graph::ValueId> values_;  // activations, and constants that were read
  std::map<int32_t, Constant> constants_;
  std::map<int32_t, std::string> names_;
};

}  // namespace bw::frontend::tflite

#endif  // COMPILER_FRONTEND_TFLITE_TENSOR_TABLE_H_
