// Whether the numbers of an integer graph fit the datapath that it is compiled for.
#ifndef COMPILER_CODEGEN_CHECK_ARITHMETIC_H_
#define COMPILER_CODEGEN_CHECK_ARITHMETIC_H_

#include "compiler/graph/int_graph.h"
#include "models/hwconfig/hw_config.h"
#include "models/status/result.h"

namespace bw::codegen {

// Adds an error for the accumulators' width, for a profile that scales in floating point, and, one
// a node and kind, for multipliers, shifts, weights and zero points that the hardware does not
// have.
void CheckArithmetic(const graph::IntGraph& graph, const hwconfig::HwConfig& config,
                     Errors* errors);

}  // namespace bw::codegen

#endif  // COMPILER_CODEGEN_CHECK_ARITHMETIC_H_
