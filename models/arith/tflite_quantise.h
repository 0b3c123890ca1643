// TFLite's QUANTIZE and DEQUANTIZE, the limits of fused activations, and means of int8 tensors as
// requantisations of a sum.
#ifndef MODELS_ARITH_TFLITE_QUANTISE_H_
#define MODELS_ARITH_TFLITE_QUANTISE_H_

#include <cstdint>
#include <optional>

#include "models/arith/profile.h"
#include "models/arith/requantise.h"
#include "models/arith/tflite_scale.h"

namespace bw::arith {

// QUANTIZE of a real: f / scale in float32, ties away from zero, zero point, clip.
int64_t TfliteQuantise(float f, const TfliteQuant& to, const ClipRange& range);
// DEQUANTIZE: scale * (q - zero point) in double, rounded to float32.
float TfliteDequantise(int64_t q, const TfliteQuant& from);

// QUANTIZE between integers (and ADD-less changes of scale everywhere): a requantisation of q -
// from.zero_point in rounding mode `double`, with the quotient of the scales in double. Also RELU
// by itself, with the range of its activation.
Requant TfliteRequantise(const TfliteQuant& from, const TfliteQuant& to, const ClipRange& range);

enum class TfliteFused : uint8_t { kNone, kRelu, kReluN1To1, kRelu6 };
// The clip of a fused activation (and of RELU6 by itself, with the input's quantisation): zero
// point
// + round(limit / scale) in float32, within `range`, the type's own (int8: -128..127).
ClipRange TfliteActivationRange(TfliteFused activation, const TfliteQuant& output,
                                const ClipRange& range);

// MEAN over `count` elements, as a requantisation (mode `double`) of sum(q) - count *
// from.zero_point. TFLite has had three forms of it:
//  - since 2022, in the library's reference kernel and in TFLite Micro: the multiplier of
//  from.scale
//    / to.scale is divided by the count. It is one requantisation, and it is what this makes.
//  - before, in TFLite Micro for H and W: requantised by from.scale / to.scale first, then divided
//  by
//    the count with ties away from zero. With equal scales that is TfliteQuotient; else it is no
//    single requantisation, and TfliteMeanDividedLast says what it was, for comparison.
//  - before, for other axes: in float32. Not here.
// For IntPool: by_count[count], raw_sum false. 1 <= count < 2^31.
Requant TfliteMean(const TfliteQuant& from, const TfliteQuant& to, int64_t count,
                   const ClipRange& range);
int64_t TfliteMeanDividedLast(int64_t sum_less_zero_points, const TfliteQuant& from,
                              const TfliteQuant& to, int64_t count, const ClipRange& range);

// x / count to the nearest, ties away from zero, for all |x| <= most, as one product and shift:
// AVERAGE_POOL_2D of raw sums (most = 128 * count), MEAN of equal scales before 2022. The product
// is never on a tie (m > 2^s / count, by less than one), so every mode that rounds to the nearest
// gives the same: half_up, half_away, half_even, and `double`, which rounds once as s <= 31.
// Nothing when no m below 2^mult_bits (at most 31) and s <= 31 serve: 2^s > 2 * count * most is
// needed, so for averages of int8 up to 2896 elements fit in 31 bits. Worked: count 6, most 768: s
// = 14, m = 2731; 9 * 2731 / 2^14 = 1.5002 -> 2, -9 -> -2.
std::optional<FixedScale> TfliteQuotient(int64_t count, int64_t most, int mult_bits);

}  // namespace bw::arith

#endif  // MODELS_ARITH_TFLITE_QUANTISE_H_
