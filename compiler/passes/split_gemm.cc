#include "compiler/passes/passes.h"
#include "compiler/passes/rewrite.h"

namespace bw::passes {
namespace {

using graph::Graph;
using graph::Node;
using graph::Op;
using graph::ValueId;
using tensor::Shape;

// Whether C fits the accumulators of constant weights: a constant row, or a constant single value.
bool IsRow(const Graph& graph, const Node& gemm) {
  const Shape& c = graph.value(gemm.inputs[2]).shape;
  const int64_t columns = graph.value(gemm.outputs[0]).shape[1];
  const bool row = c.Elements() == 1 || (c.Elements() == columns && c[c.rank() - 1] == columns);
  return row && IsConstant(graph, gemm.inputs[1]) && IsConstant(graph, gemm.inputs[2]);
}

ValueId AddLike(Graph& graph, ValueId like, const std::string& base) {
  const graph::Value& value = graph.value(like);
  return graph.AddValue({FreshValueName(graph, base), value.dtype, value.shape, std::nullopt});
}

// beta * C, by a node of its own where C is no constant.
ValueId ScaledC(Graph& graph, ValueId c, double beta, const std::string& name,
                std::vector<Node>* nodes) {
  if (beta == 1) return c;
  if (IsConstant(graph, c)) {
    std::vector<double> values = graph.value(c).constant->ToF64();
    for (double& v : values) v *= beta;
    return AddFloats(graph, name + "/c", graph.value(c).shape, values);
  }
  const ValueId scaled = AddLike(graph, c, name + "/c");
  const ValueId factor = AddFloats(graph, name + "/beta", Shape({}), {beta});
  nodes->push_back({Op::kMul, FreshNodeName(graph, name + "/beta"), {c, factor}, {scaled}, {}});
  return scaled;
}

}  // namespace

Status SplitGemm(Graph& graph) {
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    Node gemm = graph.nodes[i];
    if (gemm.op != Op::kGemm || gemm.inputs.size() < 3 || gemm.inputs[2] == graph::kNoValue) {
      continue;
    }
    if (IsRow(graph, gemm)) continue;
    const ValueId c = gemm.inputs[2], out = gemm.outputs[0];
    const double beta = gemm.Float("beta");
    gemm.inputs.resize(2);
    gemm.attributes["beta"] = 1.0;
    std::vector<Node> nodes;
    if (beta == 0) {
      nodes.push_back(gemm);
    } else {
      gemm.outputs[0] = AddLike(graph, out, graph.value(out).name + "/product");
      nodes.push_back(gemm);
      const ValueId summand = ScaledC(graph, c, beta, gemm.name, &nodes);
      nodes.push_back({Op::kAdd,
                       FreshNodeName(graph, gemm.name + "/sum"),
                       {gemm.outputs[0], summand},
                       {out},
                       {}});
    }
    const auto at = graph.nodes.begin() + static_cast<std::ptrdiff_t>(i);
    *at = nodes[0];
    graph.nodes.insert(at + 1, nodes.begin() + 1, nodes.end());
  }
  return OkStatus();
}

}  // namespace bw::passes
