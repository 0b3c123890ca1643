// The state of the untimed machine, and the seam through which accesses are watched.
#ifndef MODELS_ISS_STATE_H_
#define MODELS_ISS_STATE_H_

#include <cstdint>
#include <vector>

#include "compiler/isa/descriptor.h"
#include "compiler/isa/instruction.h"
#include "models/hwconfig/hw_config.h"

namespace bw::iss {

// Told what each instruction reads and writes, as half-open ranges: bytes of DRAM and scratchpad,
// entries of accumulators, parameters and tables.
class AccessObserver {
 public:
  virtual ~AccessObserver() = default;
  virtual void Read(isa::Memory memory, uint64_t begin, uint64_t end) = 0;
  virtual void Write(isa::Memory memory, uint64_t begin, uint64_t end) = 0;
};

struct State {
  explicit State(const hwconfig::HwConfig& hw)
      : config(hw),
        spm(static_cast<size_t>(hw.spm_bytes) + 8),
        acc(static_cast<size_t>(hw.acc_entries)),
        param(static_cast<size_t>(hw.ppu_param_entries)),
        lut(static_cast<size_t>(hw.lut_tables * (hw.lut_segments + 1))) {}

  const hwconfig::HwConfig& config;
  uint8_t* dram = nullptr;
  std::vector<uint8_t> spm;  // eight spare bytes behind the last one
  std::vector<int64_t> acc;  // wrapped to acc_bits
  std::vector<isa::PpuParam> param;
  std::vector<int32_t> lut;
  isa::Registers registers[isa::kQueues]{};
  AccessObserver* observer = nullptr;
  uint64_t saturations = 0;  // results that a clip of the PPU changed
  uint64_t acc_wraps = 0;    // sums of MAC tiles that left acc_bits and wrapped
};

// One operation each; the descriptor has been checked against the config.
void RunLoad(const isa::TransferDescriptor& d, State& state);
void RunLoadParameters(const isa::TableDescriptor& d, State& state);
void RunLoadTable(const isa::TableDescriptor& d, State& state);
void RunStore(const isa::TransferDescriptor& d, State& state);
void RunMac(const isa::MacDescriptor& d, State& state);
void RunPpu(const isa::PpuDescriptor& d, State& state);

}  // namespace bw::iss

#endif  // MODELS_ISS_STATE_H_
