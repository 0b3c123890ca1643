// Constant tensors on their way from the file into the graph.
#ifndef COMPILER_FRONTEND_TFLITE_CONSTANT_H_
#define COMPILER_FRONTEND_TFLITE_CONSTANT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/frontend/tflite/read_model.h"
#include "compiler/graph/graph.h"
#include "models/status/result.h"
#include "models/tensor/tensor.h"

namespace bw::frontend::tflite {

// Reals when there is no quantisation and no integer type, else integers.
struct Constant {
  tensor::Shape shape;
  std::vector<float> reals;
  std::vector<int64_t> integers;
  // Its `integers` are empty: they are the member above.
  std::optional<graph::Quantisation> quantisation;
};

// Type, shape and quantisation of a tensor that something reads, checked.
struct CheckedTensor {
  tensor::Shape shape;                              // the file's order of axes
  std::optional<graph::Quantisation> quantisation;  // int8, uint8, int16; axis: the file's
};

bool IsQuantisedType(TensorType type);  // int8, uint8, int16
bool IsRealType(TensorType type);       // float32, float16
bool IsIndexType(TensorType type);      // int32, int64
std::string TypeName(TensorType type);

// The message says what is wrong with the tensor, without its name.
Result<CheckedTensor> CheckTensor(const FileTensor& tensor);
// The elements of a constant tensor, in the file's order.
Result<Constant> ReadConstant(const FileTensor& tensor);

// Axis i of the result is axis perm[i] of the constant; the quantisation's axis goes with it.
Constant Permuted(const Constant& constant, const std::vector<int64_t>& perm);

// The reals that the integers stand for: float32((q - zero_point) * scale). Not of indices.
std::vector<float> RealsOf(const Constant& constant);
// Reals as integers of `quantisation` (one scale): round(x / scale) half away from zero, + zero
// point, clipped to the type.
Constant Quantised(const Constant& constant, const graph::Quantisation& quantisation);

// The graph's value; its integers must fit in int32.
graph::Value ToValue(std::string name, Constant constant);

}  // namespace bw::frontend::tflite

#endif  // COMPILER_FRONTEND_TFLITE_CONSTANT_H_
