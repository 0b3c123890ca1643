// Tiles of operators that touch every element once: elementwise and data movement.
#ifndef COMPILER_CODEGEN_TILE_SPACE_H_
#define COMPILER_CODEGEN_TILE_SPACE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "compiler/codegen/plan_context.h"
#include "compiler/codegen/view.h"

namespace bw::codegen {

// An axis of the result as its loop nest has it, outermost first.
struct TileAxis {
  int64_t extent = 1;
  int64_t row_elements = 0;  // elements of a row that one step advances; 0 outside of rows
};

// How the result may be cut, and what a tile takes.
struct TileSpace {
  std::vector<TileAxis> axes;
  int stored_bits = 0;    // width in DRAM when tiles are stored: parts of rows start on bytes
  int container = 8;      // of the result: likewise in the scratchpad
  int limited_axis = -1;  // this axis may be cut to `axis_limit` (parameters), -1: none
  int64_t axis_limit = 0;
  int64_t least_tiles = 1;  // wanted, so that neighbours in the program overlap
  // Buffers that a tile of these extents needs, with one slot each. Index by TileSpace axis.
  std::function<std::vector<SlotRequest>(const Index& step)> requests;
};

struct TilePlan : NodePlan {
  Index step;                // extents of a tile
  std::vector<Slots> slots;  // one list a request
};
std::optional<TilePlan> PlanTiles(const PlanContext& context, const TileSpace& space,
                                  PlanFailure* failure);

// How many tiles work of this size is worth: later operators can start on the first ones, and
// transfers run beside. `beats_each`: cycles of the post-processing unit for a vector of results.
int64_t WantedTiles(const PlanContext& context, int64_t results, int64_t beats_each,
                    uint64_t staged_bytes);
// Channels of a tile when the input comes one block of channels after the other: results follow
// blocks as they come, in whole vectors and whole bytes. All of them when that is not worth it.
int64_t ChannelsOfTile(const PlanContext& context, int64_t channels, int64_t cycles);

// All tiles, the limited axis outermost.
std::vector<Box> Tiles(const TileSpace& space, const Index& step);

}  // namespace bw::codegen

#endif  // COMPILER_CODEGEN_TILE_SPACE_H_
