// The arithmetic of the array for one beat: a vector of activations times a block of weights.
#ifndef SIM_SYSC_MAC_ARRAY_H_
#define SIM_SYSC_MAC_ARRAY_H_

#include <cstdint>

#include "sim/sysc/mac_blocks.h"

namespace bw::sysc {

// sum[n] = sum over k of a[k] * weights[k][n], for n < pitch; exact.
void MultiplyRow(const MacBlock& block, const int32_t* a, int64_t* sum);
// sum[n] = a[n] * weights[0][n]: a depthwise tap.
void MultiplyLanes(const MacBlock& block, const int32_t* a, int64_t* sum);
// sum[n] += a * weights[k][n]: one pixel's share of an output-stationary beat.
void AccumulateRow(const MacBlock& block, int k, int32_t a, int64_t* sum);

}  // namespace bw::sysc

#endif  // SIM_SYSC_MAC_ARRAY_H_
