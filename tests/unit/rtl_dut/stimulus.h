// Random configurations of the PPU core with directed ties and ends, within what a program can ask
// for.
#ifndef TESTS_UNIT_RTL_DUT_STIMULUS_H_
#define TESTS_UNIT_RTL_DUT_STIMULUS_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "models/arith/eltwise.h"
#include "models/arith/profile.h"
#include "models/hwconfig/hw_config.h"
#include "models/hwconfig/ppu_widths.h"
#include "sim/ppu/ppu_core.h"

namespace bw::rtl_dut {

class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  int64_t In(int64_t lo, int64_t hi) {
    return std::uniform_int_distribution<int64_t>(lo, hi)(engine_);
  }
  bool Coin() { return In(0, 1) == 1; }
  bool OneIn(int64_t n) { return In(1, n) == 1; }
  int64_t Signed(int bits) {
    return In(-(int64_t{1} << (bits - 1)), (int64_t{1} << (bits - 1)) - 1);
  }
  // The same, now and then one of both ends.
  int64_t SignedOrEnd(int bits) {
    const int64_t end = int64_t{1} << (bits - 1);
    if (OneIn(12)) return Coin() ? -end : end - 1;
    return In(-end, end - 1);
  }

 private:
  std::mt19937_64 engine_;
};

// A multiplier as decomposition makes them: normalised, or 0.
inline int64_t Multiplier(Random& random, int bits) {
  const int64_t top = int64_t{1} << bits;
  switch (random.In(0, 7)) {
    case 0:
      return 0;
    case 1:
      return top / 2;
    case 2:
      return top - 1;
    default:
      return random.In(top / 2, top - 1);
  }
}

inline isa::PpuParam Param(Random& random, const hwconfig::HwConfig& c, int x_bits) {
  const int bits = static_cast<int>(c.ppu_mult_bits);
  isa::PpuParam p;
  p.m = Multiplier(random, bits);
  p.m2 = Multiplier(random, bits);
  // Mostly shifts that bring the value into the output's range, where rounding shows.
  const auto shift = [&] {
    const int64_t near = x_bits + bits - 10 + random.In(-4, 4);
    const int64_t any = random.In(-c.ppu_left_shift_max, c.ppu_shift_max);
    return static_cast<int32_t>(random.OneIn(6) ? any : std::clamp<int64_t>(near, 0, 62));
  };
  p.s = shift();
  p.s2 = shift();
  p.zp = random.Coin() ? 0 : random.Signed(8);
  p.lo = random.Coin() ? -127 : random.In(-128, 0);
  p.hi = random.Coin() ? 127 : random.In(p.lo, 127);
  if (random.OneIn(10)) p.lo = INT32_MIN, p.hi = INT32_MAX;
  if (random.OneIn(40)) p.zp = random.SignedOrEnd(32);
  return p;
}

// x such that x * m is as near as can be to an odd multiple of half of 2^s: an exact tie when m
// divides it.
inline int64_t NearTie(Random& random, const isa::PpuParam& p, int64_t limit) {
  if (p.s < 1 || p.m == 0) return random.In(-limit, limit);
  const double half = std::ldexp(1.0, p.s - 1);
  const double k = static_cast<double>(2 * random.In(-140, 139) + 1);
  const double x = std::clamp(k * half / static_cast<double>(p.m), -static_cast<double>(limit),
                              static_cast<double>(limit));
  return std::clamp<int64_t>(std::llround(x), -limit, limit);
}

inline arith::EltwiseAdd RandomAdd(Random& random, const hwconfig::HwConfig& c) {
  const auto scale = [&random] {
    return std::ldexp(1.0 + static_cast<double>(random.In(0, 999)) / 1000.0,
                      static_cast<int>(random.In(-6, 2)));
  };
  const double sa = scale();
  const double sb = random.OneIn(8) ? sa : scale();
  const double so = std::max(sa, sb) * (0.3 + static_cast<double>(random.In(0, 300)) / 100.0);
  const int mult_bits = static_cast<int>(c.ppu_mult_bits);
  const arith::ScaleRule rule =
      mult_bits == 1 ? arith::ScaleRule::kPow2 : arith::ScaleRule::kNearest;
  arith::EltwiseAdd add;
  if (mult_bits == 31 && random.Coin()) {
    add = arith::MakeTfliteAdd(sa, sb, so, mult_bits, rule).add;
  } else {
    add = arith::MakeEltwiseAdd(sa, sb, so, static_cast<int>(c.act_bits),
                                static_cast<int>(c.ppu_elt_base_shift), random.Coin(),
                                static_cast<int>(c.ppu_stage1_bits), mult_bits, rule)
              .add;
  }
  add.subtract = random.Coin();
  return add;
}

// Tables in the middle of the range of keys and at both ends of 32 bits, full and partly used.
inline void RandomLookup(Random& random, const hwconfig::HwConfig& c, ppu::CoreConfig& config) {
  arith::LutParams& lut = config.lut;
  const int64_t tables = c.lut_tables;
  config.table = static_cast<uint32_t>(random.In(0, tables - 1) * (c.lut_segments + 1));
  lut.segments = static_cast<int>(random.Coin() ? c.lut_segments : random.In(1, c.lut_segments));
  lut.k = static_cast<int>(random.In(0, hwconfig::LutShiftMax(c)));
  lut.interpolate = c.lut_mode == hwconfig::LutMode::kInterpolate && random.Coin();
  lut.ramp_outside = random.Coin();
  const int64_t most = static_cast<int64_t>(lut.segments) << lut.k;
  const int64_t span = std::min<int64_t>(random.Coin() ? most : random.In(0, most), UINT32_MAX);
  switch (random.In(0, 5)) {
    case 0:
      lut.low = INT32_MIN;
      break;
    case 1:
      lut.low = INT32_MAX - span;
      break;
    default:
      lut.low = random.In(-span - 20, 20);
  }
  lut.low = std::max<int64_t>(lut.low, INT32_MIN);
  lut.high = std::min<int64_t>(lut.low + span, INT32_MAX);
}

inline constexpr std::array kOperations = {ppu::CoreOp::kRequantise, ppu::CoreOp::kAdd,
                                           ppu::CoreOp::kMultiply,   ppu::CoreOp::kMaximum,
                                           ppu::CoreOp::kSum,        ppu::CoreOp::kLookup};

inline ppu::CoreConfig RandomConfig(Random& random, const hwconfig::HwConfig& c) {
  ppu::CoreConfig config;
  config.op = kOperations[static_cast<size_t>(random.In(0, kOperations.size() - 1))];
  config.rounding =
      c.ppu_modes[static_cast<size_t>(random.In(0, static_cast<int64_t>(c.ppu_modes.size()) - 1))];
  config.negative_set = random.Coin();
  if (config.op == ppu::CoreOp::kLookup) RandomLookup(random, c, config);
  if (config.op == ppu::CoreOp::kAdd) config.add = RandomAdd(random, c);
  if (random.Coin()) return config;
  const int zero_point_bits = hwconfig::ElementBits(c) + 1;
  int64_t& a = config.op == ppu::CoreOp::kAdd ? config.add.a.zp : config.a_zero_point;
  int64_t& b = config.op == ppu::CoreOp::kAdd ? config.add.b.zp : config.b_zero_point;
  a = random.SignedOrEnd(zero_point_bits);
  b = random.SignedOrEnd(zero_point_bits);
  return config;
}

// Contents of the whole lookup memory: smooth, jumping between the ends of 32 bits, and random.
inline std::vector<int32_t> RandomTables(Random& random, const hwconfig::HwConfig& c) {
  std::vector<int32_t> values(static_cast<size_t>(c.lut_tables * (c.lut_segments + 1)));
  for (size_t i = 0; i < values.size(); ++i) {
    const auto n = static_cast<int64_t>(i);
    switch (n / 16 % 3) {
      case 0:
        values[i] = static_cast<int32_t>(n * n / 7 - 40 * n);
        break;
      case 1:
        values[i] = n % 2 == 0 ? INT32_MIN : INT32_MAX;
        break;
      default:
        values[i] = static_cast<int32_t>(random.Signed(32));
    }
  }
  return values;
}

}  // namespace bw::rtl_dut

#endif  // TESTS_UNIT_RTL_DUT_STIMULUS_H_
