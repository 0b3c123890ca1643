// Convolutions and matrix products: planning of tiles, and the operations.
#ifndef COMPILER_CODEGEN_GEMM_H_
#define COMPILER_CODEGEN_GEMM_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "compiler/codegen/emitter.h"
#include "compiler/codegen/plan_context.h"
#include "compiler/codegen/window_geometry.h"

namespace bw::codegen {

// One shape for all: out[instance][oy][ox][n] = sum over ky, kx, c of in * weight. A matrix product
// has its rows on x and a 1x1 kernel.
struct GemmProblem : WindowGeometry {
  const graph::IntNode* node = nullptr;
  bool depthwise = false;
  int64_t in_c = 1, out_c = 1;
  int64_t groups = 1;  // 1 for depthwise
  graph::IntValueId a = -1, d = -1;
  SpatialAxes a_axes, d_axes;
  std::vector<Index> a_prefix, d_prefix;  // index of element 0, one an instance (batch)
  // Second operand: constant weights, or an activation with these axes.
  graph::IntValueId b = -1;
  bool b_constant = true;
  int b_k = -1, b_n = -1;
  std::vector<Index> b_prefix;
  std::function<int32_t(int64_t ky, int64_t kx, int64_t c, int64_t n)>
      weight;  // c within the group
  graph::IntValueId bias = -1;
  const graph::RequantSet* requant = nullptr;
  int param_axis = -1;  // entries go with this leading axis of d in place of the channel

  int64_t group_in() const { return in_c / groups; }
  int64_t group_out() const { return out_c / groups; }
};
GemmProblem MakeGemm(const graph::IntGraph& graph, const graph::IntNode& node);

// Output channels [first, first + count), all of one group.
struct ChannelBlock {
  int64_t first = 0, count = 0, group = 0;
  size_t params = 0;  // its parameter group
};
struct GemmPlan : NodePlan {
  int64_t block = 1;                       // output channels of a tile
  int64_t chunk = 1;                       // input channels of one MAC instruction
  int64_t strip_rows = 1, strip_cols = 1;  // output pixels whose input is in the scratchpad at once
  int64_t tile_rows = 1, tile_cols = 1;    // output pixels of a tile
  int64_t param_group = 1;      // output channels whose parameters and biases are loaded together
  bool blocks_outer = true;     // a block of weights stays while all strips pass
  bool joined_weights = false;  // all in one load and one slot
  bool store_rows = false;      // a strip is stored with all its channels
  Slots a, b, d, bias;          // empty: not staged
};
std::optional<GemmPlan> PlanGemm(const PlanContext& context, const GemmProblem& problem,
                                 PlanFailure* failure);
std::vector<ChannelBlock> SplitChannels(const GemmProblem& problem, const GemmPlan& plan);

void EmitGemm(const graph::IntGraph& graph, const ValueTable& values, const StorageTable& storage,
              const GemmProblem& problem, const GemmPlan& plan, Emitter& emitter);

}  // namespace bw::codegen

#endif  // COMPILER_CODEGEN_GEMM_H_
