#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "compiler/codegen/gemm.h"
#include "compiler/codegen/requant_params.h"

namespace bw::codegen {
namespace {

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Sizes from large to small: all, then halves rounded up to multiples of `unit`, then of `least`.
std::vector<int64_t> Halves(int64_t all, int64_t unit, int64_t least) {
  std::vector<int64_t> sizes = {all};
  for (int64_t size = all; size > least;) {
    const int64_t half = CeilDiv(size, 2);
    int64_t next = CeilDiv(half, unit) * unit;
    if (next >= size) next = CeilDiv(half, least) * least;
    if (next >= size) break;
    sizes.push_back(size = next);
  }
  return sizes;
}

class GemmPlanner {
 public:
  GemmPlanner(const PlanContext& context, const GemmProblem& problem)
      : context_(context),
        p_(problem),
        a_layout_(context.values.of(problem.a)),
        d_layout_(context.values.of(problem.d)),
        stage_a_(!context.storage.Resident(problem.a)),
        stage_d_(!context.storage.Resident(problem.d)),
        store_(context.storage.InDram(problem.d)),
        stage_b_(problem.b_constant || !context.storage.Resident(problem.b)) {}

  std::optional<GemmPlan> Run(PlanFailure* failure) {
    if (!FitsFixedMemories(failure)) return std::nullopt;
    const int64_t granule = ChunkGranule();
    const int64_t rows = CeilDiv(context_.config.array_rows, granule) * granule;
    const std::vector<int64_t> chunks =
        p_.depthwise ? std::vector<int64_t>{1} : Halves(p_.group_in(), rows, granule);
    for (const int64_t group : {p_.out_c, int64_t{0}}) {  // 0: with every block
      for (const int64_t chunk : chunks) {
        TryChunk(chunk, group);
        if (best_) return best_;
      }
    }
    *failure = {least_needed_, context_.gaps.FreeBytes(), "bytes", "spm.bytes"};
    return std::nullopt;
  }

 private:
  int64_t ChunkGranule() const { return a_layout_.container == 4 && !stage_a_ ? 2 : 1; }

  int64_t BlockGranule(bool store_rows) const {
    int64_t granule = RowGranule(d_layout_.container);
    if (store_ && !store_rows) {
      granule = std::max(granule, RowGranule(context_.graph.value(p_.d).bits));
    }
    if (p_.depthwise) granule = std::max(granule, RowGranule(a_layout_.container));
    if (!p_.b_constant) granule = std::max(granule, RowGranule(BContainer()));
    return granule;
  }
  int BContainer() const {
    return p_.b_constant ? ContainerBits(context_.graph.value(p_.b).bits)
                         : context_.values.of(p_.b).container;
  }

  // Accumulators and parameters must take the smallest tile, whatever the scratchpad does.
  bool FitsFixedMemories(PlanFailure* failure) const {
    const int64_t least = std::min(p_.group_out(), BlockGranule(false));
    if (context_.AccumulatorHalf() < least) {
      *failure = {static_cast<uint64_t>(2 * least),
                  static_cast<uint64_t>(context_.config.acc_entries), "entries", "acc.entries"};
      return false;
    }
    if (p_.param_axis < 0) return true;
    const auto entries = static_cast<int64_t>(p_.requant->entries.size());
    if (entries <= context_.config.ppu_param_entries) return true;
    *failure = {static_cast<uint64_t>(entries),
                static_cast<uint64_t>(context_.config.ppu_param_entries), "entries",
                "ppu.param_entries"};
    return false;
  }

  std::vector<int64_t> Blocks(int64_t granule) const {
    const int64_t all = p_.group_out();
    std::vector<int64_t> blocks;
    const auto add = [&](int64_t size) {
      size = std::min(CeilDiv(size, granule) * granule, all);
      if (size > context_.AccumulatorHalf()) return;
      if (PerChannelParams() && size > context_.ParameterHalf()) return;
      if (std::find(blocks.begin(), blocks.end(), size) == blocks.end()) blocks.push_back(size);
    };
    const int64_t cols = context_.config.array_cols;
    for (int64_t size = cols; size < all; size *= 2) add(size);
    add(all);
    for (int64_t size = cols / 2; size > granule; size /= 2) add(size);
    add(granule);
    return blocks;
  }

  bool PerChannelParams() const { return p_.param_axis < 0 && PerChannel(*p_.requant); }

  void TryChunk(int64_t chunk, int64_t group) {
    for (const bool store_rows : {true, false}) {
      if (store_rows && !(stage_d_ && store_)) continue;
      const int64_t granule = BlockGranule(store_rows);
      // Without whole rows every group must start on a byte.
      if (store_ && !store_rows && p_.groups > 1 && p_.group_out() % granule != 0) continue;
      for (const int64_t block : Blocks(granule)) {
        GemmPlan plan;
        plan.block = block;
        plan.chunk = chunk;
        plan.store_rows = store_rows;
        plan.param_group = group == 0 ? block : group;
        if (PerChannelParams() && plan.param_group > context_.ParameterHalf()) {
          plan.param_group = std::max(block, context_.ParameterHalf() / block * block);
        }
        TryStrips(plan);
      }
    }
  }

  void TryStrips(GemmPlan plan) {
    const bool streams = stage_a_ || stage_d_;
    std::vector<PixelBox> strips = {{0, 0, p_.out_h, p_.out_w}};
    if (streams) {
      for (const int64_t rows : Halves(p_.out_h, 1, 1)) {
        if (rows < p_.out_h) strips.push_back({0, 0, rows, p_.out_w});
      }
      for (const int64_t cols : Halves(p_.out_w, 1, 1)) {
        if (cols < p_.out_w) strips.push_back({0, 0, 1, cols});
      }
    }
    for (const PixelBox& strip : strips) {
      plan.strip_rows = strip.rows;
      plan.strip_cols = strip.cols;
      for (const int64_t split : {1, 2, 4}) {
        SetTile(plan, split);
        for (const bool blocks_outer : {true, false}) {
          if (plan.store_rows && blocks_outer) continue;
          plan.blocks_outer = blocks_outer;
          TrySlots(plan);
        }
      }
    }
  }

  // A tile is what half the accumulators hold, at least `split` of them in a strip.
  void SetTile(GemmPlan& plan, int64_t split) const {
    const int64_t strip = plan.strip_rows * plan.strip_cols;
    const int64_t pixels = std::max<int64_t>(
        1, std::min(context_.AccumulatorHalf() / plan.block, CeilDiv(strip, split)));
    if (pixels >= plan.strip_cols) {
      plan.tile_cols = plan.strip_cols;
      const int64_t rows = std::min(plan.strip_rows, pixels / plan.strip_cols);
      plan.tile_rows = CeilDiv(plan.strip_rows, CeilDiv(plan.strip_rows, rows));
    } else {
      plan.tile_rows = 1;
      plan.tile_cols = CeilDiv(plan.strip_cols, CeilDiv(plan.strip_cols, pixels));
    }
  }

  Layout StagedA(const GemmPlan& plan) const {
    Index extent(a_layout_.order.size(), 1);
    extent = Place(extent, p_.a_axes, std::min(p_.SpanRows(plan.strip_rows), p_.in_h),
                   std::min(p_.SpanCols(plan.strip_cols), p_.in_w),
                   p_.depthwise ? plan.block : plan.chunk);
    return DenseLayout(extent, a_layout_.order, a_layout_.container);
  }
  uint64_t ABytes(const GemmPlan& plan) const { return StagedA(plan).bytes(); }
  // Padding in front of the first row and column.
  uint64_t AHeadroom(const GemmPlan& plan) const {
    if (p_.pad_top == 0 && p_.pad_left == 0) return 0;
    const Layout layout = StagedA(plan);
    const int64_t bits = p_.pad_top * layout.strides[static_cast<size_t>(p_.a_axes.y)] +
                         p_.pad_left * layout.strides[static_cast<size_t>(p_.a_axes.x)];
    return static_cast<uint64_t>(bits + 7) / 8;
  }
  uint64_t BBytes(const GemmPlan& plan) const {
    if (p_.b_constant) {
      const int64_t row = (plan.block * BContainer() + 7) / 8;
      return static_cast<uint64_t>(p_.kernel_h * p_.kernel_w * plan.chunk * row);
    }
    const ValueLayout& layout = context_.values.of(p_.b);
    Index extent(layout.order.size(), 1);
    extent[static_cast<size_t>(p_.b_k)] = plan.chunk;
    extent[static_cast<size_t>(p_.b_n)] = plan.block;
    return StagedBytes(extent, layout.order, layout.container);
  }
  uint64_t DBytes(const GemmPlan& plan) const {
    Index extent(d_layout_.order.size(), 1);
    extent = Place(extent, p_.d_axes, plan.strip_rows, plan.strip_cols,
                   plan.store_rows ? p_.out_c : plan.block);
    return StagedBytes(extent, d_layout_.order, d_layout_.container);
  }

  int64_t Strips(const GemmPlan& plan) const {
    return static_cast<int64_t>(p_.a_prefix.size()) * CeilDiv(p_.out_h, plan.strip_rows) *
           CeilDiv(p_.out_w, plan.strip_cols);
  }
  // MAC instructions of a tile.
  int64_t Chunks(const GemmPlan& plan) const {
    return p_.depthwise ? 1 : CeilDiv(p_.group_in(), plan.chunk);
  }
  int64_t BlockCount(const GemmPlan& plan) const {
    return p_.groups * CeilDiv(p_.group_out(), plan.block);
  }

  // Whether all weights come in one load: several tiles, whose values keep their bits and leave no
  // gaps in either memory, and not so many that the first tile would wait long.
  bool Joins(const GemmPlan& plan) const {
    constexpr int64_t kLongest = 512;  // cycles
    if (!p_.b_constant || BlockCount(plan) * Chunks(plan) < 2) return false;
    const int bits = context_.graph.value(p_.b).bits;
    const int64_t last = p_.group_out() % plan.block;
    if (bits != BContainer() || plan.block * bits % 8 != 0 || last * bits % 8 != 0) return false;
    const int64_t values =
        p_.kernel_h * p_.kernel_w * (p_.depthwise ? 1 : p_.group_in()) * p_.out_c;
    return values * bits <= kLongest * 8 * context_.config.dram_bytes_per_cycle;
  }

  void TrySlots(const GemmPlan& plan) {
    const int64_t weights = BlockCount(plan) * Chunks(plan);
    const int64_t biases = p_.bias < 0 ? 0 : (plan.param_group >= p_.out_c ? 1 : 2);
    const int64_t strips = Strips(plan);
    struct Choice {
      int64_t a, b, d;
    };
    for (const Choice& c : {Choice{2, weights, 2}, Choice{2, 2, 2}, Choice{1, 2, 2},
                            Choice{2, 2, 1}, Choice{1, 2, 1}, Choice{1, 1, 1}}) {
      const int64_t a_tiles = strips * Chunks(plan) * (p_.depthwise ? BlockCount(plan) : p_.groups);
      const int64_t a = stage_a_ ? std::min(c.a, a_tiles) : 0;
      const int64_t b = stage_b_ ? std::min(c.b, weights) : 0;
      const int64_t d =
          stage_d_ ? std::min(c.d, strips * (plan.store_rows ? 1 : BlockCount(plan))) : 0;
      const bool joined = b == weights && Joins(plan);
      const SlotRequest b_slots =
          joined ? SlotRequest{BBytes(plan) * static_cast<uint64_t>(weights), 0, 1}
                 : SlotRequest{BBytes(plan), 0, b};
      const std::vector<SlotRequest> requests = {
          b_slots,
          {static_cast<uint64_t>(plan.param_group) * 4, 0, biases},
          {DBytes(plan), 0, d},
          {ABytes(plan), AHeadroom(plan), a}};
      least_needed_ = std::min(least_needed_, TotalBytes(requests));
      GemmPlan tried = plan;
      tried.joined_weights = joined;
      tried.cycles = Estimate(plan, a, b);
      if (best_ && best_->cycles <= tried.cycles) continue;
      tried.staged_end = context_.gaps.cursor();
      std::vector<Slots> slots = PlaceSlots(context_, requests, &tried.staged_end);
      if (slots.empty()) continue;
      tried.b = std::move(slots[0]);
      tried.bias = std::move(slots[1]);
      tried.d = std::move(slots[2]);
      tried.a = std::move(slots[3]);
      tried.by_channels = BlockCount(plan) > 1 && (plan.blocks_outer || strips == 1);
      best_ = std::move(tried);
    }
  }

  int64_t TilesInStrip(const GemmPlan& plan) const {
    return CeilDiv(plan.strip_rows, plan.tile_rows) * CeilDiv(plan.strip_cols, plan.tile_cols);
  }

  // Passes over the array of a tile: blocks of columns times blocks of rows.
  int64_t Passes(const GemmPlan& plan) const {
    const hwconfig::HwConfig& hw = context_.config;
    const int64_t columns = CeilDiv(plan.block, hw.array_cols);
    if (p_.depthwise) return columns;
    const int64_t taps = p_.kernel_h * p_.kernel_w;
    return columns * Chunks(plan) *
           std::min(taps * CeilDiv(plan.chunk, hw.array_rows),
                    CeilDiv(taps * plan.chunk, hw.array_rows));
  }

  // Cycles of a MAC tile. A pass streams the pixels while the weights of the next one come, a row a
  // cycle; depthwise takes a tap a cycle.
  double MacCycles(const GemmPlan& plan) const {
    constexpr double kStart = 6;
    const int64_t pixels = plan.tile_rows * plan.tile_cols;
    const int64_t pass = p_.depthwise ? pixels * p_.kernel_h * p_.kernel_w
                                      : std::max(pixels, context_.config.array_rows + 2);
    return static_cast<double>(Passes(plan) * pass) + kStart * static_cast<double>(Chunks(plan));
  }

  // Cycles of all transfers, instructions included.
  double DmaCycles(const GemmPlan& plan, int64_t a_slots, int64_t b_slots) const {
    constexpr double kTileBytes = 4 * 16;  // instructions
    const auto strips = static_cast<double>(Strips(plan));
    const auto blocks = static_cast<double>(BlockCount(plan));
    const auto chunks = static_cast<double>(Chunks(plan));
    const auto in_strip = static_cast<double>(TilesInStrip(plan));
    double bytes = strips * blocks * in_strip * kTileBytes, loads = 0;
    if (stage_b_) {
      const bool once =
          b_slots >= BlockCount(plan) * Chunks(plan) || (plan.blocks_outer && Chunks(plan) == 1);
      const double again = once ? 1 : strips * (Chunks(plan) > 1 ? in_strip : 1);
      const double times = p_.b_constant ? again : std::max(again, strips);
      bytes += static_cast<double>(BBytes(plan)) * blocks * chunks * times;
      loads += blocks * chunks * times;
    }
    if (stage_a_) {
      const bool per_block = p_.depthwise || p_.groups > 1 || plan.blocks_outer || Chunks(plan) > 1;
      const bool one = Strips(plan) * Chunks(plan) <= a_slots && !p_.depthwise && p_.groups == 1;
      const double times = per_block && !one ? blocks : 1;
      bytes += static_cast<double>(ABytes(plan)) * strips * chunks * times;
      loads += strips * chunks * times;
    }
    if (store_) {
      const double stores = strips * (plan.store_rows ? 1 : blocks);
      bytes += static_cast<double>(DBytes(plan)) * stores;
      loads += stores;
    }
    const hwconfig::HwConfig& hw = context_.config;
    return bytes / static_cast<double>(hw.dram_bytes_per_cycle) +
           loads * (20 + 0.25 * static_cast<double>(hw.dram_latency));
  }

  // Cycles of the busiest engine, and what cannot overlap. A guide for choosing, not a prediction.
  double Estimate(const GemmPlan& plan, int64_t a_slots, int64_t b_slots) const {
    constexpr double kPpuStart = 16, kHandOver = 15;
    const hwconfig::HwConfig& hw = context_.config;
    const auto tiles = static_cast<double>(Strips(plan) * BlockCount(plan) * TilesInStrip(plan));
    const double ppu =
        static_cast<double>(plan.tile_rows * plan.tile_cols * CeilDiv(plan.block, hw.ppu_lanes)) +
        kPpuStart;
    const double dma = DmaCycles(plan, a_slots, b_slots);
    const double serial = (a_slots == 1 && Strips(plan) > 1 ? 0.5 * dma : 0) +
                          (b_slots == 1 && BlockCount(plan) > 1 ? 0.5 * dma : 0);
    const auto drain = static_cast<double>(hw.array_rows + hw.array_cols) + kHandOver + ppu;
    return std::max({tiles * MacCycles(plan), tiles * ppu, dma}) + 0.1 * dma + drain + serial;
  }

  const PlanContext& context_;
  const GemmProblem& p_;
  const ValueLayout& a_layout_;
  const ValueLayout& d_layout_;
  const bool stage_a_, stage_d_, store_, stage_b_;
  std::optional<GemmPlan> best_;
  uint64_t least_needed_ = std::numeric_limits<uint64_t>::max();
};

}  // namespace

std::optional<GemmPlan> PlanGemm(const PlanContext& context, const GemmProblem& problem,
                                 PlanFailure* failure) {
  return GemmPlanner(context, problem).Run(failure);
}

}  // namespace bw::codegen
