// Float graph with ranges to integer graph: METHODS.md A2, A3 and NUMERICS.md sections 2, 3, 5.
#ifndef COMPILER_LOWER_LOWER_H_
#define COMPILER_LOWER_LOWER_H_

#include "compiler/calibrate/ranges.h"
#include "compiler/graph/graph.h"
#include "compiler/graph/int_graph.h"
#include "compiler/lower/settings.h"
#include "models/status/result.h"

namespace bw::lower {

// Post-training quantisation, symmetric. `graph` is in canonical form (passes::Canonicalise) and
// every activation has an entry in `ranges`. One IntNode for each operator that computes or moves
// data; relu, clip, leaky relu and PReLU are fused into the operator before them where they are its
// only consumer. Weights get one scale a tensor or a channel, biases s_in * s_w and 32 bits.
// Scales too small for the shifter become 0 with a warning in the result; scales too large, and
// operators that have no integer form, are errors that name layer and channel.
Result<graph::IntGraph> Lower(const graph::Graph& graph, const calibrate::Ranges& ranges,
                              const Settings& settings);

}  // namespace bw::lower

#endif  // COMPILER_LOWER_LOWER_H_
