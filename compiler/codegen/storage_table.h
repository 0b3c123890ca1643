// Which values live in the scratchpad, which in DRAM, and where.
#ifndef COMPILER_CODEGEN_STORAGE_TABLE_H_
#define COMPILER_CODEGEN_STORAGE_TABLE_H_

#include <cstdint>
#include <vector>

#include "compiler/codegen/value_table.h"
#include "compiler/graph/int_graph.h"
#include "compiler/schedule/memory_plan.h"
#include "models/hwconfig/hw_config.h"

namespace bw::codegen {

// Values that the node reads as activations: weights and biases of Conv and MatMul are not among
// them, other constants are.
std::vector<graph::IntValueId> ActivationInputs(const graph::IntGraph& graph,
                                                const graph::IntNode& node);

// Whether the second operand of a Conv or MatMul is a constant for all batches: weights.
bool HasSharedWeights(const graph::IntGraph& graph, const graph::IntNode& node);

// At first every activation is to stay in the scratchpad from its first write to its last read.
// Those that find no room are spilled: written to DRAM where they are made, and loaded in tiles
// where they are used.
class StorageTable {
 public:
  StorageTable(const graph::IntGraph& graph, const ValueTable& values,
               const hwconfig::HwConfig& config, bool keep_resident);

  // Of any value, through its root.
  bool Resident(graph::IntValueId id) const { return Root(id).resident; }
  // Whether its place in the scratchpad is still its own while `node` runs. A view may be named
  // after the last reader of its storage.
  bool ResidentAt(graph::IntValueId id, size_t node) const {
    const Storage& s = Root(id);
    return s.resident && s.last_spm >= static_cast<int64_t>(node);
  }
  bool InDram(graph::IntValueId id) const { return Root(id).in_dram; }
  View Spm(graph::IntValueId id) const;   // resident values only
  View Dram(graph::IntValueId id) const;  // values in DRAM only, once PlaceDram has run

  // Places the resident values; spills until all have a place.
  void PlaceScratchpad();
  // Places them so that they stay `slack` nodes longer than they are needed: what comes next need
  // not wait for their last readers. False, and nothing changes, when they do not fit so.
  bool PlaceApart(int64_t slack);
  // Free scratchpad while `node` runs.
  std::vector<schedule::Gap> Gaps(size_t node) const;
  // Makes room at `node`: the value that is touched there least goes to DRAM. False when nothing is
  // left that could go.
  bool SpillForRoom(size_t node);

  // Inputs, outputs and spills from address 0; constants follow. Returns the end.
  uint64_t PlaceDram();
  void PlaceConstant(graph::IntValueId id, uint64_t dram_byte);
  // Constants that are read as activations.
  std::vector<graph::IntValueId> ConstantActivations() const;

  // A convolution or pool addresses up to this many bits in front of the value (padding).
  void RequireHeadroom(graph::IntValueId id, int64_t bits);

 private:
  struct Storage {
    bool used = false, constant = false;
    bool resident = false, in_dram = false;
    bool forever = false;           // its place in DRAM is not reused
    int64_t first = -1, last = -1;  // nodes that write it first and touch it last
    int64_t last_spm = -1;          // the last node that reads it in the scratchpad
    int64_t reads = 0;
    uint64_t headroom = 0;  // bytes
    uint64_t spm_byte = 0, dram_byte = 0;
  };
  const Storage& Root(graph::IntValueId id) const;
  Storage& Root(graph::IntValueId id);
  void NoteLifetimes();
  bool Spill(const std::vector<size_t>& candidates);
  std::vector<schedule::Buffer> ResidentBuffers(int64_t slack) const;
  void TakePlan(schedule::MemoryPlan plan);
  bool TouchedBy(size_t node, size_t root) const;

  const graph::IntGraph& graph_;
  const ValueTable& values_;
  uint64_t capacity_;
  uint64_t align_;
  std::vector<Storage> storage_;  // by value; used for roots
  std::vector<size_t> placed_;    // roots, in the order of buffers_
  std::vector<schedule::Buffer> buffers_;
  schedule::MemoryPlan plan_;
};

}  // namespace bw::codegen

#endif  // COMPILER_CODEGEN_STORAGE_TABLE_H_
