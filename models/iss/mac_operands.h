// The operands of a MAC tile as dense rows, zero points subtracted.
#ifndef MODELS_ISS_MAC_OPERANDS_H_
#define MODELS_ISS_MAC_OPERANDS_H_

#include <cstdint>
#include <vector>

#include "compiler/isa/descriptor.h"
#include "models/iss/state.h"

namespace bw::iss {

// `count` containers of `step` bits from `bit` on, minus `zero_point`. T holds every difference.
template <typename T>
void ReadRow(const uint8_t* spm, int64_t bit, int64_t step, int64_t count,
             const isa::Container& container, int64_t zero_point, T* out);
extern template void ReadRow(const uint8_t*, int64_t, int64_t, int64_t, const isa::Container&,
                             int64_t, int16_t*);
extern template void ReadRow(const uint8_t*, int64_t, int64_t, int64_t, const isa::Container&,
                             int64_t, int64_t*);

// Zero points of B, one for each n.
std::vector<int64_t> ZeroPointsOfB(const isa::MacDescriptor& d, const State& state);

// B as [n][k2][k1][k0], or for depthwise tiles as [k2][k1][n].
std::vector<int64_t> GatherB(const isa::MacDescriptor& d, const State& state);

// Calls visit(tap, bit) for every kernel tap (k2 * d.k1 + k1) of output (m0, m1) that is inside;
// `bit` is where its elements of A start.
template <typename Visit>
void ForEachTap(const isa::MacDescriptor& d, int64_t m0, int64_t m1, Visit visit) {
  const int64_t corner = static_cast<int64_t>(d.a_bit) + m0 * d.am0 + m1 * d.am1;
  for (int64_t k2 = 0; k2 < d.k2; ++k2) {
    const int64_t y = d.y0 + m1 * d.ym + k2 * d.yk;
    if (y < 0 || y >= d.ylim) continue;
    for (int64_t k1 = 0; k1 < d.k1; ++k1) {
      const int64_t x = d.x0 + m0 * d.xm + k1 * d.xk;
      if (x < 0 || x >= d.xlim) continue;
      visit(k2 * d.k1 + k1, corner + k1 * d.ak1 + k2 * d.ak2);
    }
  }
}

// Tells `observer` what the tile reads and writes.
void ObserveMac(const isa::MacDescriptor& d, AccessObserver& observer);

}  // namespace bw::iss

#endif  // MODELS_ISS_MAC_OPERANDS_H_
