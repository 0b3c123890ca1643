// The PPU pipeline in C++: windows fold at its entry, and a shift register holds the results that
// models/arith computed there.
#ifndef SIM_PPU_NATIVE_CORE_H_
#define SIM_PPU_NATIVE_CORE_H_

#include <cstdint>
#include <vector>

#include "models/hwconfig/hw_config.h"
#include "sim/ppu/lane.h"
#include "sim/ppu/ppu_core.h"

namespace bw::ppu {

class NativeCore : public PpuCore {
 public:
  explicit NativeCore(const hwconfig::HwConfig& config);

  void Reset() override;
  bool OutValid() const override { return stages_[last_].valid; }
  const CoreResult& Out() const override { return stages_[last_].result; }
  bool Clock(const CoreBeat* in, bool out_ready) override;
  void WriteTable(uint32_t entry, const int32_t* values, int count) override;
  uint64_t Saturations() const override { return saturations_; }

 private:
  struct Stage {
    bool valid = false;
    uint32_t saturated = 0;  // lanes whose result the last clip changed
    CoreResult result;
  };

  void Take(const CoreBeat& beat, Stage& stage);
  void Compute(const CoreBeat& beat, Stage& stage) const;

  std::vector<int32_t> lookup_;  // all tables
  WindowFold fold_;
  std::vector<Stage> stages_;  // a ring: moving the pipeline moves `last_`
  size_t last_ = 0;            // the stage at the output
  uint64_t saturations_ = 0;
};

}  // namespace bw::ppu

#endif  // SIM_PPU_NATIVE_CORE_H_
