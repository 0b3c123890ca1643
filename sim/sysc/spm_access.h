// One vector access to the scratchpad: which containers, and the bytes that travel with it.
#ifndef SIM_SYSC_SPM_ACCESS_H_
#define SIM_SYSC_SPM_ACCESS_H_

#include <array>
#include <cstdint>

#include "models/status/check.h"
#include "models/tensor/bitpack.h"
#include "sim/timing/timing.h"

namespace bw::sysc {

inline constexpr int64_t kNoInstruction = -1;

struct SpmAccess {
  // `elements` containers without gaps, from scratchpad bit `bit` on. The bytes that hold them are
  // data[offset .. offset + bytes); a 4-bit container may share its first or last byte with others.
  struct Run {
    uint32_t bit = 0;
    uint16_t elements = 0;
    uint16_t lane = 0;  // of the first element
    uint16_t offset = 0, bytes = 0;
    uint32_t data_bit() const { return offset * 8U + (bit & 7U); }
  };

  bool write = false;
  int bits = 8;      // of a container
  int elements = 0;  // in all runs
  int runs = 0;
  int words_left = -1;  // bank words still to be served; -1: not looked at yet
  uint32_t data_bytes = 0;
  int64_t last_of = kNoInstruction;  // instruction that has landed when this access is served
  std::array<Run, timing::kMaxVector> run;
  std::array<uint32_t, timing::kMaxVectorBytes> word;  // the first words_left are to be served
  std::array<uint8_t, timing::kMaxVectorBytes + 8> data;

  void Begin(bool is_write, int container_bits) {
    write = is_write;
    bits = container_bits;
    elements = 0;
    runs = 0;
    words_left = -1;
    data_bytes = 0;
    last_of = kNoInstruction;
  }

  // Adds containers without gaps for the lanes `lane`.., and returns where the first one lies in
  // `data`, in bits. What continues the last run, in place and in lanes, becomes part of it.
  uint32_t Add(uint64_t bit, int count, int lane) {
    elements += count;
    if (runs > 0) {
      Run& last = run[static_cast<size_t>(runs - 1)];
      if (last.bit + static_cast<uint64_t>(last.elements * bits) == bit &&
          last.lane + last.elements == lane) {
        const uint32_t at = last.data_bit() + static_cast<uint32_t>(last.elements * bits);
        last.elements = static_cast<uint16_t>(last.elements + count);
        Extend(last);
        return at;
      }
    }
    BW_CHECK(runs < timing::kMaxVector, "an access of more than {} runs", timing::kMaxVector);
    Run& fresh = run[static_cast<size_t>(runs++)];
    fresh.bit = static_cast<uint32_t>(bit);
    fresh.elements = static_cast<uint16_t>(count);
    fresh.lane = static_cast<uint16_t>(lane);
    fresh.offset = static_cast<uint16_t>(data_bytes);
    Extend(fresh);
    return fresh.data_bit();
  }

  // `count` containers from `bit` on, `stride` bits apart, for the lanes `lane`...
  void AddStrided(int64_t bit, int64_t stride, int count, int lane) {
    if (stride == bits || count == 1) {
      Add(static_cast<uint64_t>(bit), count, lane);
      return;
    }
    for (int i = 0; i < count; ++i) {
      Add(static_cast<uint64_t>(bit + i * stride), 1, lane + i);
    }
  }

  // The values of a read, by lane; lanes that no run covers keep what they have.
  template <typename T>
  void Decode(bool is_signed, T* lanes) const {
    for (int r = 0; r < runs; ++r) {
      const Run& of = run[static_cast<size_t>(r)];
      T* out = lanes + of.lane;
      const uint8_t* bytes = data.data() + of.offset;
      if (bits == 8 && is_signed) {
        DecodeWhole<int8_t>(bytes, of.elements, out);
      } else if (bits == 8) {
        DecodeWhole<uint8_t>(bytes, of.elements, out);
      } else if (bits == 32 && is_signed) {
        DecodeWhole<int32_t>(bytes, of.elements, out);
      } else {
        for (unsigned i = 0; i < of.elements; ++i) {
          out[i] = static_cast<T>(tensor::ReadBits(
              data.data(), of.data_bit() + i * static_cast<unsigned>(bits), bits, is_signed));
        }
      }
    }
  }

 private:
  void Extend(Run& last) {
    const uint32_t end = last.data_bit() + static_cast<uint32_t>(last.elements * bits);
    data_bytes = (end + 7) / 8;
    last.bytes = static_cast<uint16_t>(data_bytes - last.offset);
    BW_CHECK(data_bytes <= data.size(), "an access of {} bytes", data_bytes);
  }
  template <typename Stored, typename T>
  static void DecodeWhole(const uint8_t* bytes, int count, T* out) {
    for (int i = 0; i < count; ++i) {
      Stored value;
      std::memcpy(&value, bytes + static_cast<size_t>(i) * sizeof value, sizeof value);
      out[i] = static_cast<T>(value);
    }
  }
};

}  // namespace bw::sysc

#endif  // SIM_SYSC_SPM_ACCESS_H_
