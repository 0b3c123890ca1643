#include "tests/unit/sysc/run_pair.h"

#include <fmt/format.h>

#include <random>

#include "models/iss/iss.h"
#include "models/machine/placement.h"

namespace bw::sysc {
namespace {

class ProbeReader : public machine::RetireObserver {
 public:
  ProbeReader(const isa::Program& program, Observed& observed)
      : program_(program), observed_(observed) {
    for (const isa::LayerInfo& layer : program.layers) {
      observed.layers.emplace_back(static_cast<size_t>(layer.shape.Elements()), 0);
    }
  }
  void OnRetire(uint32_t instruction, uint64_t, const machine::MemoryView& memory) override {
    for (const isa::Probe& probe : program_.probes) {
      if (probe.instruction != instruction) continue;
      machine::ReadProbe(program_, probe, memory, observed_.layers[probe.layer].data());
      int64_t count = 1;
      for (const int64_t extent : probe.extent) count *= extent;
      observed_.elements += count;
    }
  }

 private:
  const isa::Program& program_;
  Observed& observed_;
};

}  // namespace

Observed RunOn(machine::Executor& executor, const isa::Program& program, uint32_t input_seed) {
  Observed observed;
  Status status = executor.Load(program);
  std::mt19937 rng(input_seed);
  for (const isa::IoTensor& input : program.inputs) {
    std::vector<int32_t> values(static_cast<size_t>(input.shape.Elements()));
    const int64_t range = int64_t{1} << input.bits;
    for (int32_t& value : values) {
      const auto random = static_cast<int64_t>(rng() % static_cast<uint64_t>(range));
      value = static_cast<int32_t>(random - (input.is_signed ? range / 2 : 0));
    }
    machine::WriteTensor(values.data(), input.shape, input.placement, executor.dram());
  }
  ProbeReader probes(program, observed);
  if (status.ok()) status = executor.Run(&probes);
  if (!status.ok()) observed.error = ToString(status.errors());
  observed.dram.assign(executor.dram(), executor.dram() + program.dram_bytes_used);
  return observed;
}

Observed RunOnIss(const isa::Program& program, uint32_t input_seed) {
  iss::Iss iss(program.config);
  return RunOn(iss, program, input_seed);
}

std::string Difference(const isa::Program& program, const Observed& got, const Observed& want) {
  if (got.error != want.error) return fmt::format("error '{}', not '{}'", got.error, want.error);
  for (size_t n = 0; n < want.layers.size(); ++n) {
    for (size_t i = 0; i < want.layers[n].size(); ++i) {
      if (got.layers[n][i] == want.layers[n][i]) continue;
      return fmt::format("layer {} ({}) element {}: {}, not {}", n, program.layers[n].name, i,
                         got.layers[n][i], want.layers[n][i]);
    }
  }
  for (size_t i = 0; i < want.dram.size(); ++i) {
    if (got.dram[i] == want.dram[i]) continue;
    return fmt::format("DRAM byte {}: {}, not {}", i, got.dram[i], want.dram[i]);
  }
  return "";
}

}  // namespace bw::sysc
