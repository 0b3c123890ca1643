// The post-processing unit around its arithmetic pipeline (PpuCore).
//
//   port A, B, ACC --> window or lookup --> beat register --> PpuCore --> port D
//
// One beat of ppu.lanes elements a cycle; a window takes one cycle a position. A result that finds
// no place stops the pipeline. The next operation starts when the one before has retired, as it may
// read what that one wrote. Parameters and tables are memories of this engine; the load engine
// sends their contents.
#ifndef SIM_SYSC_PPU_ENGINE_H_
#define SIM_SYSC_PPU_ENGINE_H_

#include <array>
#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "sim/ppu/ppu_core.h"
#include "sim/sysc/acc_sram.h"
#include "sim/sysc/engine_front.h"
#include "sim/sysc/ppu_nest.h"
#include "sim/sysc/scratchpad.h"
#include "sim/sysc/tables.h"

namespace bw::sysc {

class PpuEngine : public sc_core::sc_module, public Clocked {
 public:
  PpuEngine(const sc_core::sc_module_name& name, Scratchpad& spm, AccSram& acc);

  void Configure(MachineContext& context, std::unique_ptr<ppu::PpuCore> core);
  EngineFront& front() { return front_; }
  Ring<TableBeat>& tables() { return tables_; }
  void Clock() override;

 private:
  using Values = std::array<int64_t, ppu::kMaxLanes>;

  void WriteTables();
  void WriteParameters(const TableBeat& beat);
  void WriteLookup(const TableBeat& beat);

  void ClockCore();
  void WriteResult(const ppu::CoreResult& result);

  void IssueReads();
  void IssueOperand(size_t operand, isa::Memory memory, int64_t first, int64_t stride, int bits,
                    bool inside);
  bool OperandHasSpace(size_t operand, isa::Memory memory);
  bool OperandServed(size_t operand, isa::Memory memory);
  void TakeOperand(size_t operand, isa::Memory memory, bool is_signed, Values& values);

  bool Assemble();
  void FoldWindow(const Values& values, int lanes);
  void LookUp(int lanes);
  void SetParameters(int lanes);

  void Accept();
  Cause WhyIdle();

  std::array<SpmPort*, 2> spm_port_;  // A, B
  SpmPort& d_port_;
  AccSram& acc_;
  EngineFront front_{isa::Queue::kPpu};
  MachineContext* context_ = nullptr;
  std::unique_ptr<ppu::PpuCore> core_;

  Ring<TableBeat> tables_;
  std::vector<isa::PpuParam> params_;
  std::vector<int32_t> lookup_;

  bool active_ = false;
  uint32_t instruction_ = 0;
  isa::PpuDescriptor d_;
  ppu::CoreConfig core_config_;
  PpuNest issue_, assemble_, result_;
  bool beat_valid_ = false;
  ppu::CoreBeat beat_;  // the beat register
  uint64_t saturations_seen_ = 0;
  bool stalled_ = false;  // by a random stall, in this cycle
  bool refused_ = false;  // the core could not take the beat register
};

}  // namespace bw::sysc

#endif  // SIM_SYSC_PPU_ENGINE_H_
