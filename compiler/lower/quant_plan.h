// Decisions that need the whole graph: which activations fuse, which values share a scale.
#ifndef COMPILER_LOWER_QUANT_PLAN_H_
#define COMPILER_LOWER_QUANT_PLAN_H_

#include <vector>

#include "compiler/calibrate/ranges.h"
#include "compiler/graph/graph.h"
#include "models/status/result.h"

namespace bw::lower {

struct QuantPlan {
  // Real value of one step, by ValueId; 0 for constants.
  std::vector<double> scale;
  // By node index: the node that this one is fused into, or -1.
  std::vector<int> fused_into;
  // By node index: the activation nodes fused behind it, in order.
  std::vector<std::vector<int>> fused;
  // By node index: the value that stands for the node's result, behind its fused activations.
  std::vector<graph::ValueId> result;
};

// Operators whose output is made of the same integers as their input, so that scales must be equal.
bool KeepsScale(graph::Op op);

// Scales: max(|range|) / (2^(act_bits-1) - 1). A scale-keeping operator hands its input's scale on
// (a Pad does not when the padding is larger than what that scale reaches);
// a concatenation hands its output's scale back to inputs that nobody else reads and whose producer
// requantises anyway. Errors name values without a range or without elements, and ranges that are
// not finite.
Result<QuantPlan> MakeQuantPlan(const graph::Graph& graph, const calibrate::Ranges& ranges,
                                int act_bits);

}  // namespace bw::lower

#endif  // COMPILER_LOWER_QUANT_PLAN_H_
