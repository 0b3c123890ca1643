// TFLite's int8 activations as functions of the integer and as exact tables. The default is the
// fixed-point form of the reference kernels, which TFLite Micro runs (and with which the MLPerf
// Tiny networks were scored); the desktop library's LOGISTIC and TANH look up TfliteFloatTable in
// its place, which differs by one in a few of a million entries. HARD_SWISH and LEAKY_RELU have one
// form.
//
// Tables have 256 entries, for -128..127 in this order: the entries of an IntLut with LutParams{}
// as they are. Every result is in -128..127.
#ifndef MODELS_ARITH_TFLITE_ACTIVATION_H_
#define MODELS_ARITH_TFLITE_ACTIVATION_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "models/arith/tflite_scale.h"

namespace bw::arith {

// The outputs' quantisation is fixed: TFLite's files have no other.
inline constexpr TfliteQuant kTfliteLogisticOutput = {1.0F / 256, -128};
inline constexpr TfliteQuant kTfliteTanhOutput = {1.0F / 128, 0};

// LOGISTIC and TANH: the input in Q4.27, results beyond what that holds saturate.
class TfliteSigmoidal {
 public:
  enum class Kind : uint8_t { kLogistic, kTanh };
  TfliteSigmoidal(Kind kind, const TfliteQuant& input);
  int32_t operator()(int32_t q) const;

 private:
  Kind kind_;
  int32_t zero_point_;
  TfliteMultiplier factor_;  // input steps in Q4.27
  int64_t radius_;           // inputs this far from the zero point or further saturate
};

// HARD_SWISH: x * min(max(x + 3, 0), 6) / 6 in 16-bit fixed point.
class TfliteHardSwish {
 public:
  // IsPossible: input.scale / 128 is 2^-16..1 of output.scale (TFLite refuses above, and below its
  // 16-bit shift is no rounding any more), and not below 2^-16 of 3 / 2^15.
  TfliteHardSwish(const TfliteQuant& input, const TfliteQuant& output);
  static bool IsPossible(const TfliteQuant& input, const TfliteQuant& output);
  int32_t operator()(int32_t q) const;

 private:
  TfliteQuant input_, output_;
  int16_t to_output_ = 0, to_unit_ = 0;    // multipliers of 15 bits
  int output_shift_ = 0, unit_shift_ = 0;  // theirs; to the left where positive
};

// LEAKY_RELU: one factor for each sign of the input, scales divided in float32. `alpha` may be
// negative. The two as requantisations (rounding mode `double`) are positive() and negative().
class TfliteLeakyRelu {
 public:
  TfliteLeakyRelu(const TfliteQuant& input, const TfliteQuant& output, float alpha);
  int32_t operator()(int32_t q) const;
  const TfliteMultiplier& positive() const { return positive_; }
  const TfliteMultiplier& negative() const { return negative_; }

 private:
  int32_t input_zero_, output_zero_;
  TfliteMultiplier positive_, negative_;
};

// f of -128..127.
std::vector<int32_t> TfliteTable(const std::function<int32_t(int32_t)>& f);

// What the desktop library looks up: float32 throughout, round half away. `f` is computed in
// float32 too (1 / (1 + std::exp(-x)), std::tanh).
std::vector<int32_t> TfliteFloatTable(const TfliteQuant& input, const TfliteQuant& output,
                                      const std::function<float(float)>& f);

}  // namespace bw::arith

#endif  // MODELS_ARITH_TFLITE_ACTIVATION_H_
