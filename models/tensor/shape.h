// Element types and extents of tensors.
#ifndef MODELS_TENSOR_SHAPE_H_
#define MODELS_TENSOR_SHAPE_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bw::tensor {

enum class DType { kF32, kF64, kI8, kU8, kI16, kU16, kI32, kI64, kBool };

// Bytes of one element; kBool takes one byte that holds 0 or 1.
size_t DTypeSize(DType dtype);
// numpy's name: "float32", "int8", "bool", ...
std::string_view DTypeName(DType dtype);
bool IsFloat(DType dtype);

// Extents, outermost first. No extents: a scalar with one element.
struct Shape {
  std::vector<int64_t> dims;

  Shape() = default;
  Shape(std::initializer_list<int64_t> extents) : dims(extents) {}
  explicit Shape(std::vector<int64_t> extents) : dims(std::move(extents)) {}

  int rank() const { return static_cast<int>(dims.size()); }
  int64_t operator[](int axis) const { return dims.at(static_cast<size_t>(axis)); }
  int64_t& operator[](int axis) { return dims.at(static_cast<size_t>(axis)); }

  // Product of the extents, or nothing when an extent is negative or the product leaves int64.
  std::optional<int64_t> CheckedElements() const;
  // The same for shapes known to be sound; anything else is a broken invariant.
  int64_t Elements() const;
  // Row-major strides in elements.
  std::vector<int64_t> Strides() const;
  // "1x3x48x192", or "scalar".
  std::string ToString() const;

  friend bool operator==(const Shape& a, const Shape& b) { return a.dims == b.dims; }
  friend bool operator!=(const Shape& a, const Shape& b) { return a.dims != b.dims; }
};

}  // namespace bw::tensor

#endif  // MODELS_TENSOR_SHAPE_H_
