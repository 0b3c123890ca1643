#include "compiler/codegen/tile_space.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace bw::codegen {
namespace {

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

bool StartsOnBytes(const TileSpace& space, const Index& step) {
  for (size_t i = 0; i < step.size(); ++i) {
    const TileAxis& axis = space.axes[i];
    if (axis.row_elements == 0 || step[i] >= axis.extent) continue;
    const int64_t elements = step[i] * axis.row_elements;
    if (elements * space.container % 8 != 0) return false;
    if (space.stored_bits > 0 && elements * space.stored_bits % 8 != 0) return false;
  }
  return true;
}

// From the whole to single elements: one axis is cut, those outside of it are walked one by one.
std::vector<Index> Candidates(const TileSpace& space) {
  std::vector<Index> made;
  const auto add = [&](Index step) {
    if (space.limited_axis >= 0) {
      int64_t& limited = step[static_cast<size_t>(space.limited_axis)];
      limited = std::min(limited, space.axis_limit);
    }
    if (StartsOnBytes(space, step)) made.push_back(std::move(step));
  };
  Index step;
  for (const TileAxis& axis : space.axes) step.push_back(axis.extent);
  add(step);
  constexpr int64_t kUnit = 8;  // cuts inside rows fall on bytes at any width
  for (size_t i = 0; i < space.axes.size(); ++i) {
    const bool in_row = space.axes[i].row_elements > 0;
    for (int64_t size = space.axes[i].extent; size > 1;) {
      int64_t next = CeilDiv(size, 2);
      if (in_row && next > kUnit) next = CeilDiv(next, kUnit) * kUnit;
      if (next >= size) next = size - 1;
      step[i] = size = next;
      add(step);
    }
    step[i] = 1;
  }
  return made;
}

int64_t TileCount(const TileSpace& space, const Index& step) {
  int64_t count = 1;
  for (size_t i = 0; i < step.size(); ++i) count *= CeilDiv(space.axes[i].extent, step[i]);
  return count;
}

}  // namespace

std::optional<TilePlan> PlanTiles(const PlanContext& context, const TileSpace& space,
                                  PlanFailure* failure) {
  constexpr double kTileCycles = 20;  // start and drain of an operation
  uint64_t least = std::numeric_limits<uint64_t>::max();
  const std::vector<Index> candidates = Candidates(space);
  for (const int64_t slots : {2, 1}) {
    for (const Index& step : candidates) {
      std::vector<SlotRequest> requests = space.requests(step);
      least = std::min(least, TotalBytes(requests));
      const int64_t tiles = TileCount(space, step);
      if (slots == 2 && tiles < space.least_tiles) continue;
      for (SlotRequest& request : requests) request.count *= std::min(slots, tiles);
      TilePlan plan;
      plan.staged_end = context.gaps.cursor();
      plan.slots = PlaceSlots(context, requests, &plan.staged_end);
      if (plan.slots.empty() && !requests.empty()) continue;
      plan.step = step;
      // With one slot transfers and operations take turns.
      plan.cycles = kTileCycles * static_cast<double>(tiles) * (slots == 2 ? 1 : 3);
      return plan;
    }
  }
  *failure = {least, context.gaps.FreeBytes(), "bytes", "spm.bytes"};
  return std::nullopt;
}

int64_t WantedTiles(const PlanContext& context, int64_t results, int64_t beats_each,
                    uint64_t staged_bytes) {
  constexpr int64_t kWorth = 128;  // cycles that a tile should have at least
  constexpr int64_t kMost = 4;
  const int64_t cycles = CeilDiv(results, context.config.ppu_lanes) * beats_each;
  const auto transfer = static_cast<int64_t>(staged_bytes) / context.config.dram_bytes_per_cycle;
  return std::clamp<int64_t>(std::max(cycles, transfer) / kWorth, 1, kMost);
}

int64_t ChannelsOfTile(const PlanContext& context, int64_t channels, int64_t cycles) {
  constexpr int64_t kWorth = 64, kMost = 16;  // cycles of a tile, tiles
  const int64_t tiles = std::clamp<int64_t>(cycles / kWorth, 1, kMost);
  const int64_t unit = std::lcm<int64_t>(context.config.ppu_lanes, 8);
  return std::min(channels, CeilDiv(CeilDiv(channels, tiles), unit) * unit);
}

std::vector<Box> Tiles(const TileSpace& space, const Index& step) {
  std::vector<size_t> order;  // outermost first
  if (space.limited_axis >= 0) order.push_back(static_cast<size_t>(space.limited_axis));
  for (size_t i = 0; i < step.size(); ++i) {
    if (static_cast<int>(i) != space.limited_axis) order.push_back(i);
  }
  std::vector<Box> made;
  Index first(step.size(), 0);
  for (;;) {
    Box box{first, step};
    for (size_t i = 0; i < step.size(); ++i) {
      box.extent[i] = std::min(step[i], space.axes[i].extent - first[i]);
    }
    made.push_back(std::move(box));
    size_t n = order.size();
    while (n > 0) {
      int64_t& at = first[order[n - 1]];
      at += step[order[n - 1]];
      if (at < space.axes[order[n - 1]].extent) break;
      at = 0;
      --n;
    }
    if (n == 0) return made;
  }
}

}  // namespace bw::codegen
