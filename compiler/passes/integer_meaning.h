// What the integers of a graph stand for, before passes::ResolveQuantised makes them reals.
#ifndef COMPILER_PASSES_INTEGER_MEANING_H_
#define COMPILER_PASSES_INTEGER_MEANING_H_

#include <optional>
#include <vector>

#include "compiler/graph/graph.h"
#include "models/status/result.h"

namespace bw::passes {

// The integers themselves: scale 1, zero point 0.
graph::Quantisation UnitMeaning(tensor::DType dtype);

// By value: the meaning of every integer that is not constant; nothing for other values. It is that
// of the operator that makes it; for graph inputs that of the first reader; data movement carries
// it in both directions. Integers to which nothing gives a meaning stand for themselves. Errors:
// scales or zero points that are not constant, DynamicQuantizeLinear, scales along an axis that
// data movement does not keep.
Result<std::vector<std::optional<graph::Quantisation>>> FindMeanings(const graph::Graph& graph);

// Makes `value` a constant that stands for (q - zero point) * scale, in float32.
void SetIntegers(const std::vector<int64_t>& integers, graph::Quantisation meaning,
                 graph::Value* value);

}  // namespace bw::passes

#endif  // COMPILER_PASSES_INTEGER_MEANING_H_
