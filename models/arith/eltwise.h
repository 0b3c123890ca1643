// Elementwise add, subtract and multiply of two quantised tensors (NUMERICS.md section 5, and the
// TFLite rules of section 3).
#ifndef MODELS_ARITH_ELTWISE_H_
#define MODELS_ARITH_ELTWISE_H_

#include <algorithm>
#include <cstdint>

#include "models/arith/requantise.h"
#include "models/arith/rounding.h"
#include "models/arith/scale.h"

namespace bw::arith {

// Brings one operand to the common base scale: (q - zp) << left_shift and then, if `multiply`,
// round(that * m, s) without a clip.
struct AlignOperand {
  int64_t zp = 0;
  int left_shift = 0;
  int64_t m = 0;
  int s = 0;  // negative is to the left
  bool multiply = false;
};

// Two aligned operands and, with two stages, the shift and clip in front of the last multiplier.
struct EltwiseAdd {
  AlignOperand a;
  AlignOperand b;
  bool subtract = false;
  int stage1_shift = 0;  // s1
  int stage1_bits = 0;   // W; 0 = one stage
};

inline int64_t Align(int64_t q, const AlignOperand& operand, Rounding mode) {
  const int64_t x = (q - operand.zp) * (int64_t{1} << operand.left_shift);
  return operand.multiply ? RoundProduct(x, operand.m, operand.s, mode) : x;
}

// clip(round(sum, s1), -(2^(W-1)-1), 2^(W-1)-1): the first of two stages.
inline int64_t Stage1(int64_t sum, int shift, int bits, Rounding mode) {
  const int64_t limit = (int64_t{1} << (bits - 1)) - 1;
  return std::clamp(RoundShift(sum, shift, mode), -limit, limit);
}

// What enters the final Requantise: the sum (or difference) at the base scale, after stage 1 where
// there is one.
inline int64_t AddAligned(int64_t qa, int64_t qb, const EltwiseAdd& add, Rounding mode) {
  const int64_t a = Align(qa, add.a, mode);
  const int64_t b = Align(qb, add.b, mode);
  const int64_t sum = add.subtract ? a - b : a + b;
  if (add.stage1_bits == 0) return sum;
  return Stage1(sum, add.stage1_shift, add.stage1_bits, mode);
}

// What enters the final Requantise of a multiply.
inline int64_t MulOperands(int64_t qa, int64_t qb, int64_t zpa, int64_t zpb) {
  return (qa - zpa) * (qb - zpb);
}

// The parameters of an add, and every real number that they were made from. Zero points, `subtract`
// and the output's zero point and clip are the caller's to set.
struct EltwiseAddPlan {
  EltwiseAdd add;
  ScaleDecision align;    // of the operand that is multiplied (in TFLite of a)
  ScaleDecision align_b;  // TFLite only: of b
  ScaleDecision out;      // of the final Requantise
  double base_scale = 0;  // s0, real value of one step of the sum
  double ratio = 0;       // ro = s0 / so
};

// Scales sa, sb, so > 0 and finite. base_shift is K; act_bits is A; stage1_bits is W (A < W <= 32)
// and counts only with two_stage. mult_bits >= K + 1 keeps the aligning shift at 0 or more.
EltwiseAddPlan MakeEltwiseAdd(double sa, double sb, double so, int act_bits, int base_shift,
                              bool two_stage, int stage1_bits, int mult_bits, ScaleRule rule,
                              const ScaleLimits& limits = {});

// s1 = clip(floor(A + 1 - W - log2(ratio)), 0, K + A + 1 - W), the floor exact. ratio > 0.
int Stage1Shift(double ratio, int act_bits, int base_shift, int stage1_bits);

// TFLite int8 ADD: base scale 2 * max(sa, sb) / 2^20, both operands multiplied, one stage.
EltwiseAddPlan MakeTfliteAdd(double sa, double sb, double so, int mult_bits, ScaleRule rule,
                             const ScaleLimits& limits = {});

// Scale of the final Requantise of a multiply: sa * sb / so in double.
ScaleDecision MakeEltwiseMul(double sa, double sb, double so, int mult_bits, ScaleRule rule,
                             const ScaleLimits& limits = {});

// The same as TFLite MUL makes it: sa * sb / so in float32.
ScaleDecision MakeTfliteMul(float sa, float sb, float so, int mult_bits, ScaleRule rule,
                            const ScaleLimits& limits = {});

}  // namespace bw::arith

#endif  // MODELS_ARITH_ELTWISE_H_
