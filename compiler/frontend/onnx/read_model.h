// From bytes to the protobuf message, with the checks that need no knowledge of operators.
#ifndef COMPILER_FRONTEND_ONNX_READ_MODEL_H_
#define COMPILER_FRONTEND_ONNX_READ_MODEL_H_

#include <onnx/onnx_pb.h>

#include <string>
#include <string_view>

#include "models/status/result.h"

namespace bw::frontend {

// The whole file. Files above protobuf's limit of 2 GiB are refused.
Result<std::string> ReadFile(const std::string& path);

// A message with a graph and an operator set version of the default domain.
Result<onnx::ModelProto> ParseModel(std::string_view bytes, const std::string& file);

// Version of the default domain ("" or "ai.onnx"), or an error when it is absent or out of range.
Result<int64_t> DefaultOpset(const onnx::ModelProto& model, const std::string& file);

}  // namespace bw::frontend

#endif  // COMPILER_FRONTEND_ONNX_READ_MODEL_H_
