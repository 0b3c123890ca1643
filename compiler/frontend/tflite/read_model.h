// What the importer needs of a .tflite file, out of its tables.
#ifndef COMPILER_FRONTEND_TFLITE_READ_MODEL_H_
#define COMPILER_FRONTEND_TFLITE_READ_MODEL_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/frontend/tflite/flat_buffer.h"
#include "compiler/frontend/tflite/schema.h"
#include "models/status/result.h"

namespace bw::frontend::tflite {

// As the file says it: checked only when something reads the tensor, so that unused oddities do no
// harm.
struct FileTensor {
  std::string name;
  TensorType type{};
  std::vector<int32_t> shape;      // in the file's order of axes
  std::vector<int32_t> signature;  // -1 for open extents; empty: all are fixed
  std::vector<float> scales;
  std::vector<int64_t> zero_points;
  int32_t quantised_axis = 0;
  std::string_view data;  // of constants; lives as long as the file's bytes
  bool is_variable = false;
  bool is_sparse = false;
  bool is_external = false;       // its data lies outside of the FlatBuffer
  bool is_custom_scaled = false;  // quantised by a rule of its own
};

struct FileOperator {
  int32_t code = 0;
  std::string custom_code;
  std::vector<int32_t> inputs;  // tensors; -1: absent
  std::vector<int32_t> outputs;
  int options_type = 0;
  FlatTable options;
};

struct FileModel {
  std::unique_ptr<FlatBuffer> buffer;  // tables point here
  std::string name;                    // of the subgraph
  std::vector<FileTensor> tensors;
  std::vector<int32_t> inputs;
  std::vector<int32_t> outputs;
  std::vector<FileOperator> operators;
};

// Subgraph 0. `bytes` must outlive the result; `file` is for messages.
Result<FileModel> ReadModel(std::string_view bytes, const std::string& file);

// The bytes of the file at `path`.
Result<std::string> ReadFile(const std::string& path);

}  // namespace bw::frontend::tflite

#endif  // COMPILER_FRONTEND_TFLITE_READ_MODEL_H_
