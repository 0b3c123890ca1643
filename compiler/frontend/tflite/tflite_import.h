// Reads .tflite files (TensorFlow Lite, schema version 3) into the graph in canonical form.
#ifndef COMPILER_FRONTEND_TFLITE_TFLITE_IMPORT_H_
#define COMPILER_FRONTEND_TFLITE_TFLITE_IMPORT_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/graph/graph.h"
#include "models/status/result.h"

namespace bw::frontend {

struct TfliteImportOptions {
  // Shapes of inputs in the file's own order of axes, by input name; the empty name stands for the
  // single input. Extents that the file fixes may be repeated but not changed; those that it leaves
  // open (-1 in shape_signature) are the stored shape's, normally 1, when nothing is given.
  std::map<std::string, std::vector<int64_t>> bindings;
};

// Subgraph 0 of the file. Tensors of rank 4 are N, C, H, W in the graph, and graph inputs and
// outputs of rank 4 say so in file_axes; tensors of integers carry Value::quantisation. Weights are
// O, I, H, W; a bias has the scales of its products, s_input * s_weights[channel], whatever the
// file says. A fused activation reads an unquantised value. The result passes graph::Verify.
// Errors name the file, the subgraph, the operator and the tensor.
Result<graph::Graph> ImportTflite(const std::string& path, const TfliteImportOptions& options = {});

// The same from the bytes of a file; `name` stands for the path in messages.
Result<graph::Graph> ImportTfliteBuffer(std::string_view bytes, const std::string& name,
                                        const TfliteImportOptions& options = {});

// Whether the file is named .tflite or carries TensorFlow Lite's identifier.
bool IsTfliteFile(const std::string& path);

// The operators that are read, as a Markdown table made from operators.def.
std::string DescribeTfliteOps();

}  // namespace bw::frontend

#endif  // COMPILER_FRONTEND_TFLITE_TFLITE_IMPORT_H_
