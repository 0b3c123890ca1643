// Any bytes through the import of ONNX files and the passes behind it.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "compiler/frontend/onnx/onnx_import.h"
#include "compiler/passes/passes.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  auto graph = bw::frontend::ImportOnnxBytes(bytes, "fuzz.onnx");
  if (!graph.ok()) return 0;
  // The import has verified the graph, and so do the passes; what they refuse is no finding.
  static_cast<void>(bw::passes::Canonicalise(*graph).ok());
  return 0;
}
