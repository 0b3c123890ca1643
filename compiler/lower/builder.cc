#include "compiler/lower/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/arith/quantise.h"

namespace bw::lower {

using graph::IntValueId;
using graph::ValueId;

namespace {
constexpr double kBiasLimit = 1 << 30;  // leaves a bit of 32 for the sum of products

double MaxAbs(const std::vector<double>& values) {
  double largest = 0;
  for (double v : values) largest = std::max(largest, std::abs(v));
  return largest;
}

template <typename Named>
std::string UniqueIn(const std::vector<Named>& items, const std::string& wanted) {
  const auto taken = [&items](const std::string& name) {
    return std::any_of(items.begin(), items.end(),
                       [&](const Named& item) { return item.name == name; });
  };
  std::string name = wanted;
  for (int i = 1; taken(name); ++i) name = fmt::format("{}.{}", wanted, i);
  return name;
}
}  // namespace

Builder::Builder(const graph::Graph& graph, const QuantPlan& plan, const Settings& settings)
    : graph_(graph), plan_(plan), settings_(settings), bound_(graph.values.size(), -1) {
  result_.name = graph.name;
  result_.profile = std::string(settings.profile->name);
  result_.acc_bits = settings.acc_bits;
}

Error Builder::NodeError(int index, std::string message, std::string hint) const {
  const graph::Node& node = graph_.nodes[static_cast<size_t>(index)];
  return {graph_.file,
          0,
          0,
          fmt::format("{} '{}'", graph::ToString(node.op), node.name),
          std::move(message),
          std::move(hint)};
}

// ---- values

Format Builder::FormatOf(IntValueId id) const {
  const graph::IntValue& value = result_.value(id);
  return {value.scale, value.zero_point, value.bits, value.is_signed,
          from_file_[static_cast<size_t>(id)]};
}

arith::ClipRange Builder::RangeOf(const Format& format) const {
  const auto kind = format.from_file ? arith::ClipKind::kTypeRange : settings_.profile->clip;
  return arith::RangeOf(kind, format.bits, format.is_signed);
}

IntValueId Builder::AddActivation(const std::string& name, tensor::Shape shape,
                                  const Format& format, std::string float_value) {
  graph::IntValue value;
  value.name = UniqueIn(result_.values, name);
  value.shape = std::move(shape);
  value.bits = format.bits;
  value.is_signed = format.is_signed;
  value.scale = format.scale;
  value.zero_point = format.zero_point;
  value.float_value = std::move(float_value);
  result_.values.push_back(std::move(value));
  from_file_.push_back(format.from_file);
  return static_cast<IntValueId>(result_.values.size() - 1);
}

IntValueId Builder::AddInput(ValueId id) {
  const graph::Value& value = graph_.value(id);
  const IntValueId made = AddActivation(value.name, value.shape, FormatAt(id), value.name);
  NoteFiles(id, made);
  BindValue(id, made);
  return made;
}

void Builder::NoteFiles(ValueId id, IntValueId made) {
  const graph::Value& value = graph_.value(id);
  result_.value(made).file_axes = value.file_axes;
  result_.value(made).ties_to_even = value.quantisation && value.quantisation->ties_to_even;
}

IntValueId Builder::AddConstant(const std::string& name, tensor::Shape shape, int bits,
                                double scale, std::vector<int32_t> data) {
  return AddConstant(name, std::move(shape), {scale, 0, bits, true, false}, std::move(data));
}

IntValueId Builder::AddConstant(const std::string& name, tensor::Shape shape, const Format& format,
                                std::vector<int32_t> data) {
  const IntValueId id = AddActivation(name, std::move(shape), format, "");
  result_.value(id).constant = std::move(data);
  return id;
}

IntValueId Builder::Operand(ValueId id) {
  IntValueId& bound = bound_[static_cast<size_t>(id)];
  if (bound >= 0) return bound;
  const graph::Value& value = graph_.value(id);
  BW_CHECK(value.constant.has_value(), "value '{}' is read before it is lowered", value.name);
  if (value.quantisation && value.quantisation->scales.size() == 1) {
    return bound = AddConstant(value.name, value.shape, lower::FormatOf(*value.quantisation),
                               value.quantisation->integers);
  }
  return bound = Quantised(value.name, value.shape, value.constant->ToF64());
}

IntValueId Builder::Quantised(const std::string& name, const tensor::Shape& shape,
                              const std::vector<double>& reals) {
  const double scale = arith::ScaleFromMaxAbs(MaxAbs(reals), settings_.act_bits);
  const auto range = arith::RangeOf(arith::ClipKind::kSymmetric, settings_.act_bits, true);
  std::vector<int32_t> data;
  data.reserve(reals.size());
  for (double v : reals) {
    data.push_back(static_cast<int32_t>(arith::QuantiseReal(v, scale, 0, range.lo, range.hi)));
  }
  return AddConstant(name, shape, settings_.act_bits, scale, std::move(data));
}

const tensor::Shape& Builder::ResultShape(int index) const {
  return graph_.value(ResultValue(index)).shape;
}

IntValueId Builder::AddResult(int index) {
  const graph::Value& value = graph_.value(ResultValue(index));
  const IntValueId id = AddActivation(value.name, value.shape, ResultFormat(index), value.name);
  if (graph_.IsOutput(ResultValue(index))) NoteFiles(ResultValue(index), id);
  Bind(index, id);
  return id;
}

// ---- nodes

void Builder::AddNode(int index, const std::string& name, std::vector<IntValueId> inputs,
                      IntValueId output, graph::IntParams params, bool main) {
  const graph::Node& source = graph_.nodes[static_cast<size_t>(index)];
  graph::IntNode node;
  node.name = UniqueIn(result_.nodes, name);
  node.op = source.op;
  if (main) {
    node.fused.push_back(source.name);
    for (int fused : plan_.fused[static_cast<size_t>(index)]) {
      node.fused.push_back(graph_.nodes[static_cast<size_t>(fused)].name);
    }
  }
  node.inputs = std::move(inputs);
  node.output = output;
  node.rounding = settings_.rounding;
  node.params = std::move(params);
  result_.nodes.push_back(std::move(node));
}

IntValueId Builder::Reshaped(int index, IntValueId value, const tensor::Shape& shape) {
  const graph::IntValue from = result_.value(value);
  if (from.shape == shape) return value;
  if (!from.constant.empty()) {
    return AddConstant(from.name + ".reshape", shape, FormatOf(value), from.constant);
  }
  const std::string name = from.name + ".reshape";
  const IntValueId to = AddActivation(name, shape, FormatOf(value), "");
  AddNode(index, name, {value}, to, graph::IntReshape{}, false);
  return to;
}

void Builder::ReshapeToResult(int index, IntValueId value) {
  const std::string name = result_.value(value).name + ".reshape";
  AddNode(index, name, {value}, AddResult(index), graph::IntReshape{}, false);
}

void Builder::TransposeToResult(int index, IntValueId value, const std::vector<int64_t>& perm) {
  const std::string name = result_.value(value).name + ".transpose";
  AddNode(index, name, {value}, AddResult(index), graph::IntTranspose{perm}, false);
}

IntValueId Builder::WithRank(int index, IntValueId value, int rank) {
  std::vector<int64_t> dims = result_.value(value).shape.dims;
  while (static_cast<int>(dims.size()) < rank) dims.insert(dims.begin(), 1);
  return Reshaped(index, value, tensor::Shape(dims));
}

IntValueId Builder::Transposed(int index, IntValueId value, const std::vector<int64_t>& perm) {
  const graph::IntValue from = result_.value(value);
  std::vector<int64_t> dims;
  for (int64_t axis : perm) dims.push_back(from.shape[static_cast<int>(axis)]);
  const std::string name = from.name + ".transpose";
  const IntValueId to = AddActivation(name, tensor::Shape(dims), FormatOf(value), "");
  AddNode(index, name, {value}, to, graph::IntTranspose{perm}, false);
  return to;
}

Result<IntValueId> Builder::Rescaled(int index, IntValueId value, const Format& format) {
  const graph::IntValue from = result_.value(value);
  if (FormatOf(value) == format) return value;
  graph::IntRequant params;
  BW_ASSIGN_OR_RETURN(params.requant, PlainRequants(index, {from.scale / format.scale}, format));
  const std::string name = from.name + ".rescale";
  const IntValueId to = AddActivation(name, from.shape, format, from.float_value);
  AddNode(index, name, {value}, to, std::move(params), false);
  return to;
}

// ---- arithmetic

Result<arith::FixedScale> Builder::Checked(int index, const arith::ScaleDecision& decision,
                                           int64_t channel) {
  const std::string where = channel >= 0 ? fmt::format("channel {}: ", channel) : "";
  if (!decision.usable()) {
    const double smallest = decision.SmallestOutputScale(ResultScale(index));
    return NodeError(index, where + decision.Explain(),
                     fmt::format("the smallest output scale that fits is {:.6g}", smallest));
  }
  if (decision.status == arith::ScaleStatus::kVanished) {
    result_.warnings.push_back(NodeError(index, where + decision.Explain(), "").ToString());
  }
  return decision.scale;
}

int64_t Builder::Integer(double real, const Format& format) const {
  const arith::ClipRange range = RangeOf(format);
  if (!format.from_file) {
    return arith::QuantiseReal(real, format.scale, format.zero_point, range.lo, range.hi);
  }
  const float steps = static_cast<float>(real) / static_cast<float>(format.scale);
  return arith::QuantiseReal(static_cast<double>(steps), 1.0, format.zero_point, range.lo,
                             range.hi);
}

arith::ClipRange Builder::Clip(int index) const {
  const Format& format = ResultFormat(index);
  arith::ClipRange range = RangeOf(format);
  for (int fused : plan_.fused[static_cast<size_t>(index)]) {
    const graph::Node& node = graph_.nodes[static_cast<size_t>(fused)];
    if (node.op == graph::Op::kRelu) range.lo = std::max(range.lo, Integer(0.0, format));
    if (node.op == graph::Op::kClip) {
      range.lo = std::max(range.lo, Integer(node.Float("min"), format));
      range.hi = std::min(range.hi, Integer(node.Float("max"), format));
    }
  }
  return range;
}

std::vector<double> Builder::Slopes(int index) const {
  for (int fused : plan_.fused[static_cast<size_t>(index)]) {
    const graph::Node& node = graph_.nodes[static_cast<size_t>(fused)];
    if (node.op == graph::Op::kLeakyRelu) return {node.Float("alpha")};
    if (node.op == graph::Op::kPRelu) return graph_.value(node.inputs[1]).constant->ToF64();
  }
  return {};
}

Result<graph::RequantSet> Builder::Requants(int index, const std::vector<double>& reals) {
  const std::vector<double> slopes = Slopes(index);
  const arith::ClipRange clip = Clip(index);
  const size_t entries = std::max(reals.size(), slopes.size());
  const auto at = [](const std::vector<double>& v, size_t i) { return v[v.size() == 1 ? 0 : i]; };
  graph::RequantSet set;
  for (size_t c = 0; c < entries; ++c) {
    const auto make = [&](double real) -> Result<arith::Requant> {
      const auto decision = arith::DecomposeWithin(real, settings_.mult_bits,
                                                   settings_.profile->scale_rule, settings_.limits);
      const int64_t channel = entries == 1 ? -1 : static_cast<int64_t>(c);
      BW_ASSIGN_OR_RETURN(const arith::FixedScale fixed, Checked(index, decision, channel));
      return arith::MakeRequant(fixed, ResultFormat(index).zero_point, clip.lo, clip.hi);
    };
    BW_ASSIGN_OR_RETURN(const arith::Requant positive, make(at(reals, c)));
    set.entries.push_back(positive);
    if (slopes.empty()) continue;
    BW_ASSIGN_OR_RETURN(const arith::Requant negative, make(at(reals, c) * at(slopes, c)));
    set.negative.push_back(negative);
  }
  return set;
}

Result<graph::RequantSet> Builder::PlainRequants(int index, const std::vector<double>& reals,
                                                 const Format& format) {
  const arith::ClipRange range = RangeOf(format);
  graph::RequantSet set;
  for (size_t c = 0; c < reals.size(); ++c) {
    const auto decision = arith::DecomposeWithin(reals[c], settings_.mult_bits,
                                                 settings_.profile->scale_rule, settings_.limits);
    const int64_t channel = reals.size() == 1 ? -1 : static_cast<int64_t>(c);
    BW_ASSIGN_OR_RETURN(const arith::FixedScale fixed, Checked(index, decision, channel));
    set.entries.push_back(arith::MakeRequant(fixed, format.zero_point, range.lo, range.hi));
  }
  return set;
}

Result<graph::RequantSet> Builder::RequantsFrom(int index, const arith::ScaleDecision& decision) {
  if (!Slopes(index).empty()) return Requants(index, {decision.real});
  BW_ASSIGN_OR_RETURN(const arith::FixedScale fixed, Checked(index, decision, -1));
  const arith::ClipRange clip = Clip(index);
  graph::RequantSet set;
  set.entries = {arith::MakeRequant(fixed, ResultFormat(index).zero_point, clip.lo, clip.hi)};
  return set;
}

Result<arith::Requant> Builder::RequantFor(int index, double real) {
  const auto decision = arith::DecomposeWithin(real, settings_.mult_bits,
                                               settings_.profile->scale_rule, settings_.limits);
  BW_ASSIGN_OR_RETURN(const arith::FixedScale fixed, Checked(index, decision, -1));
  const arith::ClipRange clip = Clip(index);
  return arith::MakeRequant(fixed, ResultFormat(index).zero_point, clip.lo, clip.hi);
}

std::vector<double> Builder::WeightScales(const std::vector<double>& max_abs,
                                          const std::vector<double>& bias, double input_scale,
                                          double output_scale) const {
  std::vector<double> scales;
  for (size_t c = 0; c < max_abs.size(); ++c) {
    double scale = arith::ScaleFromMaxAbs(max_abs[c], settings_.weight_bits);
    // Without weights only the bias counts: an accumulator step of 1/256 output step.
    if (max_abs[c] == 0) scale = output_scale / input_scale / 256;
    double largest_bias = 0;
    if (max_abs.size() == bias.size()) {
      largest_bias = std::abs(bias[c]);
    } else {
      largest_bias = MaxAbs(bias);
    }
    scales.push_back(std::max(scale, largest_bias / (input_scale * kBiasLimit)));
  }
  return scales;
}

int32_t Builder::QuantiseWeight(double value, double scale) const {
  const auto range = arith::RangeOf(arith::ClipKind::kSymmetric, settings_.weight_bits, true);
  return static_cast<int32_t>(arith::QuantiseReal(value, scale, 0, range.lo, range.hi));
}

std::vector<int32_t> Builder::QuantiseBias(const std::vector<double>& bias,
                                           const QuantisedWeights& weights,
                                           double input_scale) const {
  std::vector<int32_t> q;
  for (size_t c = 0; c < bias.size(); ++c) {
    q.push_back(static_cast<int32_t>(
        arith::QuantiseReal(bias[c], input_scale * weights.ScaleOf(c), 0, INT32_MIN, INT32_MAX)));
  }
  return q;
}

}  // namespace bw::lower
