#include <algorithm>

#include "models/arith/eltwise.h"
#include "models/arith/lut.h"
#include "models/arith/requantise.h"
#include "models/iss/runs.h"
#include "models/iss/state.h"
#include "models/status/check.h"
#include "models/tensor/bitpack.h"

namespace bw::iss {
namespace {

using isa::Memory;
using isa::Opcode;

int64_t ReadOperand(const State& state, Memory memory, int64_t at,
                    const isa::Container& container) {
  if (memory == Memory::kAcc) return state.acc[static_cast<size_t>(at)];
  return tensor::ReadBits(state.spm.data(), static_cast<uint64_t>(at), container.bits,
                          container.is_signed);
}

// Where one result's operands lie: counters c0..c3.
struct Point {
  int64_t a = 0, b = 0, x = 0, y = 0;
};

template <typename Visit>
void ForEachInside(const isa::PpuDescriptor& d, const Point& p, Visit visit) {
  for (int64_t r1 = 0; r1 < d.count[5]; ++r1) {
    const int64_t y = p.y + r1 * d.yr;
    if (y < 0 || y >= d.ylim) continue;
    for (int64_t r0 = 0; r0 < d.count[4]; ++r0) {
      const int64_t x = p.x + r0 * d.xr;
      if (x < 0 || x >= d.xlim) continue;
      visit(p.a + r0 * d.a_stride[4] + r1 * d.a_stride[5]);
    }
  }
}

int64_t WindowMaximum(const isa::PpuDescriptor& d, const Point& p, const State& state) {
  int64_t maximum = INT64_MIN;  // MakePpu: at least one position is inside
  ForEachInside(
      d, p, [&](int64_t at) { maximum = std::max(maximum, ReadOperand(state, d.a_mem, at, d.a)); });
  return maximum;
}

int64_t WindowSum(const isa::PpuDescriptor& d, const Point& p, const State& state) {
  int64_t sum = 0;
  ForEachInside(d, p,
                [&](int64_t at) { sum += ReadOperand(state, d.a_mem, at, d.a) - d.a_zero_point; });
  return sum;
}

int64_t Requantise(const isa::PpuDescriptor& d, int64_t x, const isa::PpuParam& p, State& state) {
  const bool negative = d.negative_set && x < 0;
  const arith::Requant r{negative ? p.m2 : p.m, negative ? p.s2 : p.s, p.zp, p.lo, p.hi};
  const int64_t rounded = arith::RoundProduct(x, r.m, r.s, d.rounding);
  state.saturations += static_cast<uint64_t>(rounded < r.lo - r.zp || rounded > r.hi - r.zp);
  return arith::OffsetAndClip(rounded, r);
}

int64_t Result(const isa::PpuDescriptor& d, const Point& p, const isa::PpuParam& param,
               State& state) {
  const auto a = [&] { return ReadOperand(state, d.a_mem, p.a, d.a); };
  const auto b = [&] { return ReadOperand(state, d.b_mem, p.b, d.b); };
  switch (d.op) {
    case Opcode::kRq:
      return Requantise(d, a() - d.a_zero_point, param, state);
    case Opcode::kEadd:
      return Requantise(d, arith::AddAligned(a(), b(), d.add, d.rounding), param, state);
    case Opcode::kEmul:
      return Requantise(d, arith::MulOperands(a(), b(), d.a_zero_point, d.b_zero_point), param,
                        state);
    case Opcode::kPmax:
      return WindowMaximum(d, p, state);
    case Opcode::kPsum:
      return Requantise(d, WindowSum(d, p, state), param, state);
    case Opcode::kLut: {
      const int64_t first = d.table * (state.config.lut_segments + 1);
      return arith::LutLookup(a(), d.lut, state.lut.data() + first);
    }
    default:
      BW_CHECK(false, "opcode = {}", static_cast<int>(d.op));
  }
}

bool UsesParameters(Opcode op) { return op != Opcode::kPmax && op != Opcode::kLut; }

void ObserveOperand(Memory memory, uint64_t base, const std::vector<Loop>& loops,
                    const isa::Container& container, AccessObserver& observer) {
  const bool acc = memory == Memory::kAcc;
  ForEachRun(static_cast<int64_t>(base), loops, acc ? 1 : container.bits,
             [&](int64_t begin, int64_t end) {
               if (acc) {
                 observer.Read(memory, static_cast<uint64_t>(begin), static_cast<uint64_t>(end));
                 return;
               }
               const auto [first, last] = Bytes(begin, end);
               observer.Read(memory, first, last);
             });
}

void ObserveWindow(const isa::PpuDescriptor& d, AccessObserver& observer) {
  for (int64_t c3 = 0; c3 < d.count[3]; ++c3) {
    for (int64_t c2 = 0; c2 < d.count[2]; ++c2) {
      for (int64_t c1 = 0; c1 < d.count[1]; ++c1) {
        Point p;
        p.a = static_cast<int64_t>(d.a_base) + c1 * d.a_stride[1] + c2 * d.a_stride[2] +
              c3 * d.a_stride[3];
        p.x = d.x0 + c1 * d.xm;
        p.y = d.y0 + c2 * d.ym;
        ForEachInside(d, p, [&](int64_t at) {
          ObserveOperand(d.a_mem, static_cast<uint64_t>(at), {{d.count[0], d.a_stride[0]}}, d.a,
                         observer);
        });
      }
    }
  }
}

void Observe(const isa::PpuDescriptor& d, const State& state, AccessObserver& observer) {
  const auto loops = [&](const auto& stride) {
    return std::vector<Loop>{{d.count[3], stride[3]},
                             {d.count[2], stride[2]},
                             {d.count[1], stride[1]},
                             {d.count[0], stride[0]}};
  };
  if (d.op == Opcode::kPmax || d.op == Opcode::kPsum) {
    ObserveWindow(d, observer);
  } else {
    ObserveOperand(d.a_mem, d.a_base, loops(d.a_stride), d.a, observer);
  }
  if (d.HasB()) ObserveOperand(d.b_mem, d.b_base, loops(d.b_stride), d.b, observer);
  if (UsesParameters(d.op)) {
    const uint64_t entries = d.param_stride == 0 ? 1 : static_cast<uint64_t>(d.count[0]);
    observer.Read(Memory::kParam, d.param, d.param + entries);
  }
  if (d.op == Opcode::kLut) {
    const uint64_t first = d.table * static_cast<uint64_t>(state.config.lut_segments + 1);
    observer.Read(Memory::kLut, first, first + static_cast<uint64_t>(arith::LutEntries(d.lut)));
  }
  ForEachRun(static_cast<int64_t>(d.d_bit), loops(d.d_stride), d.d_bits,
             [&](int64_t begin, int64_t end) {
               const auto [first, last] = Bytes(begin, end);
               observer.Write(Memory::kSpm, first, last);
             });
}

}  // namespace

void RunPpu(const isa::PpuDescriptor& d, State& state) {
  for (int64_t c3 = 0; c3 < d.count[3]; ++c3) {
    for (int64_t c2 = 0; c2 < d.count[2]; ++c2) {
      for (int64_t c1 = 0; c1 < d.count[1]; ++c1) {
        Point p;
        p.a = static_cast<int64_t>(d.a_base) + c1 * d.a_stride[1] + c2 * d.a_stride[2] +
              c3 * d.a_stride[3];
        p.b = static_cast<int64_t>(d.b_base) + c1 * d.b_stride[1] + c2 * d.b_stride[2] +
              c3 * d.b_stride[3];
        p.x = d.x0 + c1 * d.xm;
        p.y = d.y0 + c2 * d.ym;
        int64_t out = static_cast<int64_t>(d.d_bit) + c1 * d.d_stride[1] + c2 * d.d_stride[2] +
                      c3 * d.d_stride[3];
        size_t param = d.param;
        for (int64_t c0 = 0; c0 < d.count[0]; ++c0) {
          const int64_t y = Result(d, p, state.param[param], state);
          tensor::WriteBits(state.spm.data(), static_cast<uint64_t>(out), d.d_bits, y);
          p.a += d.a_stride[0];
          p.b += d.b_stride[0];
          out += d.d_stride[0];
          param += d.param_stride;
        }
      }
    }
  }
  if (state.observer != nullptr) Observe(d, state, *state.observer);
}

}  // namespace bw::iss
