#include "sim/sysc/mac_engine.h"

#include <algorithm>

#include "sim/sysc/mac_array.h"

namespace bw::sysc {
namespace {

// One block in use, one loading, one made ahead for the address generator of A.
constexpr size_t kBlocks = 4;

}  // namespace

MacEngine::MacEngine(const sc_core::sc_module_name& name, Scratchpad& spm, AccSram& acc)
    : sc_module(name),
      a_port_(spm.port(SpmPortId::kMacA)),
      b_port_(spm.port(SpmPortId::kMacB)),
      acc_(acc) {}

void MacEngine::Configure(MachineContext& context) {
  context_ = &context;
  front_.Configure(context);
  operations_.clear();
  operations_made_ = 0;
  source_.Configure(context.config);
  blocks_.resize(kBlocks);
  made_ = loading_ = issuing_ = entering_ = 0;
  issue_pixel_ = enter_pixel_ = Pixel();
  entered_ = 0;
  draining_ = false;
  const int pitch = MacPitch(static_cast<int>(context.config.array_cols));
  zero_points_.assign(static_cast<size_t>(pitch), 0);
  bias_.assign(static_cast<size_t>(pitch), 0);
  outputs_.assign(static_cast<size_t>(pitch * context.config.array_rows), 0);
}

void MacEngine::Accept() {
  const QueuedInstruction* next = front_.Look();
  if (next == nullptr || operations_.size() >= timing::kOperationsUnderWay) return;
  auto made = isa::MakeMac(next->instruction, front_.registers(), context_->config);
  if (!made.ok()) {
    context_->Fail(next->index, made.errors());
    return;
  }
  MacOperation operation;
  operation.instruction = next->index;
  operation.d = *made;
  operation.narrow = made->a.bits <= 8 && made->b.bits <= 8 && !made->b_zero_point_vector;
  operation.output_stationary =
      context_->config.array_dataflow == hwconfig::Dataflow::kOs && !made->depthwise;
  operations_.push_back(operation);
  front_.Start();
}

void MacEngine::MakeBlock() {
  if (made_ - entering_ >= kBlocks - 1) return;
  if (source_.done()) {
    if (operations_made_ == operations_.size()) return;
    source_.Start(operations_[operations_made_++]);
  }
  source_.Next(Block(made_++));
}

// The block in use has taken its last vector.
void MacEngine::Leave() {
  const bool last = Block(entering_).last;
  ++entering_;
  entered_ = 0;
  draining_ = false;
  if (!last) return;
  operations_.pop_front();
  --operations_made_;
}

PartialSums& MacEngine::NextRow(const MacBlock& block, const Pixel& pixel, int64_t latency) {
  const isa::MacDescriptor& d = block.operation->d;
  PartialSums& row = acc_.sums().Next();
  row.due = context_->clock.now + static_cast<uint64_t>(latency);
  row.entry = d.acc + static_cast<uint32_t>(pixel.m0 * d.cm0 + pixel.m1 * d.cm1 + block.n_first);
  row.count = block.n_count;
  row.last_of = kNoInstruction;
  row.overwrite = false;
  return row;
}

bool MacEngine::EnterStreaming(MacBlock& block) {
  if (!a_port_.HasServed()) return false;
  if (a_port_.Stalled() || acc_.sums().Stalled()) {
    stalled_ = true;
    return false;
  }
  if (!acc_.sums().HasSpace()) return false;
  const isa::MacDescriptor& d = block.operation->d;
  if (entered_ == 0) {
    enter_pixel_ = Pixel();
    if (block.LoadsBias()) std::copy(block.bias.begin(), block.bias.end(), bias_.begin());
  }
  Lanes lanes;
  TakeActivations(block, lanes);
  PartialSums& row =
      NextRow(block, enter_pixel_,
              d.depthwise ? timing::kDepthwiseLatency : timing::ArrayLatency(context_->config));
  if (d.depthwise) {
    MultiplyLanes(block, lanes.data(), row.sum.data());
  } else {
    MultiplyRow(block, lanes.data(), row.sum.data());
  }
  if (block.first_k && d.init != isa::AccInit::kKeep) {
    row.overwrite = true;
    if (d.init == isa::AccInit::kBias) {
      for (size_t n = 0; n < static_cast<size_t>(block.n_count); ++n) row.sum[n] += bias_[n];
    }
  }
  enter_pixel_.Next(d);
  const bool last = ++entered_ == block.pixel_count;
  if (last && block.last) row.last_of = block.operation->instruction;
  acc_.sums().Push();
  context_->recorder.AddMacs(
      block.operation->instruction,
      static_cast<uint64_t>(block.k_count) * static_cast<uint64_t>(block.n_count));
  if (last) Leave();
  return true;
}

// One k of the block for all its pixels.
void MacEngine::EnterStep(MacBlock& block) {
  const auto pitch = static_cast<size_t>(block.pitch);
  const auto rows = static_cast<size_t>(context_->config.array_rows);
  if (block.first_k && entered_ == 0) {
    std::fill(outputs_.begin(), outputs_.end(), int64_t{0});
    if (block.LoadsBias()) std::copy(block.bias.begin(), block.bias.end(), bias_.begin());
  }
  const auto k = static_cast<size_t>(entered_);
  for (size_t p = 0; p < static_cast<size_t>(block.pixel_count); ++p) {
    AccumulateRow(block, static_cast<int>(k), block.activations[p * rows + k],
                  outputs_.data() + p * pitch);
  }
  context_->recorder.AddMacs(block.operation->instruction,
                             static_cast<uint64_t>(block.pixel_count * block.n_count));
  if (++entered_ < block.k_count) return;
  if (!block.last_k) {
    Leave();
    return;
  }
  entered_ = 0;
  draining_ = true;
}

bool MacEngine::Drain(MacBlock& block) {
  if (acc_.sums().Stalled()) {
    stalled_ = true;
    return false;
  }
  if (!acc_.sums().HasSpace()) return false;
  const isa::MacDescriptor& d = block.operation->d;
  PartialSums& row = NextRow(block, Pixel::At(block.pixel_first + entered_, d),
                             timing::ArrayLatency(context_->config));
  const int64_t* sums = outputs_.data() + entered_ * block.pitch;
  const bool with_bias = d.init == isa::AccInit::kBias;
  for (size_t n = 0; n < static_cast<size_t>(block.n_count); ++n) {
    row.sum[n] = sums[n] + (with_bias ? bias_[n] : 0);
  }
  row.overwrite = d.init != isa::AccInit::kKeep;
  const bool last = ++entered_ == timing::OutputDrain(block.pixel_count);
  if (last && block.last) row.last_of = block.operation->instruction;
  acc_.sums().Push();
  if (last) Leave();
  return true;
}

bool MacEngine::EnterOutputStationary(MacBlock& block) {
  if (draining_) {
    Drain(block);  // no multiplications: not busy
    return false;
  }
  if (!block.WeightsComplete() || block.pixels_loaded < block.pixel_count) return false;
  EnterStep(block);
  return true;
}

bool MacEngine::Enter() {
  if (entering_ == made_) return false;
  MacBlock& block = Block(entering_);
  if (block.operation->output_stationary) return EnterOutputStationary(block);
  if (!block.WeightsComplete()) return false;
  return EnterStreaming(block);
}

Cause MacEngine::WhyIdle() {
  if (stalled_) return Cause::kRandomStall;
  if (entering_ != made_ && !draining_) {
    const MacBlock& block = Block(entering_);
    if (!block.WeightsComplete()) {
      return b_port_.Conflicted() ? Cause::kBankConflict : Cause::kWeightLoad;
    }
    if (a_port_.Conflicted()) return Cause::kBankConflict;
    return acc_.sums().HasSpace() ? Cause::kArrayFillDrain : Cause::kOutputBackpressure;
  }
  if (!context_->retirement.Empty(isa::Queue::kMac)) return Cause::kArrayFillDrain;
  return front_.cause();
}

void MacEngine::Clock() {
  stalled_ = false;
  const bool was_draining = draining_;
  LoadWeights();
  GatherActivations();
  const bool busy = Enter();
  IssueActivations();
  MakeBlock();
  Accept();
  const Cause cause = busy ? Cause::kBusy : was_draining ? Cause::kArrayFillDrain : WhyIdle();
  context_->recorder.Account(Engine::kMac, cause);
}

}  // namespace bw::sysc
