#include "compiler/codegen/node_code.h"

#include <algorithm>

#include "compiler/codegen/elementwise.h"
#include "compiler/codegen/gemm.h"
#include "compiler/codegen/movement.h"
#include "compiler/codegen/pool.h"

namespace bw::codegen {
namespace {

using graph::IntGraph;

struct Places {
  const IntGraph& graph;
  const ValueTable& values;
  const StorageTable& storage;
};

// Joins a problem, the function that plans it and the function that emits it.
template <typename Problem, typename TilePlanType,
          std::optional<TilePlanType> (*kPlan)(const PlanContext&, const Problem&, PlanFailure*),
          void (*kEmit)(const IntGraph&, const ValueTable&, const StorageTable&, const Problem&,
                        const TilePlanType&, Emitter&)>
class Code : public NodeCode {
 public:
  Code(const Places& places, Problem problem, int64_t headroom_bits = 0)
      : places_(places), problem_(std::move(problem)), headroom_bits_(headroom_bits) {}
  std::optional<double> Plan(const PlanContext& context, PlanFailure* failure) override {
    plan_ = kPlan(context, problem_, failure);
    if (!plan_) return std::nullopt;
    return plan_->cycles;
  }
  uint64_t StagedEnd() const override { return plan_->staged_end; }
  bool ByChannels() const override { return plan_->by_channels; }
  void Emit(Emitter& emitter) const override {
    kEmit(places_.graph, places_.values, places_.storage, problem_, *plan_, emitter);
  }
  int64_t HeadroomBits() const override { return headroom_bits_; }

 private:
  Places places_;
  Problem problem_;
  int64_t headroom_bits_;
  std::optional<TilePlanType> plan_;
};

using GemmCode = Code<GemmProblem, GemmPlan, PlanGemm, EmitGemm>;
using PoolCode = Code<PoolProblem, PoolPlan, PlanPool, EmitPool>;
using ElementwiseCode = Code<ElementwiseProblem, TilePlan, PlanElementwise, EmitElementwise>;
using MovementCode = Code<MovementProblem, TilePlan, PlanMovement, EmitMovement>;

// How far in front of element 0 the first tap of some window lies: padding, or with reversed axes
// what lies behind their ends.
int64_t PaddingBits(const WindowGeometry& window, const tensor::Shape& shape,
                    const ValueLayout& input) {
  const auto lowest = [](int64_t outputs, int64_t step, int64_t pad, int64_t stride) {
    return std::min(-pad * stride, ((outputs - 1) * step - pad) * stride);
  };
  int64_t low = lowest(window.out_h, window.stride_h, window.pad_top, input.spm_strides[2]) +
                lowest(window.out_w, window.stride_w, window.pad_left, input.spm_strides[3]);
  for (const size_t axis : {size_t{0}, size_t{1}}) {
    low += std::min<int64_t>(0, (shape.dims[axis] - 1) * input.spm_strides[axis]);
  }
  return std::max<int64_t>(0, -low);
}

}  // namespace

std::unique_ptr<NodeCode> MakeNodeCode(const IntGraph& graph, const ValueTable& values,
                                       const StorageTable& storage, size_t index) {
  const graph::IntNode& node = graph.nodes[index];
  if (graph::IsHostNode(node) || values.IsView(index)) return nullptr;
  const Places places{graph, values, storage};
  if (std::holds_alternative<graph::IntConv>(node.params) ||
      std::holds_alternative<graph::IntMatMul>(node.params)) {
    GemmProblem problem = MakeGemm(graph, node);
    const bool conv = std::holds_alternative<graph::IntConv>(node.params);
    const int64_t bits =
        conv ? PaddingBits(problem, graph.value(problem.a).shape, values.of(problem.a)) : 0;
    return std::make_unique<GemmCode>(places, std::move(problem), bits);
  }
  if (std::holds_alternative<graph::IntPool>(node.params)) {
    PoolProblem problem = MakePool(graph, node);
    const int64_t bits =
        PaddingBits(problem, graph.value(node.inputs[0]).shape, values.of(node.inputs[0]));
    return std::make_unique<PoolCode>(places, problem, bits);
  }
  const bool elementwise = std::holds_alternative<graph::IntAdd>(node.params) ||
                           std::holds_alternative<graph::IntMul>(node.params) ||
                           std::holds_alternative<graph::IntRequant>(node.params) ||
                           std::holds_alternative<graph::IntLut>(node.params);
  if (elementwise) {
    return std::make_unique<ElementwiseCode>(places, MakeElementwise(graph, values, node));
  }
  return std::make_unique<MovementCode>(places, MakeMovement(graph, values, node));
}

}  // namespace bw::codegen
