// The physical layout of every value: axis order, container, and whose storage holds it.
#ifndef COMPILER_CODEGEN_VALUE_TABLE_H_
#define COMPILER_CODEGEN_VALUE_TABLE_H_

#include <cstdint>
#include <vector>

#include "compiler/codegen/view.h"
#include "compiler/graph/int_graph.h"

namespace bw::codegen {

// Where a value lies within the storage of its root. Rank 4 is channels-last (N, H, W, C) unless
// only matrix products and reshapes use it; other ranks are row-major.
struct ValueLayout {
  graph::IntValueId root = -1;
  std::vector<int> order;                   // logical axes, outermost first
  int container = 8;                        // bits in the scratchpad
  int64_t spm_offset = 0, dram_offset = 0;  // bits
  Index spm_strides, dram_strides;          // bits, by logical axis
};

// Storage is shared where data need not move: a reshape, transpose or slice is another view of its
// input, and what is concatenated is written into its part of the result at once.
class ValueTable {
 public:
  explicit ValueTable(const graph::IntGraph& graph);

  const ValueLayout& of(graph::IntValueId id) const { return layouts_[static_cast<size_t>(id)]; }
  bool IsRoot(graph::IntValueId id) const { return of(id).root == id; }
  // Sizes of a root's storage.
  uint64_t SpmBytes(graph::IntValueId root) const;
  uint64_t DramBytes(graph::IntValueId root) const;
  // Whether the node moves nothing, because its result is a view.
  bool IsView(size_t node) const { return views_[node]; }

 private:
  void ChooseOrders();
  void ChooseContainers();
  void ShareConcatenated();
  void ShareViews();
  bool MayWriteInto(graph::IntValueId part, const graph::IntNode& concat, int64_t offset) const;
  void Inherit(graph::IntValueId id, graph::IntValueId from);

  const graph::IntGraph& graph_;
  std::vector<ValueLayout> layouts_;
  std::vector<bool> views_;    // by node
  std::vector<int> producer_;  // by value: node or -1
};

}  // namespace bw::codegen

#endif  // COMPILER_CODEGEN_VALUE_TABLE_H_
