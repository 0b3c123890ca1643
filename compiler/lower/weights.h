// What the lowering of convolutions and of matrix products has in common.
#ifndef COMPILER_LOWER_WEIGHTS_H_
#define COMPILER_LOWER_WEIGHTS_H_

#include <string_view>
#include <vector>

#include "compiler/lower/builder.h"

namespace bw::lower {

// Accumulator step / output step for every weight scale.
std::vector<double> RequantReals(const QuantisedWeights& weights, double in_scale,
                                 double out_scale);

// The values of a constant input; an error that calls it `role` when it is not constant.
Result<std::vector<double>> ConstantReals(Builder& b, int index, size_t input,
                                          std::string_view role);

}  // namespace bw::lower

#endif  // COMPILER_LOWER_WEIGHTS_H_
