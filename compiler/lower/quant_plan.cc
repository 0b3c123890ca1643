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
    // What the file quantises by itself is a result of its own.
    while (!graph.IsOutput(value) && !graph.value(value).quantisation) {
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
bool PaddingFits(const Node& node, const Format& input, double own_scale) {
  const double padding = std::abs(node.Float("value"));
  const double largest = std::ldexp(1.0, input.bits - 1) - 1;
  return input.from_file || padding == 0 ||
         (padding <= input.scale * largest && input.scale <= own_scale);
}

// The format of a value by itself: the file's, or one for its calibrated range.
Result<Format> OwnFormat(const Graph& graph, ValueId id, const calibrate::Ranges& ranges,
                         int act_bits) {
  const graph::Value& value = graph.value(id);
  const auto fail = [&](std::string message, std::string hint) {
    return Error{graph.file, 0, 0, value.name, std::move(message), std::move(hint)};
  };
  if (value.shape.Elements() == 0) {
    return fail(fmt::format("shape {} has no elements", value.shape.ToString()),
                "remove what computes it from the network");
  }
  if (value.quantisation) {
    if (value.quantisation->scales.size() == 1) return FormatOf(*value.quantisation);
    return fail(fmt::format("an activation with {} scales", value.quantisation->scales.size()),
                "only constants may have a scale a channel");
  }
  const auto found = ranges.find(value.name);
  if (found == ranges.end()) {
    return fail("no calibration range for this value", "calibrate on the same network");
  }
  const double max_abs = found->second.MaxAbs();
  if (!std::isfinite(max_abs)) {
    return fail(fmt::format("calibration range [{}, {}] is not finite", found->second.min,
                            found->second.max),
                "check the network's weights and the calibration samples");
  }
  return Format{arith::ScaleFromMaxAbs(max_abs, act_bits), 0, act_bits, true, false};
}

// Values without a format of their own in a network that the file quantises: between an operator
// and what is fused into it, and behind one that keeps its operand's integers.
std::vector<bool> Inheriting(const Graph& graph, const QuantPlan& plan) {
  std::vector<bool> inherits(graph.values.size(), false);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    const ValueId out = node.outputs[0];
    if (graph.value(out).quantisation || graph.value(out).shape.Elements() == 0) continue;
    const int head = plan.fused_into[i] >= 0 ? plan.fused_into[i] : static_cast<int>(i);
    const ValueId result = plan.result[static_cast<size_t>(head)];
    const ValueId in = node.inputs.empty() ? graph::kNoValue : node.inputs[0];
    const bool inside = out != result && graph.value(result).quantisation;
    const bool behind = KeepsScale(node.op) && in != graph::kNoValue && !graph.value(in).constant &&
                        (graph.value(in).quantisation || inherits[static_cast<size_t>(in)]);
    inherits[static_cast<size_t>(out)] = inside || behind;
  }
  return inherits;
}

void ShareFormats(const Graph& graph, QuantPlan& plan, int act_bits) {
  const auto format = [&plan](ValueId id) -> Format& {
    return plan.format[static_cast<size_t>(id)];
  };
  for (const Node& node : graph.nodes) {
    // Probabilities: 1.0 is the largest value.
    if (node.op != Op::kSoftmax || graph.value(node.outputs[0]).quantisation) continue;
    format(node.outputs[0]).scale = arith::ScaleFromMaxAbs(1.0, act_bits);
  }
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    if (node->op != Op::kConcat) continue;
    for (ValueId in : node->inputs) {
      if (graph.IsOutput(in) || graph.Consumers(in).size() != 1) continue;
      if (graph.value(in).quantisation || RequantisingProducer(graph, plan, in) < 0) continue;
      format(in) = format(node->outputs[0]);
    }
  }
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    const ValueId out = node.outputs[0];
    // What fusion leaves inside counts as the result.
    const ValueId result = plan.result[i];
    if (format(out).scale == 0 && plan.fused_into[i] < 0) format(out) = format(result);
    if (!KeepsScale(node.op) || graph.value(node.inputs[0]).constant) continue;
    if (graph.value(out).quantisation) continue;
    const Format& input = format(node.inputs[0]);
    const double own = format(out).scale == 0 ? input.scale : format(out).scale;
    if (node.op == Op::kPad && !PaddingFits(node, input, own)) continue;
    format(out) = input;
  }
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

Format FormatOf(const graph::Quantisation& quantisation) {
  return {quantisation.scales[0], quantisation.zero_points[0], quantisation.bits,
          quantisation.is_signed, true};
}

Result<QuantPlan> MakeQuantPlan(const Graph& graph, const calibrate::Ranges& ranges, int act_bits) {
  QuantPlan plan;
  plan.format.assign(graph.values.size(), Format());
  plan.fused_into.assign(graph.nodes.size(), -1);
  plan.fused.resize(graph.nodes.size());
  plan.result.assign(graph.nodes.size(), graph::kNoValue);
  PlanFusion(graph, plan);
  const std::vector<bool> inherits = Inheriting(graph, plan);

  Errors errors;
  const auto set_format = [&](ValueId id) {
    if (graph.value(id).constant || inherits[static_cast<size_t>(id)]) return;
    const Result<Format> format = OwnFormat(graph, id, ranges, act_bits);
    if (format.ok()) {
      plan.format[static_cast<size_t>(id)] = *format;
    } else {
      errors.insert(errors.end(), format.errors().begin(), format.errors().end());
    }
  };
  for (ValueId id : graph.inputs) set_format(id);
  for (const Node& node : graph.nodes) {
    for (ValueId id : node.outputs) {
      if (id != graph::kNoValue) set_format(id);
    }
  }
  if (!errors.empty()) return errors;
  ShareFormats(graph, plan, act_bits);
  return plan;
}

}  // namespace bw::lower
