// The integer graph under construction, with what the operators' lowering functions share.
#ifndef COMPILER_LOWER_BUILDER_H_
#define COMPILER_LOWER_BUILDER_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/graph/int_graph.h"
#include "compiler/lower/quant_plan.h"
#include "compiler/lower/settings.h"
#include "models/status/result.h"

namespace bw::lower {

// Weights as integers: value ~ (q - zero_point) * scales[channel].
struct QuantisedWeights {
  std::vector<int32_t> q;
  std::vector<double> scales;  // one, or one a channel
  int64_t zero_point = 0;
  int bits = 8;
  bool is_signed = true;
  double ScaleOf(size_t channel) const { return scales[scales.size() == 1 ? 0 : channel]; }
};

class Builder {
 public:
  Builder(const graph::Graph& graph, const QuantPlan& plan, const Settings& settings);

  const graph::Graph& float_graph() const { return graph_; }
  const Settings& settings() const { return settings_; }
  graph::IntGraph&& Take() && { return std::move(result_); }
  graph::IntGraph& result() { return result_; }
  const graph::IntGraph& result() const { return result_; }

  // ---- values
  const Format& FormatAt(graph::ValueId id) const { return plan_.format[static_cast<size_t>(id)]; }
  double Scale(graph::ValueId id) const { return FormatAt(id).scale; }
  // Symmetric and of activation width: for values that no file quantises.
  Format OwnFormat(double scale) const { return {scale, 0, settings_.act_bits, true, false}; }
  // That of a value that exists already.
  Format FormatOf(graph::IntValueId id) const;
  // Integers that the format may hold: all of its type where the file says so, else the profile's.
  arith::ClipRange RangeOf(const Format& format) const;
  // The integer value of an activation; a constant becomes one with the file's integers, or with a
  // scale of its own.
  graph::IntValueId Operand(graph::ValueId id);
  // A new constant of activation width, with the scale of its largest magnitude.
  graph::IntValueId Quantised(const std::string& name, const tensor::Shape& shape,
                              const std::vector<double>& reals);
  // New values and nodes get a number behind their name where it is taken.
  // A new activation value; `float_value` is the name of what it stands for.
  graph::IntValueId AddActivation(const std::string& name, tensor::Shape shape,
                                  const Format& format, std::string float_value);
  graph::IntValueId AddActivation(const std::string& name, tensor::Shape shape, double scale,
                                  std::string float_value) {
    return AddActivation(name, std::move(shape), OwnFormat(scale), std::move(float_value));
  }
  // An input or output of the network: as AddActivation, with what its files need.
  graph::IntValueId AddInput(graph::ValueId id);
  graph::IntValueId AddConstant(const std::string& name, tensor::Shape shape, int bits,
                                double scale, std::vector<int32_t> data);
  graph::IntValueId AddConstant(const std::string& name, tensor::Shape shape, const Format& format,
                                std::vector<int32_t> data);
  // The output of float node `index`, behind its fused activations; binds it for consumers.
  graph::IntValueId AddResult(int index);
  // Makes consumers of the node's result, or of a float value, read `value`.
  void Bind(int index, graph::IntValueId value) { BindValue(ResultValue(index), value); }
  void BindValue(graph::ValueId id, graph::IntValueId value) {
    bound_[static_cast<size_t>(id)] = value;
  }
  double ResultScale(int index) const { return Scale(ResultValue(index)); }
  const Format& ResultFormat(int index) const { return FormatAt(ResultValue(index)); }
  graph::ValueId ResultValue(int index) const { return plan_.result[static_cast<size_t>(index)]; }
  const tensor::Shape& ResultShape(int index) const;

  // ---- nodes
  void AddNode(int index, const std::string& name, std::vector<graph::IntValueId> inputs,
               graph::IntValueId output, graph::IntParams params, bool main = true);
  // The value under another shape of as many elements; adds an IntReshape unless it has the shape
  // already (constants are relabelled).
  graph::IntValueId Reshaped(int index, graph::IntValueId value, const tensor::Shape& shape);
  // Ends node `index`: its result is `value` under the result's shape, or with axes permuted.
  void ReshapeToResult(int index, graph::IntValueId value);
  void TransposeToResult(int index, graph::IntValueId value, const std::vector<int64_t>& perm);
  // Under `rank` axes, with ones in front.
  graph::IntValueId WithRank(int index, graph::IntValueId value, int rank);
  graph::IntValueId Transposed(int index, graph::IntValueId value,
                               const std::vector<int64_t>& perm);
  // The value in another format; adds an IntRequant unless the format is the same.
  Result<graph::IntValueId> Rescaled(int index, graph::IntValueId value, const Format& format);

  // ---- arithmetic
  // Requantisation of node `index` from `reals` (accumulator step / output step; one, or one a
  // channel) with the fused clips and slopes.
  Result<graph::RequantSet> Requants(int index, const std::vector<double>& reals);
  // The same without what is fused: for values inside the node's integer form.
  Result<graph::RequantSet> PlainRequants(int index, const std::vector<double>& reals,
                                          const Format& format);
  // The same for scales that are fixed already (elementwise add).
  Result<graph::RequantSet> RequantsFrom(int index, const arith::ScaleDecision& decision);
  // One entry without fused slopes, from one real.
  Result<arith::Requant> RequantFor(int index, double real);
  // A usable scale, or an error that names the layer and channel; a vanished one is a warning.
  Result<arith::FixedScale> Checked(int index, const arith::ScaleDecision& decision,
                                    int64_t channel);
  // Of the result, with what is fused.
  arith::ClipRange Clip(int index) const;
  // A real in the result's integers, clipped: as the file's own runtime rounds it.
  int64_t Integer(double real, const Format& format) const;
  // Slopes of a fused leaky relu or PReLU, one or one a channel; empty when there is none.
  std::vector<double> Slopes(int index) const;

  // Symmetric weights of `values`, where element i belongs to channel channel_of(i). A channel
  // whose bias would leave 30 bits, or without weights, gets a larger scale: bias / 2^30.
  template <typename ChannelOf>
  QuantisedWeights QuantiseWeights(const std::vector<double>& values, size_t channels,
                                   const std::vector<double>& bias, double input_scale,
                                   double output_scale, ChannelOf channel_of) const;
  // bias / (input_scale * weight scale) as 32-bit integers.
  std::vector<int32_t> QuantiseBias(const std::vector<double>& bias,
                                    const QuantisedWeights& weights, double input_scale) const;

  Error NodeError(int index, std::string message, std::string hint) const;

 private:
  void NoteFiles(graph::ValueId id, graph::IntValueId made);
  std::vector<double> WeightScales(const std::vector<double>& max_abs,
                                   const std::vector<double>& bias, double input_scale,
                                   double output_scale) const;
  int32_t QuantiseWeight(double value, double scale) const;

  const graph::Graph& graph_;
  const QuantPlan& plan_;
  const Settings settings_;
  graph::IntGraph result_;
  std::vector<graph::IntValueId> bound_;  // by ValueId
  std::vector<bool> from_file_;           // by IntValueId: Format::from_file
};

template <typename ChannelOf>
QuantisedWeights Builder::QuantiseWeights(const std::vector<double>& values, size_t channels,
                                          const std::vector<double>& bias, double input_scale,
                                          double output_scale, ChannelOf channel_of) const {
  std::vector<double> max_abs(settings_.per_channel_weights ? channels : 1, 0.0);
  const auto slot = [&](size_t i) { return max_abs.size() == 1 ? size_t{0} : channel_of(i); };
  for (size_t i = 0; i < values.size(); ++i) {
    double& largest = max_abs[slot(i)];
    const double magnitude = values[i] < 0 ? -values[i] : values[i];
    if (magnitude > largest) largest = magnitude;
  }
  QuantisedWeights weights;
  weights.bits = settings_.weight_bits;
  weights.scales = WeightScales(max_abs, bias, input_scale, output_scale);
  weights.q.reserve(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    weights.q.push_back(QuantiseWeight(values[i], weights.scales[slot(i)]));
  }
  return weights;
}

}  // namespace bw::lower

#endif  // COMPILER_LOWER_BUILDER_H_
