#include "sim/rtl_dut/rtl_replay.h"

#include <fmt/format.h>

#include <utility>

#include "sim/ppu/lane.h"

namespace bw::rtl_dut {
namespace {

using Operands = std::array<int64_t, ppu::kMaxLanes>;

const char* NameOf(ppu::CoreOp op) {
  switch (op) {
#define BW_ENUM(type, name, code, doc) BW_ENUM_##type(name, code)
#define BW_ENUM_Memory(name, code)
#define BW_ENUM_AccInit(name, code)
#define BW_ENUM_CoreOp(name, code) \
  case ppu::CoreOp::k##name:       \
    return #name;
#include "compiler/isa/isa.def"
#undef BW_ENUM_Memory
#undef BW_ENUM_AccInit
#undef BW_ENUM_CoreOp
  }
  __builtin_unreachable();
}

// Operands of a lane: a; of a window those of all positions inside; b where it counts.
std::string DescribeOperands(const ppu::CoreConfig& config, const ppu::CoreBeat& beat,
                             const std::vector<Operands>& window, size_t lane) {
  if (!ppu::IsWindow(config.op)) {
    const bool has_b = config.op == ppu::CoreOp::kAdd || config.op == ppu::CoreOp::kMultiply;
    return fmt::format("a = {}, b = {}", beat.a[lane], has_b ? beat.b[lane] : 0);
  }
  std::string text = "a =";
  for (const Operands& a : window) text += fmt::format(" {}", a[lane]);
  return text;
}

std::string DescribeParameters(const ppu::CoreConfig& config, const isa::PpuParam& p) {
  if (config.op == ppu::CoreOp::kMaximum) return "";
  if (config.op == ppu::CoreOp::kLookup) {
    return fmt::format(", table at {}, keys {}..{}, k = {}, {}", config.table, config.lut.low,
                       config.lut.high, config.lut.k,
                       config.lut.interpolate ? "interpolated" : "nearest");
  }
  return fmt::format(", zero points {} {}, M = {}, S = {}, M2 = {}, S2 = {}, zp = {}, clip {}..{}",
                     config.a_zero_point, config.b_zero_point, p.m, p.s, p.m2, p.s2, p.zp, p.lo,
                     p.hi);
}

}  // namespace

std::string RtlReplay::Describe(const Sent& sent, size_t lane, int32_t got, int32_t want) {
  return fmt::format("{} ({}), tag {}, lane {}: {}{}: expected {}, the RTL gives {}",
                     NameOf(sent.config.op), arith::ToString(sent.config.rounding), sent.beat.tag,
                     lane, DescribeOperands(sent.config, sent.beat, sent.window, lane),
                     DescribeParameters(sent.config, sent.beat.param[lane]), want, got);
}

void RtlReplay::Clock(const ppu::CoreBeat* beat) {
  if (rtl_.OutValid()) from_rtl_.push_back(rtl_.Out());
  rtl_.Clock(beat, true);
}

void RtlReplay::OnBeat(const ppu::CoreBeat& beat) {
  ++counts_.beats;
  if (beat.first) window_.clear();
  if (beat.inside) window_.push_back(beat.a);
  if (beat.last) sent_.push_back({*beat.config, beat, std::move(window_)});
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
  counts_.compared += lanes;
  for (size_t lane = 0; lane < lanes; ++lane) {
    if (rtl.y[lane] == recorded.y[lane] && rtl.tag == recorded.tag) continue;
    if (counts_.mismatches++ == 0) {
      counts_.first_mismatch = Describe(sent, lane, rtl.y[lane], recorded.y[lane]);
    }
  }
}

// Beats move in the model only as others come; a lookup inside must not see entries of later ones.
void RtlReplay::OnTable(uint32_t entry, const int32_t* values, int count) {
  Drain();
  rtl_.WriteTable(entry, values, count);
  Clock(nullptr);
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
