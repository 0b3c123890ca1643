// Speed of the SystemC machine with values, in simulated cycles in which an engine is busy, a
// second of one core.
#include <benchmark/benchmark.h>

#include "compiler/codegen/compile.h"
#include "sim/sysc/systemc_executor.h"
#include "tests/unit/codegen/network.h"

namespace bw::sysc {
namespace {

// The defaults are those of configs/npu/edge.yaml.
hwconfig::HwConfig Edge() {
  hwconfig::HwConfig config;
  config.name = "edge";
  return config;
}

// A residual network of 3x3, depthwise and pointwise convolutions on 32 x 32 x 3.
isa::Program Compiled(const hwconfig::HwConfig& config) {
  codegen::Network network(1);
  auto x = network.Input({1, 3, 32, 32});
  codegen::ConvSpec conv;
  conv.out = 32;
  x = network.Conv(x, conv);
  const auto y = network.Conv(network.Conv(x, conv), conv);
  x = network.Add(x, y);
  x = network.Conv(network.Conv(x, codegen::Depthwise(32)), codegen::Pointwise(64));
  x = network.Pool(x, {});
  conv.out = 64;
  x = network.Conv(x, conv);
  x = network.GlobalPool(x);
  network.Output(network.MatMul(network.Reshape(x, {1, 64}), 10));
  auto program = codegen::Compile(network.graph(), config);
  BW_CHECK(program.ok(), "{}", ToString(program.errors()));
  return *program;
}

void ResidualNetwork(benchmark::State& bench) {
  const hwconfig::HwConfig config = Edge();
  const isa::Program program = Compiled(config);
  SystemcExecutor executor(config);
  BW_CHECK(executor.Load(program).ok(), "load");
  double busy = 0, total = 0;
  for (auto _ : bench) {
    const Status status = executor.Run(nullptr);
    BW_CHECK(status.ok(), "{}", ToString(status.errors()));
    busy += static_cast<double>(executor.statistics().busy_cycles);
    total += static_cast<double>(executor.statistics().total_cycles);
  }
  bench.counters["busy cycles/s"] = benchmark::Counter(busy, benchmark::Counter::kIsRate);
  bench.counters["busy share"] = busy / total;
  bench.counters["cycles a run"] = total / static_cast<double>(bench.iterations());
}
BENCHMARK(ResidualNetwork)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace bw::sysc
