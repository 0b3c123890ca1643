#include <array>

#include "compiler/codegen/gemm.h"
#include "compiler/codegen/requant_params.h"
#include "compiler/codegen/weight_loader.h"

namespace bw::codegen {
namespace {

using schedule::Access;

// What a slot of operand A or B holds.
using Part = std::array<int64_t, 7>;

class GemmEmitter {
 public:
  GemmEmitter(const graph::IntGraph& graph, const ValueTable& values, const StorageTable& storage,
              const GemmProblem& problem, const GemmPlan& plan, Emitter& emitter)
      : graph_(graph),
        values_(values),
        storage_(storage),
        p_(problem),
        plan_(plan),
        emit_(emitter),
        blocks_(SplitChannels(problem, plan)),
        strips_(
            SplitPixels({0, 0, problem.out_h, problem.out_w}, plan.strip_rows, plan.strip_cols)),
        a_slots_(&plan_.a),
        b_slots_(&plan_.b),
        bias_slots_(&plan_.bias),
        weights_(graph, problem, plan, blocks_) {}

  void Run() {
    if (p_.param_axis >= 0) {
      param_ = emit_.LoadParams(
          MakePpuParams(*p_.requant, 0, static_cast<int64_t>(p_.requant->entries.size())));
    }
    const size_t instances = p_.a_prefix.size();
    // Weights serve all instances; another activation does not.
    if (plan_.blocks_outer && p_.b_constant) {
      for (const ChannelBlock& block : blocks_) {
        for (size_t i = 0; i < instances; ++i) {
          for (size_t s = 0; s < strips_.size(); ++s) EmitBlock(i, s, block);
        }
      }
      return;
    }
    for (size_t i = 0; i < instances; ++i) {
      if (plan_.blocks_outer) {
        for (const ChannelBlock& block : blocks_) {
          for (size_t s = 0; s < strips_.size(); ++s) EmitBlock(i, s, block);
        }
      } else {
        for (size_t s = 0; s < strips_.size(); ++s) {
          for (const ChannelBlock& block : blocks_) EmitBlock(i, s, block);
        }
      }
    }
  }

 private:
  // All tiles of one strip and one block of output channels.
  void EmitBlock(size_t instance, size_t strip, const ChannelBlock& block) {
    const PixelBox& pixels = strips_[strip];
    const View d = ResultView(instance, strip, block);
    for (const PixelBox& tile : SplitPixels(pixels, plan_.tile_rows, plan_.tile_cols)) {
      emit_.BeginTile();
      LoadParameters(block);
      const uint32_t acc = emit_.NextAccumulators();
      for (int64_t c = 0; c < p_.group_in(); c += plan_.chunk) {
        const int64_t channels = std::min(plan_.chunk, p_.group_in() - c);
        EmitMac(instance, pixels, tile, block, c, channels, acc);
        if (p_.depthwise) break;
      }
      EmitRequantise(instance, tile, block, acc, d);
      if (storage_.InDram(p_.d) && !plan_.store_rows) {
        emit_.Store(d, storage_.Dram(p_.d), ResultBox(instance, tile, block.first, block.count));
      }
    }
    if (plan_.store_rows && block.first + block.count == p_.out_c) {
      emit_.Store(d, storage_.Dram(p_.d), ResultBox(instance, pixels, 0, p_.out_c));
    }
  }

  Box ResultBox(size_t instance, const PixelBox& pixels, int64_t c, int64_t channels) const {
    return PlaceBox(p_.d_prefix[instance], p_.d_axes, pixels, c, channels);
  }

  View ResultView(size_t instance, size_t strip, const ChannelBlock& block) {
    if (plan_.d.empty()) return storage_.Spm(p_.d);
    const bool next = !plan_.store_rows || block.first == 0;
    if (next) d_slot_ = (d_slot_ + 1) % plan_.d.size();
    const ValueLayout& layout = values_.of(p_.d);
    const Box box = plan_.store_rows
                        ? ResultBox(instance, strips_[strip], 0, p_.out_c)
                        : ResultBox(instance, strips_[strip], block.first, block.count);
    return StagedView(box, layout.order, layout.container, graph_.value(p_.d).is_signed,
                      plan_.d[d_slot_]);
  }

  // Parameters and biases of the block's group, unless they are the ones in use.
  void LoadParameters(const ChannelBlock& block) {
    if (params_loaded_ && params_ == block.params) return;
    params_loaded_ = true;
    params_ = block.params;
    params_begin_ = block.first;
    int64_t count = 0;
    for (const ChannelBlock& b : blocks_) {
      if (b.params != block.params) continue;
      params_begin_ = std::min(params_begin_, b.first);
      count += b.count;
    }
    if (p_.bias >= 0) {
      const auto found = bias_slots_.Fetch(static_cast<int64_t>(block.params));
      bias_byte_ = found.byte;
      if (!found.hit) LoadBias(count);
    }
    if (p_.param_axis < 0 && (PerChannel(*p_.requant) || !single_loaded_)) {
      param_ = emit_.LoadParams(MakePpuParams(*p_.requant, params_begin_, count));
      single_loaded_ = true;
    }
  }

  void LoadBias(int64_t count) {
    const auto& bias = graph_.value(p_.bias).constant;
    const uint64_t dram = emit_.constants().AddPacked({bias.begin(), bias.end()}, 32);
    emit_.LoadRows(dram + static_cast<uint64_t>(params_begin_) * 4, 32, 1, count, bias_byte_,
                   {32, true}, count * 32);
  }

  // Operand A for a strip: the resident value, or a slot that is loaded when it holds another part.
  View OperandA(size_t instance, const PixelBox& strip, int64_t c, int64_t channels) {
    if (plan_.a.empty()) return storage_.Spm(p_.a);
    const PixelBox in = InputBox(p_, strip);
    const Box box = PlaceBox(p_.a_prefix[instance], p_.a_axes, in, c, channels);
    const auto found = a_slots_.Fetch(
        Part{static_cast<int64_t>(instance), in.y, in.x, in.rows, in.cols, c, channels});
    const ValueLayout& layout = values_.of(p_.a);
    View view =
        StagedView(box, layout.order, layout.container, graph_.value(p_.a).is_signed, found.byte);
    if (!found.hit) emit_.Load(storage_.Dram(p_.a), view, box);
    return view;
  }

  // Sets the fields of operand B and returns what is read of it.
  Access OperandB(size_t instance, const ChannelBlock& block, int64_t c, int64_t channels,
                  isa::MacDescriptor& mac) {
    const graph::IntValue& b = graph_.value(p_.b);
    mac.b_zero_point = b.zero_point;
    if (!p_.b_constant) return ActivationB(instance, block, c, channels, mac);
    const WeightLoader::Tile tile = weights_.Fetch(block, c, channels, emit_);
    mac.b = {tile.container, b.is_signed};
    mac.b_bit = tile.byte * 8;
    mac.bk2 = p_.kernel_w * channels * tile.row_bits;
    mac.bk1 = channels * tile.row_bits;
    mac.bk0 = tile.row_bits;
    mac.bn = tile.container;
    return {isa::Memory::kSpm, tile.byte,
            tile.byte + static_cast<uint64_t>(tile.rows * tile.row_bits / 8)};
  }

  Access ActivationB(size_t instance, const ChannelBlock& block, int64_t c, int64_t channels,
                     isa::MacDescriptor& mac) {
    const graph::IntValue& b = graph_.value(p_.b);
    const SpatialAxes axes{-1, p_.b_k, p_.b_n};
    const Box box =
        PlaceBox(p_.b_prefix[instance], axes, {0, c, 1, channels}, block.first, block.count);
    View view;
    if (plan_.b.empty()) {
      view = storage_.Spm(p_.b);
    } else {
      const auto found = b_slots_.Fetch(
          Part{static_cast<int64_t>(instance), block.first, block.count, c, channels, 0, 0});
      const ValueLayout& layout = values_.of(p_.b);
      view = StagedView(box, layout.order, layout.container, b.is_signed, found.byte);
      if (!found.hit) emit_.Load(storage_.Dram(p_.b), view, box);
    }
    mac.b = {view.bits, b.is_signed};
    mac.b_bit = static_cast<uint64_t>(view.At(box.first));
    mac.bk0 = Stride(view, p_.b_k);
    mac.bn = Stride(view, p_.b_n);
    return Touch(view, box);
  }

  void EmitMac(size_t instance, const PixelBox& strip, const PixelBox& tile,
               const ChannelBlock& block, int64_t c, int64_t channels, uint32_t acc) {
    isa::MacDescriptor mac;
    const graph::IntValue& input = graph_.value(p_.a);
    const int64_t first_channel = p_.depthwise ? block.first : block.group * p_.group_in() + c;
    const int64_t a_channels = p_.depthwise ? block.count : channels;
    const View a = OperandA(instance, strip, first_channel, a_channels);
    const Access b_read = OperandB(instance, block, c, channels, mac);
    const int64_t sy = Stride(a, p_.a_axes.y), sx = Stride(a, p_.a_axes.x);
    const int64_t sc = Stride(a, p_.a_axes.c);
    const int64_t y0 = tile.y * p_.stride_h - p_.pad_top;
    const int64_t x0 = tile.x * p_.stride_w - p_.pad_left;
    const int64_t a_bit = a.At(Place(p_.a_prefix[instance], p_.a_axes, y0, x0, first_channel));
    BW_CHECK(a_bit >= 0, "layer {} reads from bit {}", emit_.layer(), a_bit);
    mac.depthwise = p_.depthwise;
    mac.a_bit = static_cast<uint64_t>(a_bit);
    mac.a = {a.bits, input.is_signed};
    mac.a_zero_point = input.zero_point;
    mac.m0 = tile.cols, mac.m1 = tile.rows, mac.n = block.count;
    mac.k0 = p_.depthwise ? 1 : channels, mac.k1 = p_.kernel_w, mac.k2 = p_.kernel_h;
    mac.am0 = p_.stride_w * sx, mac.am1 = p_.stride_h * sy;
    mac.ak0 = sc, mac.ak1 = p_.dilation_w * sx, mac.ak2 = p_.dilation_h * sy;
    mac.an = p_.depthwise ? sc : 0;
    mac.acc = acc;
    mac.cm0 = block.count, mac.cm1 = block.count * tile.cols;
    SetWindow(y0, x0, mac);
    mac.pack = Packs(mac);
    std::vector<Access> reads = {Touch(a, PlaceBox(p_.a_prefix[instance], p_.a_axes,
                                                   InputBox(p_, tile), first_channel, a_channels)),
                                 b_read};
    mac.init = c > 0 ? isa::AccInit::kKeep : isa::AccInit::kZero;
    if (c == 0 && p_.bias >= 0) {
      mac.init = isa::AccInit::kBias;
      const uint64_t at = bias_byte_ + static_cast<uint64_t>(block.first - params_begin_) * 4;
      mac.bias_byte = static_cast<uint32_t>(at);
      reads.push_back({isa::Memory::kSpm, at, at + static_cast<uint64_t>(block.count) * 4});
    }
    emit_.Mac(mac, std::move(reads));
  }

  // Positions outside the input contribute 0; without padding every position is inside, and the
  // registers stay as they are from tile to tile.
  void SetWindow(int64_t y0, int64_t x0, isa::MacDescriptor& mac) const {
    if (p_.LeavesRows()) {
      mac.y0 = y0, mac.ym = p_.stride_h, mac.yk = p_.dilation_h, mac.ylim = p_.in_h;
    }
    if (p_.LeavesCols()) {
      mac.x0 = x0, mac.xm = p_.stride_w, mac.xk = p_.dilation_w, mac.xlim = p_.in_w;
    }
  }

  // Whether flattening taps and channels saves passes over the array.
  bool Packs(const isa::MacDescriptor& mac) const {
    const int64_t rows = emit_.config().array_rows;
    const int64_t taps = mac.k1 * mac.k2;
    if (taps == 1) return false;
    return (taps * mac.k0 + rows - 1) / rows < taps * ((mac.k0 + rows - 1) / rows);
  }

  void EmitRequantise(size_t instance, const PixelBox& tile, const ChannelBlock& block,
                      uint32_t acc, const View& d) {
    const Box box = ResultBox(instance, tile, block.first, block.count);
    isa::PpuDescriptor ppu;
    ppu.op = isa::Opcode::kRq;
    ppu.a_mem = isa::Memory::kAcc;
    ppu.a_base = acc;
    ppu.a = {32, true};
    ppu.d_bit = static_cast<uint64_t>(d.At(box.first));
    ppu.d_bits = d.bits;
    ppu.rounding = p_.node->rounding;
    ppu.negative_set = !p_.requant->negative.empty();
    ppu.param = param_;
    const bool per_channel = p_.param_axis < 0 && PerChannel(*p_.requant);
    if (per_channel) {
      ppu.param += static_cast<uint32_t>(block.first - params_begin_);
      ppu.param_stride = 1;
    } else if (p_.param_axis >= 0) {
      ppu.param += static_cast<uint32_t>(box.first[static_cast<size_t>(p_.param_axis)]);
    }
    const std::vector<NestAxis> axes =
        MergeAxes({{tile.rows, {block.count * tile.cols, 0, Stride(d, p_.d_axes.y)}},
                   {tile.cols, {block.count, 0, Stride(d, p_.d_axes.x)}},
                   {block.count, {1, 0, Stride(d, p_.d_axes.c)}}},
                  per_channel ? 1 : 0);
    ppu.count.fill(1);
    for (size_t i = 0; i < axes.size(); ++i) {
      const NestAxis& axis = axes[axes.size() - 1 - i];
      ppu.count[i] = axis.extent;
      ppu.a_stride[i] = axis.stride[0];
      ppu.d_stride[i] = axis.stride[2];
    }
    const auto entries = static_cast<uint64_t>(tile.rows * tile.cols * block.count);
    const OperationId id = emit_.Ppu(ppu, {{isa::Memory::kAcc, acc, acc + entries}}, Touch(d, box));
    emit_.Probe(id, d, box);
  }

  const graph::IntGraph& graph_;
  const ValueTable& values_;
  const StorageTable& storage_;
  const GemmProblem& p_;
  const GemmPlan& plan_;
  Emitter& emit_;
  std::vector<ChannelBlock> blocks_;
  std::vector<PixelBox> strips_;
  SlotCache<Part> a_slots_, b_slots_;
  SlotCache<int64_t> bias_slots_;
  WeightLoader weights_;
  size_t d_slot_ = 0;
  bool params_loaded_ = false, single_loaded_ = false;
  size_t params_ = 0;
  int64_t params_begin_ = 0;  // first channel of the parameters and biases in use
  uint32_t param_ = 0;
  uint64_t bias_byte_ = 0;
};

}  // namespace

void EmitGemm(const graph::IntGraph& graph, const ValueTable& values, const StorageTable& storage,
              const GemmProblem& problem, const GemmPlan& plan, Emitter& emitter) {
  GemmEmitter(graph, values, storage, problem, plan, emitter).Run();
}

}  // namespace bw::codegen
