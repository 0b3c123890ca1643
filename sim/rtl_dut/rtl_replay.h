// All PPU traffic of a run through the RTL alone, as it happens: no memories, no stalls.
#ifndef SIM_RTL_DUT_RTL_REPLAY_H_
#define SIM_RTL_DUT_RTL_REPLAY_H_

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "sim/ppu/ppu_core.h"
#include "sim/ppu/traffic_recorder.h"
#include "sim/rtl_dut/rtl_abi.h"
#include "sim/rtl_dut/rtl_ppu_core.h"

namespace bw::rtl_dut {

struct ReplayCounts {
  uint64_t beats = 0;     // window positions count
  uint64_t compared = 0;  // results, one a lane
  uint64_t mismatches = 0;
  std::string first_mismatch;  // operation, operands, parameters, expected, got; empty when none
};

// Attach to a PpuTrafficRecorder around any core; each beat goes into the model, one a clock, and
// its results are compared with those of the recorded core.
class RtlReplay : public ppu::TrafficSink {
 public:
  explicit RtlReplay(const BwRtlApi& api) : rtl_(api) {}

  void OnBeat(const ppu::CoreBeat& beat) override;
  void OnResult(const ppu::CoreResult& result) override;
  void OnTable(uint32_t entry, const int32_t* values, int count) override;
  // Drains the pipeline. A beat whose result never came from one of the two is a mismatch.
  const ReplayCounts& Finish();

 private:
  struct Sent {
    ppu::CoreConfig config;
    ppu::CoreBeat beat;                                       // of a window the last one
    std::vector<std::array<int64_t, ppu::kMaxLanes>> window;  // a of all positions inside
  };
  static std::string Describe(const Sent& sent, size_t lane, int32_t got, int32_t want);
  void Clock(const ppu::CoreBeat* beat);
  void Drain();
  void CompareReady();
  void Compare(const Sent& sent, const ppu::CoreResult& rtl, const ppu::CoreResult& recorded);

  RtlPpuCore rtl_;
  std::vector<std::array<int64_t, ppu::kMaxLanes>> window_;  // of the window that comes in
  std::deque<Sent> sent_;
  std::deque<ppu::CoreResult> from_rtl_, recorded_;
  ReplayCounts counts_;
};

}  // namespace bw::rtl_dut

#endif  // SIM_RTL_DUT_RTL_REPLAY_H_
