#include "compiler/codegen/elementwise.h"

#include <algorithm>

#include "compiler/codegen/requant_params.h"

namespace bw::codegen {
namespace {

using graph::IntGraph;
using graph::IntValueId;
using schedule::Access;

const graph::RequantSet* RequantOf(const graph::IntNode& node) {
  if (const auto* add = std::get_if<graph::IntAdd>(&node.params)) return &add->requant;
  if (const auto* mul = std::get_if<graph::IntMul>(&node.params)) return &mul->requant;
  if (const auto* requant = std::get_if<graph::IntRequant>(&node.params)) return &requant->requant;
  return nullptr;
}

// The part of an operand that a box of the result needs: one element on broadcast axes.
Box OperandBox(const tensor::Shape& shape, const Box& box) {
  Box part = box;
  for (size_t axis = 0; axis < part.first.size(); ++axis) {
    if (shape.dims[axis] == 1) part.first[axis] = 0, part.extent[axis] = 1;
  }
  return part;
}

Index ByLogicalAxis(const Index& by_tile_axis, const std::vector<int>& order) {
  Index logical(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    logical[static_cast<size_t>(order[i])] = by_tile_axis[i];
  }
  return logical;
}

// A scalar has no axes; the loops have one.
TileSpace MakeSpace(const IntGraph& graph, const ValueTable& values,
                    const ElementwiseProblem& problem) {
  TileSpace space;
  const graph::IntValue& d = graph.value(problem.d);
  for (size_t i = 0; i < problem.order.size(); ++i) {
    const bool row = i + 1 == problem.order.size();
    space.axes.push_back({d.shape[problem.order[i]], row ? 1 : 0});
  }
  space.container = values.of(problem.d).container;
  return space;
}

class ElementwiseEmitter {
 public:
  ElementwiseEmitter(const IntGraph& graph, const ValueTable& values, const StorageTable& storage,
                     const ElementwiseProblem& problem, const TilePlan& plan, Emitter& emitter)
      : graph_(graph), values_(values), storage_(storage), p_(problem), emit_(emitter) {
    size_t request = 0;
    for (const IntValueId input : p_.inputs) {
      staged_.emplace_back(storage.Resident(input) ? &none_ : &plan.slots[request++]);
    }
    d_slots_ = storage.Resident(p_.d) ? &none_ : &plan.slots[request];
    TileSpace space = MakeSpace(graph, values, problem);
    SetChannelLimit(space, plan);
    tiles_ = Tiles(space, plan.step);
  }

  void Run() {
    if (const auto* lut = std::get_if<graph::IntLut>(&p_.node->params)) {
      table_ = emit_.LoadLookupTable(lut->table);
    } else if (p_.channel_axis < 0) {
      param_ = emit_.LoadParams(MakePpuParams(*p_.requant, 0, 1));
    }
    for (const Box& tile : tiles_) {
      emit_.BeginTile();
      EmitTile({ByLogicalAxis(tile.first, p_.order), ByLogicalAxis(tile.extent, p_.order)});
    }
  }

 private:
  // Channels outermost, where they are cut.
  void SetChannelLimit(TileSpace& space, const TilePlan& plan) const {
    for (size_t i = 0; i < p_.order.size(); ++i) {
      const bool follows = plan.by_channels && i + 1 == p_.order.size();
      if (p_.order[i] != p_.channel_axis && !follows) continue;
      space.limited_axis = static_cast<int>(i);
      space.axis_limit = plan.step[i];
    }
  }

  void EmitTile(const Box& box) {
    if (p_.channel_axis >= 0) LoadChannelParams(box);
    std::vector<View> views;
    std::vector<Access> reads;
    for (size_t i = 0; i < p_.inputs.size(); ++i) {
      const Box part = OperandBox(graph_.value(p_.inputs[i]).shape, box);
      views.push_back(Operand(i, part));
      reads.push_back(Touch(views.back(), part));
    }
    View d;
    if (d_slots_->empty()) {
      d = storage_.Spm(p_.d);
    } else {
      const ValueLayout& layout = values_.of(p_.d);
      d = StagedView(box, layout.order, layout.container, graph_.value(p_.d).is_signed,
                     (*d_slots_)[next_d_]);
      next_d_ = (next_d_ + 1) % d_slots_->size();
    }
    const OperationId id = EmitPpu(box, views, d, reads);
    emit_.Probe(id, d, box);
    if (storage_.InDram(p_.d)) emit_.Store(d, storage_.Dram(p_.d), box);
  }

  void LoadChannelParams(const Box& box) {
    const auto axis = static_cast<size_t>(p_.channel_axis);
    const int64_t channels = graph_.value(p_.d).shape.dims[axis];
    // All at once where they leave room for the next ones.
    const bool all = channels <= emit_.config().ppu_param_entries / 2;
    const int64_t first = all ? 0 : box.first[axis];
    if (!params_loaded_ || params_first_ != first) {
      params_loaded_ = true;
      params_first_ = first;
      params_ =
          emit_.LoadParams(MakePpuParams(*p_.requant, first, all ? channels : box.extent[axis]));
    }
    param_ = params_ + static_cast<uint32_t>(box.first[axis] - first);
  }

  View Operand(size_t i, const Box& part) {
    const IntValueId id = p_.inputs[i];
    if (storage_.Resident(id)) return storage_.Spm(id);
    Index key = part.first;
    key.insert(key.end(), part.extent.begin(), part.extent.end());
    const auto found = staged_[i].Fetch(key);
    const ValueLayout& layout = values_.of(id);
    const View view =
        StagedView(part, layout.order, layout.container, graph_.value(id).is_signed, found.byte);
    if (!found.hit) emit_.Load(storage_.Dram(id), view, part);
    return view;
  }

  OperationId EmitPpu(const Box& box, const std::vector<View>& views, const View& d,
                      const std::vector<Access>& reads) {
    isa::PpuDescriptor ppu = BaseDescriptor(views, d);
    std::vector<NestAxis> axes;
    const auto add_axis = [&](int axis) {
      const auto k = static_cast<size_t>(axis);
      NestAxis nest{box.extent[k], {0, 0, d.strides[k]}};
      for (size_t i = 0; i < views.size(); ++i) {
        const bool broadcast = graph_.value(p_.inputs[i]).shape.dims[k] == 1;
        nest.stride[i] = broadcast ? 0 : views[i].strides[k];
      }
      axes.push_back(nest);
    };
    for (const int axis : p_.order) {
      if (axis != p_.channel_axis) add_axis(axis);
    }
    if (p_.channel_axis >= 0) add_axis(p_.channel_axis);
    axes = MergeAxes(axes, p_.channel_axis >= 0 ? 1 : 0);
    std::vector<int64_t> base = {d.At(box.first)};
    for (size_t i = 0; i < views.size(); ++i) {
      base.push_back(views[i].At(OperandBox(graph_.value(p_.inputs[i]).shape, box).first));
    }
    constexpr size_t kLoops = 4;
    for (size_t i = 0; i < std::min(kLoops, axes.size()); ++i) {
      const NestAxis& axis = axes[axes.size() - 1 - i];
      ppu.count[i] = axis.extent;
      ppu.a_stride[i] = axis.stride[0];
      ppu.b_stride[i] = axis.stride[1];
      ppu.d_stride[i] = axis.stride[2];
    }
    OperationId last = 0;
    ForEachOuter(axes, kLoops, [&](const std::array<int64_t, kOperands>& offset) {
      ppu.a_base = static_cast<uint64_t>(base[1] + offset[0]);
      if (views.size() > 1) ppu.b_base = static_cast<uint64_t>(base[2] + offset[1]);
      ppu.d_bit = static_cast<uint64_t>(base[0] + offset[2]);
      last = emit_.Ppu(ppu, reads, Touch(d, box));
    });
    return last;
  }

  isa::PpuDescriptor BaseDescriptor(const std::vector<View>& views, const View& d) const {
    isa::PpuDescriptor ppu;
    ppu.count.fill(1);
    ppu.rounding = p_.node->rounding;
    ppu.a = {views[0].bits, views[0].is_signed};
    ppu.a_zero_point = graph_.value(p_.inputs[0]).zero_point;
    if (views.size() > 1) {
      ppu.b = {views[1].bits, views[1].is_signed};
      ppu.b_zero_point = graph_.value(p_.inputs[1]).zero_point;
    }
    ppu.d_bits = d.bits;
    ppu.param = param_;
    ppu.param_stride = p_.channel_axis >= 0 ? 1 : 0;
    ppu.negative_set = p_.requant != nullptr && !p_.requant->negative.empty();
    if (const auto* add = std::get_if<graph::IntAdd>(&p_.node->params)) {
      ppu.op = isa::Opcode::kEadd;
      ppu.add = add->add;
      ppu.a_zero_point = add->add.a.zp;
      ppu.b_zero_point = add->add.b.zp;
    } else if (std::holds_alternative<graph::IntMul>(p_.node->params)) {
      ppu.op = isa::Opcode::kEmul;
    } else if (const auto* lut = std::get_if<graph::IntLut>(&p_.node->params)) {
      ppu.op = isa::Opcode::kLut;
      ppu.lut = lut->params;
      ppu.table = table_;
      ppu.a_zero_point = 0;
    } else {
      ppu.op = isa::Opcode::kRq;
    }
    return ppu;
  }

  const IntGraph& graph_;
  const ValueTable& values_;
  const StorageTable& storage_;
  const ElementwiseProblem& p_;
  Emitter& emit_;
  const Slots none_;
  std::vector<SlotCache<Index>> staged_;  // by operand
  const Slots* d_slots_ = nullptr;
  size_t next_d_ = 0;
  std::vector<Box> tiles_;
  uint32_t params_ = 0, param_ = 0, table_ = 0;
  bool params_loaded_ = false;
  int64_t params_first_ = 0;
};

}  // namespace

ElementwiseProblem MakeElementwise(const IntGraph& graph, const ValueTable& values,
                                   const graph::IntNode& node) {
  ElementwiseProblem p;
  p.node = &node;
  p.inputs = node.inputs;
  p.d = node.output;
  p.order = values.of(node.output).order;
  p.requant = RequantOf(node);
  if (p.requant != nullptr && PerChannel(*p.requant)) {
    const int rank = graph.value(node.output).shape.rank();
    p.channel_axis = rank == 4 ? 1 : rank - 1;
  }
  return p;
}

namespace {

// Channels of a tile, when the operand that is made last comes one block of channels after the
// other and channels lie innermost; nothing otherwise.
std::optional<int64_t> FollowChannels(const PlanContext& context, const ElementwiseProblem& problem,
                                      const std::vector<TileAxis>& axes) {
  const IntGraph& graph = context.graph;
  const tensor::Shape& shape = graph.value(problem.d).shape;
  const int rank = shape.rank();
  if (rank == 0 || problem.order.back() != (rank == 4 ? 1 : rank - 1)) return std::nullopt;
  const graph::IntNode* last = nullptr;
  for (const graph::IntNode& node : graph.nodes) {
    if (&node == problem.node) break;
    const bool made = std::find(problem.inputs.begin(), problem.inputs.end(), node.output) !=
                      problem.inputs.end();
    if (made) last = &node;
  }
  if (last == nullptr || !context.ByChannels(last->output)) return std::nullopt;
  if (graph.value(last->output).shape.Elements() * 2 < shape.Elements()) return std::nullopt;
  const int64_t channels = axes.back().extent;
  const int64_t chunk =
      ChannelsOfTile(context, channels, shape.Elements() / context.config.ppu_lanes);
  if (chunk >= channels) return std::nullopt;
  return chunk;
}

}  // namespace

std::optional<TilePlan> PlanElementwise(const PlanContext& context,
                                        const ElementwiseProblem& problem, PlanFailure* failure) {
  const StorageTable& storage = context.storage;
  TileSpace space = MakeSpace(context.graph, context.values, problem);
  if (storage.InDram(problem.d)) space.stored_bits = context.graph.value(problem.d).bits;
  for (size_t i = 0; i < problem.order.size(); ++i) {
    if (problem.order[i] != problem.channel_axis) continue;
    space.limited_axis = static_cast<int>(i);
    space.axis_limit = context.ParameterHalf() / 8 * 8;  // whole bytes at any width
  }
  std::vector<IntValueId> staged;
  for (const IntValueId id : problem.inputs) {
    if (!storage.Resident(id)) staged.push_back(id);
    // Parts of a 4-bit row start on bytes.
    space.container = std::min(space.container, context.values.of(id).container);
  }
  const bool stage_d = !storage.Resident(problem.d);
  space.requests = [&, staged, stage_d](const Index& step) {
    const Index extent = ByLogicalAxis(step, problem.order);
    const Box box{Index(extent.size(), 0), extent};
    std::vector<SlotRequest> requests;
    for (const IntValueId id : staged) {
      const ValueLayout& layout = context.values.of(id);
      const Box part = OperandBox(context.graph.value(id).shape, box);
      requests.push_back({StagedBytes(part.extent, layout.order, layout.container), 0, 1});
    }
    if (stage_d) {
      const ValueLayout& layout = context.values.of(problem.d);
      requests.push_back({StagedBytes(extent, layout.order, layout.container), 0, 1});
    }
    return requests;
  };
  const auto channel_tiles = FollowChannels(context, problem, space.axes);
  if (channel_tiles && !stage_d && staged.empty()) {
    space.limited_axis = static_cast<int>(space.axes.size()) - 1;
    const int64_t limit = problem.channel_axis >= 0 ? space.axis_limit : *channel_tiles;
    space.axis_limit = std::min(limit, *channel_tiles);
  } else {
    Index whole;
    for (const TileAxis& axis : space.axes) whole.push_back(axis.extent);
    space.least_tiles = WantedTiles(context, context.graph.value(problem.d).shape.Elements(), 1,
                                    TotalBytes(space.requests(whole)));
  }
  std::optional<TilePlan> plan = PlanTiles(context, space, failure);
  if (plan && !plan->step.empty()) {
    plan->by_channels = plan->step.back() < space.axes.back().extent;
  }
  return plan;
}

void EmitElementwise(const IntGraph& graph, const ValueTable& values, const StorageTable& storage,
                     const ElementwiseProblem& problem, const TilePlan& plan, Emitter& emitter) {
  ElementwiseEmitter(graph, values, storage, problem, plan, emitter).Run();
}

}  // namespace bw::codegen
