// Weights and biases, and the fully connected layer.
#include <limits>

#include "compiler/frontend/tflite/convert.h"
#include "compiler/frontend/tflite/product.h"

namespace bw::frontend::tflite {
namespace {

using graph::Op;
using graph::Quantisation;
using graph::ValueId;
using tensor::Shape;

constexpr int kBiasBits = 32;

// Scales of the accumulators: one, or one an output channel.
Quantisation BiasQuantisation(const Quantisation& input, const Quantisation& weights) {
  Quantisation q;
  for (const double scale : weights.scales) q.scales.push_back(input.scales[0] * scale);
  q.zero_points.assign(q.scales.size(), 0);
  q.axis = weights.axis;
  q.bits = kBiasBits;
  return q;
}

void CheckWeights(OperatorContext& c, bool quantised_input, const Constant& weights) {
  if (weights.quantisation && weights.quantisation->axis > 0) {
    c.Note("the weights have one scale a position of an axis that is not the output channels'");
  }
  if (!weights.quantisation && !c.IsReal(1)) c.Note("the weights have no scale");
  if (quantised_input && !weights.quantisation) {
    c.Note("the input is quantised and the weights are not");
  }
}

// Notes what is wrong with the bias; nothing when there is none or it is wrong.
std::optional<Constant> ReadBias(OperatorContext& c, bool quantised, int64_t channels) {
  if (!c.HasInput(2)) return std::nullopt;
  const Constant* bias = c.ConstantInput(2, "the bias");
  if (bias == nullptr) return std::nullopt;
  if (bias->shape.Elements() != channels) {
    c.Note("the bias has shape {}; the weights have {} output channels", bias->shape.ToString(),
           channels);
    return std::nullopt;
  }
  Constant result = *bias;
  result.shape = Shape({channels});
  if (!quantised) {
    if (c.IsReal(2)) return result;
    c.Note("the bias is of integers and the input is float32");
    return std::nullopt;
  }
  if (!c.IsIndices(2)) c.Note("the bias must be int32 or int64");
  for (const int64_t value : result.integers) {
    if (value == static_cast<int32_t>(value)) continue;
    c.Note("the bias has the value {}, which int32 does not hold", value);
    break;
  }
  return result;
}

}  // namespace

Result<std::vector<ValueId>> ProductOperands(OperatorContext& c, ValueId input, Constant weights) {
  BW_RETURN_IF_ERROR(c.status());
  const std::optional<Quantisation> quantised = c.QuantisationOf(input);
  CheckWeights(c, quantised.has_value(), weights);
  std::optional<Constant> bias =
      ReadBias(c, quantised.has_value(), weights.shape.rank() == 0 ? 0 : weights.shape[0]);
  BW_RETURN_IF_ERROR(c.status());
  if (quantised && bias) {
    bias->quantisation = BiasQuantisation(*quantised, *weights.quantisation);
  }
  if (!quantised && weights.quantisation) {
    weights = {weights.shape, RealsOf(weights), {}, std::nullopt};
  }
  std::vector<ValueId> operands = {input};
  BW_ASSIGN_OR_RETURN(const ValueId w, c.AddConstant(std::move(weights), "weights"));
  operands.push_back(w);
  if (!bias) return operands;
  BW_ASSIGN_OR_RETURN(const ValueId b, c.AddConstant(std::move(*bias), "bias"));
  operands.push_back(b);
  return operands;
}

namespace {

// The input as [batch, channels]; nothing (and a noted error) when it does not divide.
std::optional<Shape> FlatShape(OperatorContext& c, const Shape& x, const Shape& w) {
  if (!c.status().ok()) return std::nullopt;
  if (w.rank() != 2 || w[1] < 1 || x.Elements() % w[1] != 0) {
    c.Note("input {} and weights {} do not fit", x.ToString(), w.ToString());
    return std::nullopt;
  }
  return Shape({x.Elements() / w[1], w[1]});
}

}  // namespace

Status ConvertFullyConnected(OperatorContext& c) {
  namespace field = fully_connected_field;
  const Shape x = c.InputShape(0);
  const Constant* w = c.ConstantInput(1, "the weights");
  if (w == nullptr) return c.status();
  if (c.Option<int8_t>(field::kWeightsFormat, 0) != 0) c.Note("shuffled weights are not supported");
  const std::optional<Shape> flat = FlatShape(c, x, w->shape);
  if (!flat) return c.status();
  Shape result({(*flat)[0], w->shape[0]});
  if (c.Option<uint8_t>(field::kKeepNumDims, 0) != 0 && x.rank() > 0) {
    if (x[x.rank() - 1] != w->shape[1]) {
      c.Note("input {} and weights {} do not fit", x.ToString(), w->shape.ToString());
    }
    result = x;
    result[x.rank() - 1] = w->shape[0];
  }
  BW_ASSIGN_OR_RETURN(const ValueId input, Reshaped(c, c.Input(0), x, *flat, "flatten"));
  BW_ASSIGN_OR_RETURN(std::vector<ValueId> inputs, ProductOperands(c, input, *w));
  const Attributes attributes = {
      {"alpha", 1.0}, {"beta", 1.0}, {"transA", int64_t{0}}, {"transB", int64_t{1}}};
  const Activation activation = c.ActivationOption(field::kActivation);
  if (result.rank() == 2) {
    return c.FinishActivated(Op::kGemm, std::move(inputs), attributes, activation);
  }
  const auto quantisation = c.ResultQuantisation();
  BW_ASSIGN_OR_RETURN(const ValueId y, c.EmitActivated(Op::kGemm, std::move(inputs), attributes,
                                                       activation, quantisation));
  return FinishReshaped(c, y, Shape({(*flat)[0], w->shape[0]}), result, "shape");
}

}  // namespace bw::frontend::tflite
