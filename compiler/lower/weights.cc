#include "compiler/lower/weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace bw::lower {

namespace {

// A bias scale further from s_in * s_w than this share is one of its own.
constexpr double kSameScale = 0.02;

double ShareOf(const Builder& b, double in, double weight, double out, bool float_product) {
  if (b.settings().profile->float_scale) {
    const float product = static_cast<float>(in) * static_cast<float>(weight);
    return static_cast<double>(product / static_cast<float>(out));
  }
  if (!float_product) return in * weight / out;
  const float product = static_cast<float>(in) * static_cast<float>(weight);
  return static_cast<double>(product) / out;
}

bool IsOwnScale(const graph::Quantisation& bias, const QuantisedWeights& weights, double in_scale) {
  for (size_t c = 0; c < bias.scales.size(); ++c) {
    const double step = in_scale * weights.ScaleOf(c);
    if (std::abs(bias.scales[c] - step) > kSameScale * step) return true;
  }
  return false;
}

}  // namespace

std::vector<double> RequantReals(const Builder& b, const QuantisedWeights& weights, double in_scale,
                                 double out_scale, bool in_double) {
  const bool float_product =
      b.settings().profile->tflite_forms && !in_double && weights.scales.size() == 1;
  std::vector<double> reals;
  for (double scale : weights.scales) {
    reals.push_back(ShareOf(b, in_scale, scale, out_scale, float_product));
  }
  return reals;
}

QuantisedWeights FileWeights(const graph::Value& weight) {
  const graph::Quantisation& from = *weight.quantisation;
  QuantisedWeights made;
  made.q = from.integers;
  made.scales = from.scales;
  made.zero_point = from.zero_points[0];
  made.bits = from.bits;
  made.is_signed = from.is_signed;
  const auto [least, most] = std::minmax_element(from.zero_points.begin(), from.zero_points.end());
  if (*least == 0 && *most == 0) return made;
  int64_t inner = 1;
  for (int axis = from.axis + 1; from.axis >= 0 && axis < weight.shape.rank(); ++axis) {
    inner *= weight.shape[axis];
  }
  std::vector<int32_t> centred = from.integers;
  const auto scales = static_cast<int64_t>(from.zero_points.size());
  for (size_t i = 0; i < centred.size(); ++i) {
    const int64_t channel = scales == 1 ? 0 : static_cast<int64_t>(i) / inner % scales;
    centred[i] -= static_cast<int32_t>(from.zero_points[static_cast<size_t>(channel)]);
  }
  const int32_t limit = int32_t{1} << (from.bits - 1);
  const bool fits = std::all_of(centred.begin(), centred.end(),
                                [limit](int32_t q) { return q >= -limit && q < limit; });
  if (!fits && *least == *most) return made;
  made.q = std::move(centred);
  made.zero_point = 0;
  made.is_signed = true;
  if (!fits) ++made.bits;
  return made;
}

std::vector<int32_t> BiasIntegers(const Builder& b, const graph::Value* bias,
                                  const std::vector<double>& reals, const QuantisedWeights& weights,
                                  double in_scale) {
  if (bias != nullptr && bias->quantisation && bias->quantisation->bits == 32 &&
      bias->quantisation->integers.size() == reals.size() &&
      !IsOwnScale(*bias->quantisation, weights, in_scale)) {
    return bias->quantisation->integers;
  }
  return b.QuantiseBias(reals, weights, in_scale);
}

void MoveZeroPointIntoBias(const arith::Profile& profile, int64_t channels,
                           graph::RequantSet& requant, std::vector<int32_t>& bias) {
  if (!profile.subtract_offset || requant.entries[0].zp == 0) return;
  bias.resize(static_cast<size_t>(channels), 0);
  for (size_t c = 0; c < bias.size(); ++c) {
    const arith::Requant& r = requant.For(static_cast<int64_t>(c));
    if (r.m == 0) continue;
    const double offset = std::ldexp(static_cast<double>(r.zp) / static_cast<double>(r.m), r.s);
    const double sum = std::clamp(bias[c] + std::round(offset), -0x1p31, 0x1p31 - 1);
    bias[c] = static_cast<int32_t>(sum);
  }
  for (arith::Requant& r : requant.entries) {
    if (r.m != 0) r.zp = 0;
  }
}

Result<std::vector<double>> ConstantReals(Builder& b, int index, size_t input,
                                          std::string_view role) {
  const graph::Node& node = b.float_graph().nodes[static_cast<size_t>(index)];
  const graph::Value& value = b.float_graph().value(node.inputs[input]);
  if (!value.constant) {
    return b.NodeError(index, fmt::format("the {} '{}' is not constant", role, value.name),
                       "only constant ones have an integer form");
  }
  return value.constant->ToF64();
}

}  // namespace bw::lower
