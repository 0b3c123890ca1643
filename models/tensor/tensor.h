// A dense row-major array that owns its bytes.
#ifndef MODELS_TENSOR_TENSOR_H_
#define MODELS_TENSOR_TENSOR_H_

#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "models/status/check.h"
#include "models/tensor/shape.h"

namespace bw::tensor {

// The DType of a C++ element type.
template <typename T>
constexpr DType DTypeOf() {
  if constexpr (std::is_same_v<T, float>) return DType::kF32;
  if constexpr (std::is_same_v<T, double>) return DType::kF64;
  if constexpr (std::is_same_v<T, int8_t>) return DType::kI8;
  if constexpr (std::is_same_v<T, uint8_t>) return DType::kU8;
  if constexpr (std::is_same_v<T, int16_t>) return DType::kI16;
  if constexpr (std::is_same_v<T, uint16_t>) return DType::kU16;
  if constexpr (std::is_same_v<T, int32_t>) return DType::kI32;
  if constexpr (std::is_same_v<T, int64_t>) return DType::kI64;
  if constexpr (std::is_same_v<T, bool>) return DType::kBool;
}

class Tensor {
 public:
  // An empty float32 tensor of shape 0.
  Tensor() : shape_{0} {}
  // Zero-filled.
  Tensor(DType dtype, Shape shape);
  // Takes `values` in row-major order; their number must be the shape's.
  template <typename T>
  static Tensor From(Shape shape, const std::vector<T>& values) {
    Tensor made(DTypeOf<T>(), std::move(shape));
    BW_CHECK(made.elements() == static_cast<int64_t>(values.size()), "shape {}, {} values",
             made.shape().ToString(), values.size());
    T* out = made.data<T>();
    for (const T value : values) *out++ = value;
    return made;
  }

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int64_t elements() const { return elements_; }
  size_t byte_size() const { return bytes_.size(); }
  uint8_t* bytes() { return bytes_.data(); }
  const uint8_t* bytes() const { return bytes_.data(); }

  // The elements; T must be the tensor's own type.
  template <typename T>
  T* data() {
    CheckType(DTypeOf<T>());
    return reinterpret_cast<T*>(bytes_.data());
  }
  template <typename T>
  const T* data() const {
    CheckType(DTypeOf<T>());
    return reinterpret_cast<const T*>(bytes_.data());
  }

  // Copies of the values in a wide type. ToI64 takes integers and bool only.
  std::vector<double> ToF64() const;
  std::vector<int64_t> ToI64() const;

  // The same elements under another shape with as many elements.
  Tensor Reshaped(Shape shape) const&;
  Tensor Reshaped(Shape shape) &&;

  // Type, shape and every byte.
  friend bool operator==(const Tensor& a, const Tensor& b) {
    return a.dtype_ == b.dtype_ && a.shape_ == b.shape_ && a.bytes_ == b.bytes_;
  }
  friend bool operator!=(const Tensor& a, const Tensor& b) { return !(a == b); }

 private:
  void CheckType(DType asked) const {
    BW_CHECK(asked == dtype_, "asked {}, tensor has {}", DTypeName(asked), DTypeName(dtype_));
  }

  DType dtype_ = DType::kF32;
  Shape shape_;
  int64_t elements_ = 0;
  std::vector<uint8_t> bytes_;  // from operator new: aligned for every element type
};

// Calls `f` with a value-initialised element of the C++ type of `dtype`.
template <typename F>
decltype(auto) VisitDType(DType dtype, F&& f) {
  switch (dtype) {
    case DType::kF32:
      return f(float{});
    case DType::kF64:
      return f(double{});
    case DType::kI8:
      return f(int8_t{});
    case DType::kU8:
      return f(uint8_t{});
    case DType::kI16:
      return f(int16_t{});
    case DType::kU16:
      return f(uint16_t{});
    case DType::kI32:
      return f(int32_t{});
    case DType::kI64:
      return f(int64_t{});
    case DType::kBool:
      return f(bool{});
  }
  BW_CHECK(false, "dtype = {}", static_cast<int>(dtype));
  __builtin_unreachable();
}

}  // namespace bw::tensor

#endif  // MODELS_TENSOR_TENSOR_H_
