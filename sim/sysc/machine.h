// The whole machine as one SystemC design.
//
//   dispatcher --> load, MAC, PPU, store engines --> scratchpad, accumulators
//        \__________ DRAM controller ==TLM==> DRAM
//
// SystemC elaborates once a process, so there is one machine a process; it takes another hardware
// configuration, program or option between runs. One SystemC process clocks the modules in turn: in
// an order that may be permuted, as nothing passes between them within a cycle.
#ifndef SIM_SYSC_MACHINE_H_
#define SIM_SYSC_MACHINE_H_

#include <functional>
#include <memory>
#include <systemc>
#include <vector>

#include "models/machine/executor.h"
#include "sim/ppu/ppu_core.h"
#include "sim/sysc/acc_sram.h"
#include "sim/sysc/dispatcher.h"
#include "sim/sysc/dram.h"
#include "sim/sysc/dram_controller.h"
#include "sim/sysc/load_engine.h"
#include "sim/sysc/mac_engine.h"
#include "sim/sysc/machine_context.h"
#include "sim/sysc/ppu_engine.h"
#include "sim/sysc/scratchpad.h"
#include "sim/sysc/store_engine.h"

namespace bw::sysc {

struct MachineOptions {
  // Makes the PPU's pipeline; native when empty.
  std::function<std::unique_ptr<ppu::PpuCore>(const hwconfig::HwConfig&)> ppu_core;
  uint64_t stall_seed = 0;  // random stalls on every ring and port; 0: none
  uint64_t order_seed = 0;  // permutes the order of the processes; 0: as built
  Faults faults;
  EventSink* events = nullptr;          // may be null
  SpmObserver* spm_observer = nullptr;  // may be null
};

class Machine : public sc_core::sc_module, private RetireListener {
 public:
  explicit Machine(const sc_core::sc_module_name& name);
  // The machine of this process, elaborated on the first call.
  static Machine& OfProcess();

  // Empties everything and gets ready to run `program` on `dram` (config.dram_bytes).
  void Begin(const isa::Program& program, const hwconfig::HwConfig& config,
             const MachineOptions& options, uint8_t* dram, machine::RetireObserver* observer);
  // One segment, until its halt has retired. Fails on a bad instruction or when nothing moves.
  Status RunSegment(const isa::Segment& segment);
  // After the last segment.
  RunStatistics Finish() { return context_.recorder.Finish(); }

 private:
  void Cycle();
  void OnRetire(isa::Queue queue, uint32_t instruction) override;
  bool Stuck();
  Error InstructionError(uint32_t index, std::string message) const;
  Status DeadlockError();

  MachineContext context_;
  Dram dram_;
  DramController controller_;
  Scratchpad spm_;
  AccSram acc_;
  PpuEngine ppu_;
  LoadEngine load_;
  MacEngine mac_;
  StoreEngine store_;
  Dispatcher dispatcher_;

  std::vector<Clocked*> processes_;  // in the order of evaluation
  sc_core::sc_event start_;
  const isa::Program* program_ = nullptr;
  machine::RetireObserver* observer_ = nullptr;
  machine::MemoryView view_;
  uint64_t last_progress_ = 0;
  bool stuck_ = false;
};

}  // namespace bw::sysc

#endif  // SIM_SYSC_MACHINE_H_
