#include <fmt/format.h>

#include "compiler/frontend/tflite/tflite_import.h"

namespace bw::frontend {

std::string DescribeTfliteOps() {
  std::string text = "| TensorFlow Lite | becomes | what is supported |\n|---|---|---|\n";
#define BW_TFLITE_OP(name, code, options, convert, becomes, doc) \
  text += fmt::format("| {} | {} | {} |\n", #name, becomes, doc);
#include "compiler/frontend/tflite/operators.def"
#undef BW_TFLITE_OP
  return text;
}

}  // namespace bw::frontend
