#include "sim/sysc/recorder.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "models/status/check.h"

namespace bw::sysc {
namespace {

uint64_t SumOf(const CauseCycles& cycles) {
  return std::accumulate(cycles.begin(), cycles.end(), uint64_t{0});
}

}  // namespace

void Recorder::Begin(const isa::Program& program) {
  *this = Recorder();
  program_ = &program;
  uint32_t layers = static_cast<uint32_t>(program.layers.size());
  for (const isa::InstructionInfo& info : program.info) layers = std::max(layers, info.layer + 1);
  run_.layers.resize(layers);
  left_.resize(layers);
  for (const isa::InstructionInfo& info : program.info) ++left_[info.layer];
}

void Recorder::OnRetire(uint32_t instruction) {
  ++run_.instructions;
  progress_ = true;
  const uint32_t layer = program_->info[instruction].layer;
  BW_CHECK(left_[layer] > 0, "layer {} retires instruction {} twice", layer, instruction);
  if (--left_[layer] == 0) finished_.push_back(layer);
}

void Recorder::EndCycle() {
  ++run_.total_cycles;
  run_.busy_cycles += static_cast<uint64_t>(busy_);
  busy_ = false;
  if (finished_.empty()) return;
  // Several in one cycle: the lowest one has the cycles.
  std::sort(finished_.begin(), finished_.end());
  LayerStatistics& layer = run_.layers[finished_.front()];
  layer.cycles = run_.total_cycles - last_cut_;
  for (size_t e = 0; e < kEngines; ++e) {
    for (size_t c = 0; c < kCauses; ++c) {
      layer.engines[e][c] = run_.engines[e][c] - at_last_cut_[e][c];
    }
  }
  for (const uint32_t finished : finished_) {
    run_.layers[finished].last_retirement = run_.total_cycles;
  }
  at_last_cut_ = run_.engines;
  last_cut_ = run_.total_cycles;
  finished_.clear();
}

bool Recorder::TakeProgress() { return std::exchange(progress_, false); }

RunStatistics Recorder::Finish() {
  for (size_t e = 0; e < kEngines; ++e) {
    BW_CHECK(SumOf(run_.engines[e]) == run_.total_cycles, "{}: causes sum to {} of {} cycles",
             ToString(static_cast<Engine>(e)), SumOf(run_.engines[e]), run_.total_cycles);
  }
  uint64_t layer_cycles = 0;
  for (const LayerStatistics& layer : run_.layers) {
    layer_cycles += layer.cycles;
    run_.dram_read_bytes += layer.dram_read_bytes;
    run_.dram_written_bytes += layer.dram_written_bytes;
    run_.macs += layer.macs;
    run_.saturations += layer.saturations;
  }
  BW_CHECK(layer_cycles == run_.total_cycles, "layers sum to {} of {} cycles", layer_cycles,
           run_.total_cycles);
  return std::move(run_);
}

}  // namespace bw::sysc
