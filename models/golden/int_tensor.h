// The plain integer tensor of the golden model: logical axis order, row-major, no layout.
#ifndef MODELS_GOLDEN_INT_TENSOR_H_
#define MODELS_GOLDEN_INT_TENSOR_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "models/tensor/shape.h"

namespace bw::golden {

struct IntTensor {
  tensor::Shape shape;
  std::vector<int32_t> data;

  IntTensor() = default;
  explicit IntTensor(tensor::Shape extents)
      : shape(std::move(extents)), data(static_cast<size_t>(shape.Elements())) {}
  IntTensor(tensor::Shape extents, std::vector<int32_t> values)
      : shape(std::move(extents)), data(std::move(values)) {}

  int64_t elements() const { return static_cast<int64_t>(data.size()); }

  friend bool operator==(const IntTensor& a, const IntTensor& b) {
    return a.shape == b.shape && a.data == b.data;
  }
  friend bool operator!=(const IntTensor& a, const IntTensor& b) { return !(a == b); }
};

}  // namespace bw::golden

#endif  // MODELS_GOLDEN_INT_TENSOR_H_
