// y * factor + shift, one pair a channel, moved into the layer that makes y.
#ifndef COMPILER_PASSES_CHANNEL_AFFINE_H_
#define COMPILER_PASSES_CHANNEL_AFFINE_H_

#include <optional>
#include <vector>

#include "compiler/graph/graph.h"

namespace bw::passes {

struct ChannelAffine {
  std::vector<double> factor;
  std::vector<double> shift;
};

// Channels of the layer's result if it can take a factor and a shift into constant weights: Conv,
// Gemm, and MatMul of rank 2 whose weights, and biases where there are any, are constant and one a
// channel. Channels are axis 1 of the result in each case.
std::optional<int64_t> AbsorbingChannels(const graph::Graph& graph, const graph::Node& layer);

// A layer that can take pairs for the value that only node `reader` reads, and the node whose
// result that value is: the layer itself, or a reshape behind it that keeps axes 0 and 1 (as around
// 1-D convolutions).
struct LayerBehind {
  graph::Node* layer = nullptr;
  graph::Node* last = nullptr;
  int64_t channels = 0;
};
std::optional<LayerBehind> FindLayer(graph::Graph& graph, graph::ValueId id, int reader);

// Whether the constants can take them: those with integers of their own keep these and take the
// factors into their scales, so factors must be above 0, and a bias with integers takes no shift.
bool CanAbsorb(const graph::Graph& graph, const graph::Node& layer, const ChannelAffine& affine);

// Puts the pairs into new constants of the layer (its old ones may have other readers), computed in
// double and rounded to float32 once. A MatMul that gets a bias becomes a Gemm. CanAbsorb holds.
void Absorb(graph::Graph& graph, graph::Node& layer, const ChannelAffine& affine);

}  // namespace bw::passes

#endif  // COMPILER_PASSES_CHANNEL_AFFINE_H_
