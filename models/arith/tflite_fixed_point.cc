#include "models/arith/tflite_fixed_point.h"

namespace bw::arith {
namespace {

constexpr int32_t kOne = std::numeric_limits<int32_t>::max();  // of Q0.31: as near as it comes

// exp(a) for a in [-1/4, 0), Q0.31: Taylor's series to the fourth power around -1/8.
int32_t ExpNearZero(int32_t a) {
  constexpr int32_t kExpOfMinusEighth = 1895147668;
  constexpr int32_t kThird = 715827883;
  const int32_t x = a + (1 << 28);
  const int32_t x2 = TfliteHighMul(x, x);
  const int32_t x3 = TfliteHighMul(x2, x);
  const int32_t x4 = TfliteHighMul(x2, x2);
  const int32_t upper = TfliteHighMul(TfliteShiftRight(x4, 2) + x3, kThird) + x2;
  return kExpOfMinusEighth + TfliteHighMul(kExpOfMinusEighth, x + TfliteShiftRight(upper, 1));
}

// 1 / d for d = (1 + a) / 2 in [1/2, 1], the result in Q2.29: three Newton steps from the line
// 48/17 - 32/17 d.
int32_t ReciprocalOfHalf(int32_t a) {
  constexpr int32_t k48Over17 = 1515870810, kMinus32Over17 = -1010580540;
  constexpr int32_t kOneInQ2 = 1 << 29;
  const auto d = static_cast<int32_t>((int64_t{a} + kOne + 1) / 2);
  int32_t x = k48Over17 + TfliteHighMul(d, kMinus32Over17);
  for (int i = 0; i < 3; ++i) {
    const int32_t missing = kOneInQ2 - TfliteHighMul(d, x);
    x += TfliteShiftLeft(TfliteHighMul(x, missing), 2);
  }
  return x;
}

}  // namespace

int32_t TfliteExp(int32_t a, int integer_bits) {
  // exp(-2^e) in Q0.31 for e = -2..4.
  constexpr int32_t kFactors[] = {1672461947, 1302514674, 790015084, 290630308,
                                  39332535,   720401,     242};
  if (a == 0) return kOne;
  const int fraction_bits = 31 - integer_bits;
  const int32_t quarter = 1 << (fraction_bits - 2);
  const int32_t near = (a & (quarter - 1)) - quarter;  // in [-1/4, 0)
  int32_t result = ExpNearZero(near * (1 << integer_bits));
  const int64_t rest = int64_t{near} - a;  // a multiple of 1/4, >= 0
  for (int e = -2; e < integer_bits; ++e) {
    if (((rest >> (fraction_bits + e)) & 1) != 0) result = TfliteHighMul(result, kFactors[e + 2]);
  }
  return result;
}

int32_t TfliteOneOverOnePlus(int32_t a) {
  return TfliteShiftLeft(ReciprocalOfHalf(a), 1);  // half of it, from Q2.29
}

int32_t TfliteOneMinusOverOnePlus(int32_t a) {
  return TfliteShiftLeft(ReciprocalOfHalf(a) - (1 << 29), 2);
}

int32_t TfliteLogisticOf(int32_t a, int integer_bits) {
  if (a == 0) return 1 << 30;
  const int32_t positive = TfliteOneOverOnePlus(TfliteExp(a > 0 ? -a : a, integer_bits));
  return a > 0 ? positive : kOne - positive;
}

int32_t TfliteTanhOf(int32_t a, int integer_bits) {
  if (a == 0) return 0;
  // The same integer with one more integer bit stands for twice the number.
  const int32_t magnitude = TfliteOneMinusOverOnePlus(TfliteExp(a > 0 ? -a : a, integer_bits + 1));
  return a > 0 ? magnitude : -magnitude;
}

}  // namespace bw::arith
