// Collects RunStatistics while the machine runs.
#ifndef SIM_SYSC_RECORDER_H_
#define SIM_SYSC_RECORDER_H_

#include <cstdint>
#include <vector>

#include "compiler/isa/program.h"
#include "sim/sysc/statistics.h"

namespace bw::sysc {

class Recorder {
 public:
  void Begin(const isa::Program& program);

  // Once a cycle and engine.
  void Account(Engine engine, Cause cause) {
    ++run_.engines[static_cast<size_t>(engine)][static_cast<size_t>(cause)];
    if (cause == Cause::kBusy && engine != Engine::kDispatch) busy_ = true;
    if (cause == Cause::kBusy) progress_ = true;
  }
  void AddFetched(uint64_t bytes) { run_.fetched_bytes += bytes; }
  void AddDramRead(uint32_t instruction, uint64_t bytes) {
    LayerOf(instruction).dram_read_bytes += bytes;
  }
  void AddDramWritten(uint32_t instruction, uint64_t bytes) {
    LayerOf(instruction).dram_written_bytes += bytes;
  }
  void AddMacs(uint32_t instruction, uint64_t macs) { LayerOf(instruction).macs += macs; }
  void AddSaturations(uint32_t instruction, uint64_t count) {
    LayerOf(instruction).saturations += count;
  }
  void OnRetire(uint32_t instruction);

  // After every process has seen the cycle: closes the layers whose last instruction retired in it.
  void EndCycle();
  // Whether an engine was busy or an instruction retired since the last call.
  bool TakeProgress();
  // Sums, and the checks that causes and layers add up.
  RunStatistics Finish();

 private:
  LayerStatistics& LayerOf(uint32_t instruction) {
    return run_.layers[program_->info[instruction].layer];
  }

  const isa::Program* program_ = nullptr;
  RunStatistics run_;
  std::vector<uint32_t> left_;      // instructions of each layer that have not retired
  std::vector<uint32_t> finished_;  // layers that finished in this cycle
  EngineCycles at_last_cut_{};
  uint64_t last_cut_ = 0;
  uint32_t last_layer_ = 0;
  bool busy_ = false, progress_ = false;
};

}  // namespace bw::sysc

#endif  // SIM_SYSC_RECORDER_H_
