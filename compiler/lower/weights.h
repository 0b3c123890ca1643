// What the lowering of convolutions and of matrix products has in common.
#ifndef COMPILER_LOWER_WEIGHTS_H_
#define COMPILER_LOWER_WEIGHTS_H_

#include <string_view>
#include <vector>

#include "compiler/lower/builder.h"

namespace bw::lower {

// Accumulator step / output step for every weight scale, evaluated as the profile's runtime does.
// TFLite's int8 convolutions multiply the two scales in double; its fully connected layers with one
// scale, and its uint8 convolutions, multiply them as float32.
std::vector<double> RequantReals(const Builder& b, const QuantisedWeights& weights, double in_scale,
                                 double out_scale, bool in_double);

// The integers that the file gives: as they are where they stand, less the zero points where those
// differ from channel to channel (with one bit more) or where the difference needs no bit more.
QuantisedWeights FileWeights(const graph::Value& weight);

// Biases in accumulator steps: the file's own integers where it has them, else the reals rounded.
std::vector<int32_t> BiasIntegers(const Builder& b, const graph::Value* bias,
                                  const std::vector<double>& reals, const QuantisedWeights& weights,
                                  double in_scale);

// Profiles that subtract an offset in front of the multiplier: the output's zero point moves from
// the requantisation into the bias of each channel.
void MoveZeroPointIntoBias(const arith::Profile& profile, int64_t channels,
                           graph::RequantSet& requant, std::vector<int32_t>& bias);

// The values of a constant input; an error that calls it `role` when it is not constant.
Result<std::vector<double>> ConstantReals(Builder& b, int index, size_t input,
                                          std::string_view role);

}  // namespace bw::lower

#endif  // COMPILER_LOWER_WEIGHTS_H_
