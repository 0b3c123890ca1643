// Random beats with directed ties and ends, within what a compiler can ask for.
#ifndef TESTS_UNIT_RTL_DUT_STIMULUS_H_
#define TESTS_UNIT_RTL_DUT_STIMULUS_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>

#include "models/arith/eltwise.h"
#include "models/hwconfig/hw_config.h"
#include "sim/ppu/ppu_core.h"

namespace bw::rtl_dut {

class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  int64_t In(int64_t lo, int64_t hi) {
    return std::uniform_int_distribution<int64_t>(lo, hi)(engine_);
  }
  bool Coin() { return In(0, 1) == 1; }
  int64_t Signed(int bits) {
    return In(-(int64_t{1} << (bits - 1)), (int64_t{1} << (bits - 1)) - 1);
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
    return static_cast<int32_t>(random.In(0, 5) == 0 ? any : std::clamp<int64_t>(near, 0, 62));
  };
  p.s = shift();
  p.s2 = shift();
  p.zp = random.Coin() ? 0 : random.Signed(8);
  p.lo = random.Coin() ? -127 : random.In(-128, 0);
  p.hi = random.Coin() ? 127 : random.In(p.lo, 127);
  if (random.In(0, 9) == 0) p.lo = INT32_MIN, p.hi = INT32_MAX;
  return p;
}

// x such that x * m is as near as can be to an odd multiple of half of 2^s: an exact tie when m
// divides it.
inline int64_t NearTie(Random& random, const isa::PpuParam& p, int64_t limit) {
  if (p.s < 1 || p.m == 0) return random.In(-limit, limit);
  const double half = std::ldexp(1.0, p.s - 1);
  const double k = static_cast<double>(2 * random.In(-140, 139) + 1);
  const double x = k * half / static_cast<double>(p.m);
  return std::clamp<int64_t>(std::llround(x), -limit, limit);
}

struct Stimulus {
  ppu::CoreConfig config;
  ppu::CoreBeat beat;
};

inline ppu::CoreConfig RandomConfig(Random& random, const hwconfig::HwConfig& c) {
  ppu::CoreConfig config;
  constexpr std::array kOps = {ppu::CoreOp::kRequantise, ppu::CoreOp::kAdd, ppu::CoreOp::kMultiply,
                               ppu::CoreOp::kPass};
  config.op = kOps[static_cast<size_t>(random.In(0, 3))];
  config.rounding =
      c.ppu_modes[static_cast<size_t>(random.In(0, static_cast<int64_t>(c.ppu_modes.size()) - 1))];
  config.negative_set = random.Coin();
  const auto act = static_cast<int>(c.act_bits);
  if (config.op == ppu::CoreOp::kPass) return config;
  if (random.Coin()) {
    config.a_zero_point = random.Signed(act);
    config.b_zero_point = random.Signed(act);
  }
  if (config.op != ppu::CoreOp::kAdd) return config;
  const double sa = std::ldexp(1.0 + static_cast<double>(random.In(0, 999)) / 1000.0,
                               static_cast<int>(random.In(-6, 2)));
  const double sb = std::ldexp(1.0 + static_cast<double>(random.In(0, 999)) / 1000.0,
                               static_cast<int>(random.In(-6, 2)));
  const double so = std::max(sa, sb) * (0.3 + static_cast<double>(random.In(0, 300)) / 100.0);
  config.add = arith::MakeEltwiseAdd(sa, sb, so, act, static_cast<int>(c.ppu_elt_base_shift),
                                     random.Coin(), static_cast<int>(c.ppu_stage1_bits),
                                     static_cast<int>(c.ppu_mult_bits), arith::ScaleRule::kNearest)
                   .add;
  config.add.subtract = random.Coin();
  return config;
}

inline void FillLanes(Random& random, const hwconfig::HwConfig& c, Stimulus& s) {
  s.beat.lanes = static_cast<int>(random.Coin() ? c.ppu_lanes : random.In(1, c.ppu_lanes));
  const auto acc = static_cast<int>(c.acc_bits);
  const auto act = static_cast<int>(c.act_bits);
  const int64_t acc_end = (int64_t{1} << (acc - 1)) - 1;
  for (size_t i = 0; i < static_cast<size_t>(s.beat.lanes); ++i) {
    int x_bits = acc;
    if (s.config.op == ppu::CoreOp::kMultiply) x_bits = 2 * act - 1;
    if (s.config.op == ppu::CoreOp::kAdd) x_bits = act + 15;
    s.beat.param[i] = Param(random, c, x_bits);
    int64_t& a = s.beat.a[i];
    s.beat.b[i] = random.Signed(act);
    if (s.config.op == ppu::CoreOp::kRequantise) {
      const int64_t pick = random.In(0, 9);
      a = pick < 5 ? NearTie(random, s.beat.param[i], acc_end) + s.config.a_zero_point
                   : random.Signed(acc);
      if (pick == 8) a = acc_end;
      if (pick == 9) a = -acc_end - 1;
      a = std::clamp(a, -acc_end - 1, acc_end);
    } else if (s.config.op == ppu::CoreOp::kPass) {
      a = random.Signed(32);
    } else {
      a = random.Signed(act);
    }
  }
}

}  // namespace bw::rtl_dut

#endif  // TESTS_UNIT_RTL_DUT_STIMULUS_H_
