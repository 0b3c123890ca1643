#include "sim/sysc/mac_array.h"

#include <array>

namespace bw::sysc {
namespace {

constexpr int kTile = 16;  // columns whose sums stay in registers

// Operands of up to 10 bits and 256 rows: products of 20 bits, sums of 28.
void MultiplyRowNarrow(const MacBlock& block, const int32_t* a, int64_t* sum) {
  for (int first = 0; first < block.n_count; first += kTile) {
    std::array<int32_t, kTile> tile{};
    const int16_t* weights = block.narrow.data() + first;
    for (int k = 0; k < block.k_count; ++k, weights += block.pitch) {
      const auto value = static_cast<int16_t>(a[k]);
      for (size_t n = 0; n < kTile; ++n) tile[n] += value * weights[n];
    }
    for (size_t n = 0; n < kTile; ++n) sum[static_cast<size_t>(first) + n] = tile[n];
  }
}

// Operands of up to 18 bits.
void MultiplyRowWide(const MacBlock& block, const int32_t* a, int64_t* sum) {
  for (int first = 0; first < block.n_count; first += kTile) {
    std::array<int64_t, kTile> tile{};
    const int32_t* weights = block.wide.data() + first;
    for (int k = 0; k < block.k_count; ++k, weights += block.pitch) {
      const int64_t value = a[k];
      for (size_t n = 0; n < kTile; ++n) tile[n] += value * weights[n];
    }
    for (size_t n = 0; n < kTile; ++n) sum[static_cast<size_t>(first) + n] = tile[n];
  }
}

template <typename Weight>
void Lanes(const Weight* weights, int count, const int32_t* a, int64_t* sum) {
  for (int n = 0; n < count; ++n) sum[n] = static_cast<int64_t>(a[n]) * weights[n];
}

template <typename Weight>
void Accumulate(const Weight* weights, int count, int64_t a, int64_t* sum) {
  for (int n = 0; n < count; ++n) sum[n] += a * weights[n];
}

}  // namespace

void MultiplyRow(const MacBlock& block, const int32_t* a, int64_t* sum) {
  if (block.operation->narrow) {
    MultiplyRowNarrow(block, a, sum);
  } else {
    MultiplyRowWide(block, a, sum);
  }
}

void MultiplyLanes(const MacBlock& block, const int32_t* a, int64_t* sum) {
  if (block.operation->narrow) {
    Lanes(block.narrow.data(), block.n_count, a, sum);
  } else {
    Lanes(block.wide.data(), block.n_count, a, sum);
  }
}

void AccumulateRow(const MacBlock& block, int k, int32_t a, int64_t* sum) {
  const auto row = static_cast<size_t>(k) * static_cast<size_t>(block.pitch);
  if (block.operation->narrow) {
    Accumulate(block.narrow.data() + row, block.n_count, a, sum);
  } else {
    Accumulate(block.wide.data() + row, block.n_count, a, sum);
  }
}

}  // namespace bw::sysc
