// A PPU pipeline with a defect in front of it.
#ifndef SIM_COSIM_FAULTY_CORE_H_
#define SIM_COSIM_FAULTY_CORE_H_

#include <memory>
#include <utility>

#include "sim/ppu/ppu_core.h"

namespace bw::cosim {

// One bit of the multiplier constant that lane 0 gets is inverted.
class FlippedMultiplier : public ppu::PpuCore {
 public:
  FlippedMultiplier(std::unique_ptr<ppu::PpuCore> core, uint32_t bit)
      : core_(std::move(core)), bit_(bit) {}

  void Reset() override { core_->Reset(); }
  bool OutValid() const override { return core_->OutValid(); }
  const ppu::CoreResult& Out() const override { return core_->Out(); }
  uint64_t Saturations() const override { return core_->Saturations(); }
  void WriteTable(uint32_t entry, const int32_t* values, int count) override {
    core_->WriteTable(entry, values, count);
  }
  bool Clock(const ppu::CoreBeat* in, bool out_ready) override {
    if (in == nullptr) return core_->Clock(nullptr, out_ready);
    ppu::CoreBeat changed = *in;
    changed.param[0].m ^= int64_t{1} << bit_;
    return core_->Clock(&changed, out_ready);
  }

 private:
  std::unique_ptr<ppu::PpuCore> core_;
  uint32_t bit_;
};

}  // namespace bw::cosim

#endif  // SIM_COSIM_FAULTY_CORE_H_
