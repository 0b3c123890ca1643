// ONNX's numbers for element types (TensorProto.DataType), as Cast's `to` holds them.
#ifndef COMPILER_GRAPH_ELEMENT_TYPE_H_
#define COMPILER_GRAPH_ELEMENT_TYPE_H_

#include <cstdint>
#include <optional>

#include "models/tensor/shape.h"

namespace bw::graph {

// Nothing for types that tensors cannot hold (string, float16, complex, ...).
std::optional<tensor::DType> DTypeFromOnnx(int64_t number);
int64_t OnnxNumber(tensor::DType dtype);

}  // namespace bw::graph

#endif  // COMPILER_GRAPH_ELEMENT_TYPE_H_
