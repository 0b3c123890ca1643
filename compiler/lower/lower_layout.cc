// Class L: data movement. The same integers in other places.
#include <fmt/format.h>

#include "compiler/lower/lower_ops.h"

namespace bw::lower {
namespace {

using graph::IntValueId;
using graph::Node;

const Node& NodeAt(const Builder& b, int index) {
  return b.float_graph().nodes[static_cast<size_t>(index)];
}

// The node's first operand in the format of its result: integers that only move.
Result<IntValueId> Moved(Builder& b, int index) {
  return b.Rescaled(index, b.Operand(NodeAt(b, index).inputs[0]), b.ResultFormat(index));
}

Status EmitReshape(Builder& b, int index) {
  const Node& node = NodeAt(b, index);
  const IntValueId from = b.Operand(node.inputs[0]);
  const Format& format = b.ResultFormat(index);
  if (b.result().value(from).shape == b.ResultShape(index) && b.FormatOf(from) != format) {
    graph::IntRequant params;  // the requantisation is all that there is
    BW_ASSIGN_OR_RETURN(params.requant,
                        b.PlainRequants(index, {b.FormatOf(from).scale / format.scale}, format));
    b.AddNode(index, node.name, {from}, b.AddResult(index), std::move(params));
    return OkStatus();
  }
  BW_ASSIGN_OR_RETURN(const IntValueId x, Moved(b, index));
  const IntValueId out = b.AddResult(index);
  b.AddNode(index, node.name, {x}, out, graph::IntReshape{});
  return OkStatus();
}

Status NotFolded(Builder& b, int index) {
  return b.NodeError(index, "does not fold to a constant",
                     "shape arithmetic must depend on shapes alone; bind them with --shape");
}

}  // namespace

Status LowerFlatten(Builder& b, int index) { return EmitReshape(b, index); }
Status LowerReshape(Builder& b, int index) { return EmitReshape(b, index); }
Status LowerSqueeze(Builder& b, int index) { return EmitReshape(b, index); }
Status LowerUnsqueeze(Builder& b, int index) { return EmitReshape(b, index); }
Status LowerIdentity(Builder& b, int index) { return EmitReshape(b, index); }
Status LowerDropout(Builder& b, int index) { return EmitReshape(b, index); }
Status LowerCast(Builder& b, int index) { return EmitReshape(b, index); }
Status LowerShape(Builder& b, int index) { return NotFolded(b, index); }
Status LowerConstant(Builder& b, int index) { return NotFolded(b, index); }
Status LowerGather(Builder& b, int index) { return NotFolded(b, index); }

Status LowerTranspose(Builder& b, int index) {
  const Node& node = NodeAt(b, index);
  BW_ASSIGN_OR_RETURN(const IntValueId x, Moved(b, index));
  const IntValueId out = b.AddResult(index);
  b.AddNode(index, node.name, {x}, out, graph::IntTranspose{node.Ints("perm")});
  return OkStatus();
}

Status LowerPad(Builder& b, int index) {
  const Node& node = NodeAt(b, index);
  const auto& pads = node.Ints("pads");
  const size_t rank = pads.size() / 2;
  for (int64_t pad : pads) {
    if (pad < 0) return b.NodeError(index, fmt::format("pad of {}", pad), "use Slice to crop");
  }
  graph::IntPad params;
  params.before.assign(pads.begin(), pads.begin() + static_cast<int64_t>(rank));
  params.after.assign(pads.begin() + static_cast<int64_t>(rank), pads.end());
  BW_ASSIGN_OR_RETURN(const IntValueId x, Moved(b, index));
  params.value = b.Integer(node.Float("value"), b.ResultFormat(index));
  const IntValueId out = b.AddResult(index);
  b.AddNode(index, node.name, {x}, out, std::move(params));
  return OkStatus();
}

Status LowerSlice(Builder& b, int index) {
  const Node& node = NodeAt(b, index);
  BW_ASSIGN_OR_RETURN(const IntValueId x, Moved(b, index));
  const int rank = b.result().value(x).shape.rank();
  graph::IntSlice params;
  params.starts.assign(static_cast<size_t>(rank), 0);
  params.steps.assign(static_cast<size_t>(rank), 1);
  const auto& axes = node.Ints("axes");
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<size_t>(axes[i] < 0 ? axes[i] + rank : axes[i]);
    params.starts[axis] = node.Ints("starts")[i];
    params.steps[axis] = node.Ints("steps")[i];
  }
  const IntValueId out = b.AddResult(index);
  b.AddNode(index, node.name, {x}, out, std::move(params));
  return OkStatus();
}

Status LowerConcat(Builder& b, int index) {
  const Node& node = NodeAt(b, index);
  std::vector<IntValueId> inputs;
  for (graph::ValueId id : node.inputs) {
    BW_ASSIGN_OR_RETURN(const IntValueId x,
                        b.Rescaled(index, b.Operand(id), b.ResultFormat(index)));
    inputs.push_back(x);
  }
  int64_t axis = node.Int("axis");
  if (axis < 0) axis += b.ResultShape(index).rank();
  const IntValueId out = b.AddResult(index);
  b.AddNode(index, node.name, std::move(inputs), out, graph::IntConcat{axis});
  return OkStatus();
}

}  // namespace bw::lower
