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
    : lookup_(static_cast<size_t>(config.lut_tables * (config.lut_segments + 1))),
      stages_(static_cast<size_t>(timing::PpuPipelineDepth(config))) {}

void NativeCore::Reset() {
  for (Stage& stage : stages_) stage.valid = false;
  last_ = 0;
  saturations_ = 0;
}

// No lookup that could read the entries is inside, so that one taken at the next edge is the first
// to see them, and it does.
void NativeCore::WriteTable(uint32_t entry, const int32_t* values, int count) {
  BW_CHECK(count >= 0 && entry + static_cast<size_t>(count) <= lookup_.size(),
           "{} entries from {} on, {} in all", count, entry, lookup_.size());
  std::copy_n(values, count, lookup_.begin() + entry);
}

void NativeCore::Take(const CoreBeat& beat, Stage& stage) {
  BW_CHECK(beat.lanes >= 1 && beat.lanes <= kMaxLanes, "{} lanes, at most {}", beat.lanes,
           kMaxLanes);
  if (IsWindow(beat.config->op)) fold_.Take(beat);
  stage.valid = beat.last;
  if (beat.last) Compute(beat, stage);
}

void NativeCore::Compute(const CoreBeat& beat, Stage& stage) const {
  const CoreConfig& config = *beat.config;
  if (config.op == CoreOp::kLookup) {
    const int64_t end = config.table + arith::LutEntries(config.lut);
    BW_CHECK(end <= static_cast<int64_t>(lookup_.size()), "a lookup reads up to entry {} of {}",
             end, lookup_.size());
  }
  const std::array<int64_t, kMaxLanes>& a = IsWindow(config.op) ? fold_.values() : beat.a;
  CoreResult& result = stage.result;
  result.lanes = beat.lanes;
  result.tag = beat.tag;
  stage.saturated = 0;
  for (size_t lane = 0; lane < static_cast<size_t>(beat.lanes); ++lane) {
    const LaneResult made =
        ComputeLane(config, a[lane], beat.b[lane], beat.param[lane], lookup_.data());
    result.y[lane] = made.y;
    stage.saturated += static_cast<uint32_t>(made.saturated);
  }
}

bool NativeCore::Clock(const CoreBeat* in, bool out_ready) {
  Stage& out = stages_[last_];
  if (out.valid && !out_ready) return false;
  if (out.valid) saturations_ = std::min(saturations_ + out.saturated, kMostSaturations);
  // The stage that leaves becomes the first one.
  out.valid = false;
  if (in != nullptr) Take(*in, out);
  last_ = last_ == 0 ? stages_.size() - 1 : last_ - 1;
  return in != nullptr;
}

}  // namespace bw::ppu
