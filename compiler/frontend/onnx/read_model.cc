#include "compiler/frontend/onnx/read_model.h"

#include <fmt/format.h>
#include <google/protobuf/stubs/logging.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "compiler/frontend/onnx/onnx_import.h"

namespace bw::frontend {
namespace {

constexpr uintmax_t kMostBytes = std::numeric_limits<int32_t>::max();

Error FileError(const std::string& file, std::string message, std::string hint = "") {
  return Error{file, 0, 0, "", std::move(message), std::move(hint)};
}

}  // namespace

Result<std::string> ReadFile(const std::string& path) {
  std::error_code code;
  if (std::filesystem::is_directory(path, code)) {
    return FileError(path, "is a directory", "give the path of an .onnx file");
  }
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    return FileError(path, fmt::format("cannot be opened: {}", std::strerror(errno)),
                     "give the path of an .onnx file");
  }
  const uintmax_t size = std::filesystem::file_size(path, code);
  if (!code && size > kMostBytes) {
    return FileError(path, fmt::format("has {} bytes; at most {} are read", size, kMostBytes));
  }
  std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (in.bad()) return FileError(path, "cannot be read to its end");
  return bytes;
}

Result<onnx::ModelProto> ParseModel(std::string_view bytes, const std::string& file) {
  if (bytes.empty()) return FileError(file, "is empty", "an ONNX model was expected");
  if (bytes.size() > kMostBytes) return FileError(file, "is larger than 2 GiB");
  const google::protobuf::LogSilencer quiet;  // our message says it all
  onnx::ModelProto model;
  if (!model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return FileError(file, "is not an ONNX model, or is truncated");
  }
  if (!model.has_graph()) {
    return FileError(file, "is not an ONNX model: it has no graph");
  }
  return model;
}

Result<int64_t> DefaultOpset(const onnx::ModelProto& model, const std::string& file) {
  int64_t opset = 0;
  for (const onnx::OperatorSetIdProto& set : model.opset_import()) {
    if (!set.domain().empty() && set.domain() != "ai.onnx") continue;
    if (opset != 0 && opset != set.version()) {
      return FileError(file, fmt::format("asks for two versions of ONNX's operators: {} and {}",
                                         opset, set.version()));
    }
    opset = set.version();
    if (opset < kLeastOpset || opset > kMostOpset) {
      return FileError(file,
                       fmt::format("uses operator set {}; supported are {} to {}", opset,
                                   kLeastOpset, kMostOpset),
                       "export the network again, for instance with opset_version=13");
    }
  }
  if (opset == 0) {
    return FileError(file, "does not say which version of ONNX's operators it uses",
                     "the file may be truncated");
  }
  return opset;
}

}  // namespace bw::frontend
