// Resize to the nearest neighbour, by what the machine's load and store nests can do: slices with
// steps, repetition by whole factors, and where an axis needs several of these, their
// concatenation.
#include <algorithm>
#include <vector>

#include "compiler/lower/lower_ops.h"

namespace bw::lower {
namespace {

using graph::IntValueId;
using tensor::Shape;
using Ints = std::vector<int64_t>;

// Results that read start, start + step, ... (`count` elements), each `factor` times.
struct Run {
  int64_t start = 0, step = 1, count = 0, factor = 1;
};

// The fewest runs from the front. Worked: 0 0 0 1 1 2 2 3 5 7 is 0 three times; 1 and 2 twice; 3,
// 5, 7 once.
std::vector<Run> RunsOf(Ints::const_iterator at, Ints::const_iterator end) {
  std::vector<Run> runs;
  while (at != end) {
    const auto next = std::find_if(at, end, [at](int64_t source) { return source != *at; });
    const int64_t times = next - at;
    Run* last = runs.empty() ? nullptr : &runs.back();
    const bool same = last != nullptr && last->factor == times;
    if (same && last->count == 1 && *at > last->start) {
      last->step = *at - last->start;
      ++last->count;
    } else if (same && *at == last->start + last->count * last->step) {
      ++last->count;
    } else {
      runs.push_back({*at, 1, 1, times});
    }
    at = next;
  }
  return runs;
}

class ResizeLowering {
 public:
  ResizeLowering(Builder& b, int index) : b_(b), index_(index), node_(NodeAt(b, index)) {}

  Status Run() {
    BW_ASSIGN_OR_RETURN(IntValueId x,
                        b_.Rescaled(index_, b_.Operand(node_.inputs[0]), b_.ResultFormat(index_)));
    ReadAxes(ShapeOf(x));
    // Last one first: the steps that are left.
    steps_ = static_cast<int>(slices_) + static_cast<int>(repeats_) + static_cast<int>(several_);
    if (steps_ == 0) {
      Emit(x, ShapeOf(x), graph::IntReshape{}, true);
      return OkStatus();
    }
    if (slices_) x = Emit(x, sliced_, slice_, --steps_ == 0);
    if (repeats_)
      x = Emit(x, Repeated(sliced_, factors_), graph::IntResize{factors_}, --steps_ == 0);
    for (size_t axis = 0; axis < runs_.size(); ++axis) {
      if (runs_[axis].size() > 1) x = Join(x, axis, --steps_ == 0);
    }
    return OkStatus();
  }

 private:
  static const graph::Node& NodeAt(const Builder& b, int index) {
    return b.float_graph().nodes[static_cast<size_t>(index)];
  }
  const Shape& ShapeOf(IntValueId id) const { return b_.result().value(id).shape; }

  // Axes with one run are sliced and repeated together; several_ counts the others.
  void ReadAxes(const Shape& x) {
    sliced_ = x;
    factors_.assign(x.dims.size(), 1);
    slice_ = {Ints(x.dims.size(), 0), Ints(x.dims.size(), 1)};
    auto source = node_.Ints("sources").begin();
    for (size_t axis = 0; axis < x.dims.size(); ++axis) {
      const auto end = source + node_.Ints("sizes")[axis];
      runs_.push_back(RunsOf(source, end));
      source = end;
      several_ += static_cast<size_t>(runs_[axis].size() > 1);
      if (runs_[axis].size() > 1) continue;
      if (runs_[axis].empty()) runs_[axis].push_back({});
      const lower::Run& run = runs_[axis][0];
      slice_.starts[axis] = run.start;
      slice_.steps[axis] = run.step;
      factors_[axis] = run.factor;
      slices_ = slices_ || run.start != 0 || run.count != x.dims[axis];
      repeats_ = repeats_ || run.factor != 1;
      sliced_.dims[axis] = run.count;
    }
  }

  static Shape Repeated(Shape shape, const Ints& factors) {
    for (size_t axis = 0; axis < factors.size(); ++axis) shape.dims[axis] *= factors[axis];
    return shape;
  }

  // Every run of the axis by itself, then side by side.
  IntValueId Join(IntValueId x, size_t axis, bool last) {
    std::vector<IntValueId> parts;
    Shape joined = ShapeOf(x);
    joined.dims[axis] = 0;
    for (const lower::Run& run : runs_[axis]) {
      graph::IntSlice slice{Ints(runs_.size(), 0), Ints(runs_.size(), 1)};
      slice.starts[axis] = run.start;
      slice.steps[axis] = run.step;
      Shape shape = ShapeOf(x);
      shape.dims[axis] = run.count;
      IntValueId part = Emit(x, shape, std::move(slice), false);
      if (run.factor > 1) {
        Ints factors(runs_.size(), 1);
        factors[axis] = run.factor;
        shape = Repeated(std::move(shape), factors);
        part = Emit(part, shape, graph::IntResize{factors}, false);
      }
      joined.dims[axis] += shape.dims[axis];
      parts.push_back(part);
    }
    return EmitFrom(std::move(parts), joined, graph::IntConcat{static_cast<int64_t>(axis)}, last);
  }

  IntValueId Emit(IntValueId x, const Shape& shape, graph::IntParams params, bool last) {
    return EmitFrom({x}, shape, std::move(params), last);
  }

  IntValueId EmitFrom(std::vector<IntValueId> from, const Shape& shape, graph::IntParams params,
                      bool last) {
    const Format format = b_.FormatOf(from[0]);
    const IntValueId to =
        last ? b_.AddResult(index_) : b_.AddActivation(node_.name + ".part", shape, format, "");
    b_.AddNode(index_, last ? node_.name : node_.name + ".part", std::move(from), to,
               std::move(params), last);
    return to;
  }

  Builder& b_;
  const int index_;
  const graph::Node& node_;
  std::vector<std::vector<lower::Run>> runs_;  // by axis
  graph::IntSlice slice_;
  Shape sliced_;
  Ints factors_;
  bool slices_ = false, repeats_ = false;
  size_t several_ = 0;
  int steps_ = 0;
};

}  // namespace

Status LowerResize(Builder& b, int index) { return ResizeLowering(b, index).Run(); }

}  // namespace bw::lower
