// Data movement: reshape, transpose, slice, pad, resize and concatenation where the result is not a view.
#ifndef COMPILER_CODEGEN_MOVEMENT_H_
#define COMPILER_CODEGEN_MOVEMENT_H_

#include <optional>
#include <vector>

#include "compiler/codegen/emitter.h"
#include "compiler/codegen/plan_context.h"
#include "compiler/codegen/tile_space.h"

namespace bw::codegen {

// One axis of the loop nest over the result, and what a step on it means for the result's index.
struct MovementAxis {
  int64_t extent = 1;
  size_t to_axis = 0;   // logical axis of the result
  int64_t to_step = 1;  // index steps
};

// Part of the result that comes from one value: nest index i of axis k lies at source index
// base + sum i_k * step_k on axis from_axis_k.
struct MovementPiece {
  graph::IntValueId source = -1;
  Box box;                        // in the nest
  Index source_base;              // of nest index 0; may be negative outside of the box
  std::vector<size_t> from_axis;  // by nest axis
  Index from_step;
};

struct MovementProblem {
  const graph::IntNode* node = nullptr;
  graph::IntValueId d = -1;
  std::vector<MovementAxis> axes;  // outermost first, as the result lies in memory
  std::vector<MovementPiece> pieces;
  bool fills = false;  // pad: positions that no piece covers get fill_value
  int64_t fill_value = 0;
};
MovementProblem MakeMovement(const graph::IntGraph& graph, const ValueTable& values,
                             const graph::IntNode& node);
std::optional<TilePlan> PlanMovement(const PlanContext& context, const MovementProblem& problem,
                                     PlanFailure* failure);
// What comes from DRAM is loaded to its place at once; what lies in the scratchpad is copied by the
// post-processing unit (a maximum over one element).
void EmitMovement(const graph::IntGraph& graph, const ValueTable& values,
                  const StorageTable& storage, const MovementProblem& problem, const TilePlan& plan,
                  Emitter& emitter);

}  // namespace bw::codegen

#endif  // COMPILER_CODEGEN_MOVEMENT_H_
