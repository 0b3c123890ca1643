// Pooling: maximum or requantised sum over windows.
#ifndef COMPILER_CODEGEN_POOL_H_
#define COMPILER_CODEGEN_POOL_H_

#include <optional>

#include "compiler/codegen/emitter.h"
#include "compiler/codegen/plan_context.h"
#include "compiler/codegen/window_geometry.h"

namespace bw::codegen {

struct PoolProblem : WindowGeometry {
  const graph::IntNode* node = nullptr;
  int64_t batch = 1, channels = 1;
};
PoolProblem MakePool(const graph::IntGraph& graph, const graph::IntNode& node);

// Output rectangle whose windows all have `valid` elements inside.
struct PoolRegion {
  PixelBox pixels;
  int64_t valid = 0;
};
std::vector<PoolRegion> SplitByCount(const WindowGeometry& geometry, const PixelBox& pixels);

struct PoolPlan : NodePlan {
  int64_t channels = 1;                    // of a tile
  int64_t strip_rows = 1, strip_cols = 1;  // output pixels of a tile
  Slots a, d;                              // empty: not staged
};
std::optional<PoolPlan> PlanPool(const PlanContext& context, const PoolProblem& problem,
                                 PlanFailure* failure);
void EmitPool(const graph::IntGraph& graph, const ValueTable& values, const StorageTable& storage,
              const PoolProblem& problem, const PoolPlan& plan, Emitter& emitter);

}  // namespace bw::codegen

#endif  // COMPILER_CODEGEN_POOL_H_
