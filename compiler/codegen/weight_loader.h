// Constant weights of a convolution or matrix product, tile by tile, in the scratchpad.
#ifndef COMPILER_CODEGEN_WEIGHT_LOADER_H_
#define COMPILER_CODEGEN_WEIGHT_LOADER_H_

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "compiler/codegen/emitter.h"
#include "compiler/codegen/gemm.h"

namespace bw::codegen {

// Weights lie together as the array takes them: ky, kx, input channel, output channel. Each tile is
// one load; with `plan.joined_weights` the whole layer is.
class WeightLoader {
 public:
  WeightLoader(const graph::IntGraph& graph, const GemmProblem& problem, const GemmPlan& plan,
               const std::vector<ChannelBlock>& blocks);

  struct Tile {
    uint64_t byte = 0;
    int container = 8;
    int64_t rows = 0, row_bits = 0;  // one row an input channel and tap
  };
  // The tile of `block` and input channels [c, c + channels), loaded if it is not there.
  Tile Fetch(const ChannelBlock& block, int64_t c, int64_t channels, Emitter& emitter);

 private:
  using Key = std::pair<int64_t, int64_t>;  // first output channel, first input channel
  std::vector<int64_t> Values(const ChannelBlock& block, int64_t c, int64_t channels) const;
  int64_t Rows(int64_t channels) const;
  int64_t RowBits(const ChannelBlock& block) const;
  void LoadAll(Emitter& emitter);

  const GemmProblem& p_;
  const GemmPlan& plan_;
  const std::vector<ChannelBlock>& blocks_;
  const graph::IntValue& value_;
  const int container_;
  SlotCache<Key> slots_;
  std::map<Key, uint64_t> dram_;    // of tiles that have been laid out
  std::map<Key, uint64_t> joined_;  // scratchpad, once all are loaded
};

}  // namespace bw::codegen

#endif  // COMPILER_CODEGEN_WEIGHT_LOADER_H_
