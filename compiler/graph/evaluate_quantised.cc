#include "compiler/graph/evaluate_quantised.h"

#include <algorithm>
#include <cmath>

#include "compiler/graph/quant_sums.h"
#include "models/arith/profile.h"
#include "models/arith/quantise.h"
#include "models/arith/requantise.h"
#include "models/status/check.h"

namespace bw::graph {
namespace {

using tensor::DType;
using tensor::Shape;
using tensor::Tensor;
using Inputs = std::vector<const Tensor*>;

const Tensor* Find(const Inputs& inputs, size_t i) {
  return i < inputs.size() ? inputs[i] : nullptr;
}

std::vector<float> Floats(const Tensor& tensor) {
  const std::vector<double> wide = tensor.ToF64();
  return {wide.begin(), wide.end()};
}

Tensor Reals(DType dtype, const Shape& shape, const std::vector<float>& values) {
  if (dtype == DType::kF32) return Tensor::From<float>(shape, values);
  return Tensor::From<double>(shape, {values.begin(), values.end()});
}

Tensor Integers(DType dtype, const Shape& shape, const std::vector<int64_t>& values) {
  Tensor out(dtype, shape);
  VisitDType(dtype, [&](auto zero) {
    using T = decltype(zero);
    std::transform(values.begin(), values.end(), out.data<T>(),
                   [](int64_t v) { return static_cast<T>(v); });
  });
  return out;
}

arith::ClipRange RangeOf(DType dtype) {
  return arith::RangeOf(arith::ClipKind::kTypeRange, static_cast<int>(8 * DTypeSize(dtype)),
                        dtype != DType::kU8);
}

Tensor Quantize(const Node& node, const Inputs& inputs, DType dtype, const Shape& shape) {
  const std::vector<float> x = Floats(*inputs[0]), scale = Floats(*inputs[1]);
  const PerAxis zero_points = ZeroPoints(Find(inputs, 2));
  const AxisWalk walk(shape, static_cast<int>(node.Int("axis")));
  const arith::ClipRange range = RangeOf(dtype);
  std::vector<int64_t> y(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    const size_t at = walk.Position(i);
    y[i] = arith::QuantiseOnnx(x[i], scale[scale.size() == 1 ? 0 : at], zero_points.At(at),
                               range.lo, range.hi);
  }
  return Integers(dtype, shape, y);
}

Tensor Dequantize(const Node& node, const Inputs& inputs, DType dtype, const Shape& shape) {
  const std::vector<int64_t> x = inputs[0]->ToI64();
  const std::vector<float> scale = Floats(*inputs[1]);
  const PerAxis zero_points = ZeroPoints(Find(inputs, 2));
  const AxisWalk walk(shape, static_cast<int>(node.Int("axis")));
  std::vector<float> y(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    const size_t at = walk.Position(i);
    y[i] = static_cast<float>(x[i] - zero_points.At(at)) * scale[scale.size() == 1 ? 0 : at];
  }
  return Reals(dtype, shape, y);
}

Tensor DynamicQuantize(const Node& node, const Inputs& inputs, DType dtype, const Shape& shape) {
  const std::vector<float> x = Floats(*inputs[0]);
  constexpr int64_t kMost = 255;
  float low = 0, high = 0;
  for (const float v : x) {
    low = std::min(low, v);
    high = std::max(high, v);
  }
  const float scale = high == low ? 1.0f : (high - low) / static_cast<float>(kMost);
  const float start = std::clamp(0.0f - low / scale, 0.0f, static_cast<float>(kMost));
  const int64_t zero_point = arith::RoundRealEven(static_cast<double>(start));
  const std::string& result = node.String("result");
  if (result == "scale") return Reals(dtype, shape, {scale});
  if (result == "zero_point") return Integers(dtype, shape, {zero_point});
  std::vector<int64_t> y(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    y[i] = arith::QuantiseOnnx(x[i], scale, zero_point, 0, kMost);
  }
  return Integers(dtype, shape, y);
}

// Sums to the result's integers; `axis` of the result is that of the weights' scales.
Tensor Requantised(const std::vector<int32_t>& sums, const Inputs& inputs, DType dtype,
                   const Shape& shape, int axis) {
  const float scale_x = Floats(*inputs[1])[0], scale_y = Floats(*inputs[6])[0];
  std::vector<float> scales;
  for (const float scale_w : Floats(*inputs[4])) scales.push_back(scale_x * scale_w / scale_y);
  const int64_t zero_point = inputs[7]->ToI64()[0];
  const arith::ClipRange range = RangeOf(dtype);
  const AxisWalk walk(shape, axis);
  std::vector<int64_t> y(sums.size());
  for (size_t i = 0; i < sums.size(); ++i) {
    const float scale = scales[scales.size() == 1 ? 0 : walk.Position(i)];
    y[i] = arith::RequantiseFloat32(sums[i], scale, zero_point, range.lo, range.hi);
  }
  return Integers(dtype, shape, y);
}

}  // namespace

Tensor EvaluateQuantised(const Node& node, const Inputs& inputs, DType dtype, const Shape& shape) {
  switch (node.op) {
    case Op::kQuantizeLinear:
      return Quantize(node, inputs, dtype, shape);
    case Op::kDequantizeLinear:
      return Dequantize(node, inputs, dtype, shape);
    case Op::kDynamicQuantizeLinear:
      return DynamicQuantize(node, inputs, dtype, shape);
    case Op::kQLinearConv: {
      const QuantProduct product{inputs[0], inputs[3], inputs[2], inputs[5], Find(inputs, 8)};
      return Requantised(ConvSums(node, product, shape), inputs, dtype, shape, 1);
    }
    case Op::kQLinearMatMul: {
      const QuantProduct product{inputs[0], inputs[3], inputs[2], inputs[5], nullptr};
      return Requantised(MatMulSums(product, shape), inputs, dtype, shape, shape.rank() - 1);
    }
    case Op::kConvInteger:
      return Tensor::From<int32_t>(
          shape,
          ConvSums(node, {inputs[0], inputs[1], Find(inputs, 2), Find(inputs, 3), nullptr}, shape));
    case Op::kMatMulInteger:
      return Tensor::From<int32_t>(
          shape,
          MatMulSums({inputs[0], inputs[1], Find(inputs, 2), Find(inputs, 3), nullptr}, shape));
    default:
      BW_CHECK(false, "{} {} is not quantised", ToString(node.op), node.name);
      return {};
  }
}

}  // namespace bw::graph
