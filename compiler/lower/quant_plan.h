// Decisions that need the whole graph: which activations fuse, which values share a scale.
#ifndef COMPILER_LOWER_QUANT_PLAN_H_
#define COMPILER_LOWER_QUANT_PLAN_H_

#include <vector>

#include "compiler/calibrate/ranges.h"
#include "compiler/graph/graph.h"
#include "models/status/result.h"

namespace bw::lower {

// How the integers of an activation stand for reals: (q - zero_point) * scale.
struct Format {
  double scale = 0;
  int64_t zero_point = 0;
  int bits = 8;
  bool is_signed = true;
  bool from_file = false;  // the file says so; all values of the type are in use

  bool operator==(const Format& o) const {
    return scale == o.scale && zero_point == o.zero_point && bits == o.bits &&
           is_signed == o.is_signed;
  }
  bool operator!=(const Format& o) const { return !(*this == o); }
};

// Of an annotation with one scale.
Format FormatOf(const graph::Quantisation& quantisation);

struct QuantPlan {
  // By ValueId; scale 0 for constants.
  std::vector<Format> format;
  // By node index: the node that this one is fused into, or -1.
  std::vector<int> fused_into;
  // By node index: the activation nodes fused behind it, in order.
  std::vector<std::vector<int>> fused;
  // By node index: the value that stands for the node's result, behind its fused activations.
  std::vector<graph::ValueId> result;
};

// Operators whose output is made of the same integers as their input, so that scales must be equal.
bool KeepsScale(graph::Op op);

// A value that the file quantises has the file's format, the others symmetric ones with the scale
// max(|range|) / (2^(act_bits-1) - 1). A scale-keeping operator hands its input's scale on
// (a Pad does not when the padding is larger than what that scale reaches);
// a concatenation hands its output's scale back to inputs that nobody else reads and whose producer
// requantises anyway. Errors name values without a range or without elements, ranges that are not
// finite, and activations with several scales.
Result<QuantPlan> MakeQuantPlan(const graph::Graph& graph, const calibrate::Ranges& ranges,
                                int act_bits);

}  // namespace bw::lower

#endif  // COMPILER_LOWER_QUANT_PLAN_H_
