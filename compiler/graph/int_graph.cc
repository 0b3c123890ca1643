#include "compiler/graph/int_graph.h"

#include "models/status/check.h"

namespace bw::graph {
namespace {

struct KindNameOf {
  std::string_view operator()(const IntConv&) const { return "Conv"; }
  std::string_view operator()(const IntMatMul&) const { return "MatMul"; }
  std::string_view operator()(const IntAdd&) const { return "Add"; }
  std::string_view operator()(const IntMul&) const { return "Mul"; }
  std::string_view operator()(const IntRequant&) const { return "Requant"; }
  std::string_view operator()(const IntLut&) const { return "Lut"; }
  std::string_view operator()(const IntPool& pool) const {
    return pool.is_max ? "MaxPool" : "SumPool";
  }
  std::string_view operator()(const IntReshape&) const { return "Reshape"; }
  std::string_view operator()(const IntTranspose&) const { return "Transpose"; }
  std::string_view operator()(const IntPad&) const { return "Pad"; }
  std::string_view operator()(const IntSlice&) const { return "Slice"; }
  std::string_view operator()(const IntResize&) const { return "Resize"; }
  std::string_view operator()(const IntConcat&) const { return "Concat"; }
  std::string_view operator()(const IntSoftmax&) const { return "Softmax"; }
};

}  // namespace

std::string_view KindName(const IntParams& params) { return std::visit(KindNameOf{}, params); }

bool IsHostNode(const IntNode& node) { return std::holds_alternative<IntSoftmax>(node.params); }

int64_t CountMacs(const IntGraph& graph, const IntNode& node) {
  const bool conv = std::holds_alternative<IntConv>(node.params);
  if (!conv && !std::holds_alternative<IntMatMul>(node.params)) return 0;
  BW_CHECK(node.inputs.size() >= 2, "{} has {} inputs", node.name, node.inputs.size());
  const int64_t results = graph.value(node.output).shape.Elements();
  if (!conv) {
    const tensor::Shape& a = graph.value(node.inputs[0]).shape;
    return results * a[a.rank() - 1];
  }
  // Taps on padding are counted: the usual convention, out * (C / group) * kH * kW.
  const tensor::Shape& w = graph.value(node.inputs[1]).shape;
  return results * w[1] * w[2] * w[3];
}

}  // namespace bw::graph
