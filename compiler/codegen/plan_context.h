// What the planner of a node knows, and how it says that a node cannot be made to fit.
#ifndef COMPILER_CODEGEN_PLAN_CONTEXT_H_
#define COMPILER_CODEGEN_PLAN_CONTEXT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/codegen/storage_table.h"
#include "compiler/codegen/value_table.h"
#include "compiler/graph/int_graph.h"
#include "compiler/schedule/memory_plan.h"
#include "models/hwconfig/hw_config.h"

namespace bw::codegen {

struct PlanContext {
  const graph::IntGraph& graph;
  const ValueTable& values;
  const StorageTable& storage;
  const hwconfig::HwConfig& config;
  schedule::GapAllocator gaps;  // free scratchpad while the node runs
  // By value: whether its root is made one block of channels after the other.
  const std::vector<bool>& by_channels;

  int64_t AccumulatorHalf() const { return config.acc_entries / 2; }
  int64_t ParameterHalf() const { return config.ppu_param_entries / 2; }
  bool ByChannels(graph::IntValueId id) const {
    return by_channels[static_cast<size_t>(values.of(id).root)];
  }
};

// The least that the smallest tile needs of what there is too little of.
struct PlanFailure {
  uint64_t needed = 0, available = 0;
  std::string unit;  // "bytes", "entries"
  std::string key;   // hardware parameter to raise
};

// What all plans of nodes have.
struct NodePlan {
  double cycles = 0;         // estimate, to compare plans of one node
  uint64_t staged_end = 0;   // where its last buffer of the scratchpad ends
  bool by_channels = false;  // the result is made one block of channels after the other
};

// Equal buffers of the scratchpad that take turns.
using Slots = std::vector<uint64_t>;  // byte addresses

// A set of buffers to be placed together.
struct SlotRequest {
  uint64_t bytes = 0;
  uint64_t headroom = 0;
  int64_t count = 0;
};
// One list of slots a request; empty when they do not all fit. `end` becomes where the last one
// ends.
std::vector<Slots> PlaceSlots(const PlanContext& context, const std::vector<SlotRequest>& requests,
                              uint64_t* end);
uint64_t TotalBytes(const std::vector<SlotRequest>& requests);

// Takes turns over slots, and remembers what they hold.
template <typename Key>
class SlotCache {
 public:
  explicit SlotCache(const Slots* slots) : slots_(slots), keys_(slots->size()) {}
  struct Found {
    uint64_t byte = 0;
    bool hit = false;
  };
  Found Fetch(const Key& key) {
    for (size_t i = 0; i < keys_.size(); ++i) {
      if (keys_[i].used && keys_[i].key == key) return {(*slots_)[i], true};
    }
    const size_t slot = next_;
    next_ = (next_ + 1) % keys_.size();
    keys_[slot] = {true, key};
    return {(*slots_)[slot], false};
  }

 private:
  struct Entry {
    bool used = false;
    Key key{};
  };
  const Slots* slots_;
  std::vector<Entry> keys_;
  size_t next_ = 0;
};

// A dense layout for `box` of a value with the given axis order, at a byte address: indices stay
// those of the whole value.
View StagedView(const Box& box, const std::vector<int>& order, int container, bool is_signed,
                uint64_t byte);
uint64_t StagedBytes(const Index& extent, const std::vector<int>& order, int container);

}  // namespace bw::codegen

#endif  // COMPILER_CODEGEN_PLAN_CONTEXT_H_
