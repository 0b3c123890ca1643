#include "compiler/passes/passes.h"

namespace bw::passes {

Status Canonicalise(graph::Graph& graph) {
  BW_RETURN_IF_ERROR(RemoveDead(graph));
  BW_RETURN_IF_ERROR(FoldConstants(graph));
  BW_RETURN_IF_ERROR(ResolveQuantised(graph));
  BW_RETURN_IF_ERROR(MergeQuantise(graph));
  BW_RETURN_IF_ERROR(RemoveIdentities(graph));
  BW_RETURN_IF_ERROR(FoldBatchNorm(graph));
  // Before FoldAffine, which would take the inner additions of spelled-out activations.
  BW_RETURN_IF_ERROR(FuseActivations(graph));
  BW_RETURN_IF_ERROR(SplitGemm(graph));
  BW_RETURN_IF_ERROR(FoldAffine(graph));
  BW_RETURN_IF_ERROR(RemoveIdentities(graph));
  BW_RETURN_IF_ERROR(RemoveDead(graph));
  return Verify(graph);
}

}  // namespace bw::passes
