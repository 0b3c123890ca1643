#include "models/arith/eltwise.h"

#include <cmath>

#include "models/status/check.h"

namespace bw::arith {
namespace {

void CheckScales(double sa, double sb, double so) {
  BW_CHECK(
      std::isfinite(sa) && sa > 0 && std::isfinite(sb) && sb > 0 && std::isfinite(so) && so > 0,
      "scales {}, {}, {}", sa, sb, so);
}

AlignOperand Multiplied(const FixedScale& scale, int left_shift) {
  return {0, left_shift, scale.m, scale.s, true};
}

}  // namespace

int Stage1Shift(double ratio, int act_bits, int base_shift, int stage1_bits) {
  BW_CHECK(std::isfinite(ratio) && ratio > 0, "ratio {}", ratio);
  int exponent = 0;
  const double half_to_one = std::frexp(ratio, &exponent);
  const bool power_of_two = half_to_one == 0.5;
  const int e = exponent - 1;  // ratio = m * 2^e, 1 <= m < 2
  const int wanted = act_bits - stage1_bits - e + (power_of_two ? 1 : 0);
  const int most = std::max(0, base_shift + act_bits + 1 - stage1_bits);
  return std::clamp(wanted, 0, most);
}

EltwiseAddPlan MakeEltwiseAdd(double sa, double sb, double so, int act_bits, int base_shift,
                              bool two_stage, int stage1_bits, int mult_bits, ScaleRule rule,
                              const ScaleLimits& limits) {
  CheckScales(sa, sb, so);
  BW_CHECK(base_shift >= 0 && base_shift <= 31, "base_shift {}", base_shift);
  EltwiseAddPlan plan;
  const bool a_is_larger = sa >= sb;
  plan.base_scale = std::ldexp(a_is_larger ? sa : sb, -base_shift);
  plan.ratio = plan.base_scale / so;
  plan.align = DecomposeWithin((a_is_larger ? sb : sa) / plan.base_scale, mult_bits, rule, limits);
  AlignOperand& larger = a_is_larger ? plan.add.a : plan.add.b;
  AlignOperand& smaller = a_is_larger ? plan.add.b : plan.add.a;
  larger.left_shift = base_shift;
  smaller = Multiplied(plan.align.scale, 0);
  if (two_stage) {
    BW_CHECK(stage1_bits > act_bits && stage1_bits <= 32, "stage1_bits {}", stage1_bits);
    plan.add.stage1_bits = stage1_bits;
    plan.add.stage1_shift = Stage1Shift(plan.ratio, act_bits, base_shift, stage1_bits);
  }
  plan.out =
      DecomposeWithin(std::ldexp(plan.ratio, plan.add.stage1_shift), mult_bits, rule, limits);
  return plan;
}

EltwiseAddPlan MakeTfliteAdd(double sa, double sb, double so, int mult_bits, ScaleRule rule,
                             const ScaleLimits& limits) {
  CheckScales(sa, sb, so);
  constexpr int kLeftShift = 20;
  EltwiseAddPlan plan;
  const double twice_larger = 2 * std::max(sa, sb);
  plan.base_scale = std::ldexp(twice_larger, -kLeftShift);
  plan.align = DecomposeWithin(sa / twice_larger, mult_bits, rule, limits);
  plan.align_b = DecomposeWithin(sb / twice_larger, mult_bits, rule, limits);
  plan.add.a = Multiplied(plan.align.scale, kLeftShift);
  plan.add.b = Multiplied(plan.align_b.scale, kLeftShift);
  plan.ratio = twice_larger / (static_cast<double>(1 << kLeftShift) * so);
  plan.out = DecomposeWithin(plan.ratio, mult_bits, rule, limits);
  return plan;
}

ScaleDecision MakeEltwiseMul(double sa, double sb, double so, int mult_bits, ScaleRule rule,
                             const ScaleLimits& limits) {
  CheckScales(sa, sb, so);
  return DecomposeWithin(sa * sb / so, mult_bits, rule, limits);
}

ScaleDecision MakeTfliteMul(float sa, float sb, float so, int mult_bits, ScaleRule rule,
                            const ScaleLimits& limits) {
  CheckScales(sa, sb, so);
  const float product = sa * sb;  // named, so that no wider evaluation survives
  const float ratio = product / so;
  return DecomposeWithin(ratio, mult_bits, rule, limits);
}

}  // namespace bw::arith
