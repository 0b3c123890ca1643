#include "tests/conformance/error_budget.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace bw::conformance {
namespace {

using graph::IntGraph;
using graph::IntNode;
using graph::IntValue;
using graph::RequantSet;

constexpr double kRounding = 0.2886751345948129;  // 1 / sqrt(12): a uniform error of one step
constexpr double kSigmas = 6;

double Largest(const IntValue& value) { return std::ldexp(1.0, value.bits - 1) - 1; }

double RealOf(const arith::Requant& r) { return std::ldexp(static_cast<double>(r.m), -r.s); }

// The largest factor of channel c over both signs.
double FactorOf(const RequantSet& set, size_t c) {
  double factor = RealOf(set.entries[set.entries.size() == 1 ? 0 : c]);
  if (!set.negative.empty()) {
    factor = std::max(factor, RealOf(set.negative[set.negative.size() == 1 ? 0 : c]));
  }
  return factor;
}

double LargestFactor(const RequantSet& set) {
  double largest = 0;
  for (size_t c = 0; c < set.entries.size(); ++c) largest = std::max(largest, FactorOf(set, c));
  return largest;
}

// How much steeper the negative side is; at least 1.
double NegativeGain(const RequantSet& set) {
  double gain = 1;
  for (size_t c = 0; c < set.negative.size(); ++c) {
    const double positive = RealOf(set.entries[set.entries.size() == 1 ? 0 : c]);
    if (positive > 0) gain = std::max(gain, RealOf(set.negative[c]) / positive);
  }
  return gain;
}

class Propagation {
 public:
  Propagation(const IntGraph& graph, const std::vector<golden::IntTensor>& inputs, int mult_bits)
      : graph_(graph), mult_bits_(mult_bits), errors_(graph.values.size()) {
    // Inputs and constants: rounded once.
    for (StepError& error : errors_) error = {0.5, kRounding};
    for (size_t i = 0; i < inputs.size(); ++i) {
      const std::vector<int32_t>& v = inputs[i].data;
      const bool zero = std::all_of(v.begin(), v.end(), [](int32_t q) { return q == 0; });
      if (zero) errors_[static_cast<size_t>(graph.inputs[i])] = {};
    }
  }

  std::vector<StepError> Run() {
    for (const IntNode& node : graph_.nodes) {
      node_ = &node;
      errors_[static_cast<size_t>(node.output)] =
          std::visit([this](const auto& params) { return Of(params); }, node.params);
    }
    return errors_;
  }

 private:
  const IntValue& In(size_t i) const { return graph_.value(node_->inputs[i]); }
  const IntValue& Out() const { return graph_.value(node_->output); }
  const StepError& E(size_t i) const { return errors_[static_cast<size_t>(node_->inputs[i])]; }

  // The most that one rounding adds.
  double Rounding() const {
    switch (node_->rounding) {
      case arith::Rounding::kFloor:
      case arith::Rounding::kTruncate:
      case arith::Rounding::kDouble:
        return 1;
      case arith::Rounding::kHalfUp:
      case arith::Rounding::kHalfAway:
      case arith::Rounding::kHalfEven:
        return 0.5;
    }
    return 1;
  }

  // Rounding to the output's step.
  StepError Rounded(double worst, double variance) const {
    const double multiplier = std::ldexp(Largest(Out()) + 1, -mult_bits_);
    return {worst + Rounding() + multiplier,
            std::sqrt(variance + kRounding * kRounding + multiplier * multiplier)};
  }

  // Sums of products with constants: `weights` in rows of one output channel each.
  template <typename ChannelOf>
  StepError SumsOfProducts(const RequantSet& set, size_t channels, ChannelOf channel_of) const {
    const std::vector<int32_t>& weights = In(1).constant;
    const StepError x = E(0);
    const double q = Largest(In(0)) + x.worst;
    std::vector<double> worst(channels, 0.5), variance(channels, kRounding * kRounding);
    for (size_t i = 0; i < weights.size(); ++i) {
      const double w = std::abs(weights[i]);
      if (w == 0 && x.worst == 0) continue;
      const size_t c = channel_of(i);
      worst[c] += w * x.worst + q / 2;
      variance[c] += w * w * x.sigma * x.sigma + q * q * kRounding * kRounding;
    }
    StepError most;
    for (size_t c = 0; c < channels; ++c) {
      const double r = FactorOf(set, c);
      most.worst = std::max(most.worst, r * worst[c]);
      most.sigma = std::max(most.sigma, r * r * variance[c]);
    }
    return Rounded(most.worst, most.sigma);
  }

  // r * n products of two activations.
  StepError Products(double r, double n) const {
    const double qa = Largest(In(0)), qb = Largest(In(1));
    const StepError a = E(0), b = E(1);
    const double variance = qa * qa * b.sigma * b.sigma + qb * qb * a.sigma * a.sigma;
    return Rounded(r * n * (qa * b.worst + qb * a.worst + a.worst * b.worst), r * r * n * variance);
  }

  StepError Of(const graph::IntConv& conv) const {
    const auto channels = static_cast<size_t>(In(1).shape[0]);
    const size_t each = In(1).constant.size() / channels;
    return SumsOfProducts(conv.requant, channels, [each](size_t i) { return i / each; });
  }
  StepError Of(const graph::IntMatMul& product) const {
    const tensor::Shape& b = In(1).shape;
    if (In(1).constant.empty()) {
      return Products(LargestFactor(product.requant), static_cast<double>(b[b.rank() - 2]));
    }
    const auto n = static_cast<size_t>(b[1]);
    return SumsOfProducts(product.requant, n, [n](size_t i) { return i % n; });
  }
  StepError Of(const graph::IntAdd& add) const {
    const double gain = NegativeGain(add.requant) / Out().scale;
    const double ra = In(0).scale * gain, rb = In(1).scale * gain;
    // One step of the aligned sum, and of stage 1, in output steps.
    const int base_shift = std::max(add.add.a.left_shift, add.add.b.left_shift);
    const double base = std::ldexp(std::max(ra, rb), -base_shift);
    const double sum = base * (1 + std::ldexp(1.0, add.add.stage1_shift)) * Rounding() +
                       std::ldexp(std::min(ra * Largest(In(0)), rb * Largest(In(1))), -mult_bits_);
    const double sa = ra * E(0).sigma, sb = rb * E(1).sigma;
    return Rounded(ra * E(0).worst + rb * E(1).worst + sum, sa * sa + sb * sb + sum * sum);
  }
  StepError Of(const graph::IntMul& mul) const {
    const double r = In(0).scale * In(1).scale / Out().scale;
    return Products(r * NegativeGain(mul.requant), 1);
  }
  StepError Of(const graph::IntRequant& requant) const {
    const double r = LargestFactor(requant.requant);
    return Rounded(r * E(0).worst, r * r * E(0).sigma * E(0).sigma);
  }
  StepError Of(const graph::IntLut& lut) const {
    double slope = 0, bend = 0;
    const auto& t = lut.table;
    for (size_t i = 1; i < t.size(); ++i) {
      slope = std::max(slope, std::abs(static_cast<double>(t[i]) - t[i - 1]));
      if (i > 1) bend = std::max(bend, std::abs(t[i] - 2.0 * t[i - 1] + t[i - 2]));
    }
    slope = std::ldexp(slope + 1, -lut.params.k);  // entries are rounded
    const double table = lut.params.interpolate ? 0.5 + (bend + 2) / 4 : 0;
    const double sigma = slope * E(0).sigma;
    return Rounded(slope * E(0).worst + table, sigma * sigma + table * table);
  }
  StepError Of(const graph::IntPool& pool) const {
    if (pool.is_max) return E(0);
    double worst = 0, variance = 0;
    for (const auto& [count, requant] : pool.by_count) {
      const double r = RealOf(requant), n = static_cast<double>(count);
      worst = std::max(worst, n * r * E(0).worst);
      variance = std::max(variance, n * r * r * E(0).sigma * E(0).sigma);
    }
    return Rounded(worst, variance);
  }
  StepError Of(const graph::IntReshape&) const { return E(0); }
  StepError Of(const graph::IntTranspose&) const { return E(0); }
  StepError Of(const graph::IntSlice&) const { return E(0); }
  StepError Of(const graph::IntResize&) const { return E(0); }
  StepError Of(const graph::IntPad&) const {
    return {std::max(E(0).worst, 0.5), std::max(E(0).sigma, kRounding)};
  }
  StepError Of(const graph::IntConcat&) const {
    StepError most;
    for (size_t i = 0; i < node_->inputs.size(); ++i) {
      most.worst = std::max(most.worst, E(i).worst);
      most.sigma = std::max(most.sigma, E(i).sigma);
    }
    return most;
  }
  StepError Of(const graph::IntSoftmax& softmax) const {
    const double one = softmax.tflite ? 256 : static_cast<double>(softmax.one);
    const double sigma = one * std::tanh(In(0).scale * E(0).sigma / 2);
    return Rounded(one * std::tanh(In(0).scale * E(0).worst / 2), sigma * sigma);
  }

  const IntGraph& graph_;
  const int mult_bits_;
  const IntNode* node_ = nullptr;
  std::vector<StepError> errors_;
};

}  // namespace

double StepError::Budget() const { return std::min(worst, kSigmas * sigma); }

std::vector<StepError> StepErrors(const IntGraph& graph,
                                  const std::vector<golden::IntTensor>& inputs, int mult_bits) {
  return Propagation(graph, inputs, mult_bits).Run();
}

}  // namespace bw::conformance
