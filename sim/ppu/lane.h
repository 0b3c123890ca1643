// What one lane of the pipeline computes, from models/arith. The native core calls it for every
// lane of a beat, and RTL is compared against it.
#ifndef SIM_PPU_LANE_H_
#define SIM_PPU_LANE_H_

#include <cstdint>

#include "models/arith/eltwise.h"
#include "models/arith/requantise.h"
#include "sim/ppu/ppu_core.h"

namespace bw::ppu {

struct LaneResult {
  int32_t y = 0;
  bool saturated = false;  // clipped at lo or hi; false for kPass
};

// The value that is requantised: an accumulator or activation minus its zero point, an aligned sum,
// or a product.
inline int64_t ValueToRequantise(const CoreConfig& config, int64_t a, int64_t b) {
  switch (config.op) {
    case CoreOp::kRequantise:
    case CoreOp::kSum:
      return a - config.a_zero_point;
    case CoreOp::kAdd:
      return arith::AddAligned(a, b, config.add, config.rounding);
    case CoreOp::kMultiply:
      return arith::MulOperands(a, b, config.a_zero_point, config.b_zero_point);
    case CoreOp::kMaximum:
    case CoreOp::kLookup:
    case CoreOp::kPass:
      return a;
  }
  __builtin_unreachable();
}

inline LaneResult ComputeLane(const CoreConfig& config, int64_t a, int64_t b,
                              const isa::PpuParam& param) {
  const int64_t x = ValueToRequantise(config, a, b);
  if (config.op == CoreOp::kPass) return {static_cast<int32_t>(x), false};
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
