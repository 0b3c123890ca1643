#include "compiler/codegen/pool.h"

#include <algorithm>
#include <limits>
#include <map>

#include "compiler/codegen/requant_params.h"
#include "compiler/codegen/tile_space.h"
#include "compiler/graph/window.h"

namespace bw::codegen {
namespace {

constexpr SpatialAxes kAxes{2, 3, 1};

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Runs of neighbouring windows with the same number of valid elements along one axis.
struct Run {
  int64_t first = 0, count = 0, valid = 0;
};
std::vector<Run> Runs(int64_t first, int64_t count, int64_t extent, const graph::Window& window) {
  std::vector<Run> runs;
  for (int64_t i = first; i < first + count; ++i) {
    const int64_t valid = graph::ValidElements(extent, window, i);
    if (!runs.empty() && runs.back().valid == valid) {
      ++runs.back().count;
    } else {
      runs.push_back({i, 1, valid});
    }
  }
  return runs;
}

Layout StagedA(const PlanContext& context, const PoolProblem& p, const PoolPlan& plan) {
  const ValueLayout& layout = context.values.of(p.node->inputs[0]);
  const Index extent = Place({1, 1, 1, 1}, kAxes, std::min(p.SpanRows(plan.strip_rows), p.in_h),
                             std::min(p.SpanCols(plan.strip_cols), p.in_w), plan.channels);
  return DenseLayout(extent, layout.order, layout.container);
}

uint64_t Headroom(const PoolProblem& p, const Layout& layout) {
  return static_cast<uint64_t>(p.pad_top * layout.strides[2] + p.pad_left * layout.strides[3] + 7) /
         8;
}

uint64_t StagedDBytes(const PlanContext& context, const PoolProblem& p, const PoolPlan& plan) {
  const ValueLayout& layout = context.values.of(p.node->output);
  return StagedBytes(Place({1, 1, 1, 1}, kAxes, plan.strip_rows, plan.strip_cols, plan.channels),
                     layout.order, layout.container);
}

// Tiles from the whole map and `most` channels to one pixel and the fewest channels.
std::vector<PoolPlan> Candidates(const PoolProblem& p, int64_t most, int64_t granule) {
  std::vector<PoolPlan> made;
  PoolPlan plan;
  for (int64_t channels = most;;) {
    plan.channels = channels;
    plan.strip_cols = p.out_w;
    for (int64_t rows = p.out_h;; rows = CeilDiv(rows, 2)) {
      plan.strip_rows = rows;
      made.push_back(plan);
      if (rows == 1) break;
    }
    for (int64_t cols = p.out_w; cols > 1;) {
      plan.strip_cols = cols = CeilDiv(cols, 2);
      made.push_back(plan);
    }
    const int64_t half = CeilDiv(CeilDiv(channels, 2), granule) * granule;
    if (half >= channels) break;
    channels = half;
  }
  return made;
}

class PoolEmitter {
 public:
  PoolEmitter(const graph::IntGraph& graph, const ValueTable& values, const StorageTable& storage,
              const PoolProblem& problem, const PoolPlan& plan, Emitter& emitter)
      : graph_(graph),
        values_(values),
        storage_(storage),
        p_(problem),
        plan_(plan),
        pool_(std::get<graph::IntPool>(problem.node->params)),
        a_(problem.node->inputs[0]),
        d_(problem.node->output),
        emit_(emitter) {}

  void Run() {
    LoadParameters();
    const PixelBox whole{0, 0, p_.out_h, p_.out_w};
    for (int64_t n = 0; n < p_.batch; ++n) {
      for (int64_t c = 0; c < p_.channels; c += plan_.channels) {
        const int64_t channels = std::min(plan_.channels, p_.channels - c);
        for (const PixelBox& strip : SplitPixels(whole, plan_.strip_rows, plan_.strip_cols)) {
          EmitTile({n, 0, 0, 0}, strip, c, channels);
        }
      }
    }
  }

 private:
  void LoadParameters() {
    if (pool_.is_max) return;
    std::vector<isa::PpuParam> params;
    for (const auto& [count, requant] : pool_.by_count) {
      entry_[count] = static_cast<uint32_t>(params.size());
      params.push_back(MakePpuParam(requant, nullptr));
    }
    const uint32_t first = emit_.LoadParams(params);
    for (auto& [count, entry] : entry_) entry += first;
  }

  void EmitTile(const Index& prefix, const PixelBox& strip, int64_t c, int64_t channels) {
    emit_.BeginTile();
    const Box in = PlaceBox(prefix, kAxes, InputBox(p_, strip), c, channels);
    View a;
    if (plan_.a.empty()) {
      a = storage_.Spm(a_);
    } else {
      a = Staged(in, a_, plan_.a);
      emit_.Load(storage_.Dram(a_), a, in);
    }
    const Box out = PlaceBox(prefix, kAxes, strip, c, channels);
    const View d = plan_.d.empty() ? storage_.Spm(d_) : Staged(out, d_, plan_.d);
    // A maximum does not ask how many elements took part.
    const std::vector<PoolRegion> regions =
        pool_.is_max ? std::vector<PoolRegion>{{strip, 0}} : SplitByCount(p_, strip);
    for (const PoolRegion& region : regions) EmitRegion(prefix, region, c, channels, a, d);
    if (storage_.InDram(d_)) emit_.Store(d, storage_.Dram(d_), out);
    ++tile_;
  }

  View Staged(const Box& box, graph::IntValueId id, const Slots& slots) const {
    const ValueLayout& layout = values_.of(id);
    return StagedView(box, layout.order, layout.container, graph_.value(id).is_signed,
                      slots[tile_ % slots.size()]);
  }

  void EmitRegion(const Index& prefix, const PoolRegion& region, int64_t c, int64_t channels,
                  const View& a, const View& d) {
    const PixelBox& out = region.pixels;
    const Box box = PlaceBox(prefix, kAxes, out, c, channels);
    const int64_t y0 = out.y * p_.stride_h - p_.pad_top, x0 = out.x * p_.stride_w - p_.pad_left;
    const int64_t a_bit = a.At(Place(prefix, kAxes, y0, x0, c));
    BW_CHECK(a_bit >= 0, "layer {} reads from bit {}", emit_.layer(), a_bit);
    isa::PpuDescriptor ppu;
    ppu.op = pool_.is_max ? isa::Opcode::kPmax : isa::Opcode::kPsum;
    ppu.a_base = static_cast<uint64_t>(a_bit);
    ppu.a = {a.bits, a.is_signed};
    ppu.a_zero_point = pool_.is_max || pool_.raw_sum ? 0 : graph_.value(a_).zero_point;
    ppu.d_bit = static_cast<uint64_t>(d.At(box.first));
    ppu.d_bits = d.bits;
    ppu.rounding = p_.node->rounding;
    if (!pool_.is_max) ppu.param = entry_.at(region.valid);
    const int64_t sx = a.strides[3], sy = a.strides[2];
    ppu.count = {channels, out.cols, out.rows, 1, p_.kernel_w, p_.kernel_h};
    ppu.a_stride = {a.strides[1],       p_.stride_w * sx,  p_.stride_h * sy, 0,
                    p_.dilation_w * sx, p_.dilation_h * sy};
    ppu.d_stride = {d.strides[1], d.strides[3], d.strides[2], 0};
    if (p_.LeavesCols()) {
      ppu.x0 = x0, ppu.xm = p_.stride_w, ppu.xr = p_.dilation_w, ppu.xlim = p_.in_w;
    }
    if (p_.LeavesRows()) {
      ppu.y0 = y0, ppu.ym = p_.stride_h, ppu.yr = p_.dilation_h, ppu.ylim = p_.in_h;
    }
    const Box in = PlaceBox(prefix, kAxes, InputBox(p_, out), c, channels);
    emit_.Probe(emit_.Ppu(ppu, {Touch(a, in)}, Touch(d, box)), d, box);
  }

  const graph::IntGraph& graph_;
  const ValueTable& values_;
  const StorageTable& storage_;
  const PoolProblem& p_;
  const PoolPlan& plan_;
  const graph::IntPool& pool_;
  const graph::IntValueId a_, d_;
  Emitter& emit_;
  std::map<int64_t, uint32_t> entry_;  // by valid elements
  size_t tile_ = 0;
};

}  // namespace

PoolProblem MakePool(const graph::IntGraph& graph, const graph::IntNode& node) {
  const auto& pool = std::get<graph::IntPool>(node.params);
  const tensor::Shape& x = graph.value(node.inputs[0]).shape;
  const tensor::Shape& out = graph.value(node.output).shape;
  PoolProblem p;
  p.node = &node;
  p.batch = x[0], p.channels = x[1];
  p.in_h = x[2], p.in_w = x[3], p.out_h = out[2], p.out_w = out[3];
  p.kernel_h = pool.kernel_h, p.kernel_w = pool.kernel_w;
  p.stride_h = pool.stride_h, p.stride_w = pool.stride_w;
  p.dilation_h = pool.dilation_h, p.dilation_w = pool.dilation_w;
  p.pad_top = pool.pad_top, p.pad_left = pool.pad_left;
  return p;
}

std::vector<PoolRegion> SplitByCount(const WindowGeometry& p, const PixelBox& pixels) {
  std::vector<PoolRegion> regions;
  const std::vector<Run> cols =
      Runs(pixels.x, pixels.cols, p.in_w, {p.kernel_w, p.stride_w, p.dilation_w, p.pad_left, 0});
  for (const Run& row :
       Runs(pixels.y, pixels.rows, p.in_h, {p.kernel_h, p.stride_h, p.dilation_h, p.pad_top, 0})) {
    for (const Run& col : cols) {
      regions.push_back({{row.first, col.first, row.count, col.count}, row.valid * col.valid});
    }
  }
  return regions;
}

std::optional<PoolPlan> PlanPool(const PlanContext& context, const PoolProblem& p,
                                 PlanFailure* failure) {
  const graph::IntValueId a = p.node->inputs[0], d = p.node->output;
  const auto& pool = std::get<graph::IntPool>(p.node->params);
  if (static_cast<int64_t>(pool.by_count.size()) > context.config.ppu_param_entries) {
    *failure = {pool.by_count.size(), static_cast<uint64_t>(context.config.ppu_param_entries),
                "entries", "ppu.param_entries"};
    return std::nullopt;
  }
  const bool stage_a = !context.storage.Resident(a), stage_d = !context.storage.Resident(d);
  int64_t granule = std::max(RowGranule(context.values.of(d).container),
                             RowGranule(context.values.of(a).container));
  if (context.storage.InDram(d))
    granule = std::max(granule, RowGranule(context.graph.value(d).bits));
  PoolPlan whole;
  whole.channels = p.channels, whole.strip_rows = p.out_h, whole.strip_cols = p.out_w;
  const int64_t beats = p.kernel_h * p.kernel_w;
  const int64_t cycles =
      p.batch * CeilDiv(p.channels, context.config.ppu_lanes) * p.out_h * p.out_w * beats;
  const bool follows = !stage_a && !stage_d && context.ByChannels(a);
  const int64_t channels = follows ? ChannelsOfTile(context, p.channels, cycles) : p.channels;
  const int64_t wanted = channels < p.channels
                             ? 1
                             : WantedTiles(context, p.batch * p.channels * p.out_h * p.out_w, beats,
                                           stage_a ? StagedA(context, p, whole).bytes() : 0);
  constexpr double kTileCycles = 20;  // start and drain of an operation
  uint64_t least = std::numeric_limits<uint64_t>::max();
  const std::vector<PoolPlan> candidates = Candidates(p, channels, granule);
  for (const int64_t slots : {2, 1}) {
    for (PoolPlan plan : candidates) {
      const Layout staged = StagedA(context, p, plan);
      const int64_t tiles = p.batch * CeilDiv(p.channels, plan.channels) *
                            CeilDiv(p.out_h, plan.strip_rows) * CeilDiv(p.out_w, plan.strip_cols);
      const int64_t count = std::min(slots, tiles);
      const std::vector<SlotRequest> requests = {
          {staged.bytes(), Headroom(p, staged), stage_a ? count : 0},
          {StagedDBytes(context, p, plan), 0, stage_d ? count : 0}};
      least = std::min(least, TotalBytes(requests));
      // A window over the whole map could be cut by channels alone, which helps nobody.
      if (slots == 2 && tiles < wanted && p.out_h > 1) continue;
      plan.staged_end = context.gaps.cursor();
      std::vector<Slots> placed = PlaceSlots(context, requests, &plan.staged_end);
      if (placed.empty()) continue;
      plan.by_channels = plan.channels < p.channels;
      plan.a = std::move(placed[0]);
      plan.d = std::move(placed[1]);
      plan.cycles = kTileCycles * static_cast<double>(tiles) * (slots == 2 ? 1 : 3);
      return plan;
    }
  }
  *failure = {least, context.gaps.FreeBytes(), "bytes", "spm.bytes"};
  return std::nullopt;
}

void EmitPool(const graph::IntGraph& graph, const ValueTable& values, const StorageTable& storage,
              const PoolProblem& problem, const PoolPlan& plan, Emitter& emitter) {
  PoolEmitter(graph, values, storage, problem, plan, emitter).Run();
}

}  // namespace bw::codegen
