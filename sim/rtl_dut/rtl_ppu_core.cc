#include "sim/rtl_dut/rtl_ppu_core.h"

#include "models/status/check.h"

namespace bw::rtl_dut {
namespace {

BwRtlControl ControlOf(const ppu::CoreBeat& beat) {
  const ppu::CoreConfig& config = *beat.config;
  BwRtlControl c{};
  c.first = beat.first ? 1 : 0;
  c.last = beat.last ? 1 : 0;
  c.inside = beat.inside ? 1 : 0;
  c.op = static_cast<int32_t>(config.op);
  c.mode = static_cast<int32_t>(config.rounding);
  c.neg = config.negative_set ? 1 : 0;
  c.a_zp = static_cast<int32_t>(config.a_zero_point);
  c.b_zp = static_cast<int32_t>(config.b_zero_point);
  if (config.op == ppu::CoreOp::kLookup) {
    c.lut_base = static_cast<int32_t>(config.table);
    c.lut_low = static_cast<int32_t>(config.lut.low);
    c.lut_high = static_cast<int32_t>(config.lut.high);
    c.lut_shift = config.lut.k;
    c.lut_interpolate = config.lut.interpolate ? 1 : 0;
    c.lut_ramp = config.lut.ramp_outside ? 1 : 0;
  }
  if (config.op != ppu::CoreOp::kAdd) return c;
  const arith::EltwiseAdd& add = config.add;
  c.sub = add.subtract ? 1 : 0;
  c.a_zp = static_cast<int32_t>(add.a.zp);
  c.b_zp = static_cast<int32_t>(add.b.zp);
  c.a_lsh = add.a.left_shift;
  c.b_lsh = add.b.left_shift;
  c.a_mul = add.a.multiply ? 1 : 0;
  c.b_mul = add.b.multiply ? 1 : 0;
  c.a_mult = static_cast<uint32_t>(add.a.m);
  c.b_mult = static_cast<uint32_t>(add.b.m);
  c.a_shift = add.a.s;
  c.b_shift = add.b.s;
  c.s1_shift = add.stage1_shift;
  c.s1_bits = add.stage1_bits;
  return c;
}

BwRtlLane LaneOf(const ppu::CoreBeat& beat, size_t i) {
  const isa::PpuParam& p = beat.param[i];
  BwRtlLane lane{};
  lane.a = beat.a[i];
  lane.b = static_cast<int32_t>(beat.b[i]);
  lane.mult = static_cast<uint32_t>(p.m);
  lane.mult_neg = static_cast<uint32_t>(p.m2);
  lane.shift = p.s;
  lane.shift_neg = p.s2;
  lane.zero_point = static_cast<int32_t>(p.zp);
  lane.lo = static_cast<int32_t>(p.lo);
  lane.hi = static_cast<int32_t>(p.hi);
  return lane;
}

}  // namespace

RtlPpuCore::RtlPpuCore(const BwRtlApi& api) : api_(api), model_(api.create()) {}

RtlPpuCore::~RtlPpuCore() { api_.destroy(model_); }

void RtlPpuCore::Reset() {
  api_.reset(model_);
  in_flight_.clear();
  out_valid_ = false;
  writing_ = false;
}

const ppu::CoreResult& RtlPpuCore::Out() const {
  BW_CHECK(out_valid_, "out_valid = {}", out_valid_);
  return out_;
}

bool RtlPpuCore::Clock(const ppu::CoreBeat* in, bool out_ready) {
  // With nothing offered and no result to come, a clock edge only moves bubbles.
  if (in == nullptr && in_flight_.empty() && !writing_ && !tracing_) return false;
  writing_ = false;
  BwRtlControl control{};
  if (in != nullptr) {
    control = ControlOf(*in);
    for (size_t i = 0; i < static_cast<size_t>(in->lanes); ++i) lanes_[i] = LaneOf(*in, i);
  }
  const bool taken_out = out_valid_ && out_ready;
  const bool ready =
      api_.clock(model_, &control, lanes_.data(), in == nullptr ? 0 : in->lanes, out_ready) != 0;
  if (taken_out) in_flight_.pop_front();
  const bool taken = in != nullptr && ready;
  if (taken && in->last) in_flight_.emplace_back(in->lanes, in->tag);
  Sample();
  return taken;
}

void RtlPpuCore::WriteTable(uint32_t entry, const int32_t* values, int count) {
  BW_CHECK(!writing_, "two table writes in front of one clock edge, entry {}", entry);
  BW_CHECK(api_.write_table(model_, entry, values, count) != 0,
           "{} table entries from {} on: more than an edge writes, or outside of the memory", count,
           entry);
  writing_ = true;
}

void RtlPpuCore::Sample() {
  out_valid_ = api_.out_valid(model_) != 0;
  if (!out_valid_) return;
  BW_CHECK(!in_flight_.empty(), "a result without a beat, {} in flight", in_flight_.size());
  out_.lanes = in_flight_.front().first;
  out_.tag = in_flight_.front().second;
  api_.out(model_, out_.y.data(), out_.lanes);
}

uint64_t RtlPpuCore::Saturations() const { return api_.saturations(model_); }

Status RtlPpuCore::Trace(const std::string& path) {
  if (api_.trace(model_, path.c_str()) == 0) {
    return Error{path, 0, 0, "", "cannot write a waveform here", "check that the folder exists"};
  }
  tracing_ = true;
  return OkStatus();
}

}  // namespace bw::rtl_dut
