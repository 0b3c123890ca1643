#include "compiler/frontend/onnx/tensor_proto.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "compiler/graph/element_type.h"
#include "compiler/graph/infer.h"

namespace bw::frontend {
namespace {

using tensor::DType;
using tensor::Shape;
using tensor::Tensor;

// Copies a repeated field, whose elements may be wider than the tensor's.
template <typename T, typename Field>
Tensor FromField(const Shape& shape, const Field& field) {
  Tensor tensor(tensor::DTypeOf<T>(), shape);
  std::transform(field.begin(), field.end(), tensor.data<T>(),
                 [](auto x) { return static_cast<T>(x); });
  return tensor;
}

Tensor FromRaw(DType dtype, const Shape& shape, const std::string& raw) {
  Tensor tensor(dtype, shape);
  if (raw.empty()) return tensor;
  std::memcpy(tensor.bytes(), raw.data(), raw.size());
  if (dtype == DType::kBool) {
    std::transform(tensor.bytes(), tensor.bytes() + raw.size(), tensor.bytes(),
                   [](uint8_t x) { return static_cast<uint8_t>(x != 0); });
  }
  return tensor;
}

// How many values the typed field for `dtype` holds.
int TypedSize(const onnx::TensorProto& proto, DType dtype) {
  switch (dtype) {
    case DType::kF32:
      return proto.float_data_size();
    case DType::kF64:
      return proto.double_data_size();
    case DType::kI64:
      return proto.int64_data_size();
    case DType::kI8:
    case DType::kU8:
    case DType::kI16:
    case DType::kU16:
    case DType::kI32:
    case DType::kBool:
      return proto.int32_data_size();
  }
  return 0;
}

Tensor FromTyped(const onnx::TensorProto& proto, DType dtype, const Shape& shape) {
  switch (dtype) {
    case DType::kF32:
      return FromField<float>(shape, proto.float_data());
    case DType::kF64:
      return FromField<double>(shape, proto.double_data());
    case DType::kI64:
      return FromField<int64_t>(shape, proto.int64_data());
    case DType::kI8:
    case DType::kU8:
    case DType::kI16:
    case DType::kU16:
    case DType::kI32:
    case DType::kBool:
      break;
  }
  return VisitDType(
      dtype, [&](auto zero) { return FromField<decltype(zero)>(shape, proto.int32_data()); });
}

}  // namespace

Result<Tensor> ToTensor(const onnx::TensorProto& proto, const std::string& file,
                        const std::string& place) {
  const auto fail = [&](std::string message, std::string hint = "") {
    return Error{file, 0, 0, place, std::move(message), std::move(hint)};
  };
  if (proto.data_location() == onnx::TensorProto::EXTERNAL) {
    return fail("keeps its data in another file",
                "save the model with all data in one file (save_as_external_data=False)");
  }
  const auto dtype = graph::DTypeFromOnnx(proto.data_type());
  if (!dtype) {
    const std::string name = onnx::TensorProto::DataType_IsValid(proto.data_type())
                                 ? onnx::TensorProto::DataType_Name(
                                       static_cast<onnx::TensorProto::DataType>(proto.data_type()))
                                 : std::to_string(proto.data_type());
    return fail(fmt::format("element type {} is not supported", name));
  }
  const Shape shape(std::vector<int64_t>(proto.dims().begin(), proto.dims().end()));
  if (!graph::IsSound(shape)) {
    return fail(
        fmt::format("shape {} has a negative extent or too many elements", shape.ToString()));
  }
  const int64_t elements = shape.Elements();
  if (proto.has_raw_data()) {
    const auto bytes = static_cast<uint64_t>(elements) * DTypeSize(*dtype);
    if (proto.raw_data().size() != bytes) {
      return fail(fmt::format("holds {} bytes; shape {} of {} needs {}", proto.raw_data().size(),
                              shape.ToString(), DTypeName(*dtype), bytes));
    }
    return FromRaw(*dtype, shape, proto.raw_data());
  }
  if (TypedSize(proto, *dtype) != elements) {
    return fail(fmt::format("holds {} values; shape {} needs {}", TypedSize(proto, *dtype),
                            shape.ToString(), elements));
  }
  return FromTyped(proto, *dtype, shape);
}

}  // namespace bw::frontend
