#include "tests/unit/codegen/run_program.h"

#include <fmt/format.h>

#include <random>
#include <vector>

#include "models/golden/executor.h"
#include "models/iss/hazard_checker.h"
#include "models/iss/iss.h"
#include "models/machine/placement.h"

namespace bw::codegen {
namespace {

// Reads what probes show, and counts how often each element is shown.
class Watcher : public machine::RetireObserver {
 public:
  explicit Watcher(const isa::Program& program) : program_(program) {
    for (const isa::LayerInfo& layer : program.layers) {
      values.emplace_back(static_cast<size_t>(layer.shape.Elements()), 0);
      seen.emplace_back(static_cast<size_t>(layer.shape.Elements()), 0);
    }
  }
  void OnRetire(uint32_t instruction, uint64_t, const machine::MemoryView& memory) override {
    for (; next_ < program_.probes.size(); ++next_) {
      const isa::Probe& probe = program_.probes[next_];
      if (probe.instruction != instruction) return;
      machine::ReadProbe(program_, probe, memory, values[probe.layer].data());
      Count(probe);
    }
  }
  std::vector<std::vector<int32_t>> values;
  std::vector<std::vector<int>> seen;

 private:
  void Count(const isa::Probe& probe) {
    const std::vector<int64_t> strides = program_.layers[probe.layer].shape.Strides();
    int64_t count = 1;
    for (const int64_t extent : probe.extent) count *= extent;
    for (int64_t i = 0; i < count; ++i) {
      int64_t at = 0, rest = i;
      for (size_t axis = probe.extent.size(); axis-- > 0;) {
        at += (probe.first[axis] + rest % probe.extent[axis]) * strides[axis];
        rest /= probe.extent[axis];
      }
      ++seen[probe.layer][static_cast<size_t>(at)];
    }
  }

  const isa::Program& program_;
  size_t next_ = 0;
};

std::string Compare(const graph::IntGraph& graph, const Watcher& watcher,
                    const std::vector<golden::IntTensor>& expected, int64_t* elements) {
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (graph::IsHostNode(graph.nodes[n])) continue;
    for (size_t i = 0; i < expected[n].data.size(); ++i) {
      if (watcher.seen[n][i] != 1) {
        return fmt::format("{} element {} is probed {} times", graph.nodes[n].name, i,
                           watcher.seen[n][i]);
      }
      if (watcher.values[n][i] != expected[n].data[i]) {
        return fmt::format("{} ({}) element {}: {}, golden {}", graph.nodes[n].name,
                           expected[n].shape.ToString(), i, watcher.values[n][i],
                           expected[n].data[i]);
      }
      ++*elements;
    }
  }
  return "";
}

std::vector<golden::IntTensor> RandomInputs(const graph::IntGraph& graph, uint32_t seed) {
  std::mt19937 rng(seed);
  std::vector<golden::IntTensor> inputs;
  for (const graph::IntValueId id : graph.inputs) {
    const graph::IntValue& value = graph.value(id);
    golden::IntTensor tensor(value.shape);
    const int64_t range = int64_t{1} << value.bits;
    for (auto& v : tensor.data) {
      const auto random = static_cast<int64_t>(rng() % static_cast<uint64_t>(range));
      v = static_cast<int32_t>(random - (value.is_signed ? range / 2 : 0));
    }
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

}  // namespace

RunReport RunAndCompare(const graph::IntGraph& graph, const hwconfig::HwConfig& config,
                        const CompileOptions& options,
                        const std::vector<golden::IntTensor>& inputs) {
  RunReport report;
  auto compiled = Compile(graph, config, options);
  if (!compiled.ok()) {
    report.compile_error = ToString(compiled.errors());
    return report;
  }
  report.program = std::move(compiled).value();
  if (const Status verified = isa::VerifyProgram(report.program, "test"); !verified.ok()) {
    report.problem = ToString(verified.errors());
    return report;
  }
  std::vector<golden::IntTensor> expected(graph.nodes.size());
  const golden::GoldenExecutor golden(graph);
  const auto golden_run = golden.Run(
      inputs, [&](size_t node, const golden::IntTensor& result) { expected[node] = result; });
  BW_CHECK(golden_run.ok(), "{}", ToString(golden_run.errors()));

  iss::Iss iss(config);
  iss::HazardChecker hazards;
  iss.Watch(&hazards);
  Status status = iss.Load(report.program);
  Watcher watcher(report.program);
  for (size_t i = 0; status.ok() && i < inputs.size(); ++i) {
    machine::WriteTensor(inputs[i].data.data(), inputs[i].shape, report.program.inputs[i].placement,
                         iss.dram());
  }
  if (status.ok()) status = iss.Run(&watcher);
  if (!status.ok()) {
    report.problem = ToString(status.errors());
    return report;
  }
  report.problem = Compare(graph, watcher, expected, &report.elements);
  for (size_t i = 0; report.problem.empty() && i < graph.outputs.size(); ++i) {
    const golden::IntTensor& want = golden_run->outputs[i];
    std::vector<int32_t> got(want.data.size());
    machine::ReadTensor(iss.dram(), want.shape, report.program.outputs[i].placement, got.data());
    for (size_t k = 0; k < got.size(); ++k) {
      ++report.output_elements;
      if (got[k] == want.data[k]) continue;
      report.problem =
          fmt::format("output {} element {}: {}, golden {}", i, k, got[k], want.data[k]);
      break;
    }
  }
  return report;
}

RunReport RunAndCompare(const graph::IntGraph& graph, const hwconfig::HwConfig& config,
                        const CompileOptions& options, uint32_t seed) {
  return RunAndCompare(graph, config, options, RandomInputs(graph, seed));
}

}  // namespace bw::codegen
