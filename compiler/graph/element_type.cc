#include "compiler/graph/element_type.h"

#include <array>
#include <utility>

#include "models/status/check.h"

namespace bw::graph {
namespace {

using tensor::DType;
constexpr std::array<std::pair<int64_t, DType>, 9> kTypes = {{{1, DType::kF32},
                                                              {2, DType::kU8},
                                                              {3, DType::kI8},
                                                              {4, DType::kU16},
                                                              {5, DType::kI16},
                                                              {6, DType::kI32},
                                                              {7, DType::kI64},
                                                              {9, DType::kBool},
                                                              {11, DType::kF64}}};

}  // namespace

std::optional<tensor::DType> DTypeFromOnnx(int64_t number) {
  for (const auto& [onnx, dtype] : kTypes) {
    if (onnx == number) return dtype;
  }
  return std::nullopt;
}

int64_t OnnxNumber(tensor::DType dtype) {
  for (const auto& [onnx, known] : kTypes) {
    if (known == dtype) return onnx;
  }
  BW_CHECK(false, "dtype = {}", static_cast<int>(dtype));
  return 0;
}

}  // namespace bw::graph
