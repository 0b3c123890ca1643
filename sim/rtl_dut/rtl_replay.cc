#include "sim/rtl_dut/rtl_replay.h"

#include <fmt/format.h>

namespace bw::rtl_dut {
namespace {

std::string Describe(const ppu::CoreConfig& config, const ppu::CoreBeat& beat, size_t lane,
                     int32_t got, int32_t want) {
  static constexpr const char* kNames[] = {"requantise", "add",    "multiply", "maximum",
                                           "sum",        "lookup", "",         "pass"};
  const isa::PpuParam& p = beat.param[lane];
  return fmt::format(
      "{} ({}), tag {}, lane {}: a = {}, b = {}, M = {}, S = {}, M2 = {}, S2 = {}, zp = {}, clip "
      "{}..{}: expected {}, the RTL gives {}",
      kNames[static_cast<size_t>(config.op)], arith::ToString(config.rounding), beat.tag, lane,
      beat.a[lane], config.op == ppu::CoreOp::kRequantise ? 0 : beat.b[lane], p.m, p.s, p.m2, p.s2,
      p.zp, p.lo, p.hi, want, got);
}

}  // namespace

void RtlReplay::Clock(const ppu::CoreBeat* beat) {
  if (rtl_.OutValid()) from_rtl_.push_back(rtl_.Out());
  rtl_.Clock(beat, true);
}

void RtlReplay::OnBeat(const ppu::CoreBeat& beat) {
  ++counts_.beats;
  sent_.push_back({*beat.config, beat});
  Clock(&beat);
  CompareReady();
}

void RtlReplay::OnResult(const ppu::CoreResult& result) {
  recorded_.push_back(result);
  CompareReady();
}

void RtlReplay::CompareReady() {
  while (!from_rtl_.empty() && !recorded_.empty()) {
    Compare(sent_.front(), from_rtl_.front(), recorded_.front());
    sent_.pop_front();
    from_rtl_.pop_front();
    recorded_.pop_front();
  }
}

void RtlReplay::Compare(const Sent& sent, const ppu::CoreResult& rtl,
                        const ppu::CoreResult& recorded) {
  const auto lanes = static_cast<uint64_t>(sent.beat.lanes);
  (sent.config.op == ppu::CoreOp::kPass ? counts_.passed : counts_.compared) += lanes;
  for (size_t lane = 0; lane < lanes; ++lane) {
    if (rtl.y[lane] == recorded.y[lane] && rtl.tag == recorded.tag) continue;
    if (counts_.mismatches++ == 0) {
      counts_.first_mismatch =
          Describe(sent.config, sent.beat, lane, rtl.y[lane], recorded.y[lane]);
    }
  }
}

// Beats move in the model only as others come; a lookup inside must not see entries of later ones.
void RtlReplay::OnTable(uint32_t entry, const int32_t* values, int count) {
  Drain();
  rtl_.WriteTable(entry, values, count);
}

void RtlReplay::Drain() {
  for (int i = 0; i < 64 && from_rtl_.size() < sent_.size(); ++i) Clock(nullptr);
  CompareReady();
}

const ReplayCounts& RtlReplay::Finish() {
  Drain();
  if (!sent_.empty()) {
    counts_.mismatches += sent_.size();
    if (counts_.first_mismatch.empty()) {
      counts_.first_mismatch =
          fmt::format("{} beats went in and have no result on both sides", sent_.size());
    }
    sent_.clear();
    from_rtl_.clear();
    recorded_.clear();
  }
  return counts_;
}

}  // namespace bw::rtl_dut
