#include "compiler/codegen/weight_loader.h"

#include <algorithm>

namespace bw::codegen {

WeightLoader::WeightLoader(const graph::IntGraph& graph, const GemmProblem& problem,
                           const GemmPlan& plan, const std::vector<ChannelBlock>& blocks)
    : p_(problem),
      plan_(plan),
      blocks_(blocks),
      value_(graph.value(problem.b)),
      container_(ContainerBits(value_.bits)),
      slots_(&plan.b) {}

int64_t WeightLoader::Rows(int64_t channels) const { return p_.kernel_h * p_.kernel_w * channels; }

int64_t WeightLoader::RowBits(const ChannelBlock& block) const {
  return (block.count * container_ + 7) / 8 * 8;
}

WeightLoader::Tile WeightLoader::Fetch(const ChannelBlock& block, int64_t c, int64_t channels,
                                       Emitter& emitter) {
  Tile tile{0, container_, Rows(channels), RowBits(block)};
  const Key key{block.first, c};
  if (plan_.joined_weights) {
    if (joined_.empty()) LoadAll(emitter);
    tile.byte = joined_.at(key);
    return tile;
  }
  const auto found = slots_.Fetch(key);
  tile.byte = found.byte;
  if (found.hit) return tile;
  const auto [at, fresh] = dram_.try_emplace(key, 0);
  if (fresh) at->second = emitter.constants().AddPacked(Values(block, c, channels), value_.bits);
  emitter.LoadRows(at->second, value_.bits, tile.rows, block.count, tile.byte,
                   {container_, value_.is_signed}, tile.row_bits);
  return tile;
}

std::vector<int64_t> WeightLoader::Values(const ChannelBlock& block, int64_t c,
                                          int64_t channels) const {
  std::vector<int64_t> values;
  values.reserve(static_cast<size_t>(Rows(channels) * block.count));
  for (int64_t ky = 0; ky < p_.kernel_h; ++ky) {
    for (int64_t kx = 0; kx < p_.kernel_w; ++kx) {
      for (int64_t k = c; k < c + channels; ++k) {
        for (int64_t n = 0; n < block.count; ++n) {
          values.push_back(p_.weight(ky, kx, k, block.first + n));
        }
      }
    }
  }
  return values;
}

// The planner joins only what has no gaps in either memory.
void WeightLoader::LoadAll(Emitter& emitter) {
  std::vector<int64_t> all;
  const int64_t inputs = p_.depthwise ? 1 : p_.group_in();
  for (const ChannelBlock& block : blocks_) {
    for (int64_t c = 0; c < inputs; c += plan_.chunk) {
      const int64_t bits = static_cast<int64_t>(all.size()) * value_.bits;
      joined_[{block.first, c}] = plan_.b[0] + static_cast<uint64_t>(bits / 8);
      const std::vector<int64_t> tile = Values(block, c, std::min(plan_.chunk, inputs - c));
      all.insert(all.end(), tile.begin(), tile.end());
    }
  }
  const auto count = static_cast<int64_t>(all.size());
  emitter.LoadRows(emitter.constants().AddPacked(all, value_.bits), value_.bits, 1, count,
                   plan_.b[0], {container_, value_.is_signed}, count * container_);
}

}  // namespace bw::codegen
