// Every layer's output as an executor made it, gathered by untimed probes.
#ifndef SIM_COSIM_PROBE_COLLECTOR_H_
#define SIM_COSIM_PROBE_COLLECTOR_H_

#include <cstdint>
#include <vector>

#include "compiler/isa/program.h"
#include "models/machine/executor.h"
#include "models/status/result.h"

namespace bw::cosim {

// Layers of the program that host operators make: never compared.
std::vector<bool> HostLayers(const isa::Program& program);

// Every layer that has probes is covered by them, each element exactly once, and every layer but
// the host's has probes. All problems, each naming its layer.
Status CheckProbes(const isa::Program& program);

class ProbeCollector : public machine::RetireObserver {
 public:
  // The program must outlive the collector.
  explicit ProbeCollector(const isa::Program& program);

  void OnRetire(uint32_t instruction, uint64_t cycle, const machine::MemoryView& memory) override;

  // Before each run.
  void Clear();
  // After a run: every element of every probed layer arrived exactly once.
  Status CheckComplete() const;

  // Row-major in logical axis order; empty for layers without probes.
  const std::vector<int32_t>& layer(size_t index) const { return values_.at(index); }
  // The instruction whose retirement completed element `at` of a layer; the layer has probes.
  uint32_t InstructionOf(size_t layer, int64_t at) const;

 private:
  void Read(const isa::Probe& probe, const machine::MemoryView& memory);

  const isa::Program& program_;
  std::vector<std::vector<int32_t>> values_;  // by layer
  std::vector<std::vector<uint8_t>> times_;   // by layer: arrivals of each element
};

}  // namespace bw::cosim

#endif  // SIM_COSIM_PROBE_COLLECTOR_H_
