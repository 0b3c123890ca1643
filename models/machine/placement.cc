#include "models/machine/placement.h"

#include "models/status/check.h"
#include "models/tensor/bitpack.h"

namespace bw::machine {
namespace {

// Calls visit(bit, index) for every element of a box: its place in memory and its index in the
// row-major logical tensor whose strides are given. The last axis runs fastest.
template <typename Visit>
void ForEachElement(const std::vector<int64_t>& extent, const isa::Placement& placement,
                    const std::vector<int64_t>& logical_strides, int64_t first_index, Visit visit) {
  const size_t rank = extent.size();
  BW_CHECK(placement.strides.size() == rank, "rank {}, {} strides", rank, placement.strides.size());
  for (const int64_t n : extent) {
    if (n == 0) return;
  }
  std::vector<int64_t> at(rank, 0);
  auto bit = static_cast<int64_t>(placement.base_bit);
  int64_t index = first_index;
  while (true) {
    visit(static_cast<uint64_t>(bit), index);
    size_t axis = rank;
    while (axis > 0) {
      --axis;
      bit += placement.strides[axis];
      index += logical_strides[axis];
      if (++at[axis] < extent[axis]) break;
      bit -= placement.strides[axis] * extent[axis];
      index -= logical_strides[axis] * extent[axis];
      at[axis] = 0;
      if (axis == 0) return;
    }
    if (rank == 0) return;
  }
}

}  // namespace

void WriteTensor(const int32_t* values, const tensor::Shape& shape, const isa::Placement& placement,
                 uint8_t* memory) {
  ForEachElement(shape.dims, placement, shape.Strides(), 0, [&](uint64_t bit, int64_t i) {
    tensor::WriteBits(memory, bit, placement.bits, values[i]);
  });
}

void ReadTensor(const uint8_t* memory, const tensor::Shape& shape, const isa::Placement& placement,
                int32_t* values) {
  ForEachElement(shape.dims, placement, shape.Strides(), 0, [&](uint64_t bit, int64_t i) {
    values[i] =
        static_cast<int32_t>(tensor::ReadBits(memory, bit, placement.bits, placement.is_signed));
  });
}

void ReadProbe(const isa::Program& program, const isa::Probe& probe, const MemoryView& memory,
               int32_t* layer_values) {
  const std::vector<int64_t> strides = program.layers.at(probe.layer).shape.Strides();
  int64_t first = 0;
  for (size_t axis = 0; axis < strides.size(); ++axis) first += probe.first[axis] * strides[axis];
  const uint8_t* source = probe.memory == isa::Memory::kDram ? memory.dram : memory.spm;
  ForEachElement(probe.extent, probe.placement, strides, first, [&](uint64_t bit, int64_t i) {
    layer_values[i] = static_cast<int32_t>(
        tensor::ReadBits(source, bit, probe.placement.bits, probe.placement.is_signed));
  });
}

}  // namespace bw::machine
