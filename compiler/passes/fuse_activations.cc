#include <cmath>
#include <optional>

#include "compiler/passes/passes.h"
#include "compiler/passes/rewrite.h"

namespace bw::passes {
namespace {

using graph::Graph;
using graph::Node;
using graph::Op;
using graph::ValueId;

// Constants of exported graphs are float32; 1 / 6 differs from its float32 by less than this.
bool Near(double a, double b) { return std::abs(a - b) <= 1e-6 * std::abs(b); }

// An operation with one constant number, as x * factor + shift.
struct Scalar {
  ValueId x = graph::kNoValue;
  double factor = 1;
  double shift = 0;
};

std::optional<double> Number(const Graph& graph, ValueId id) {
  if (!IsConstant(graph, id) || graph.value(id).shape.Elements() != 1) return std::nullopt;
  return graph.value(id).constant->ToF64()[0];
}

std::optional<Scalar> AsScalar(const Graph& graph, const Node& node) {
  if (node.inputs.size() != 2) return std::nullopt;
  const size_t at = Number(graph, node.inputs[1]) ? 1 : 0;
  const auto k = Number(graph, node.inputs[at]);
  if (!k) return std::nullopt;
  const ValueId x = node.inputs[1 - at];
  if (graph.value(x).shape != graph.value(node.outputs[0]).shape) return std::nullopt;
  if (node.op == Op::kMul) return Scalar{x, *k, 0};
  if (node.op == Op::kAdd) return Scalar{x, 1, *k};
  if (node.op == Op::kDiv && at == 1 && *k != 0) return Scalar{x, 1 / *k, 0};
  if (node.op == Op::kSub && at == 1) return Scalar{x, 1, -*k};
  return std::nullopt;
}

int IndexOf(const Graph& graph, const Node& node) {
  return static_cast<int>(&node - graph.nodes.data());
}

// clip(x * factor + shift, 0, top), where no inner result has another reader.
struct ClippedLine {
  Scalar line;
  double top = 0;
};

std::optional<ClippedLine> AsClippedLine(Graph& graph, const Node& clip) {
  if (clip.op != Op::kClip || clip.Float("min") != 0) return std::nullopt;
  const double top = clip.Float("max");
  if (!(top > 0) || std::isinf(top)) return std::nullopt;
  const Node* add = SoleProducer(graph, clip.inputs[0], IndexOf(graph, clip));
  if (add == nullptr || (add->op != Op::kAdd && add->op != Op::kSub)) return std::nullopt;
  auto line = AsScalar(graph, *add);
  if (!line) return std::nullopt;
  const Node* times = SoleProducer(graph, line->x, IndexOf(graph, *add));
  if (times == nullptr || (times->op != Op::kMul && times->op != Op::kDiv)) {
    return ClippedLine{*line, top};
  }
  const auto inner = AsScalar(graph, *times);
  if (inner) line = Scalar{inner->x, inner->factor, line->shift};
  return ClippedLine{*line, top};
}

// The clipped line whose result `id` only node `reader` reads.
std::optional<ClippedLine> ClippedLineBehind(Graph& graph, ValueId id, int reader) {
  const Node* clip = SoleProducer(graph, id, reader);
  if (clip == nullptr) return std::nullopt;
  return AsClippedLine(graph, *clip);
}

bool IsReluSixOf(const std::optional<ClippedLine>& clipped, ValueId x) {
  return clipped && clipped->line.x == x && Near(clipped->line.factor, 1) &&
         Near(clipped->line.shift, 3) && Near(clipped->top, 6);
}

// x of x * clip(x + 3, 0, 6), the node `product`.
std::optional<ValueId> SwishOperand(Graph& graph, const Node& product) {
  if (product.op != Op::kMul) return std::nullopt;
  for (const size_t gate : {0, 1}) {
    const ValueId x = product.inputs[1 - gate];
    const auto clipped = ClippedLineBehind(graph, product.inputs[gate], IndexOf(graph, product));
    if (IsReluSixOf(clipped, x)) return x;
  }
  return std::nullopt;
}

// x of a hard swish whose last node is `node`: (x * r) / 6, or x * (r / 6), r = clip(x + 3, 0, 6).
std::optional<ValueId> HardSwishOperand(Graph& graph, const Node& node) {
  if (const auto sixth = AsScalar(graph, node)) {
    if (sixth->shift != 0 || !Near(sixth->factor, 1.0 / 6)) return std::nullopt;
    const Node* product = SoleProducer(graph, sixth->x, IndexOf(graph, node));
    return product == nullptr ? std::nullopt : SwishOperand(graph, *product);
  }
  if (node.op != Op::kMul) return std::nullopt;
  for (const size_t gate : {0, 1}) {
    const Node* scaled = SoleProducer(graph, node.inputs[gate], IndexOf(graph, node));
    if (scaled == nullptr) continue;
    const auto sixth = AsScalar(graph, *scaled);
    if (!sixth || sixth->shift != 0 || !Near(sixth->factor, 1.0 / 6)) continue;
    const auto clipped = ClippedLineBehind(graph, sixth->x, IndexOf(graph, *scaled));
    if (IsReluSixOf(clipped, node.inputs[1 - gate])) return node.inputs[1 - gate];
  }
  return std::nullopt;
}

// The line of a hard sigmoid whose last node is `node`, with a top of 1.
std::optional<Scalar> HardSigmoidLine(Graph& graph, const Node& node) {
  std::optional<ClippedLine> clipped = AsClippedLine(graph, node);
  double factor = 1;
  if (!clipped) {
    const auto scaled = AsScalar(graph, node);
    if (!scaled || scaled->shift != 0) return std::nullopt;
    factor = scaled->factor;
    clipped = ClippedLineBehind(graph, scaled->x, IndexOf(graph, node));
  }
  if (!clipped || !Near(clipped->top * factor, 1)) return std::nullopt;
  const Scalar& line = clipped->line;
  return Scalar{line.x, line.factor / clipped->top, line.shift / clipped->top};
}

}  // namespace

Status FuseActivations(Graph& graph) {
  for (Node& node : graph.nodes) {
    if (const auto x = HardSwishOperand(graph, node)) {
      node.op = Op::kHardSwish;
      node.inputs = {*x};
      node.attributes.clear();
    }
  }
  BW_RETURN_IF_ERROR(RemoveDead(graph));
  for (Node& node : graph.nodes) {
    if (const auto line = HardSigmoidLine(graph, node)) {
      node.op = Op::kHardSigmoid;
      node.inputs = {line->x};
      node.attributes = {{"alpha", line->factor}, {"beta", line->shift}};
    }
  }
  return RemoveDead(graph);
}

}  // namespace bw::passes
