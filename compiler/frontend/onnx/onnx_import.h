// Reads ONNX files into the graph in canonical form (compiler/graph/ops.def).
#ifndef COMPILER_FRONTEND_ONNX_ONNX_IMPORT_H_
#define COMPILER_FRONTEND_ONNX_ONNX_IMPORT_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/graph/graph.h"
#include "models/status/result.h"
#include "models/tensor/tensor.h"

namespace bw::frontend {

// Operator set versions of the default domain that are read.
inline constexpr int64_t kLeastOpset = 1;
inline constexpr int64_t kMostOpset = 17;

struct OnnxImportOptions {
  // Extents of inputs that the file leaves open, by input name; the empty name stands for the
  // single input. A fixed extent may be repeated but not changed.
  std::map<std::string, std::vector<int64_t>> bindings;
  // Graph inputs that are to be constants: weights and shapes that a file takes at run time.
  std::map<std::string, tensor::Tensor> constants;
};

// The network in the file, every shape known and shape arithmetic folded away; the result passes
// graph::Verify. Errors name the file and the node, operator or input.
Result<graph::Graph> ImportOnnx(const std::string& path, const OnnxImportOptions& options = {});

// The same from the bytes of a file; `name` stands for the path in messages.
Result<graph::Graph> ImportOnnxBytes(std::string_view bytes, const std::string& name,
                                     const OnnxImportOptions& options = {});

// "x=1x3x48x192" as {"x", {1, 3, 48, 192}}, "1x3x48x192" with an empty name. `option` is the
// command-line option that messages name, such as "--shape".
Result<std::pair<std::string, std::vector<int64_t>>> ParseBinding(std::string_view text,
                                                                  const std::string& option);

}  // namespace bw::frontend

#endif  // COMPILER_FRONTEND_ONNX_ONNX_IMPORT_H_
