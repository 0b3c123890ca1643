#include <algorithm>
#include <vector>

#include "models/arith/accumulate.h"
#include "models/iss/runs.h"
#include "models/iss/state.h"
#include "models/tensor/bitpack.h"

namespace bw::iss {
namespace {

using isa::Memory;

int64_t ReadSpm(const State& state, int64_t bit, const isa::Container& container) {
  return tensor::ReadBits(state.spm.data(), static_cast<uint64_t>(bit), container.bits,
                          container.is_signed);
}

// B minus its zero points, as rows of n values: [k2][k1][k0][n].
std::vector<int32_t> GatherB(const isa::MacDescriptor& d, const State& state) {
  std::vector<int64_t> zero_point(static_cast<size_t>(d.n), d.b_zero_point);
  if (d.b_zero_point_vector) {
    for (int64_t n = 0; n < d.n; ++n) {
      zero_point[static_cast<size_t>(n)] =
          ReadSpm(state, (d.b_zero_point_byte + 4 * n) * 8, {32, true});
    }
  }
  std::vector<int32_t> b;
  b.reserve(static_cast<size_t>(d.k2 * d.k1 * d.k0 * d.n));
  for (int64_t k2 = 0; k2 < d.k2; ++k2) {
    for (int64_t k1 = 0; k1 < d.k1; ++k1) {
      for (int64_t k0 = 0; k0 < d.k0; ++k0) {
        const int64_t row = static_cast<int64_t>(d.b_bit) + k0 * d.bk0 + k1 * d.bk1 + k2 * d.bk2;
        for (int64_t n = 0; n < d.n; ++n) {
          const int64_t value = ReadSpm(state, row + n * d.bn, d.b);
          b.push_back(static_cast<int32_t>(value - zero_point[static_cast<size_t>(n)]));
        }
      }
    }
  }
  return b;
}

void Initialise(const isa::MacDescriptor& d, const State& state, int64_t at,
                std::vector<int64_t>& sum) {
  for (int64_t n = 0; n < d.n; ++n) {
    int64_t value = 0;
    if (d.init == isa::AccInit::kBias)
      value = ReadSpm(state, (d.bias_byte + 4 * n) * 8, {32, true});
    if (d.init == isa::AccInit::kKeep) value = state.acc[static_cast<size_t>(at + n)];
    sum[static_cast<size_t>(n)] = value;
  }
}

// Sums of one kernel tap. Products have at most 34 bits; a sum cannot leave int64 before it is
// wrapped, and the wrap commutes with addition.
void Tap(const isa::MacDescriptor& d, const State& state, int64_t a_bit, const int32_t* b,
         std::vector<int64_t>& sum) {
  const auto width = static_cast<size_t>(d.n);
  if (d.depthwise) {
    for (size_t n = 0; n < width; ++n) {
      const int64_t bit = a_bit + static_cast<int64_t>(n) * d.an;
      sum[n] += (ReadSpm(state, bit, d.a) - d.a_zero_point) * b[n];
    }
    return;
  }
  for (int64_t k0 = 0; k0 < d.k0; ++k0) {
    const int64_t a = ReadSpm(state, a_bit + k0 * d.ak0, d.a) - d.a_zero_point;
    const int32_t* row = b + k0 * d.n;
    int64_t* out = sum.data();
    if (a == 0) continue;
    for (size_t n = 0; n < width; ++n) out[n] += a * row[n];
  }
}

void ObserveA(const isa::MacDescriptor& d, AccessObserver& observer) {
  for (int64_t m1 = 0; m1 < d.m1; ++m1) {
    for (int64_t k2 = 0; k2 < d.k2; ++k2) {
      const int64_t y = d.y0 + m1 * d.ym + k2 * d.yk;
      if (y < 0 || y >= d.ylim) continue;
      for (int64_t m0 = 0; m0 < d.m0; ++m0) {
        for (int64_t k1 = 0; k1 < d.k1; ++k1) {
          const int64_t x = d.x0 + m0 * d.xm + k1 * d.xk;
          if (x < 0 || x >= d.xlim) continue;
          const int64_t bit =
              static_cast<int64_t>(d.a_bit) + m0 * d.am0 + m1 * d.am1 + k1 * d.ak1 + k2 * d.ak2;
          const Loop inner = d.depthwise ? Loop{d.n, d.an} : Loop{d.k0, d.ak0};
          ForEachRun(bit, {inner}, d.a.bits, [&](int64_t begin, int64_t end) {
            const auto [first, last] = Bytes(begin, end);
            observer.Read(Memory::kSpm, first, last);
          });
        }
      }
    }
  }
}

void Observe(const isa::MacDescriptor& d, AccessObserver& observer) {
  const auto words = [&](uint32_t byte) {
    observer.Read(Memory::kSpm, byte, byte + 4 * static_cast<uint64_t>(d.n));
  };
  if (d.b_zero_point_vector) words(d.b_zero_point_byte);
  if (d.init == isa::AccInit::kBias) words(d.bias_byte);
  ForEachRun(static_cast<int64_t>(d.b_bit),
             {{d.k2, d.bk2}, {d.k1, d.bk1}, {d.k0, d.bk0}, {d.n, d.bn}}, d.b.bits,
             [&](int64_t begin, int64_t end) {
               const auto [first, last] = Bytes(begin, end);
               observer.Read(Memory::kSpm, first, last);
             });
  ObserveA(d, observer);
  ForEachRun(d.acc, {{d.m1, d.cm1}, {d.m0, d.cm0}, {d.n, 1}}, 1, [&](int64_t begin, int64_t end) {
    const auto first = static_cast<uint64_t>(begin), last = static_cast<uint64_t>(end);
    if (d.init == isa::AccInit::kKeep) observer.Read(Memory::kAcc, first, last);
    observer.Write(Memory::kAcc, first, last);
  });
}

}  // namespace

void RunMac(const isa::MacDescriptor& d, State& state) {
  const std::vector<int32_t> b = GatherB(d, state);
  std::vector<int64_t> sum(static_cast<size_t>(d.n));
  const auto acc_bits = static_cast<int>(state.config.acc_bits);
  for (int64_t m1 = 0; m1 < d.m1; ++m1) {
    for (int64_t m0 = 0; m0 < d.m0; ++m0) {
      const int64_t at = d.acc + m0 * d.cm0 + m1 * d.cm1;
      Initialise(d, state, at, sum);
      for (int64_t k2 = 0; k2 < d.k2; ++k2) {
        const int64_t y = d.y0 + m1 * d.ym + k2 * d.yk;
        if (y < 0 || y >= d.ylim) continue;
        for (int64_t k1 = 0; k1 < d.k1; ++k1) {
          const int64_t x = d.x0 + m0 * d.xm + k1 * d.xk;
          if (x < 0 || x >= d.xlim) continue;
          const int64_t a_bit =
              static_cast<int64_t>(d.a_bit) + m0 * d.am0 + m1 * d.am1 + k1 * d.ak1 + k2 * d.ak2;
          Tap(d, state, a_bit, b.data() + (k2 * d.k1 + k1) * d.k0 * d.n, sum);
        }
      }
      for (int64_t n = 0; n < d.n; ++n) {
        state.acc[static_cast<size_t>(at + n)] =
            arith::WrapToBits(sum[static_cast<size_t>(n)], acc_bits);
      }
    }
  }
  if (state.observer != nullptr) Observe(d, *state.observer);
}

}  // namespace bw::iss
