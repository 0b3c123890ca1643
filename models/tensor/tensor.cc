#include "models/tensor/tensor.h"

namespace bw::tensor {
namespace {

template <typename Wide>
std::vector<Wide> Widened(const Tensor& tensor) {
  std::vector<Wide> wide;
  wide.reserve(static_cast<size_t>(tensor.elements()));
  VisitDType(tensor.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* values = tensor.data<T>();
    for (int64_t i = 0; i < tensor.elements(); ++i) wide.push_back(static_cast<Wide>(values[i]));
  });
  return wide;
}

}  // namespace

Tensor::Tensor(DType dtype, Shape shape)
    : dtype_(dtype),
      shape_(std::move(shape)),
      elements_(shape_.Elements()),
      bytes_(static_cast<size_t>(elements_) * DTypeSize(dtype)) {}

std::vector<double> Tensor::ToF64() const { return Widened<double>(*this); }

std::vector<int64_t> Tensor::ToI64() const {
  BW_CHECK(!IsFloat(dtype_), "integers asked, tensor has {}", DTypeName(dtype_));
  return Widened<int64_t>(*this);
}

Tensor Tensor::Reshaped(Shape shape) const& { return Tensor(*this).Reshaped(std::move(shape)); }

Tensor Tensor::Reshaped(Shape shape) && {
  BW_CHECK(shape.Elements() == elements_, "{} from {}", shape.ToString(), shape_.ToString());
  Tensor moved = std::move(*this);
  moved.shape_ = std::move(shape);
  return moved;
}

}  // namespace bw::tensor
