#include "compiler/lower/quant_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/lower/varying_axis.h"
#include "models/arith/quantise.h"

namespace bw::lower {
namespace {

using graph::Graph;
using graph::Node;
using graph::Op;
using graph::ValueId;

// Operators whose requantisation can take a clip or a second scale for negative values.
bool Requantises(Op op) {
  switch (op) {
    case Op::kConv:
    case Op::kGemm:
    case Op::kMatMul:
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kDiv:
    case Op::kAveragePool:
    case Op::kGlobalAveragePool:
    case Op::kReduceMean:
      return true;
    default:
      return false;
  }
}

bool IsClipping(Op op) { return op == Op::kRelu || op == Op::kClip; }
bool IsLeaky(Op op) { return op == Op::kLeakyRelu || op == Op::kPRelu; }

// Sums over windows take their scale by count, one for both signs.
bool TakesNegativeSet(Op op) {
  return op != Op::kAveragePool && op != Op::kGlobalAveragePool && op != Op::kReduceMean;
}

// Whether the requantisation of `head` can take the slopes: none negative, one for all or one a
// channel of its result.
bool SlopesAreScales(const Graph& graph, const Node& head, const Node& node) {
  if (node.op == Op::kLeakyRelu) return node.Float("alpha") >= 0;
  const auto& slope = graph.value(node.inputs[1]).constant;
  if (!slope) return false;
  const tensor::Shape& out = graph.value(node.outputs[0]).shape;
  const auto axis = VaryingAxis(slope->shape(), out);
  if (!axis) return false;
  // A matrix product of rank 4 runs on rank 2, where the channels are others.
  const bool other_channels = head.op == Op::kMatMul && out.rank() == 4;
  if (*axis != kNoAxis && (*axis != ChannelAxis(out) || other_channels)) return false;
  const std::vector<double> values = slope->ToF64();
  return std::all_of(values.begin(), values.end(), [](double v) { return v >= 0; });
}

void PlanFusion(const Graph& graph, QuantPlan& plan) {
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& head = graph.nodes[i];
    ValueId value = head.outputs[0];
    plan.result[i] = value;
    if (!Requantises(head.op) || plan.fused_into[i] >= 0) continue;
    while (!graph.IsOutput(value)) {
      const std::vector<int> consumers = graph.Consumers(value);
      if (consumers.size() != 1) break;
      const Node& next = graph.nodes[static_cast<size_t>(consumers[0])];
      const bool leaky = IsLeaky(next.op) && plan.fused[i].empty() && TakesNegativeSet(head.op) &&
                         next.inputs[0] == value && SlopesAreScales(graph, head, next);
      if (!IsClipping(next.op) && !leaky) break;
      plan.fused[i].push_back(consumers[0]);
      plan.fused_into[static_cast<size_t>(consumers[0])] = static_cast<int>(i);
      value = next.outputs[0];
    }
    plan.result[i] = value;
  }
}

// The node whose requantisation decides the scale of `value`, or -1.
int RequantisingProducer(const Graph& graph, const QuantPlan& plan, ValueId value) {
  const int producer = graph.Producer(value);
  if (producer < 0) return -1;
  const Node& node = graph.nodes[static_cast<size_t>(producer)];
  if (KeepsScale(node.op) || node.op == Op::kConcat || node.op == Op::kSoftmax) return -1;
  const int head = plan.fused_into[static_cast<size_t>(producer)];
  return head >= 0 ? head : producer;
}

// Whether the input's scale serves the padding too: it reaches that far, and is no coarser than
// what the result would have of its own (as that of an input that is 0 throughout may be).
bool PaddingFits(const Node& node, double input_scale, double own_scale, int act_bits) {
  const double padding = std::abs(node.Float("value"));
  const double largest = std::ldexp(1.0, act_bits - 1) - 1;
  return padding == 0 || (padding <= input_scale * largest && input_scale <= own_scale);
}

}  // namespace

bool KeepsScale(Op op) {
  switch (op) {
    case Op::kMaxPool:
    case Op::kGlobalMaxPool:
    case Op::kFlatten:
    case Op::kReshape:
    case Op::kSqueeze:
    case Op::kUnsqueeze:
    case Op::kTranspose:
    case Op::kPad:
    case Op::kSlice:
    case Op::kResize:
    case Op::kIdentity:
    case Op::kDropout:
    case Op::kCast:
      return true;
    default:
      return false;
  }
}

Result<QuantPlan> MakeQuantPlan(const Graph& graph, const calibrate::Ranges& ranges, int act_bits) {
  QuantPlan plan;
  plan.scale.assign(graph.values.size(), 0.0);
  plan.fused_into.assign(graph.nodes.size(), -1);
  plan.fused.resize(graph.nodes.size());
  plan.result.assign(graph.nodes.size(), graph::kNoValue);

  Errors errors;
  const auto set_scale = [&](ValueId id) {
    const graph::Value& value = graph.value(id);
    if (value.constant) return;
    if (value.shape.Elements() == 0) {
      errors.push_back({graph.file, 0, 0, value.name,
                        fmt::format("shape {} has no elements", value.shape.ToString()),
                        "remove what computes it from the network"});
      return;
    }
    const auto found = ranges.find(value.name);
    if (found == ranges.end()) {
      errors.push_back({graph.file, 0, 0, value.name, "no calibration range for this value",
                        "calibrate on the same network"});
      return;
    }
    const double max_abs = found->second.MaxAbs();
    if (!std::isfinite(max_abs)) {
      errors.push_back({graph.file, 0, 0, value.name,
                        fmt::format("calibration range [{}, {}] is not finite", found->second.min,
                                    found->second.max),
                        "check the network's weights and the calibration samples"});
      return;
    }
    plan.scale[static_cast<size_t>(id)] = arith::ScaleFromMaxAbs(max_abs, act_bits);
  };
  for (ValueId id : graph.inputs) set_scale(id);
  for (const Node& node : graph.nodes) {
    for (ValueId id : node.outputs) {
      if (id != graph::kNoValue) set_scale(id);
    }
  }
  if (!errors.empty()) return errors;

  PlanFusion(graph, plan);
  const auto scale = [&plan](ValueId id) -> double& { return plan.scale[static_cast<size_t>(id)]; };
  for (const Node& node : graph.nodes) {
    // Probabilities: 1.0 is the largest value.
    if (node.op == Op::kSoftmax) scale(node.outputs[0]) = arith::ScaleFromMaxAbs(1.0, act_bits);
  }
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    if (node->op != Op::kConcat) continue;
    for (ValueId in : node->inputs) {
      if (graph.IsOutput(in) || graph.Consumers(in).size() != 1) continue;
      if (RequantisingProducer(graph, plan, in) < 0) continue;
      scale(in) = scale(node->outputs[0]);
    }
  }
  for (const Node& node : graph.nodes) {
    if (!KeepsScale(node.op) || graph.value(node.inputs[0]).constant) continue;
    const double input_scale = scale(node.inputs[0]);
    double& own = scale(node.outputs[0]);
    if (node.op == Op::kPad && !PaddingFits(node, input_scale, own, act_bits)) continue;
    own = input_scale;
  }
  return plan;
}

}  // namespace bw::lower
