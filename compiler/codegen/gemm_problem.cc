#include <algorithm>

#include "compiler/codegen/gemm.h"

namespace bw::codegen {
namespace {

using graph::IntGraph;
using graph::IntNode;

void ConvProblem(const IntGraph& graph, const IntNode& node, const graph::IntConv& conv,
                 GemmProblem& p) {
  const tensor::Shape& x = graph.value(node.inputs[0]).shape;
  const graph::IntValue& w = graph.value(node.inputs[1]);
  const tensor::Shape& out = graph.value(node.output).shape;
  p.in_h = x[2], p.in_w = x[3], p.in_c = x[1];
  p.out_h = out[2], p.out_w = out[3], p.out_c = out[1];
  p.kernel_h = w.shape[2], p.kernel_w = w.shape[3];
  p.stride_h = conv.stride_h, p.stride_w = conv.stride_w;
  p.dilation_h = conv.dilation_h, p.dilation_w = conv.dilation_w;
  p.pad_top = conv.pad_top, p.pad_left = conv.pad_left;
  p.depthwise = conv.group > 1 && conv.group == p.in_c && conv.group == p.out_c;
  p.groups = p.depthwise ? 1 : conv.group;
  p.a_axes = p.d_axes = {2, 3, 1};
  for (int64_t n = 0; n < x[0]; ++n) {
    p.a_prefix.push_back({n, 0, 0, 0});
    p.d_prefix.push_back({n, 0, 0, 0});
  }
  p.weight = [&w](int64_t ky, int64_t kx, int64_t c, int64_t n) {
    const int64_t at = ((n * w.shape[1] + c) * w.shape[2] + ky) * w.shape[3] + kx;
    return w.constant[static_cast<size_t>(at)];
  };
  p.requant = &conv.requant;
}

// Every index of the leading axes, zeros behind.
std::vector<Index> LeadingIndices(const tensor::Shape& shape) {
  std::vector<Index> made = {Index(shape.dims.size(), 0)};
  for (size_t axis = 0; axis + 2 < shape.dims.size(); ++axis) {
    std::vector<Index> next;
    for (const Index& index : made) {
      for (int64_t i = 0; i < shape.dims[axis]; ++i) {
        next.push_back(index);
        next.back()[axis] = i;
      }
    }
    made = std::move(next);
  }
  return made;
}

void MatMulProblem(const IntGraph& graph, const IntNode& node, const graph::IntMatMul& matmul,
                   GemmProblem& p) {
  const graph::IntValue& a = graph.value(node.inputs[0]);
  const graph::IntValue& b = graph.value(node.inputs[1]);
  const int rank = a.shape.rank();
  p.in_w = p.out_w = a.shape[rank - 2];
  p.in_c = a.shape[rank - 1];
  p.out_c = b.shape[b.shape.rank() - 1];
  p.a_axes = p.d_axes = {-1, rank - 2, rank - 1};
  p.a_prefix = p.d_prefix = LeadingIndices(a.shape);
  p.b_constant = HasSharedWeights(graph, node);
  if (p.b_constant) {
    p.weight = [&b](int64_t, int64_t, int64_t c, int64_t n) {
      return b.constant[static_cast<size_t>(c * b.shape[b.shape.rank() - 1] + n)];
    };
  } else {
    p.b_k = rank - 2, p.b_n = rank - 1;
    p.b_prefix = LeadingIndices(b.shape);
  }
  p.requant = &matmul.requant;
  if (rank == 4 && p.requant->entries.size() > 1) p.param_axis = 1;
}

}  // namespace

GemmProblem MakeGemm(const IntGraph& graph, const IntNode& node) {
  GemmProblem p;
  p.node = &node;
  p.a = node.inputs[0];
  p.b = node.inputs[1];
  p.d = node.output;
  if (node.inputs.size() > 2) p.bias = node.inputs[2];
  if (const auto* conv = std::get_if<graph::IntConv>(&node.params)) {
    ConvProblem(graph, node, *conv, p);
  } else {
    MatMulProblem(graph, node, std::get<graph::IntMatMul>(node.params), p);
  }
  return p;
}

std::vector<ChannelBlock> SplitChannels(const GemmProblem& problem, const GemmPlan& plan) {
  std::vector<ChannelBlock> blocks;
  size_t params = 0;
  int64_t group_begin = 0;
  for (int64_t g = 0; g < problem.groups; ++g) {
    for (int64_t n = 0; n < problem.group_out(); n += plan.block) {
      ChannelBlock block{g * problem.group_out() + n, std::min(plan.block, problem.group_out() - n),
                         g, 0};
      if (block.first + block.count - group_begin > plan.param_group) {
        ++params;
        group_begin = block.first;
      }
      block.params = params;
      blocks.push_back(block);
    }
  }
  return blocks;
}

}  // namespace bw::codegen
