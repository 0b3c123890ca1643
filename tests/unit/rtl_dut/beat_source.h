// An endless row of random beats: whole windows, one beat of every other operation.
#ifndef TESTS_UNIT_RTL_DUT_BEAT_SOURCE_H_
#define TESTS_UNIT_RTL_DUT_BEAT_SOURCE_H_

#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include "sim/ppu/lane.h"
#include "tests/unit/rtl_dut/stimulus.h"

namespace bw::rtl_dut {

// `Beat()` is what is offered until `Next()`, which is called once it was taken.
class BeatSource {
 public:
  BeatSource(const hwconfig::HwConfig& hw, uint32_t seed) : hw_(hw), random_(seed) { Start(); }

  const ppu::CoreBeat& Beat() const { return beat_; }
  Random& random() { return random_; }
  // Groups begun: windows and single beats.
  uint64_t groups() const { return groups_; }
  bool at_start() const { return position_ == 0; }

  void Next() {
    if (++position_ == positions_) {
      Start();
    } else {
      FillPosition();
    }
  }

 private:
  using Lanes = std::array<int64_t, ppu::kMaxLanes>;

  void Start() {
    config_ = RandomConfig(random_, hw_);
    beat_.config = &config_;
    beat_.tag = groups_++;
    beat_.lanes = static_cast<int>(random_.Coin() ? hw_.ppu_lanes : random_.In(1, hw_.ppu_lanes));
    position_ = 0;
    const bool window = ppu::IsWindow(config_.op);
    positions_ = window ? static_cast<int>(random_.OneIn(20) ? 64 : random_.In(1, 9)) : 1;
    must_be_inside_ = window ? static_cast<int>(random_.In(0, positions_ - 1)) : 0;
    for (size_t i = 0; i < static_cast<size_t>(beat_.lanes); ++i) {
      beat_.param[i] = Param(random_, hw_, XBits());
      sum_[i] = 0;
      target_[i] = SumTarget(beat_.param[i]);
    }
    FillPosition();
  }

  int XBits() const {
    const auto act = static_cast<int>(hw_.act_bits);
    if (config_.op == ppu::CoreOp::kMultiply) return 2 * act - 1;
    if (config_.op == ppu::CoreOp::kAdd) return act + 15;
    return static_cast<int>(hw_.acc_bits);
  }

  // What a window's sum shall be, if its last position can bring it there: near a tie, or an end of
  // WindowSumBits.
  int64_t SumTarget(const isa::PpuParam& param) {
    const int64_t end = int64_t{1} << (hwconfig::WindowSumBits(hw_) - 1);
    if (random_.OneIn(6)) return random_.Coin() ? end - 1 : -end;
    return NearTie(random_, param, end - 1);
  }

  void FillPosition() {
    beat_.first = position_ == 0;
    beat_.last = position_ + 1 == positions_;
    const bool window = ppu::IsWindow(config_.op);
    beat_.inside = !window || position_ == must_be_inside_ || !random_.OneIn(4);
    for (size_t i = 0; i < static_cast<size_t>(beat_.lanes); ++i) {
      beat_.b[i] = random_.SignedOrEnd(hwconfig::ElementBits(hw_) + 1);
      beat_.a[i] = Operand(i);
      if (config_.op == ppu::CoreOp::kSum && beat_.inside) {
        sum_[i] += beat_.a[i] - config_.a_zero_point;
      }
    }
  }

  int64_t Operand(size_t lane) {
    switch (config_.op) {
      case ppu::CoreOp::kRequantise:
        return Accumulator(lane);
      case ppu::CoreOp::kSum:
        return Addend(lane);
      case ppu::CoreOp::kMaximum:
        return random_.Coin() ? random_.SignedOrEnd(32) : random_.SignedOrEnd(3);
      case ppu::CoreOp::kLookup:
        return Key();
      default:
        return random_.SignedOrEnd(hwconfig::ElementBits(hw_) + 1);
    }
  }

  int64_t Accumulator(size_t lane) {
    const auto bits = static_cast<int>(hw_.acc_bits);
    const int64_t end = (int64_t{1} << (bits - 1)) - 1;
    if (random_.Coin()) return random_.SignedOrEnd(bits);
    const int64_t tie = NearTie(random_, beat_.param[lane], end) + config_.a_zero_point;
    return std::clamp(tie, -end - 1, end);
  }

  // An operand after which the sum is still in range, however many positions follow.
  int64_t Addend(size_t lane) {
    const int64_t a_end = int64_t{1} << (hwconfig::OperandBits(hw_) - 1);
    const int64_t share = (int64_t{1} << (hwconfig::WindowSumBits(hw_) - 1)) / positions_ - 1;
    int64_t term = target_[lane] / positions_;
    if (beat_.last) {
      term = target_[lane] - sum_[lane];
    } else if (random_.Coin()) {
      term = random_.In(-share, share);
    }
    const int64_t a = std::clamp(term + config_.a_zero_point, -a_end, a_end - 1);
    const int64_t sum = sum_[lane] + a - config_.a_zero_point;
    const int64_t sum_end = int64_t{1} << (hwconfig::WindowSumBits(hw_) - 1);
    return sum >= -sum_end && sum < sum_end ? a : config_.a_zero_point;
  }

  int64_t Key() {
    const arith::LutParams& lut = config_.lut;
    if (random_.OneIn(5)) return random_.SignedOrEnd(32);
    const int64_t around = random_.OneIn(4) ? (int64_t{1} << lut.k) + 3 : 0;
    int64_t key = random_.In(lut.low - around, lut.high + around);
    if (random_.OneIn(10)) key = random_.Coin() ? lut.low : lut.high;
    return std::clamp<int64_t>(key, INT32_MIN, INT32_MAX);
  }

  const hwconfig::HwConfig& hw_;
  Random random_;
  ppu::CoreConfig config_;
  ppu::CoreBeat beat_{};
  uint64_t groups_ = 0;
  int position_ = 0, positions_ = 1, must_be_inside_ = 0;
  Lanes sum_{}, target_{};
};

}  // namespace bw::rtl_dut

#endif  // TESTS_UNIT_RTL_DUT_BEAT_SOURCE_H_
