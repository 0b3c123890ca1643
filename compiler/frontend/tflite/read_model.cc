#include "compiler/frontend/tflite/read_model.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "compiler/frontend/tflite/tflite_import.h"

namespace bw::frontend {
namespace tflite {
namespace {

constexpr uintmax_t kMostBytes = std::numeric_limits<int32_t>::max();

struct Buffer {
  std::string_view data;
  bool is_external = false;
};

struct OperatorCode {
  int32_t code = 0;
  std::string custom;
};

Error FileError(const std::string& file, std::string message, std::string hint = "") {
  return Error{file, 0, 0, "", std::move(message), std::move(hint)};
}

std::vector<Buffer> ReadBuffers(const FlatTable& model) {
  std::vector<Buffer> buffers;
  for (const FlatTable& table : model.Tables(model_field::kBuffers)) {
    Buffer buffer{table.Bytes(buffer_field::kData)};
    // 0 and 1 stand for no data outside.
    buffer.is_external = table.Scalar<uint64_t>(buffer_field::kOffset, 0) > 1 ||
                         table.Scalar<uint64_t>(buffer_field::kSize, 0) > 1;
    buffers.push_back(buffer);
  }
  return buffers;
}

// Codes below 127 used to be a byte of their own; files of either age fill one field or both.
std::vector<OperatorCode> ReadOperatorCodes(const FlatTable& model) {
  std::vector<OperatorCode> codes;
  for (const FlatTable& table : model.Tables(model_field::kOperatorCodes)) {
    const int32_t old = table.Scalar<int8_t>(operator_code_field::kDeprecatedBuiltinCode, 0);
    const auto now = table.Scalar<int32_t>(operator_code_field::kBuiltinCode, 0);
    codes.push_back({std::max(old, now), table.String(operator_code_field::kCustomCode)});
  }
  return codes;
}

FileTensor ReadTensor(const FlatTable& table, const std::vector<Buffer>& buffers) {
  FileTensor tensor;
  tensor.name = table.String(tensor_field::kName);
  tensor.type = static_cast<TensorType>(table.Scalar<int8_t>(tensor_field::kType, 0));
  tensor.shape = table.Vector<int32_t>(tensor_field::kShape);
  tensor.signature = table.Vector<int32_t>(tensor_field::kShapeSignature);
  tensor.is_variable = table.Scalar<uint8_t>(tensor_field::kIsVariable, 0) != 0;
  tensor.is_sparse = static_cast<bool>(table.Table(tensor_field::kSparsity));
  const FlatTable quantised = table.Table(tensor_field::kQuantization);
  tensor.scales = quantised.Vector<float>(quantization_field::kScale);
  tensor.zero_points = quantised.Vector<int64_t>(quantization_field::kZeroPoint);
  tensor.quantised_axis = quantised.Scalar<int32_t>(quantization_field::kQuantizedDimension, 0);
  tensor.is_custom_scaled = quantised.Scalar<uint8_t>(quantization_field::kDetailsType, 0) != 0;
  const auto index = table.Scalar<uint32_t>(tensor_field::kBuffer, 0);
  // A number past the end stands for no data, as buffer 0 does; who needs data will say so.
  if (index < buffers.size()) {
    tensor.data = buffers[index].data;
    tensor.is_external = buffers[index].is_external;
  }
  return tensor;
}

FileOperator ReadOperator(const FlatTable& table, const std::vector<OperatorCode>& codes,
                          FlatBuffer* buffer) {
  FileOperator op;
  const auto index = table.Scalar<uint32_t>(operator_field::kOpcodeIndex, 0);
  if (index >= codes.size()) {
    buffer->Note(fmt::format("an operator has code number {} of {}", index, codes.size()));
    return op;
  }
  op.code = codes[index].code;
  op.custom_code = codes[index].custom;
  op.inputs = table.Vector<int32_t>(operator_field::kInputs);
  op.outputs = table.Vector<int32_t>(operator_field::kOutputs);
  op.options_type = table.Scalar<uint8_t>(operator_field::kOptionsType, 0);
  op.options = table.Table(operator_field::kOptions);
  return op;
}

Error Damaged(const FlatBuffer& buffer, const std::string& file) {
  return FileError(file, fmt::format("is damaged or truncated: {}", *buffer.problem()));
}

void ReadSubgraph(const FlatTable& root, const FlatTable& subgraph, FileModel* model) {
  const std::vector<Buffer> buffers = ReadBuffers(root);
  const std::vector<OperatorCode> codes = ReadOperatorCodes(root);
  model->name = subgraph.String(subgraph_field::kName);
  for (const FlatTable& table : subgraph.Tables(subgraph_field::kTensors)) {
    model->tensors.push_back(ReadTensor(table, buffers));
  }
  model->inputs = subgraph.Vector<int32_t>(subgraph_field::kInputs);
  model->outputs = subgraph.Vector<int32_t>(subgraph_field::kOutputs);
  for (const FlatTable& table : subgraph.Tables(subgraph_field::kOperators)) {
    model->operators.push_back(ReadOperator(table, codes, model->buffer.get()));
  }
}

}  // namespace

Result<FileModel> ReadModel(std::string_view bytes, const std::string& file) {
  if (bytes.empty()) return FileError(file, "is empty", "a .tflite file was expected");
  if (bytes.size() > kMostBytes) return FileError(file, "is larger than 2 GiB");
  FileModel model;
  model.buffer = std::make_unique<FlatBuffer>(bytes);
  if (model.buffer->Identifier() != kIdentifier) {
    return FileError(file, fmt::format("is not a TensorFlow Lite model: bytes 4 to 7 are not '{}'",
                                       kIdentifier));
  }
  const FlatTable root = model.buffer->Root();
  const auto version = root.Scalar<uint32_t>(model_field::kVersion, 0);
  if (!model.buffer->problem() && version != kSchemaVersion) {
    return FileError(
        file, fmt::format("has schema version {}; supported is {}", version, kSchemaVersion));
  }
  const std::vector<FlatTable> subgraphs = root.Tables(model_field::kSubgraphs);
  if (model.buffer->problem()) return Damaged(*model.buffer, file);
  if (subgraphs.empty()) return FileError(file, "has no subgraph");
  ReadSubgraph(root, subgraphs[0], &model);
  if (model.buffer->problem()) return Damaged(*model.buffer, file);
  return model;
}

Result<std::string> ReadFile(const std::string& path) {
  const std::string hint = "give the path of a .tflite file";
  std::error_code code;
  if (std::filesystem::is_directory(path, code)) return FileError(path, "is a directory", hint);
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    return FileError(path, fmt::format("cannot be opened: {}", std::strerror(errno)), hint);
  }
  const uintmax_t size = std::filesystem::file_size(path, code);
  if (!code && size > kMostBytes) {
    return FileError(path, fmt::format("has {} bytes; at most {} are read", size, kMostBytes));
  }
  std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (in.bad()) return FileError(path, "cannot be read to its end");
  return bytes;
}

}  // namespace tflite

bool IsTfliteFile(const std::string& path) {
  if (std::filesystem::path(path).extension() == ".tflite") return true;
  char begin[8] = {};
  std::ifstream in(path, std::ios::binary);
  in.read(begin, sizeof(begin));
  return in && tflite::FlatBuffer({begin, sizeof(begin)}).Identifier() == tflite::kIdentifier;
}

}  // namespace bw::frontend
