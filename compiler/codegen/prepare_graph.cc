#include "compiler/codegen/prepare_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "compiler/codegen/check_arithmetic.h"
#include "compiler/codegen/reshape_axes.h"
#include "compiler/codegen/storage_table.h"

namespace bw::codegen {
namespace {

using graph::IntGraph;
using graph::IntNode;
using graph::IntValue;

constexpr int kMaxRank = 6;

int64_t LargestMagnitude(const IntValue& value) {
  const int64_t top = int64_t{1} << (value.is_signed ? value.bits - 1 : value.bits);
  const int64_t low = value.is_signed ? -top : 0;
  return std::max(std::abs(low - value.zero_point), std::abs(top - 1 - value.zero_point));
}

Error NodeError(const IntNode& node, std::string message, std::string hint) {
  Error error;
  error.place = node.name;
  error.message = std::move(message);
  error.hint = std::move(hint);
  return error;
}

void CheckLut(const IntNode& node, const hwconfig::HwConfig& config, Errors& errors) {
  const auto* lut = std::get_if<graph::IntLut>(&node.params);
  if (lut == nullptr) return;
  const auto entries = static_cast<int64_t>(lut->table.size());
  if (entries > config.lut_segments + 1 || lut->params.segments > config.lut_segments) {
    errors.push_back(
        NodeError(node,
                  fmt::format("table of {} entries for {} segments; the hardware holds {} segments",
                              entries, lut->params.segments, config.lut_segments),
                  "raise lut.segments"));
  }
  if (lut->params.ramp_outside) {
    errors.push_back(NodeError(node, "the lookup continues outside of its table with asymptotes",
                               "this hardware limits the key; widen the table's range"));
  }
}

}  // namespace

PreparedGraph PrepareGraph(const IntGraph& graph) {
  PreparedGraph made;
  made.graph = graph;
  made.graph.nodes.clear();
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    IntNode node = graph.nodes[n];
    if (std::holds_alternative<graph::IntReshape>(node.params)) {
      const IntValue& from = graph.value(node.inputs[0]);
      if (!SharedAxes(from.shape.dims, graph.value(node.output).shape.dims)) {
        IntValue flat = from;
        flat.name += ".flat";
        flat.shape = tensor::Shape{from.shape.Elements()};
        flat.constant.clear();
        flat.float_value.clear();
        IntNode flatten = node;
        flatten.output = static_cast<graph::IntValueId>(made.graph.values.size());
        node.inputs[0] = flatten.output;
        made.graph.values.push_back(std::move(flat));
        made.graph.nodes.push_back(std::move(flatten));
        made.layer.push_back(static_cast<uint32_t>(n));
        made.is_result.push_back(false);
      }
    }
    made.graph.nodes.push_back(std::move(node));
    made.layer.push_back(static_cast<uint32_t>(n));
    made.is_result.push_back(true);
  }
  return made;
}

Status CheckSupport(const IntGraph& graph, const hwconfig::HwConfig& config) {
  Errors errors;
  CheckArithmetic(graph, config, &errors);
  for (const IntNode& node : graph.nodes) {
    CheckLut(node, config, errors);
    const IntValue& out = graph.value(node.output);
    if (out.shape.rank() > kMaxRank) {
      errors.push_back(NodeError(node,
                                 fmt::format("{} has rank {}; at most {} axes are supported",
                                             out.name, out.shape.rank(), kMaxRank),
                                 "reshape it"));
    }
    if (!config.HasMode(node.rounding) && !std::holds_alternative<graph::IntLut>(node.params)) {
      errors.push_back(NodeError(node,
                                 fmt::format("rounds {}, which this hardware has not built in",
                                             arith::ToString(node.rounding)),
                                 "add it to ppu.modes or choose another profile"));
    }
    for (const graph::IntValueId id : ActivationInputs(graph, node)) {
      const IntValue& in = graph.value(id);
      if (in.bits <= config.act_bits) continue;
      errors.push_back(NodeError(
          node,
          fmt::format("{} has {} bits; the datapath takes {}", in.name, in.bits, config.act_bits),
          "raise act_bits or narrow the tensor in the recipe"));
    }
  }
  if (!errors.empty()) return errors;
  return OkStatus();
}

namespace {

// The largest magnitude that an accumulator of the node can reach.
double AccumulatorBound(const IntGraph& graph, const IntNode& node) {
  const IntValue& a = graph.value(node.inputs[0]);
  const IntValue& b = graph.value(node.inputs[1]);
  const auto largest = static_cast<double>(LargestMagnitude(a));
  if (!HasSharedWeights(graph, node)) {
    const auto terms = static_cast<double>(a.shape[a.shape.rank() - 1]);
    return terms * largest * static_cast<double>(LargestMagnitude(b));
  }
  const bool conv = std::holds_alternative<graph::IntConv>(node.params);
  const int64_t channels = conv ? b.shape[0] : b.shape[1];
  const int64_t terms = b.shape.Elements() / channels;
  double bound = 0;
  for (int64_t n = 0; n < channels; ++n) {
    double sum = 0;
    for (int64_t k = 0; k < terms; ++k) {
      const int64_t at = conv ? n * terms + k : k * channels + n;
      sum += static_cast<double>(std::abs(b.constant[static_cast<size_t>(at)] - b.zero_point));
    }
    sum *= largest;
    if (node.inputs.size() > 2) {
      const auto& bias = graph.value(node.inputs[2]).constant;
      sum += std::abs(static_cast<double>(bias[static_cast<size_t>(n)]));
    }
    bound = std::max(bound, sum);
  }
  return bound;
}

}  // namespace

std::vector<std::string> AccumulatorWarnings(const IntGraph& graph,
                                             const hwconfig::HwConfig& config) {
  std::vector<std::string> warnings;
  const double limit = static_cast<double>((int64_t{1} << (config.acc_bits - 1)) - 1);
  for (const IntNode& node : graph.nodes) {
    const bool gemm = std::holds_alternative<graph::IntConv>(node.params) ||
                      std::holds_alternative<graph::IntMatMul>(node.params);
    if (!gemm) continue;
    const double bound = AccumulatorBound(graph, node);
    if (bound > limit) {
      warnings.push_back(
          fmt::format("{}: accumulators can reach {:.0f}, beyond the {:.0f} of acc_bits = {}; sums "
                      "that do wrap",
                      node.name, bound, limit, config.acc_bits));
    }
  }
  return warnings;
}

}  // namespace bw::codegen
