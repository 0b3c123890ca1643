// What one lane of the pipeline computes, from models/arith. The native core calls it for every
// lane of a beat, and RTL is compared against it.
#ifndef SIM_PPU_LANE_H_
#define SIM_PPU_LANE_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "models/arith/eltwise.h"
#include "models/arith/lut.h"
#include "models/arith/requantise.h"
#include "sim/ppu/ppu_core.h"

namespace bw::ppu {

struct LaneResult {
  int32_t y = 0;
  bool saturated = false;  // clipped at lo or hi; false where nothing is requantised
};

constexpr bool IsWindow(CoreOp op) { return op == CoreOp::kMaximum || op == CoreOp::kSum; }

// The fold of a window's positions, one value a lane: the largest a, or the sum of (a - azp).
class WindowFold {
 public:
  void Take(const CoreBeat& beat) {
    const auto lanes = static_cast<size_t>(beat.lanes);
    const bool maximum = beat.config->op == CoreOp::kMaximum;
    if (beat.first) {
      std::fill_n(values_.begin(), lanes, maximum ? std::numeric_limits<int64_t>::min() : 0);
    }
    if (!beat.inside) return;
    const int64_t zero_point = beat.config->a_zero_point;
    for (size_t i = 0; i < lanes; ++i) {
      values_[i] =
          maximum ? std::max(values_[i], beat.a[i]) : values_[i] + (beat.a[i] - zero_point);
    }
  }
  const std::array<int64_t, kMaxLanes>& values() const { return values_; }

 private:
  std::array<int64_t, kMaxLanes> values_{};
};

// The value that is requantised: an accumulator or activation minus its zero point, a window's sum,
// an aligned sum, or a product.
inline int64_t ValueToRequantise(const CoreConfig& config, int64_t a, int64_t b) {
  switch (config.op) {
    case CoreOp::kRequantise:
      return a - config.a_zero_point;
    case CoreOp::kAdd:
      return arith::AddAligned(a, b, config.add, config.rounding);
    case CoreOp::kMultiply:
      return arith::MulOperands(a, b, config.a_zero_point, config.b_zero_point);
    case CoreOp::kMaximum:
    case CoreOp::kSum:
    case CoreOp::kLookup:
    case CoreOp::kPass:
      return a;
  }
  __builtin_unreachable();
}

// `a` of a window is its fold. `lookup` is the whole memory of tables; only kLookup reads it.
inline LaneResult ComputeLane(const CoreConfig& config, int64_t a, int64_t b,
                              const isa::PpuParam& param, const int32_t* lookup = nullptr) {
  if (config.op == CoreOp::kLookup) {
    return {static_cast<int32_t>(arith::LutLookup(a, config.lut, lookup + config.table)), false};
  }
  const int64_t x = ValueToRequantise(config, a, b);
  if (config.op == CoreOp::kMaximum || config.op == CoreOp::kPass) {
    return {static_cast<int32_t>(x), false};
  }
  const bool negative = config.negative_set && x < 0;
  const arith::Requant r{negative ? param.m2 : param.m, negative ? param.s2 : param.s, param.zp,
                         param.lo, param.hi};
  const int64_t rounded = arith::RoundProduct(x, r.m, r.s, config.rounding);
  const int64_t y = arith::OffsetAndClip(rounded, r);
  const bool inside = rounded >= r.lo - r.zp && rounded <= r.hi - r.zp;
  return {static_cast<int32_t>(y), !inside};
}

}  // namespace bw::ppu

#endif  // SIM_PPU_LANE_H_
