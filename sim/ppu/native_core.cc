#include "sim/ppu/native_core.h"

#include <algorithm>
#include <limits>

#include "models/status/check.h"
#include "sim/ppu/lane.h"
#include "sim/timing/timing.h"

namespace bw::ppu {
namespace {

// The RTL's counter has 32 bits and stays at its largest value.
constexpr uint64_t kMostSaturations = std::numeric_limits<uint32_t>::max();

}  // namespace

NativeCore::NativeCore(const hwconfig::HwConfig& config)
    : stages_(static_cast<size_t>(timing::PpuPipelineDepth(config))) {}

void NativeCore::Reset() {
  for (Stage& stage : stages_) stage.valid = false;
  last_ = 0;
  saturations_ = 0;
}

void NativeCore::Compute(const CoreBeat& beat, Stage& stage) {
  BW_CHECK(beat.lanes >= 1 && beat.lanes <= kMaxLanes, "{} lanes, at most {}", beat.lanes,
           kMaxLanes);
  CoreResult& result = stage.result;
  result.lanes = beat.lanes;
  result.tag = beat.tag;
  stage.saturated = 0;
  for (size_t lane = 0; lane < static_cast<size_t>(beat.lanes); ++lane) {
    const LaneResult made = ComputeLane(*beat.config, beat.a[lane], beat.b[lane], beat.param[lane]);
    result.y[lane] = made.y;
    stage.saturated += static_cast<uint32_t>(made.saturated);
  }
}

bool NativeCore::Clock(const CoreBeat* in, bool out_ready) {
  Stage& out = stages_[last_];
  if (out.valid && !out_ready) return false;
  if (out.valid) saturations_ = std::min(saturations_ + out.saturated, kMostSaturations);
  // The stage that leaves becomes the first one.
  out.valid = in != nullptr;
  if (in != nullptr) Compute(*in, out);
  last_ = last_ == 0 ? stages_.size() - 1 : last_ - 1;
  return in != nullptr;
}

}  // namespace bw::ppu
