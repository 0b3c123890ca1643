#include <algorithm>

#include "compiler/codegen/movement.h"
#include "compiler/codegen/reshape_axes.h"
#include "models/status/check.h"

namespace bw::codegen {
namespace {

using graph::IntGraph;
using graph::IntNode;

Box NestBox(const MovementProblem& problem) {
  Box box;
  for (const MovementAxis& axis : problem.axes) {
    box.first.push_back(0);
    box.extent.push_back(axis.extent);
  }
  return box;
}

// Nest axes are the axes that both shapes have in common, in the order in which the result lies.
void ReshapeProblem(const IntGraph& graph, const ValueTable& values, MovementProblem& p) {
  const Index& from = graph.value(p.node->inputs[0]).shape.dims;
  const Index& to = graph.value(p.d).shape.dims;
  const auto shared = SharedAxes(from, to);
  BW_CHECK(shared.has_value(), "{} has no shared axes", p.node->name);
  MovementPiece piece;
  piece.source = p.node->inputs[0];
  piece.source_base.assign(from.size(), 0);
  for (const int axis : values.of(p.d).order) {
    for (const SharedAxis& s : *shared) {
      if (s.to_axis != static_cast<size_t>(axis)) continue;
      p.axes.push_back({s.extent, s.to_axis, s.to_step});
      piece.from_axis.push_back(s.from_axis);
      piece.from_step.push_back(s.from_step);
    }
  }
  piece.box = NestBox(p);
  p.pieces.push_back(std::move(piece));
}

// Nest axes are the result's axes.
void LogicalAxes(const IntGraph& graph, const ValueTable& values, MovementProblem& p) {
  for (const int axis : values.of(p.d).order) {
    p.axes.push_back({graph.value(p.d).shape[axis], static_cast<size_t>(axis), 1});
  }
}

// A piece whose source axis `source_axis(axis)` has step `step(axis)` and starts at `base(axis)`.
template <typename Axis, typename Base, typename Step>
MovementPiece MakePiece(const MovementProblem& p, graph::IntValueId source, Axis source_axis,
                        Base base, Step step) {
  MovementPiece piece;
  piece.source = source;
  piece.box = NestBox(p);
  piece.source_base.assign(p.axes.size(), 0);
  for (const MovementAxis& axis : p.axes) {
    const size_t from = source_axis(axis.to_axis);
    piece.from_axis.push_back(from);
    piece.from_step.push_back(step(axis.to_axis));
    piece.source_base[from] = base(axis.to_axis);
  }
  return piece;
}

constexpr auto kSameAxis = [](size_t axis) { return axis; };
constexpr auto kOne = [](size_t) { return int64_t{1}; };
constexpr auto kZero = [](size_t) { return int64_t{0}; };

void PadProblem(const IntGraph& graph, const graph::IntPad& pad, MovementProblem& p) {
  const graph::IntValueId source = p.node->inputs[0];
  MovementPiece piece = MakePiece(
      p, source, kSameAxis, [&](size_t axis) { return -pad.before[axis]; }, kOne);
  for (size_t i = 0; i < p.axes.size(); ++i) {
    piece.box.first[i] = pad.before[p.axes[i].to_axis];
    piece.box.extent[i] = graph.value(source).shape.dims[p.axes[i].to_axis];
  }
  p.pieces.push_back(std::move(piece));
  p.fills = true;
  p.fill_value = pad.value;
}

void ConcatProblem(const IntGraph& graph, int64_t concat_axis, MovementProblem& p) {
  const auto along = static_cast<size_t>(concat_axis);
  int64_t offset = 0;
  for (const graph::IntValueId source : p.node->inputs) {
    const int64_t extent = graph.value(source).shape.dims[along];
    MovementPiece piece = MakePiece(
        p, source, kSameAxis, [&](size_t axis) { return axis == along ? -offset : 0; }, kOne);
    for (size_t i = 0; i < p.axes.size(); ++i) {
      if (p.axes[i].to_axis != along) continue;
      piece.box.first[i] = offset;
      piece.box.extent[i] = extent;
    }
    p.pieces.push_back(std::move(piece));
    offset += extent;
  }
}

// An axis that repeats its elements is two nest axes: over the elements, and over the times that
// each is read with a step of 0.
void ResizeProblem(const IntGraph& graph, const ValueTable& values, const Index& factors,
                   MovementProblem& p) {
  const Index& from = graph.value(p.node->inputs[0]).shape.dims;
  MovementPiece piece;
  piece.source = p.node->inputs[0];
  piece.source_base.assign(from.size(), 0);
  const auto add = [&](int64_t extent, size_t axis, int64_t to_step, int64_t from_step) {
    p.axes.push_back({extent, axis, to_step});
    piece.from_axis.push_back(axis);
    piece.from_step.push_back(from_step);
  };
  for (const int order : values.of(p.d).order) {
    const auto axis = static_cast<size_t>(order);
    add(from[axis], axis, factors[axis], 1);
    if (factors[axis] > 1) add(factors[axis], axis, 1, 0);
  }
  piece.box = NestBox(p);
  p.pieces.push_back(std::move(piece));
}

}  // namespace

MovementProblem MakeMovement(const IntGraph& graph, const ValueTable& values, const IntNode& node) {
  MovementProblem p;
  p.node = &node;
  p.d = node.output;
  if (std::holds_alternative<graph::IntReshape>(node.params)) {
    ReshapeProblem(graph, values, p);
    return p;
  }
  if (const auto* resize = std::get_if<graph::IntResize>(&node.params)) {
    ResizeProblem(graph, values, resize->factors, p);
    return p;
  }
  LogicalAxes(graph, values, p);
  if (const auto* transpose = std::get_if<graph::IntTranspose>(&node.params)) {
    p.pieces.push_back(MakePiece(
        p, node.inputs[0], [&](size_t axis) { return static_cast<size_t>(transpose->perm[axis]); },
        kZero, kOne));
  } else if (const auto* slice = std::get_if<graph::IntSlice>(&node.params)) {
    p.pieces.push_back(MakePiece(
        p, node.inputs[0], kSameAxis, [&](size_t axis) { return slice->starts[axis]; },
        [&](size_t axis) { return slice->steps[axis]; }));
  } else if (const auto* pad = std::get_if<graph::IntPad>(&node.params)) {
    PadProblem(graph, *pad, p);
  } else {
    ConcatProblem(graph, std::get<graph::IntConcat>(node.params).axis, p);
  }
  return p;
}

}  // namespace bw::codegen
