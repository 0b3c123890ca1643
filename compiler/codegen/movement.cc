#include "compiler/codegen/movement.h"

#include <algorithm>

#include "models/status/check.h"

namespace bw::codegen {
namespace {

using graph::IntGraph;
using graph::IntValueId;

// The views of the result and of a piece's source, on the axes of the nest.
View ResultOnNest(const MovementProblem& p, const View& d) {
  View view = d;
  view.strides.clear();
  for (const MovementAxis& axis : p.axes) {
    view.strides.push_back(d.strides[axis.to_axis] * axis.to_step);
  }
  return view;
}

View SourceOnNest(const MovementPiece& piece, const View& source) {
  View view = source;
  view.base = source.At(piece.source_base);
  view.strides.clear();
  for (size_t i = 0; i < piece.from_axis.size(); ++i) {
    view.strides.push_back(source.strides[piece.from_axis[i]] * piece.from_step[i]);
  }
  return view;
}

// The box of the result that a box of the nest covers; nest axes of one logical axis are walked
// from the outside in, so that it is one.
Box ResultBox(const MovementProblem& p, const Box& nest, size_t rank) {
  Box box{Index(rank, 0), Index(rank, 1)};
  for (size_t i = 0; i < p.axes.size(); ++i) {
    box.first[p.axes[i].to_axis] += nest.first[i] * p.axes[i].to_step;
    box.extent[p.axes[i].to_axis] += (nest.extent[i] - 1) * p.axes[i].to_step;
  }
  return box;
}

std::optional<Box> Intersect(const Box& a, const Box& b) {
  Box both = a;
  for (size_t i = 0; i < a.first.size(); ++i) {
    const int64_t first = std::max(a.first[i], b.first[i]);
    const int64_t end = std::min(a.first[i] + a.extent[i], b.first[i] + b.extent[i]);
    if (end <= first) return std::nullopt;
    both.first[i] = first;
    both.extent[i] = end - first;
  }
  return both;
}

bool Covers(const Box& outer, const Box& inner) {
  const auto both = Intersect(outer, inner);
  return both && both->extent == inner.extent;
}

TileSpace MakeSpace(const ValueTable& values, const MovementProblem& p) {
  TileSpace space;
  const auto row_axis =
      values.of(p.d).order.empty() ? size_t{0} : static_cast<size_t>(values.of(p.d).order.back());
  for (const MovementAxis& axis : p.axes) {
    space.axes.push_back({axis.extent, axis.to_axis == row_axis ? axis.to_step : 0});
  }
  space.container = values.of(p.d).container;
  return space;
}

class MovementEmitter {
 public:
  MovementEmitter(const IntGraph& graph, const ValueTable& values, const StorageTable& storage,
                  const MovementProblem& problem, const TilePlan& plan, Emitter& emitter)
      : graph_(graph),
        values_(values),
        storage_(storage),
        p_(problem),
        plan_(plan),
        emit_(emitter) {}

  void Run() {
    const TileSpace space = MakeSpace(values_, p_);
    for (const Box& tile : Tiles(space, plan_.step)) EmitTile(tile);
  }

 private:
  void EmitTile(const Box& tile) {
    emit_.BeginTile();
    const Box box = ResultBox(p_, tile, graph_.value(p_.d).shape.dims.size());
    View d;
    if (storage_.Resident(p_.d)) {
      d = storage_.Spm(p_.d);
    } else {
      const Slots& slots = plan_.slots[0];
      const ValueLayout& layout = values_.of(p_.d);
      d = StagedView(box, layout.order, layout.container, graph_.value(p_.d).is_signed,
                     slots[tile_++ % slots.size()]);
    }
    const View nest = ResultOnNest(p_, d);
    bool whole = false, touched = false;
    OperationId last = 0;
    for (const MovementPiece& piece : p_.pieces) whole = whole || Covers(piece.box, tile);
    if (p_.fills && !whole) {
      last = emit_.Fill(nest, tile, p_.fill_value);
      touched = true;
    }
    for (const MovementPiece& piece : p_.pieces) {
      const auto part = Intersect(piece.box, tile);
      if (!part) continue;
      last = EmitPiece(piece, *part, nest);
      touched = true;
      if (!p_.fills) emit_.Probe(last, d, ResultBox(p_, *part, box.first.size()));
    }
    if (!touched) return;
    if (p_.fills) {
      // The fill may have run in another queue.
      emit_.AlsoReads(last, Touch(d, box));
      emit_.Probe(last, d, box);
    }
    if (storage_.InDram(p_.d)) emit_.Store(d, storage_.Dram(p_.d), box);
  }

  OperationId EmitPiece(const MovementPiece& piece, const Box& part, const View& nest) {
    if (!storage_.Resident(piece.source)) {
      return emit_.Load(SourceOnNest(piece, storage_.Dram(piece.source)), nest, part);
    }
    return EmitCopy(SourceOnNest(piece, storage_.Spm(piece.source)), nest, part);
  }

  OperationId EmitCopy(const View& from, const View& to, const Box& part) {
    std::vector<NestAxis> axes;
    for (size_t i = 0; i < part.extent.size(); ++i) {
      axes.push_back({part.extent[i], {from.strides[i], 0, to.strides[i]}});
    }
    axes = MergeAxes(axes);
    isa::PpuDescriptor ppu;
    ppu.op = isa::Opcode::kPmax;
    ppu.rounding = p_.node->rounding;
    ppu.count.fill(1);
    constexpr size_t kLoops = 4;
    for (size_t i = 0; i < std::min(kLoops, axes.size()); ++i) {
      const NestAxis& axis = axes[axes.size() - 1 - i];
      ppu.count[i] = axis.extent;
      ppu.a_stride[i] = axis.stride[0];
      ppu.d_stride[i] = axis.stride[2];
    }
    ppu.a = {from.bits, from.is_signed};
    ppu.d_bits = to.bits;
    OperationId last = 0;
    ForEachOuter(axes, kLoops, [&](const std::array<int64_t, kOperands>& offset) {
      ppu.a_base = static_cast<uint64_t>(from.At(part.first) + offset[0]);
      ppu.d_bit = static_cast<uint64_t>(to.At(part.first) + offset[2]);
      last = emit_.Ppu(ppu, {Touch(from, part)}, Touch(to, part));
    });
    return last;
  }

  const IntGraph& graph_;
  const ValueTable& values_;
  const StorageTable& storage_;
  const MovementProblem& p_;
  const TilePlan& plan_;
  Emitter& emit_;
  size_t tile_ = 0;
};

}  // namespace

std::optional<TilePlan> PlanMovement(const PlanContext& context, const MovementProblem& problem,
                                     PlanFailure* failure) {
  TileSpace space = MakeSpace(context.values, problem);
  const StorageTable& storage = context.storage;
  const bool stage_d = !storage.Resident(problem.d);
  if (storage.InDram(problem.d)) space.stored_bits = context.graph.value(problem.d).bits;
  space.requests = [&, stage_d](const Index& step) {
    std::vector<SlotRequest> requests;
    if (!stage_d) return requests;
    const ValueLayout& layout = context.values.of(problem.d);
    const Box nest{Index(step.size(), 0), step};
    const Box box = ResultBox(problem, nest, layout.order.size());
    requests.push_back({StagedBytes(box.extent, layout.order, layout.container), 0, 1});
    return requests;
  };
  Index whole;
  for (const TileAxis& axis : space.axes) whole.push_back(axis.extent);
  space.least_tiles = WantedTiles(context, context.graph.value(problem.d).shape.Elements(), 1,
                                  TotalBytes(space.requests(whole)));
  return PlanTiles(context, space, failure);
}

void EmitMovement(const IntGraph& graph, const ValueTable& values, const StorageTable& storage,
                  const MovementProblem& problem, const TilePlan& plan, Emitter& emitter) {
  MovementEmitter(graph, values, storage, problem, plan, emitter).Run();
}

}  // namespace bw::codegen
