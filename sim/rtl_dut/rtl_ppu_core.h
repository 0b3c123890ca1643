// The PPU pipeline by Verilated RTL.
#ifndef SIM_RTL_DUT_RTL_PPU_CORE_H_
#define SIM_RTL_DUT_RTL_PPU_CORE_H_

#include <array>
#include <deque>
#include <string>
#include <utility>

#include "models/status/result.h"
#include "sim/ppu/ppu_core.h"
#include "sim/rtl_dut/rtl_abi.h"

namespace bw::rtl_dut {

// Drives the ports of bw_ppu and hands out what they show: all values come from the model. Only the
// tag and the number of lanes, which the RTL does not carry to its output, are kept beside it.
class RtlPpuCore : public ppu::PpuCore {
 public:
  explicit RtlPpuCore(const BwRtlApi& api);
  ~RtlPpuCore() override;
  RtlPpuCore(const RtlPpuCore&) = delete;
  RtlPpuCore& operator=(const RtlPpuCore&) = delete;

  void Reset() override;
  bool OutValid() const override { return out_valid_; }
  const ppu::CoreResult& Out() const override;
  bool Clock(const ppu::CoreBeat* in, bool out_ready) override;
  void WriteTable(uint32_t entry, const int32_t* values, int count) override;
  uint64_t Saturations() const override;

  // Writes a VCD of all that follows. Fails when the model was built without tracing.
  Status Trace(const std::string& path);

 private:
  void Sample();

  const BwRtlApi& api_;
  void* model_;
  std::array<BwRtlLane, ppu::kMaxLanes> lanes_{};
  std::deque<std::pair<int, uint64_t>> in_flight_;  // results to come: lanes, tag; oldest first
  bool out_valid_ = false;
  bool writing_ = false;  // the next edge writes table entries
  bool tracing_ = false;  // every cycle shows in the waveform
  ppu::CoreResult out_;
};

}  // namespace bw::rtl_dut

#endif  // SIM_RTL_DUT_RTL_PPU_CORE_H_
