// Constants of ONNX files.
#ifndef COMPILER_FRONTEND_ONNX_TENSOR_PROTO_H_
#define COMPILER_FRONTEND_ONNX_TENSOR_PROTO_H_

#include <onnx/onnx_pb.h>

#include <string>

#include "models/status/result.h"
#include "models/tensor/tensor.h"

namespace bw::frontend {

// The tensor's values, bit for bit, from raw or typed data. Nothing is allocated before the amount
// of data is known to fit the shape. `place` names the tensor in errors.
Result<tensor::Tensor> ToTensor(const onnx::TensorProto& proto, const std::string& file,
                                const std::string& place);

}  // namespace bw::frontend

#endif  // COMPILER_FRONTEND_ONNX_TENSOR_PROTO_H_
