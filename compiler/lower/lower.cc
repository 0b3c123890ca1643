#include "compiler/lower/lower.h"

#include "compiler/lower/builder.h"
#include "compiler/lower/lower_ops.h"
#include "compiler/lower/quant_plan.h"

namespace bw::lower {
namespace {

Status LowerNode(Builder& b, graph::Op op, int index) {
  switch (op) {
#define BW_OP(name, inputs, op_class, qdq, attributes, doc) \
  case graph::Op::k##name:                                  \
    return Lower##name(b, index);
#include "compiler/graph/ops.def"
#undef BW_OP
  }
  BW_CHECK(false, "op = {}", static_cast<int>(op));
}

}  // namespace

Result<graph::IntGraph> Lower(const graph::Graph& graph, const calibrate::Ranges& ranges,
                              const Settings& settings) {
  BW_ASSIGN_OR_RETURN(const QuantPlan plan, MakeQuantPlan(graph, ranges, settings.act_bits));
  Builder b(graph, plan, settings);
  for (graph::ValueId id : graph.inputs) {
    b.result().inputs.push_back(b.AddInput(id));
  }
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (plan.fused_into[i] >= 0) continue;
    const Status status = LowerNode(b, graph.nodes[i].op, static_cast<int>(i));
    // Later nodes read this one's result, so the first error ends it.
    if (!status.ok()) return status.errors();
  }
  for (graph::ValueId id : graph.outputs) b.result().outputs.push_back(b.Operand(id));
  BW_RETURN_IF_ERROR(graph::Verify(b.result()));
  return std::move(b).Take();
}

}  // namespace bw::lower
