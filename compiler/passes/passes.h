// Rewrites of the float graph that keep what it computes (up to float32 rounding). Each leaves the
// graph sound (graph::Verify) and the names of inputs and outputs as they were. A value that
// carries a quantisation is a rounding to integers: no pass folds or fuses across it, nor changes
// weights that have integers.
#ifndef COMPILER_PASSES_PASSES_H_
#define COMPILER_PASSES_PASSES_H_

#include "compiler/graph/graph.h"
#include "models/status/result.h"

namespace bw::passes {

// Reals that nothing but Identities into one quantised format reads become that quantised value: a
// network's float input behind which everything is quantised, or an operator's result. (The other
// way round, RemoveIdentities lets readers of reals read the quantised value.)
Status MergeQuantise(graph::Graph& graph);

// Nodes on constants alone become constants, where graph::EvaluateConstant can evaluate them.
Status FoldConstants(graph::Graph& graph);

// Quantised operators on integers (QLinearConv, ConvInteger, DequantizeLinear, ...) become those on
// reals, and the integers become quantised values (graph::Value::quantisation): QLinearConv a Conv
// of quantised x, w, bias and y; ConvInteger one whose result has 32 bits and scale 1;
// QuantizeLinear and DequantizeLinear nothing but the quantisation of their values, with an
// Identity where a value is wanted unquantised too, or has another one already. Graph inputs and
// outputs of integer types become float32 with the quantisation that their readers give them, or
// with scale 1. Scales and zero points that are not constant are errors, as is
// DynamicQuantizeLinear, whose scale comes from the values themselves.
Status ResolveQuantised(graph::Graph& graph);

// Batch normalisation into the convolution or fully connected layer before it, when that is its
// result's only reader; else it becomes a 1x1 depthwise convolution. Evaluated in double:
// w' = w * f, b' = (b - mean) * f + bias with f = scale / sqrt(var + epsilon). Parameters that are
// not constant, or var + epsilon <= 0, are errors.
Status FoldBatchNorm(graph::Graph& graph);

// A Gemm whose C is not a constant row, or that adds C to a product of two activations, becomes a
// Gemm without C and an Add: the accumulators take a row of constants alone.
Status SplitGemm(graph::Graph& graph);

// Mul, Div, Add and Sub by one constant, or one a channel, into the convolution or fully connected
// layer before them, when that is its result's only reader. A rank-2 MatMul with constant weights
// becomes a Gemm when it takes a bias.
Status FoldAffine(graph::Graph& graph);

// Hard swish and hard sigmoid that the file spells out become one node each:
//   x * clip(x + 3, 0, 6) / 6 in any order of the last two         -> HardSwish(x)
//   clip(a * x + b, 0, m) / m; / m may be absent when m = 1        -> HardSigmoid(x, a / m, b / m)
// A product of x with an existing HardSigmoid(x) stays as it is.
Status FuseActivations(graph::Graph& graph);

// Removes nodes that change nothing (Identity, Dropout, Cast to the same type, Reshape and its kin
// to the same shape, Transpose in order, Pad by zero, whole Slice, Concat of one, Clip without
// bounds) and joins chains of reshapes, and of transposes, into one.
Status RemoveIdentities(graph::Graph& graph);

// Removes nodes that no output depends on.
Status RemoveDead(graph::Graph& graph);

// All of them in the order that leaves the least: the form that calibration and lowering take. The
// result has passed graph::Verify.
Status Canonicalise(graph::Graph& graph);

}  // namespace bw::passes

#endif  // COMPILER_PASSES_PASSES_H_
