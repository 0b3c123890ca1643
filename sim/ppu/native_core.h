// The PPU pipeline in C++: a shift register of results that models/arith computed at its entry.
#ifndef SIM_PPU_NATIVE_CORE_H_
#define SIM_PPU_NATIVE_CORE_H_

#include <cstdint>
#include <vector>

#include "models/hwconfig/hw_config.h"
#include "sim/ppu/ppu_core.h"

namespace bw::ppu {

class NativeCore : public PpuCore {
 public:
  explicit NativeCore(const hwconfig::HwConfig& config);

  void Reset() override;
  bool OutValid() const override { return stages_[last_].valid; }
  const CoreResult& Out() const override { return stages_[last_].result; }
  void WriteTable(uint32_t /*entry*/, const int32_t* /*values*/, int /*count*/) override {}
  bool Clock(const CoreBeat* in, bool out_ready) override;
  uint64_t Saturations() const override { return saturations_; }

 private:
  struct Stage {
    bool valid = false;
    uint32_t saturated = 0;  // lanes whose result the last clip changed
    CoreResult result;
  };

  static void Compute(const CoreBeat& beat, Stage& stage);

  std::vector<Stage> stages_;  // a ring: moving the pipeline moves `last_`
  size_t last_ = 0;            // the stage at the output
  uint64_t saturations_ = 0;
};

}  // namespace bw::ppu

#endif  // SIM_PPU_NATIVE_CORE_H_
