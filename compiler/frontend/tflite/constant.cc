#include "compiler/frontend/tflite/constant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "compiler/frontend/tflite/layout.h"
#include "compiler/graph/infer.h"
#include "models/arith/quantise.h"

namespace bw::frontend::tflite {
namespace {

using graph::Quantisation;

// Scales outside of this leave float32 when they are multiplied.
constexpr float kLeastScale = 1e-18f;
constexpr float kMostScale = 1e18f;

struct TypeInfo {
  TensorType type;
  const char* name;
  size_t bytes;
  int bits;  // of quantised types, else 0
  bool is_signed;
};

constexpr TypeInfo kTypes[] = {
    {TensorType::kFloat32, "float32", 4, 0, true}, {TensorType::kFloat16, "float16", 2, 0, true},
    {TensorType::kInt32, "int32", 4, 0, true},     {TensorType::kInt64, "int64", 8, 0, true},
    {TensorType::kBool, "bool", 1, 0, false},      {TensorType::kUint8, "uint8", 1, 8, false},
    {TensorType::kInt16, "int16", 2, 16, true},    {TensorType::kInt8, "int8", 1, 8, true},
};

const TypeInfo* Find(TensorType type) {
  for (const TypeInfo& info : kTypes) {
    if (info.type == type) return &info;
  }
  return nullptr;
}

int64_t Least(const Quantisation& q) { return q.is_signed ? -(int64_t{1} << (q.bits - 1)) : 0; }
int64_t Most(const Quantisation& q) {
  return (int64_t{1} << (q.is_signed ? q.bits - 1 : q.bits)) - 1;
}

Error Fail(std::string message) { return Error{"", 0, 0, "", std::move(message), ""}; }

Status CheckNumbers(const Quantisation& q) {
  for (const double scale : q.scales) {
    if (!(scale >= static_cast<double>(kLeastScale) && scale <= static_cast<double>(kMostScale))) {
      return Fail(
          fmt::format("has the scale {}; allowed are {} to {}", scale, kLeastScale, kMostScale));
    }
  }
  for (const int64_t zero_point : q.zero_points) {
    if (zero_point < Least(q) || zero_point > Most(q)) {
      return Fail(fmt::format("has the zero point {}; allowed are {} to {}", zero_point, Least(q),
                              Most(q)));
    }
  }
  return OkStatus();
}

Result<Quantisation> CheckQuantisation(const FileTensor& tensor, const tensor::Shape& shape,
                                       const TypeInfo& type) {
  if (tensor.is_custom_scaled) return Fail("is quantised by a custom rule, which is not supported");
  if (tensor.scales.empty()) return Fail(fmt::format("is {} and has no scale", type.name));
  Quantisation q;
  q.bits = type.bits;
  q.is_signed = type.is_signed;
  q.scales.assign(tensor.scales.begin(), tensor.scales.end());
  q.zero_points = tensor.zero_points;
  if (q.zero_points.empty()) q.zero_points.push_back(0);
  if (q.zero_points.size() == 1) q.zero_points.resize(q.scales.size(), q.zero_points[0]);
  if (q.zero_points.size() != q.scales.size()) {
    return Fail(
        fmt::format("has {} scales and {} zero points", q.scales.size(), q.zero_points.size()));
  }
  BW_RETURN_IF_ERROR(CheckNumbers(q));
  if (q.scales.size() == 1) return q;
  q.axis = tensor.quantised_axis;
  if (q.axis < 0 || q.axis >= shape.rank() ||
      shape[q.axis] != static_cast<int64_t>(q.scales.size())) {
    return Fail(
        fmt::format("has {} scales on axis {} of {}", q.scales.size(), q.axis, shape.ToString()));
  }
  return q;
}

template <typename T>
std::vector<T> Elements(std::string_view data) {
  std::vector<T> values(data.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), data.data(), data.size());
  return values;
}

template <typename T>
std::vector<int64_t> Integers(std::string_view data) {
  const std::vector<T> values = Elements<T>(data);
  return {values.begin(), values.end()};
}

// IEEE half precision.
float HalfToFloat(uint16_t half) {
  const int exponent = (half >> 10) & 0x1F;
  const int fraction = half & 0x3FF;
  float magnitude = std::ldexp(static_cast<float>(fraction), -24);
  if (exponent == 0x1F) {
    magnitude = fraction == 0 ? std::numeric_limits<float>::infinity()
                              : std::numeric_limits<float>::quiet_NaN();
  } else if (exponent != 0) {
    magnitude = std::ldexp(static_cast<float>(fraction + 0x400), exponent - 25);
  }
  return (half & 0x8000) != 0 ? -magnitude : magnitude;
}

std::vector<float> Halves(std::string_view data) {
  std::vector<float> values;
  for (const uint16_t half : Elements<uint16_t>(data)) values.push_back(HalfToFloat(half));
  return values;
}

void ReadElements(const FileTensor& tensor, Constant* constant) {
  switch (tensor.type) {
    case TensorType::kFloat32:
      constant->reals = Elements<float>(tensor.data);
      return;
    case TensorType::kFloat16:
      constant->reals = Halves(tensor.data);
      return;
    case TensorType::kInt32:
      constant->integers = Integers<int32_t>(tensor.data);
      return;
    case TensorType::kInt64:
      constant->integers = Integers<int64_t>(tensor.data);
      return;
    case TensorType::kBool:
    case TensorType::kUint8:
      constant->integers = Integers<uint8_t>(tensor.data);
      return;
    case TensorType::kInt16:
      constant->integers = Integers<int16_t>(tensor.data);
      return;
    case TensorType::kInt8:
      constant->integers = Integers<int8_t>(tensor.data);
      return;
  }
}

// Position along the quantisation's axis of every element: (n / inner) % extent.
struct Channels {
  explicit Channels(const Constant& constant) {
    const int axis = constant.quantisation ? constant.quantisation->axis : -1;
    if (axis < 0) return;
    extent = constant.shape[axis];
    for (int i = axis + 1; i < constant.shape.rank(); ++i) inner *= constant.shape[i];
  }
  size_t Of(size_t n) const {
    return static_cast<size_t>(static_cast<int64_t>(n) / inner % extent);
  }
  int64_t inner = 1;
  int64_t extent = 1;
};

template <typename T>
std::vector<T> PermutedElements(const std::vector<T>& values, const tensor::Shape& from,
                                const tensor::Shape& to, const std::vector<int64_t>& perm) {
  std::vector<T> permuted;
  permuted.reserve(values.size());
  const std::vector<int64_t> strides = from.Strides();
  std::vector<int64_t> index(perm.size());
  for (size_t n = 0; n < values.size(); ++n) {
    int64_t offset = 0;
    for (size_t i = 0; i < perm.size(); ++i) {
      offset += index[i] * strides[static_cast<size_t>(perm[i])];
    }
    permuted.push_back(values[static_cast<size_t>(offset)]);
    for (size_t i = perm.size(); i-- > 0;) {
      if (++index[i] < to.dims[i]) break;
      index[i] = 0;
    }
  }
  return permuted;
}

}  // namespace

bool IsQuantisedType(TensorType type) {
  const TypeInfo* info = Find(type);
  return info != nullptr && info->bits != 0;
}

bool IsRealType(TensorType type) {
  return type == TensorType::kFloat32 || type == TensorType::kFloat16;
}

bool IsIndexType(TensorType type) {
  return type == TensorType::kInt32 || type == TensorType::kInt64;
}

std::string TypeName(TensorType type) {
  const TypeInfo* info = Find(type);
  return info == nullptr ? fmt::format("of type number {}", static_cast<int>(type)) : info->name;
}

Result<CheckedTensor> CheckTensor(const FileTensor& tensor) {
  CheckedTensor checked;
  const TypeInfo* type = Find(tensor.type);
  if (type == nullptr) return Fail(fmt::format("is {}, not supported", TypeName(tensor.type)));
  checked.shape.dims.assign(tensor.shape.begin(), tensor.shape.end());
  if (!graph::IsSound(checked.shape)) {
    return Fail(fmt::format("has shape {}; extents must not be negative, elements at most 2^31",
                            checked.shape.ToString()));
  }
  if (checked.shape.rank() > kMostRank) {
    return Fail(fmt::format("has shape {} of rank {}; supported are ranks up to {}",
                            checked.shape.ToString(), checked.shape.rank(), kMostRank));
  }
  if (type->bits == 0) return checked;
  BW_ASSIGN_OR_RETURN(checked.quantisation, CheckQuantisation(tensor, checked.shape, *type));
  return checked;
}

Result<Constant> ReadConstant(const FileTensor& tensor) {
  if (tensor.is_sparse) return Fail("is sparse, which is not supported");
  if (tensor.is_external) return Fail("has its data outside of the FlatBuffer; not supported");
  BW_ASSIGN_OR_RETURN(CheckedTensor checked, CheckTensor(tensor));
  const int64_t elements = checked.shape.Elements();
  const size_t bytes = Find(tensor.type)->bytes;
  if (tensor.data.size() != static_cast<size_t>(elements) * bytes) {
    return Fail(fmt::format("has {} bytes of data; {} {} needs {}", tensor.data.size(),
                            Find(tensor.type)->name, checked.shape.ToString(),
                            static_cast<size_t>(elements) * bytes));
  }
  Constant constant;
  constant.shape = std::move(checked.shape);
  constant.quantisation = std::move(checked.quantisation);
  ReadElements(tensor, &constant);
  return constant;
}

Constant Permuted(const Constant& constant, const std::vector<int64_t>& perm) {
  Constant permuted;
  for (const int64_t axis : perm) {
    permuted.shape.dims.push_back(constant.shape.dims[static_cast<size_t>(axis)]);
  }
  permuted.reals = PermutedElements(constant.reals, constant.shape, permuted.shape, perm);
  permuted.integers = PermutedElements(constant.integers, constant.shape, permuted.shape, perm);
  permuted.quantisation = constant.quantisation;
  if (permuted.quantisation && permuted.quantisation->axis >= 0) {
    const auto at = std::find(perm.begin(), perm.end(), constant.quantisation->axis);
    permuted.quantisation->axis = static_cast<int>(at - perm.begin());
  }
  return permuted;
}

std::vector<float> RealsOf(const Constant& constant) {
  if (!constant.quantisation) return constant.reals;
  const Channels channels(constant);
  std::vector<float> reals;
  reals.reserve(constant.integers.size());
  for (size_t n = 0; n < constant.integers.size(); ++n) {
    const size_t channel = channels.Of(n);
    reals.push_back(static_cast<float>(
        arith::Dequantise(constant.integers[n], constant.quantisation->scales[channel],
                          constant.quantisation->zero_points[channel])));
  }
  return reals;
}

Constant Quantised(const Constant& constant, const Quantisation& quantisation) {
  Constant quantised;
  quantised.shape = constant.shape;
  quantised.quantisation = quantisation;
  const auto scale = static_cast<float>(quantisation.scales[0]);
  for (const float real : RealsOf(constant)) {
    // The quotient in float32, as TensorFlow Lite's kernel.
    const auto quotient = static_cast<double>(real / scale);
    quantised.integers.push_back(arith::QuantiseReal(quotient, 1.0, quantisation.zero_points[0],
                                                     Least(quantisation), Most(quantisation)));
  }
  return quantised;
}

graph::Value ToValue(std::string name, Constant constant) {
  graph::Value value;
  value.name = std::move(name);
  value.shape = constant.shape;
  value.constant = tensor::Tensor::From(constant.shape, RealsOf(constant));
  value.quantisation = std::move(constant.quantisation);
  if (!value.quantisation) return value;
  value.quantisation->integers.reserve(constant.integers.size());
  for (const int64_t integer : constant.integers) {
    BW_CHECK(integer == static_cast<int32_t>(integer), "{}: integer {}", value.name, integer);
    value.quantisation->integers.push_back(static_cast<int32_t>(integer));
  }
  return value;
}

}  // namespace bw::frontend::tflite
