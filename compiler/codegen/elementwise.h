// Add, Mul, Requant and Lut: every element of the result from one element of each operand.
#ifndef COMPILER_CODEGEN_ELEMENTWISE_H_
#define COMPILER_CODEGEN_ELEMENTWISE_H_

#include <optional>
#include <vector>

#include "compiler/codegen/emitter.h"
#include "compiler/codegen/plan_context.h"
#include "compiler/codegen/tile_space.h"

namespace bw::codegen {

struct ElementwiseProblem {
  const graph::IntNode* node = nullptr;
  std::vector<graph::IntValueId> inputs;  // one or two
  graph::IntValueId d = -1;
  std::vector<int> order;  // of the result: tile axes are order[0], order[1], ...
  const graph::RequantSet* requant = nullptr;  // none for Lut
  int channel_axis = -1;                       // logical; with one entry a channel only
};
ElementwiseProblem MakeElementwise(const graph::IntGraph& graph, const ValueTable& values,
                                   const graph::IntNode& node);
std::optional<TilePlan> PlanElementwise(const PlanContext& context,
                                        const ElementwiseProblem& problem, PlanFailure* failure);
void EmitElementwise(const graph::IntGraph& graph, const ValueTable& values,
                     const StorageTable& storage, const ElementwiseProblem& problem,
                     const TilePlan& plan, Emitter& emitter);

}  // namespace bw::codegen

#endif  // COMPILER_CODEGEN_ELEMENTWISE_H_
