#include "compiler/codegen/node_code.h"

#include <cstdlib>

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
  bool Plan(const PlanContext& context, PlanFailure* failure) override {
    plan_ = kPlan(context, problem_, failure);
    return plan_.has_value();
  }
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

int64_t PaddingBits(const WindowGeometry& window, const ValueLayout& input) {
  if (window.pad_top == 0 && window.pad_left == 0) return 0;
  return window.pad_top * std::abs(input.spm_strides[2]) +
         window.pad_left * std::abs(input.spm_strides[3]);
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
    const int64_t bits = PaddingBits(problem, values.of(problem.a));
    return std::make_unique<GemmCode>(places, std::move(problem), bits);
  }
  if (std::holds_alternative<graph::IntPool>(node.params)) {
    PoolProblem problem = MakePool(graph, node);
    const int64_t bits = PaddingBits(problem, values.of(node.inputs[0]));
    return std::make_unique<PoolCode>(places, std::move(problem), bits);
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
