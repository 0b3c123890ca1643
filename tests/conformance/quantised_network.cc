#include "tests/conformance/quantised_network.h"

#include <cmath>
#include <utility>

#include "compiler/lower/lower.h"
#include "compiler/passes/passes.h"

namespace bw::conformance {
namespace {

// Of integers spread evenly over 8 bits.
constexpr double kDeviation = 74;

}  // namespace

QuantisedNetwork::QuantisedNetwork(uint32_t seed, bool is_signed)
    : rng_(seed), is_signed_(is_signed) {
  builder_.graph.name = "quantised " + std::to_string(seed);
}

int64_t QuantisedNetwork::Uniform(int64_t least, int64_t most) {
  return std::uniform_int_distribution<int64_t>(least, most)(rng_);
}

float QuantisedNetwork::Scale(double low, double high) {
  const double exponent =
      std::uniform_real_distribution<double>(std::log(low), std::log(high))(rng_);
  return static_cast<float>(std::exp(exponent));
}

std::vector<int32_t> QuantisedNetwork::Integers(int64_t count, int32_t least, int32_t most) {
  std::vector<int32_t> integers(static_cast<size_t>(count));
  for (int32_t& q : integers) q = static_cast<int32_t>(Uniform(least, most));
  return integers;
}

Quantisation QuantisedNetwork::Format(float scale) {
  Quantisation format;
  const int64_t least = is_signed_ ? -128 : 0, most = least + 255;
  const int64_t symmetric = is_signed_ ? 0 : 128;
  format.scales = {static_cast<double>(scale)};
  switch (Uniform(0, 4)) {
    case 0:
      format.zero_points = {least};
      break;
    case 1:
      format.zero_points = {most};
      break;
    case 2:
      format.zero_points = {symmetric};
      break;
    default:
      format.zero_points = {Uniform(least, most)};
  }
  format.is_signed = is_signed_;
  return format;
}

Quantisation QuantisedNetwork::FormatFor(double spread) {
  return Format(static_cast<float>(spread / kDeviation) * Scale(0.4, 2.5));
}

ValueId QuantisedNetwork::Input(tensor::Shape shape, Quantisation format) {
  const ValueId id =
      builder_.Input("in" + std::to_string(builder_.graph.inputs.size()), std::move(shape));
  builder_.graph.value(id).quantisation = std::move(format);
  return id;
}

ValueId QuantisedNetwork::Constant(tensor::Shape shape, Quantisation format,
                                   std::vector<int32_t> integers) {
  int64_t inner = 1;
  for (int axis = format.axis + 1; format.axis >= 0 && axis < shape.rank(); ++axis) {
    inner *= shape[axis];
  }
  const auto scales = static_cast<int64_t>(format.scales.size());
  std::vector<float> reals;
  for (size_t i = 0; i < integers.size(); ++i) {
    const auto c = static_cast<size_t>(scales == 1 ? 0 : static_cast<int64_t>(i) / inner % scales);
    const int64_t steps = integers[i] - format.zero_points[c];
    reals.push_back(static_cast<float>(static_cast<double>(steps) * format.scales[c]));
  }
  const ValueId id = builder_.Constant("c" + std::to_string(builder_.graph.values.size()),
                                       std::move(shape), reals);
  format.integers = std::move(integers);
  builder_.graph.value(id).quantisation = std::move(format);
  return id;
}

ValueId QuantisedNetwork::Add(Op op, std::vector<ValueId> inputs, Attributes attributes,
                              std::optional<Quantisation> format) {
  const std::string name =
      std::string(graph::ToString(op)) + std::to_string(builder_.graph.nodes.size());
  const ValueId out = builder_.Add(op, name, std::move(inputs), std::move(attributes));
  BW_CHECK(builder_.status.ok(), "{}", ToString(builder_.status.errors()));
  builder_.graph.value(out).quantisation = std::move(format);
  return out;
}

QuantisedNetwork::Filter QuantisedNetwork::MakeFilter(const Quantisation& in, tensor::Shape shape,
                                                      bool per_channel) {
  const int64_t outs = shape[0], terms = shape.Elements() / outs;
  const auto channels = static_cast<size_t>(per_channel ? outs : 1);
  Quantisation format;
  format.is_signed = is_signed_;
  format.axis = per_channel ? 0 : -1;
  for (size_t c = 0; c < channels; ++c) {
    format.scales.push_back(static_cast<double>(Scale(0.002, 0.02)));
    format.zero_points.push_back(is_signed_ ? 0 : Uniform(108, 148));
  }
  Filter filter;
  Quantisation of_bias;
  of_bias.bits = 32;
  of_bias.axis = format.axis;
  for (const double scale : format.scales) {
    of_bias.scales.push_back(in.scales[0] * scale);
    filter.step += in.scales[0] * scale / static_cast<double>(channels);
  }
  of_bias.zero_points.assign(channels, 0);
  const double sums = std::sqrt(static_cast<double>(terms)) * kDeviation * kDeviation;
  filter.spread = sums * filter.step;
  const auto reach = static_cast<int32_t>(sums);
  const int32_t least = is_signed_ ? -127 : 0;
  filter.weights = Constant(std::move(shape), std::move(format),
                            Integers(outs * terms, least, least + (is_signed_ ? 254 : 255)));
  filter.bias = Constant({outs}, std::move(of_bias), Integers(outs, -reach, reach));
  return filter;
}

std::vector<golden::IntTensor> QuantisedNetwork::RandomInputs() {
  std::vector<golden::IntTensor> inputs;
  const int32_t least = is_signed_ ? -128 : 0;
  for (const ValueId id : builder_.graph.inputs) {
    inputs.emplace_back(shape(id), Integers(shape(id).Elements(), least, least + 255));
  }
  return inputs;
}

Result<graph::IntGraph> LowerQuantised(graph::Graph graph, const lower::Settings& settings) {
  BW_RETURN_IF_ERROR(graph::Verify(graph));
  BW_RETURN_IF_ERROR(passes::Canonicalise(graph));
  return lower::Lower(graph, {}, settings);
}

}  // namespace bw::conformance
