// How tensors, and parts of them, lie in the memories.
#ifndef COMPILER_CODEGEN_VIEW_H_
#define COMPILER_CODEGEN_VIEW_H_

#include <array>
#include <cstdint>
#include <vector>

#include "compiler/isa/program.h"
#include "compiler/schedule/operation.h"

namespace bw::codegen {

using Index = std::vector<int64_t>;  // one number an axis

// Part of a tensor: [first, first + extent) on every axis.
struct Box {
  Index first, extent;
  int64_t Elements() const;
};
Box WholeBox(const Index& extents);

// Element `index` lies at base + sum index_k * strides_k bits. The axes are those of the tensor
// (logical order) or of a loop nest; `base` belongs to index 0 and may be negative when the view
// holds only a part that starts later.
struct View {
  isa::Memory memory = isa::Memory::kSpm;
  int64_t base = 0;
  Index strides;
  int bits = 8;  // of an element (DRAM) or its container (scratchpad)
  bool is_signed = true;

  int64_t At(const Index& index) const;
};

// The bytes between the first and the last element of `box`, both included.
schedule::Access Touch(const View& view, const Box& box);
// The same of a view, as the contents of a program name it.
isa::Placement PlacementOf(const View& view, const Index& first);

// Dense strides for `extents` with the axes of `order` from outermost to innermost. Rows (the
// innermost axis) start on byte boundaries.
struct Layout {
  Index strides;
  int64_t bits = 0;  // of everything
  uint64_t bytes() const { return (static_cast<uint64_t>(bits) + 7) / 8; }
};
Layout DenseLayout(const Index& extents, const std::vector<int>& order, int element_bits);

// Element containers of the scratchpad: 4, 8, 16 or 32 bits.
int ContainerBits(int value_bits);

// Channels that a part of a row must be a multiple of, so that it starts on a byte boundary.
int64_t RowGranule(int element_bits);

// One counter of a loop nest over up to three operands.
inline constexpr size_t kOperands = 3;
struct NestAxis {
  int64_t extent = 1;
  std::array<int64_t, kOperands> stride{};
};
// Leaves out axes of extent 1 and joins neighbours that all operands see as one. Outermost first;
// the last `keep_inner` axes are left as they are.
std::vector<NestAxis> MergeAxes(const std::vector<NestAxis>& axes, size_t keep_inner = 0);

// Calls f with every index of the outer axes (all but the last `inner`), as offsets of the
// operands.
template <typename F>
void ForEachOuter(const std::vector<NestAxis>& axes, size_t inner, F f) {
  const size_t outer = axes.size() > inner ? axes.size() - inner : 0;
  Index index(outer, 0);
  for (;;) {
    std::array<int64_t, kOperands> offset{};
    for (size_t i = 0; i < outer; ++i) {
      for (size_t k = 0; k < kOperands; ++k) offset[k] += index[i] * axes[i].stride[k];
    }
    f(offset);
    size_t i = outer;
    while (i > 0 && ++index[i - 1] == axes[i - 1].extent) index[--i] = 0;
    if (i == 0) return;
  }
}

}  // namespace bw::codegen

#endif  // COMPILER_CODEGEN_VIEW_H_
