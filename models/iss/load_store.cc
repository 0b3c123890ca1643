#include <algorithm>
#include <array>

#include "models/iss/runs.h"
#include "models/iss/state.h"
#include "models/tensor/bitpack.h"

namespace bw::iss {
namespace {

using isa::kCounters;
using isa::Memory;

// Calls visit(dram_bit, local_bit, inside) for every element, c0 fastest.
template <typename Visit>
void ForEachElement(const isa::TransferDescriptor& d, Visit visit) {
  std::array<int64_t, kCounters> c{};
  auto dram = static_cast<int64_t>(d.dram_bit);
  auto local = static_cast<int64_t>(d.local_bit);
  while (true) {
    bool inside = true;
    for (size_t i = 0; i < kCounters; ++i) inside &= c[i] >= d.lo[i] && c[i] < d.hi[i];
    visit(dram, local, inside);
    size_t i = 0;
    for (; i < kCounters; ++i) {
      dram += d.dram_stride[i];
      local += d.local_stride[i];
      if (++c[i] < d.count[i]) break;
      dram -= d.dram_stride[i] * d.count[i];
      local -= d.local_stride[i] * d.count[i];
      c[i] = 0;
    }
    if (i == kCounters) return;
  }
}

std::vector<Loop> Loops(const std::array<int64_t, kCounters>& count,
                        const std::array<int64_t, kCounters>& stride) {
  std::vector<Loop> loops;
  for (size_t i = kCounters; i-- > 0;) loops.push_back({count[i], stride[i]});
  return loops;
}

void Observe(const isa::TransferDescriptor& d, bool is_load, AccessObserver& observer) {
  // The part of DRAM inside the windows.
  std::array<int64_t, kCounters> count = d.count;
  auto base = static_cast<int64_t>(d.dram_bit);
  bool any = true;
  for (size_t i = 0; is_load && i < kCounters; ++i) {
    const int64_t lo = std::max<int64_t>(d.lo[i], 0), hi = std::min(d.hi[i], d.count[i]);
    any &= hi > lo;
    count[i] = hi - lo;
    base += lo * d.dram_stride[i];
  }
  if (any) {
    ForEachRun(base, Loops(count, d.dram_stride), d.dram_bits, [&](int64_t begin, int64_t end) {
      const auto [first, last] = Bytes(begin, end);
      is_load ? observer.Read(Memory::kDram, first, last)
              : observer.Write(Memory::kDram, first, last);
    });
  }
  ForEachRun(static_cast<int64_t>(d.local_bit), Loops(d.count, d.local_stride), d.container.bits,
             [&](int64_t begin, int64_t end) {
               const auto [first, last] = Bytes(begin, end);
               is_load ? observer.Write(Memory::kSpm, first, last)
                       : observer.Read(Memory::kSpm, first, last);
             });
}

}  // namespace

void RunLoad(const isa::TransferDescriptor& d, State& state) {
  uint8_t* spm = state.spm.data();
  ForEachElement(d, [&](int64_t dram_bit, int64_t local_bit, bool inside) {
    const int64_t value = inside ? tensor::ReadBits(state.dram, static_cast<uint64_t>(dram_bit),
                                                    d.dram_bits, d.container.is_signed)
                                 : d.fill;
    tensor::WriteBits(spm, static_cast<uint64_t>(local_bit), d.container.bits, value);
  });
  if (state.observer != nullptr) Observe(d, true, *state.observer);
}

void RunStore(const isa::TransferDescriptor& d, State& state) {
  const uint8_t* spm = state.spm.data();
  // Runs of c0 end on a byte boundary; the spare bits become 0.
  const int64_t run_bits = d.count[0] * d.dram_bits;
  const int spare = static_cast<int>((8 - run_bits % 8) % 8);
  int64_t left = d.count[0];
  ForEachElement(d, [&](int64_t dram_bit, int64_t local_bit, bool) {
    const int64_t value = tensor::ReadBits(spm, static_cast<uint64_t>(local_bit), d.container.bits,
                                           d.container.is_signed);
    tensor::WriteBits(state.dram, static_cast<uint64_t>(dram_bit), d.dram_bits, value);
    if (--left > 0) return;
    left = d.count[0];
    if (spare > 0) {
      tensor::WriteBits(state.dram, static_cast<uint64_t>(dram_bit + d.dram_bits), spare, 0);
    }
  });
  if (state.observer != nullptr) Observe(d, false, *state.observer);
}

void RunLoadParameters(const isa::TableDescriptor& d, State& state) {
  for (uint32_t i = 0; i < d.count; ++i) {
    const uint8_t* bytes = state.dram + d.dram_byte + uint64_t{i} * isa::kPpuParamBytes;
    state.param[d.entry + i] = isa::ReadPpuParam(bytes);
  }
  if (state.observer == nullptr) return;
  state.observer->Read(Memory::kDram, d.dram_byte,
                       d.dram_byte + uint64_t{d.count} * isa::kPpuParamBytes);
  state.observer->Write(Memory::kParam, d.entry, d.entry + d.count);
}

void RunLoadTable(const isa::TableDescriptor& d, State& state) {
  for (uint32_t i = 0; i < d.count; ++i) {
    state.lut[d.entry + i] = static_cast<int32_t>(
        tensor::ReadBits(state.dram, (d.dram_byte + uint64_t{i} * 4) * 8, 32, true));
  }
  if (state.observer == nullptr) return;
  state.observer->Read(Memory::kDram, d.dram_byte, d.dram_byte + uint64_t{d.count} * 4);
  state.observer->Write(Memory::kLut, d.entry, d.entry + d.count);
}

}  // namespace bw::iss
