#include <algorithm>
#include <cmath>

#include "compiler/passes/passes.h"
#include "compiler/passes/rewrite.h"

namespace bw::passes {
namespace {

using graph::Graph;
using graph::Node;
using graph::Op;
using graph::ValueId;
using Ints = std::vector<int64_t>;

bool IsReshape(Op op) {
  return op == Op::kReshape || op == Op::kFlatten || op == Op::kSqueeze || op == Op::kUnsqueeze;
}

bool InOrder(const Ints& perm) { return std::is_sorted(perm.begin(), perm.end()); }

bool AllZero(const Ints& values) {
  return std::all_of(values.begin(), values.end(), [](int64_t value) { return value == 0; });
}

// A slice that starts at 0, steps by 1 and keeps the shape takes everything.
bool IsWholeSlice(const Node& node) {
  const Ints& steps = node.Ints("steps");
  return AllZero(node.Ints("starts")) &&
         std::all_of(steps.begin(), steps.end(), [](int64_t step) { return step == 1; });
}

// Whether a value that moves from `in` to `out` keeps its integers: `out` is as `in` is, or takes
// what comes.
bool KeepsIntegers(const graph::Value& in, const graph::Value& out) {
  return !out.quantisation || (in.quantisation && SameNumbers(*in.quantisation, *out.quantisation));
}

// Every axis reads its own positions in order (their number is the input's).
bool IsWholeResize(const Node& node) {
  auto source = node.Ints("sources").begin();
  for (const int64_t extent : node.Ints("sizes")) {
    for (int64_t i = 0; i < extent; ++i) {
      if (*source++ != i) return false;
    }
  }
  return true;
}

bool ChangesNothing(const Graph& graph, const Node& node) {
  const graph::Value& out = graph.value(node.outputs[0]);
  if (node.inputs.empty()) return false;
  const graph::Value& in = graph.value(node.inputs[0]);
  if (in.dtype != out.dtype || in.shape != out.shape || !KeepsIntegers(in, out)) return false;
  if (IsReshape(node.op)) return true;
  switch (node.op) {
    case Op::kIdentity:
    case Op::kDropout:
    case Op::kCast:
      return true;
    case Op::kTranspose:
      return InOrder(node.Ints("perm"));
    case Op::kPad:
      return AllZero(node.Ints("pads"));
    case Op::kSlice:
      return IsWholeSlice(node);
    case Op::kResize:
      return IsWholeResize(node);
    case Op::kConcat:
      return node.inputs.size() == 1;
    case Op::kClip:
      return std::isinf(node.Float("min")) && node.Float("min") < 0 &&
             std::isinf(node.Float("max")) && node.Float("max") > 0;
    default:
      return false;
  }
}

// Lets every reader of the node's result read its operand. A result that is a graph output keeps
// its name: the operand's producer makes it instead. False when that cannot be.
bool Bypass(Graph& graph, const Node& node) {
  const ValueId in = node.inputs[0], out = node.outputs[0];
  if (!graph.IsOutput(out)) {
    ReplaceUses(graph, out, in);
    return true;
  }
  const int producer = graph.Producer(in);
  if (producer < 0 || graph.IsOutput(in)) return false;
  graph.nodes[static_cast<size_t>(producer)].outputs[0] = out;
  graph.value(out).quantisation = graph.value(in).quantisation;
  ReplaceUses(graph, in, out);
  return true;
}

// As SoleProducer, where also the quantisation of `id` says nothing that its producer's operand did
// not say.
const Node* PlainProducer(Graph& graph, ValueId id, int reader) {
  const int producer = graph.Producer(id);
  if (producer < 0 || graph.IsOutput(id)) return nullptr;
  const Node& node = graph.nodes[static_cast<size_t>(producer)];
  if (graph.Consumers(id) != std::vector<int>{reader} || node.inputs.empty()) return nullptr;
  return KeepsIntegers(graph.value(node.inputs[0]), graph.value(id)) ? &node : nullptr;
}

// Node `i` takes over the work of the reshape or transpose before it, which becomes unused.
void JoinWithProducer(Graph& graph, size_t i) {
  Node& node = graph.nodes[i];
  const bool reshape = IsReshape(node.op);
  if (!reshape && node.op != Op::kTranspose) return;
  const Node* before = PlainProducer(graph, node.inputs[0], static_cast<int>(i));
  if (before == nullptr) return;
  if (reshape && IsReshape(before->op)) {
    node.op = Op::kReshape;
    node.attributes = {{"shape", graph.value(node.outputs[0]).shape.dims}};
    node.inputs = before->inputs;
  } else if (!reshape && before->op == Op::kTranspose) {
    Ints perm;
    for (const int64_t axis : node.Ints("perm")) {
      perm.push_back(before->Ints("perm")[static_cast<size_t>(axis)]);
    }
    node.attributes["perm"] = perm;
    node.inputs = before->inputs;
  }
}

}  // namespace

Status RemoveIdentities(Graph& graph) {
  for (size_t i = 0; i < graph.nodes.size(); ++i) JoinWithProducer(graph, i);
  BW_RETURN_IF_ERROR(RemoveDead(graph));
  for (size_t i = 0; i < graph.nodes.size();) {
    std::vector<bool> gone(graph.nodes.size());
    gone[i] = ChangesNothing(graph, graph.nodes[i]) && Bypass(graph, graph.nodes[i]);
    if (gone[i]) {
      EraseMarked(graph, gone);
    } else {
      ++i;
    }
  }
  return OkStatus();
}

}  // namespace bw::passes
