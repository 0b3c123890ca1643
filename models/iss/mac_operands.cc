#include "models/iss/mac_operands.h"

#include <cstring>

#include "models/iss/runs.h"
#include "models/tensor/bitpack.h"

namespace bw::iss {
namespace {

// Containers of whole bytes; Stored is their C++ type.
template <typename Stored, typename T>
void ReadBytes(const uint8_t* spm, int64_t bit, int64_t step, int64_t count, int64_t zero_point,
               T* out) {
  const uint8_t* at = spm + bit / 8;
  const int64_t bytes = step / 8;
  const auto zero = static_cast<T>(zero_point);
  const auto value = [&](int64_t i) {
    Stored stored;
    std::memcpy(&stored, at + i * bytes, sizeof stored);
    return static_cast<T>(static_cast<T>(stored) - zero);
  };
  if (bytes == static_cast<int64_t>(sizeof(Stored))) {
    for (int64_t i = 0; i < count; ++i) {
      Stored stored;
      std::memcpy(&stored, at + i * static_cast<int64_t>(sizeof stored), sizeof stored);
      out[i] = static_cast<T>(static_cast<T>(stored) - zero);
    }
    return;
  }
  for (int64_t i = 0; i < count; ++i) out[i] = value(i);
}

}  // namespace

template <typename T>
void ReadRow(const uint8_t* spm, int64_t bit, int64_t step, int64_t count,
             const isa::Container& container, int64_t zero_point, T* out) {
  if (container.bits == 8) {
    return container.is_signed ? ReadBytes<int8_t>(spm, bit, step, count, zero_point, out)
                               : ReadBytes<uint8_t>(spm, bit, step, count, zero_point, out);
  }
  if (container.bits == 16 && sizeof(T) > sizeof(int16_t)) {
    return container.is_signed ? ReadBytes<int16_t>(spm, bit, step, count, zero_point, out)
                               : ReadBytes<uint16_t>(spm, bit, step, count, zero_point, out);
  }
  for (int64_t i = 0; i < count; ++i) {
    const int64_t value = tensor::ReadBits(spm, static_cast<uint64_t>(bit + i * step),
                                           container.bits, container.is_signed);
    out[i] = static_cast<T>(value - zero_point);
  }
}

template void ReadRow(const uint8_t*, int64_t, int64_t, int64_t, const isa::Container&, int64_t,
                      int16_t*);
template void ReadRow(const uint8_t*, int64_t, int64_t, int64_t, const isa::Container&, int64_t,
                      int64_t*);

std::vector<int64_t> ZeroPointsOfB(const isa::MacDescriptor& d, const State& state) {
  std::vector<int64_t> zero_points(static_cast<size_t>(d.n), d.b_zero_point);
  if (!d.b_zero_point_vector) return zero_points;
  ReadRow(state.spm.data(), int64_t{d.b_zero_point_byte} * 8, 32, d.n, {32, true}, 0,
          zero_points.data());
  return zero_points;
}

std::vector<int64_t> GatherB(const isa::MacDescriptor& d, const State& state) {
  const std::vector<int64_t> zero_points = ZeroPointsOfB(d, state);
  const int64_t taps = d.k2 * d.k1;
  std::vector<int64_t> b(static_cast<size_t>(taps * d.k0 * d.n));
  for (int64_t tap = 0; tap < taps; ++tap) {
    const int64_t start = static_cast<int64_t>(d.b_bit) + tap / d.k1 * d.bk2 + tap % d.k1 * d.bk1;
    if (d.depthwise) {
      int64_t* row = b.data() + tap * d.n;
      ReadRow(state.spm.data(), start, d.bn, d.n, d.b, 0, row);
      for (int64_t n = 0; n < d.n; ++n) row[n] -= zero_points[static_cast<size_t>(n)];
      continue;
    }
    for (int64_t n = 0; n < d.n; ++n) {
      ReadRow(state.spm.data(), start + n * d.bn, d.bk0, d.k0, d.b,
              zero_points[static_cast<size_t>(n)], b.data() + (n * taps + tap) * d.k0);
    }
  }
  return b;
}

void ObserveMac(const isa::MacDescriptor& d, AccessObserver& observer) {
  const auto read = [&](int64_t begin, int64_t end) {
    const auto [first, last] = Bytes(begin, end);
    observer.Read(isa::Memory::kSpm, first, last);
  };
  const auto words = [&](uint32_t byte) {
    observer.Read(isa::Memory::kSpm, byte, byte + 4 * static_cast<uint64_t>(d.n));
  };
  if (d.b_zero_point_vector) words(d.b_zero_point_byte);
  if (d.init == isa::AccInit::kBias) words(d.bias_byte);
  ForEachRun(static_cast<int64_t>(d.b_bit),
             {{d.k2, d.bk2}, {d.k1, d.bk1}, {d.k0, d.bk0}, {d.n, d.bn}}, d.b.bits, read);
  const Loop inner = d.depthwise ? Loop{d.n, d.an} : Loop{d.k0, d.ak0};
  for (int64_t m1 = 0; m1 < d.m1; ++m1) {
    for (int64_t m0 = 0; m0 < d.m0; ++m0) {
      ForEachTap(d, m0, m1,
                 [&](int64_t, int64_t bit) { ForEachRun(bit, {inner}, d.a.bits, read); });
    }
  }
  ForEachRun(d.acc, {{d.m1, d.cm1}, {d.m0, d.cm0}, {d.n, 1}}, 1, [&](int64_t begin, int64_t end) {
    const auto first = static_cast<uint64_t>(begin), last = static_cast<uint64_t>(end);
    if (d.init == isa::AccInit::kKeep) observer.Read(isa::Memory::kAcc, first, last);
    observer.Write(isa::Memory::kAcc, first, last);
  });
}

}  // namespace bw::iss
