// Listens to everything that enters and leaves a PpuCore, so that the traffic of a run can be
// played through another implementation alone.
#ifndef SIM_PPU_TRAFFIC_RECORDER_H_
#define SIM_PPU_TRAFFIC_RECORDER_H_

#include <cstdint>
#include <memory>
#include <utility>

#include "sim/ppu/ppu_core.h"

namespace bw::ppu {

class TrafficSink {
 public:
  virtual ~TrafficSink() = default;
  // A beat that the core took. Beats come in order; the reference is good during the call.
  virtual void OnBeat(const CoreBeat& beat) = 0;
  // A result that the consumer took; the k-th result belongs to the k-th beat with `last` set.
  virtual void OnResult(const CoreResult& result) = 0;
  // Entries of the lookup memory that were written; the pointer is good during the call. Beats that
  // came before may still be on their way, but no lookup that reads these entries is.
  virtual void OnTable(uint32_t entry, const int32_t* values, int count) = 0;
};

// Hands everything through to `core` and tells `sink`.
class PpuTrafficRecorder : public PpuCore {
 public:
  PpuTrafficRecorder(std::unique_ptr<PpuCore> core, TrafficSink& sink)
      : core_(std::move(core)), sink_(sink) {}

  void Reset() override { core_->Reset(); }
  bool OutValid() const override { return core_->OutValid(); }
  const CoreResult& Out() const override { return core_->Out(); }
  void WriteTable(uint32_t entry, const int32_t* values, int count) override {
    core_->WriteTable(entry, values, count);
    sink_.OnTable(entry, values, count);
  }
  bool Clock(const CoreBeat* in, bool out_ready) override {
    if (out_ready && core_->OutValid()) sink_.OnResult(core_->Out());
    const bool taken = core_->Clock(in, out_ready);
    if (taken) sink_.OnBeat(*in);
    return taken;
  }
  uint64_t Saturations() const override { return core_->Saturations(); }

 private:
  std::unique_ptr<PpuCore> core_;
  TrafficSink& sink_;
};

}  // namespace bw::ppu

#endif  // SIM_PPU_TRAFFIC_RECORDER_H_
