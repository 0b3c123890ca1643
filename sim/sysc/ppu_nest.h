// Steps through the beats of a PPU operation: c3, c2, c1, blocks of lanes along c0, and within each
// the window r1, r0.
#ifndef SIM_SYSC_PPU_NEST_H_
#define SIM_SYSC_PPU_NEST_H_

#include <algorithm>
#include <cstdint>

#include "compiler/isa/descriptor.h"

namespace bw::sysc {

class PpuNest {
 public:
  PpuNest() = default;
  PpuNest(const isa::PpuDescriptor& d, int lanes) : d_(&d), most_(lanes) {}

  bool done() const { return done_; }
  int64_t c0() const { return c0_; }
  int lanes() const { return static_cast<int>(std::min<int64_t>(most_, d_->count[0] - c0_)); }

  int64_t A() const {
    const auto& s = d_->a_stride;
    return static_cast<int64_t>(d_->a_base) + c0_ * s[0] + c1_ * s[1] + c2_ * s[2] + c3_ * s[3] +
           r0_ * s[4] + r1_ * s[5];
  }
  int64_t B() const { return static_cast<int64_t>(d_->b_base) + Offset(d_->b_stride); }
  int64_t D() const { return static_cast<int64_t>(d_->d_bit) + Offset(d_->d_stride); }
  // Whether the window's position counts; always, without a window.
  bool Inside() const {
    if (d_->op != isa::Opcode::kPmax && d_->op != isa::Opcode::kPsum) return true;
    const int64_t x = d_->x0 + c1_ * d_->xm + r0_ * d_->xr;
    const int64_t y = d_->y0 + c2_ * d_->ym + r1_ * d_->yr;
    return x >= 0 && x < d_->xlim && y >= 0 && y < d_->ylim;
  }
  bool FirstOfWindow() const { return r0_ == 0 && r1_ == 0; }
  bool LastOfWindow() const { return r0_ + 1 == d_->count[4] && r1_ + 1 == d_->count[5]; }

  // To the next position of the window, or the next beat.
  void NextPosition() {
    if (++r0_ < d_->count[4]) return;
    r0_ = 0;
    if (++r1_ < d_->count[5]) return;
    r1_ = 0;
    NextBeat();
  }
  void NextBeat() {
    c0_ += most_;
    if (c0_ < d_->count[0]) return;
    c0_ = 0;
    if (++c1_ < d_->count[1]) return;
    c1_ = 0;
    if (++c2_ < d_->count[2]) return;
    c2_ = 0;
    if (++c3_ < d_->count[3]) return;
    done_ = true;
  }

 private:
  template <typename Strides>
  int64_t Offset(const Strides& s) const {
    return c0_ * s[0] + c1_ * s[1] + c2_ * s[2] + c3_ * s[3];
  }

  const isa::PpuDescriptor* d_ = nullptr;
  int most_ = 1;
  int64_t c0_ = 0, c1_ = 0, c2_ = 0, c3_ = 0, r0_ = 0, r1_ = 0;
  bool done_ = false;
};

}  // namespace bw::sysc

#endif  // SIM_SYSC_PPU_NEST_H_
