#include "tests/conformance/quantised_case.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/unit/frontend_onnx/model_builder.h"

namespace bw::conformance {
namespace {

using frontend::Ints;
using frontend::ModelBuilder;
using frontend::Set;
using onnx::TensorProto;
using tensor::Shape;
using tensor::Tensor;

// Integers as a file has them: q of scale[c] and zero[c], c along one axis or 0.
struct Integers {
  bool is_signed = true;
  Ints shape, q;
  std::vector<float> scale = {1.0f};
  Ints zero = {0};

  int64_t low() const { return is_signed ? -128 : 0; }
  int64_t high() const { return is_signed ? 127 : 255; }
  TensorProto::DataType type() const { return is_signed ? TensorProto::INT8 : TensorProto::UINT8; }
  int64_t ZeroOf(int64_t c) const { return zero[zero.size() == 1 ? 0 : static_cast<size_t>(c)]; }
  float ScaleOf(int64_t c) const { return scale[scale.size() == 1 ? 0 : static_cast<size_t>(c)]; }
  int64_t At(int64_t i) const { return q[static_cast<size_t>(i)]; }
};

struct Geometry {
  int64_t batch = 1, group = 1, in = 1, out = 1;  // channels a group
  int64_t height = 1, width = 1, kernel_h = 1, kernel_w = 1;
  int64_t stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
  Ints pads = {0, 0, 0, 0};

  int64_t Outputs(int64_t extent, int64_t before, int64_t after, int64_t kernel, int64_t dilation,
                  int64_t stride) const {
    return (extent + before + after - (dilation * (kernel - 1) + 1)) / stride + 1;
  }
  int64_t out_h() const {
    return Outputs(height, pads[0], pads[2], kernel_h, dilation_h, stride_h);
  }
  int64_t out_w() const { return Outputs(width, pads[1], pads[3], kernel_w, dilation_w, stride_w); }
};

class Maker {
 public:
  Maker(QuantisedKind kind, uint32_t seed) : random_(seed), m_(seed % 3 == 0 ? 17 : 13) {
    made_.kind = kind;
    made_.exact_reals = Pick(0, 1) == 0;
  }
  QuantisedCase Make();

 private:
  int64_t Pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random_);
  }
  float Scale() {
    if (made_.exact_reals) return std::ldexp(1.0f, static_cast<int>(Pick(-6, 1)));
    return std::uniform_real_distribution<float>(0.003f, 0.4f)(random_);
  }
  bool IsQdq() const {
    return made_.kind == QuantisedKind::kQdqConv || made_.kind == QuantisedKind::kQdqGemm;
  }
  bool HasScales() const {
    return made_.kind != QuantisedKind::kConvInteger && made_.kind != QuantisedKind::kMatMulInteger;
  }

  void FillX(Ints shape);
  void FillW(Ints shape, int64_t channels);
  void FillY(int64_t terms);
  void FillBias(int64_t channels);
  void PickGeometry();
  std::vector<int64_t> ConvSums() const;
  std::vector<int64_t> MatMulSums(int64_t rows, int64_t inner, int64_t columns) const;
  int64_t Requantise(int64_t sum, int64_t channel);
  void SetExpected(const Ints& shape, const std::vector<int64_t>& sums, int64_t inner);
  void AddOperand(const std::string& name, const Integers& v, bool constant);
  void AddConv();
  void AddMatMul();
  void AddQdq(const std::string& op, const Ints& bias_shape);
  void SetConvAttributes(onnx::NodeProto* node) const;

  std::mt19937 random_;
  ModelBuilder m_;
  QuantisedCase made_;
  Integers x_, w_, y_;
  Ints bias_;
  Geometry g_;
  bool two_activations_ = false;
};

Tensor ToTensor(bool is_signed, const Ints& shape, const Ints& q) {
  if (is_signed) return Tensor::From<int8_t>(Shape(shape), {q.begin(), q.end()});
  return Tensor::From<uint8_t>(Shape(shape), {q.begin(), q.end()});
}

int64_t Product(const Ints& shape) {
  int64_t product = 1;
  for (const int64_t extent : shape) product *= extent;
  return product;
}

// Reals for QDQ, of which some lie between two steps or beyond the ends; x_.q becomes what
// QuantizeLinear makes of them: x / scale to even, zero point, saturated.
void Maker::FillX(Ints shape) {
  x_.is_signed = Pick(0, 1) == 0;
  x_.shape = std::move(shape);
  x_.zero = {Pick(0, 2) == 0 ? 0 : Pick(x_.low(), x_.high())};
  if (HasScales()) x_.scale = {Scale()};
  for (int64_t i = 0; i < Product(x_.shape); ++i) x_.q.push_back(Pick(x_.low(), x_.high()));
  if (!IsQdq()) {
    made_.inputs = {ToTensor(x_.is_signed, x_.shape, x_.q)};
    return;
  }
  std::vector<float> reals;
  for (int64_t& q : x_.q) {
    const float steps =
        static_cast<float>(q - x_.zero[0] + (Pick(0, 9) == 0 ? Pick(-300, 300) : 0)) +
        (Pick(0, 3) == 0 ? 0.5f : 0.0f);
    reals.push_back(steps * x_.scale[0]);
    const double even = std::nearbyint(static_cast<double>(reals.back() / x_.scale[0]));
    q = std::clamp(static_cast<int64_t>(even) + x_.zero[0], x_.low(), x_.high());
  }
  made_.inputs = {Tensor::From<float>(Shape(x_.shape), reals)};
}

// Weights of `channels` filters or columns, with one scale or one for each of them.
void Maker::FillW(Ints shape, int64_t channels) {
  w_.is_signed = Pick(0, 2) != 0;
  w_.shape = std::move(shape);
  const auto count = static_cast<size_t>(Pick(0, 1) == 0 ? 1 : channels);
  w_.scale.assign(count, 1.0f);
  w_.zero.assign(count, 0);
  if (HasScales()) std::generate(w_.scale.begin(), w_.scale.end(), [&] { return Scale(); });
  if (!w_.is_signed || Pick(0, 2) == 0) {
    std::generate(w_.zero.begin(), w_.zero.end(), [&] { return Pick(w_.low(), w_.high()); });
  }
  made_.zero_point_a_channel =
      std::any_of(w_.zero.begin(), w_.zero.end(), [&](int64_t z) { return z != w_.zero[0]; });
  for (int64_t i = 0; i < Product(w_.shape); ++i) w_.q.push_back(Pick(w_.low(), w_.high()));
}

// A scale of the result with which most results are in range and some are not.
void Maker::FillY(int64_t terms) {
  y_.is_signed = Pick(0, 1) == 0;
  y_.zero = {Pick(0, 2) == 0 ? 0 : Pick(y_.low(), y_.high())};
  const double spread = 75.0 * 75.0 * std::sqrt(static_cast<double>(terms)) / 60;
  const double step = static_cast<double>(x_.scale[0]) * static_cast<double>(w_.scale[0]) * spread;
  y_.scale = {
      static_cast<float>(made_.exact_reals ? std::exp2(std::round(std::log2(step))) : step)};
  // Small sums meet ties more often.
  if (made_.exact_reals && Pick(0, 1) == 0) y_.scale[0] = x_.scale[0] * w_.scale[0] * 8;
}

void Maker::FillBias(int64_t channels) {
  if (Pick(0, 2) == 0) return;
  for (int64_t c = 0; c < channels; ++c) bias_.push_back(Pick(-3000, 3000));
}

void Maker::PickGeometry() {
  g_.batch = Pick(1, 2), g_.group = Pick(1, 3), g_.in = Pick(1, 3), g_.out = Pick(1, 3);
  if (Pick(0, 3) == 0) g_.in = 1;  // depthwise
  g_.height = Pick(3, 8), g_.width = Pick(3, 8);
  g_.kernel_h = Pick(1, 3), g_.kernel_w = Pick(1, 3);
  g_.stride_h = Pick(1, 2), g_.stride_w = Pick(1, 2);
  if (g_.kernel_h < 3) g_.dilation_h = Pick(1, 2);
  if (g_.kernel_w < 3) g_.dilation_w = Pick(1, 2);
  for (int64_t& pad : g_.pads) pad = Pick(0, 2);
}

std::vector<int64_t> Maker::ConvSums() const {
  std::vector<int64_t> sums;
  for (int64_t n = 0; n < g_.batch; ++n) {
    for (int64_t o = 0; o < g_.group * g_.out; ++o) {
      for (int64_t oh = 0; oh < g_.out_h(); ++oh) {
        for (int64_t ow = 0; ow < g_.out_w(); ++ow) {
          int64_t sum = bias_.empty() ? 0 : bias_[static_cast<size_t>(o)];
          for (int64_t c = 0; c < g_.in; ++c) {
            for (int64_t kh = 0; kh < g_.kernel_h; ++kh) {
              for (int64_t kw = 0; kw < g_.kernel_w; ++kw) {
                const int64_t ih = oh * g_.stride_h - g_.pads[0] + kh * g_.dilation_h;
                const int64_t iw = ow * g_.stride_w - g_.pads[1] + kw * g_.dilation_w;
                if (ih < 0 || ih >= g_.height || iw < 0 || iw >= g_.width) continue;
                const int64_t channel = o / g_.out * g_.in + c;
                const int64_t channels = g_.group * g_.in;
                const int64_t x =
                    x_.At(((n * channels + channel) * g_.height + ih) * g_.width + iw);
                const int64_t w = w_.At(((o * g_.in + c) * g_.kernel_h + kh) * g_.kernel_w + kw);
                sum += (x - x_.zero[0]) * (w - w_.ZeroOf(o));
              }
            }
          }
          sums.push_back(sum);
        }
      }
    }
  }
  return sums;
}

std::vector<int64_t> Maker::MatMulSums(int64_t rows, int64_t inner, int64_t columns) const {
  std::vector<int64_t> sums;
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      int64_t sum = bias_.empty() ? 0 : bias_[static_cast<size_t>(c)];
      for (int64_t k = 0; k < inner; ++k) {
        sum += (x_.At(r * inner + k) - x_.zero[0]) * (w_.At(k * columns + c) - w_.ZeroOf(c));
      }
      sums.push_back(sum);
    }
  }
  return sums;
}

// float32(sum) * (s_x * s_w / s_y), all in float32, rounded to float32, to even, zero point,
// saturated.
int64_t Maker::Requantise(int64_t sum, int64_t channel) {
  const float scale = x_.scale[0] * w_.ScaleOf(channel) / y_.scale[0];
  const float steps = static_cast<float>(sum) * scale;
  made_.ties += std::abs(steps - std::trunc(steps)) == 0.5f;
  const auto even = static_cast<int64_t>(std::nearbyint(static_cast<double>(steps)));
  const int64_t result = std::clamp(even + y_.zero[0], y_.low(), y_.high());
  made_.saturated += result != even + y_.zero[0];
  return result;
}

// `inner`: results in a row that share a channel.
void Maker::SetExpected(const Ints& shape, const std::vector<int64_t>& sums, int64_t inner) {
  const int64_t channels = made_.kind <= QuantisedKind::kQdqConv ? g_.group * g_.out : shape.back();
  if (!HasScales()) {
    made_.expected = Tensor::From<int32_t>(Shape(shape), {sums.begin(), sums.end()});
    return;
  }
  Ints q;
  for (size_t i = 0; i < sums.size(); ++i) {
    q.push_back(Requantise(sums[i], static_cast<int64_t>(i) / inner % channels));
  }
  made_.expected = ToTensor(y_.is_signed, shape, q);
}

void Maker::AddOperand(const std::string& name, const Integers& v, bool constant) {
  if (constant) m_.Integers(name, v.type(), v.shape, v.q);
  const auto count = static_cast<int64_t>(v.scale.size());
  const Ints shape = count == 1 && Pick(0, 1) == 0 ? Ints{} : Ints{count};
  m_.Floats(name + "_scale", shape, v.scale);
  m_.Integers(name + "_zero", v.type(), shape, v.zero);
}

void Maker::SetConvAttributes(onnx::NodeProto* node) const {
  Set(node, "strides", Ints{g_.stride_h, g_.stride_w});
  Set(node, "dilations", Ints{g_.dilation_h, g_.dilation_w});
  Set(node, "pads", g_.pads);
  Set(node, "group", g_.group);
}

// x through QuantizeLinear, weights and bias through DequantizeLinear, the result to integers y.
void Maker::AddQdq(const std::string& op, const Ints& bias_shape) {
  const int64_t axis = op == "Conv" ? 0 : 1;
  m_.Node("QuantizeLinear", {"x", "x_scale", "x_zero"}, "x_q");
  m_.Node("DequantizeLinear", {"x_q", "x_scale", "x_zero"}, "x_dq");
  Set(m_.Node("DequantizeLinear", {"w", "w_scale", "w_zero"}, "w_dq"), "axis", axis);
  std::vector<std::string> inputs = {"x_dq", "w_dq"};
  if (!bias_.empty()) {
    std::vector<float> scales;
    for (const float scale : w_.scale) scales.push_back(x_.scale[0] * scale);
    m_.Integers("b", TensorProto::INT32, bias_shape, bias_);
    m_.Floats("b_scale", {static_cast<int64_t>(scales.size())}, scales);
    Set(m_.Node("DequantizeLinear", {"b", "b_scale"}, "b_dq"), "axis", int64_t{0});
    inputs.push_back("b_dq");
  }
  onnx::NodeProto* node = m_.Node(op, inputs, "real");
  if (op == "Conv") SetConvAttributes(node);
  m_.Node("QuantizeLinear", {"real", "y_scale", "y_zero"}, "y");
}

void Maker::AddConv() {
  PickGeometry();
  const int64_t filters = g_.group * g_.out;
  FillX({g_.batch, g_.group * g_.in, g_.height, g_.width});
  FillW({filters, g_.in, g_.kernel_h, g_.kernel_w}, filters);
  FillY(g_.in * g_.kernel_h * g_.kernel_w);
  if (HasScales()) FillBias(filters);
  AddOperand("x", x_, false);
  AddOperand("w", w_, true);
  AddOperand("y", y_, false);
  if (made_.kind == QuantisedKind::kQdqConv) {
    AddQdq("Conv", {filters});
  } else if (made_.kind == QuantisedKind::kConvInteger) {
    SetConvAttributes(m_.Node("ConvInteger", {"x", "w", "x_zero", "w_zero"}, "y"));
  } else {
    if (!bias_.empty()) m_.Integers("b", TensorProto::INT32, {filters}, bias_);
    SetConvAttributes(m_.Node("QLinearConv",
                              {"x", "x_scale", "x_zero", "w", "w_scale", "w_zero", "y_scale",
                               "y_zero", bias_.empty() ? "" : "b"},
                              "y"));
  }
  SetExpected({g_.batch, filters, g_.out_h(), g_.out_w()}, ConvSums(), g_.out_h() * g_.out_w());
}

void Maker::AddMatMul() {
  const int64_t rows = Pick(1, 5), inner = Pick(1, 12), columns = Pick(1, 6);
  FillX({rows, inner});
  FillW({inner, columns}, columns);
  FillY(inner);
  if (IsQdq()) FillBias(columns);
  // Two activations: one scale and one zero point each.
  two_activations_ = !IsQdq() && w_.scale.size() == 1 && Pick(0, 1) == 0;
  AddOperand("x", x_, false);
  AddOperand("w", w_, !two_activations_);
  AddOperand("y", y_, false);
  if (two_activations_) made_.inputs.push_back(ToTensor(w_.is_signed, w_.shape, w_.q));
  if (made_.kind == QuantisedKind::kQdqGemm) {
    AddQdq("Gemm", {columns});
  } else if (made_.kind == QuantisedKind::kMatMulInteger) {
    m_.Node("MatMulInteger", {"x", "w", "x_zero", "w_zero"}, "y");
  } else {
    m_.Node("QLinearMatMul",
            {"x", "x_scale", "x_zero", "w", "w_scale", "w_zero", "y_scale", "y_zero"}, "y");
  }
  SetExpected({rows, columns}, MatMulSums(rows, inner, columns), 1);
}

QuantisedCase Maker::Make() {
  if (made_.kind <= QuantisedKind::kQdqConv) {
    AddConv();
  } else {
    AddMatMul();
  }
  m_.Input("x", x_.shape, IsQdq() ? TensorProto::FLOAT : x_.type());
  if (two_activations_) m_.Input("w", w_.shape, w_.type());
  m_.Output("y");
  made_.bytes = m_.Bytes();
  return made_;
}

}  // namespace

const char* ToString(QuantisedKind kind) {
  switch (kind) {
    case QuantisedKind::kQLinearConv:
      return "QLinearConv";
    case QuantisedKind::kConvInteger:
      return "ConvInteger";
    case QuantisedKind::kQdqConv:
      return "QDQ Conv";
    case QuantisedKind::kQLinearMatMul:
      return "QLinearMatMul";
    case QuantisedKind::kMatMulInteger:
      return "MatMulInteger";
    case QuantisedKind::kQdqGemm:
      return "QDQ Gemm";
  }
  return "";
}

QuantisedCase MakeQuantisedCase(QuantisedKind kind, uint32_t seed) {
  return Maker(kind, seed * kQuantisedKinds + static_cast<uint32_t>(kind)).Make();
}

}  // namespace bw::conformance
