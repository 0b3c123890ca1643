#include "models/tensor/shape.h"

#include <fmt/format.h>

#include "models/status/check.h"

namespace bw::tensor {

size_t DTypeSize(DType dtype) {
  switch (dtype) {
    case DType::kI8:
    case DType::kU8:
    case DType::kBool:
      return 1;
    case DType::kI16:
    case DType::kU16:
      return 2;
    case DType::kF32:
    case DType::kI32:
      return 4;
    case DType::kF64:
    case DType::kI64:
      return 8;
  }
  BW_CHECK(false, "dtype = {}", static_cast<int>(dtype));
  return 0;
}

std::string_view DTypeName(DType dtype) {
  switch (dtype) {
    case DType::kF32:
      return "float32";
    case DType::kF64:
      return "float64";
    case DType::kI8:
      return "int8";
    case DType::kU8:
      return "uint8";
    case DType::kI16:
      return "int16";
    case DType::kU16:
      return "uint16";
    case DType::kI32:
      return "int32";
    case DType::kI64:
      return "int64";
    case DType::kBool:
      return "bool";
  }
  BW_CHECK(false, "dtype = {}", static_cast<int>(dtype));
  return "";
}

bool IsFloat(DType dtype) { return dtype == DType::kF32 || dtype == DType::kF64; }

std::optional<int64_t> Shape::CheckedElements() const {
  int64_t product = 1;
  bool overflow = false;
  bool empty = false;
  for (int64_t extent : dims) {
    if (extent < 0) return std::nullopt;
    if (extent == 0) empty = true;
    overflow = overflow || __builtin_mul_overflow(product, extent, &product);
  }
  if (empty) return 0;  // 2^40 x 2^40 x 0 has no elements, whatever the order
  if (overflow) return std::nullopt;
  return product;
}

int64_t Shape::Elements() const {
  const std::optional<int64_t> elements = CheckedElements();
  BW_CHECK(elements.has_value(), "elements of shape {}", ToString());
  return *elements;
}

std::vector<int64_t> Shape::Strides() const {
  std::vector<int64_t> strides(dims.size(), 1);
  for (size_t axis = dims.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * dims[axis];
  return strides;
}

std::string Shape::ToString() const {
  if (dims.empty()) return "scalar";
  return fmt::format("{}", fmt::join(dims, "x"));
}

}  // namespace bw::tensor
