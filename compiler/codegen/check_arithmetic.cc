#include "compiler/codegen/check_arithmetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "compiler/codegen/storage_table.h"
#include "models/arith/profile.h"

namespace bw::codegen {
namespace {

using graph::IntNode;

// M and S of every multiplication that a node makes.
using Scales = std::vector<std::pair<int64_t, int>>;

void Collect(const graph::RequantSet& set, Scales* scales) {
  for (const auto* entries : {&set.entries, &set.negative}) {
    for (const arith::Requant& r : *entries) scales->emplace_back(r.m, r.s);
  }
}

Scales ScalesOf(const IntNode& node) {
  Scales scales;
  std::visit(
      [&scales](const auto& params) {
        using Params = std::decay_t<decltype(params)>;
        if constexpr (std::is_same_v<Params, graph::IntConv> ||
                      std::is_same_v<Params, graph::IntMatMul> ||
                      std::is_same_v<Params, graph::IntAdd> ||
                      std::is_same_v<Params, graph::IntMul> ||
                      std::is_same_v<Params, graph::IntRequant>) {
          Collect(params.requant, &scales);
        }
        if constexpr (std::is_same_v<Params, graph::IntAdd>) {
          for (const arith::AlignOperand* operand : {&params.add.a, &params.add.b}) {
            if (operand->multiply) scales.emplace_back(operand->m, operand->s);
          }
        }
        if constexpr (std::is_same_v<Params, graph::IntPool>) {
          for (const auto& [count, r] : params.by_count) scales.emplace_back(r.m, r.s);
        }
      },
      node.params);
  return scales;
}

class Check {
 public:
  Check(const graph::IntGraph& graph, const hwconfig::HwConfig& config, Errors* errors)
      : graph_(graph), config_(config), errors_(errors) {}

  void Run() {
    if (graph_.acc_bits != config_.acc_bits) {
      Add(graph_.name,
          fmt::format("made for accumulators of {} bits; the hardware's have {}", graph_.acc_bits,
                      config_.acc_bits),
          fmt::format("set acc_bits to {}, or lower the network for this hardware",
                      graph_.acc_bits));
    }
    const arith::Profile* profile = arith::FindProfile(graph_.profile);
    if (profile != nullptr && profile->float_scale) {
      Add(graph_.name, fmt::format("profile {} scales in floating point", graph_.profile),
          "choose a profile with integer scales");
    }
    for (const IntNode& node : graph_.nodes) {
      CheckMode(node);
      CheckScales(node);
      CheckOperands(node);
    }
  }

 private:
  void Add(const std::string& place, std::string message, std::string hint) {
    Error error;
    error.place = place;
    error.message = std::move(message);
    error.hint = std::move(hint);
    errors_->push_back(std::move(error));
  }

  // A node's own mode, where it is not the whole network's (which the recipe has checked).
  void CheckMode(const IntNode& node) {
    if (ScalesOf(node).empty() || config_.HasMode(node.rounding)) return;
    Add(node.name,
        fmt::format("rounds {}, which is not among ppu.modes", arith::ToString(node.rounding)),
        "add it to ppu.modes");
  }

  void CheckScales(const IntNode& node) {
    int64_t most = 0;
    int right = 0, left = 0;
    for (const auto& [m, s] : ScalesOf(node)) {
      most = std::max(most, m);
      right = std::max(right, s);
      left = std::max(left, -s);
    }
    if (most >> config_.ppu_mult_bits != 0) {
      Add(node.name,
          fmt::format("multiplier {} does not fit ppu.mult_bits = {}", most, config_.ppu_mult_bits),
          "raise ppu.mult_bits or choose another profile");
    }
    if (right > config_.ppu_shift_max || left > config_.ppu_left_shift_max) {
      Add(node.name,
          fmt::format("shifts up to {} to the right and {} to the left; the hardware's reach {} "
                      "and {}",
                      right, left, config_.ppu_shift_max, config_.ppu_left_shift_max),
          "raise ppu.shift_max or ppu.left_shift_max");
    }
  }

  void CheckOperands(const IntNode& node) {
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const graph::IntValue& value = graph_.value(node.inputs[i]);
      if (value.zero_point != 0 && !config_.ppu_zero_point) {
        Add(node.name, fmt::format("{} has zero point {}", value.name, value.zero_point),
            "set ppu.zero_point to true or quantise symmetrically");
      }
      const bool gemm = std::holds_alternative<graph::IntConv>(node.params) ||
                        std::holds_alternative<graph::IntMatMul>(node.params);
      if (i != 1 || !gemm || !HasSharedWeights(graph_, node)) continue;
      if (value.bits > config_.weight_bits) {
        Add(node.name,
            fmt::format("weights {} have {} bits; the datapath takes {}", value.name, value.bits,
                        config_.weight_bits),
            "raise weight_bits or narrow the weights in the recipe");
      }
    }
  }

  const graph::IntGraph& graph_;
  const hwconfig::HwConfig& config_;
  Errors* errors_;
};

}  // namespace

void CheckArithmetic(const graph::IntGraph& graph, const hwconfig::HwConfig& config,
                     Errors* errors) {
  Check(graph, config, errors).Run();
}

}  // namespace bw::codegen
