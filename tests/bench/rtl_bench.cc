// Speed of the Verilated PPU pipeline of the edge config behind its C++ class: beats of 16 lanes a
// second of one core.
#include <benchmark/benchmark.h>

#include <vector>

#include "sim/rtl_dut/model_library.h"
#include "sim/rtl_dut/rtl_ppu_core.h"

namespace bw::rtl_dut {
namespace {

constexpr size_t kBeats = 64;

// Beats of one operation with operands of 8 bits (of 20 for a requantisation).
std::vector<ppu::CoreBeat> Beats(const ppu::CoreConfig& config, int lanes, size_t window) {
  std::vector<ppu::CoreBeat> beats(kBeats);
  uint32_t state = 1;
  const auto next = [&state](int bits) {
    state = state * 1664525 + 1013904223;
    return static_cast<int64_t>(static_cast<int32_t>(state) >> (32 - bits));
  };
  for (size_t k = 0; k < beats.size(); ++k) {
    ppu::CoreBeat& beat = beats[k];
    beat.config = &config;
    beat.lanes = lanes;
    beat.first = k % window == 0;
    beat.last = k % window == window - 1;
    for (size_t i = 0; i < static_cast<size_t>(lanes); ++i) {
      beat.a[i] = next(config.op == ppu::CoreOp::kRequantise ? 20 : 8);
      beat.b[i] = next(8);
      beat.param[i] = {40000 + static_cast<int64_t>(i), 0, 0, -127, 127, 28, 0};
    }
  }
  return beats;
}

void Stream(benchmark::State& bench, const ppu::CoreConfig& config, size_t window = 1) {
  hwconfig::HwConfig edge;  // the defaults are those of configs/npu/edge.yaml
  edge.name = "edge";
  const auto model = LoadModel(ParametersFor(edge), {});
  if (!model.ok()) {
    bench.SkipWithError("no RTL model of this config");
    return;
  }
  RtlPpuCore core(**model);
  core.Reset();
  const auto beats = Beats(config, static_cast<int>(edge.ppu_lanes), window);
  size_t at = 0;
  int64_t sum = 0;
  for (auto _ : bench) {
    if (core.OutValid()) sum += core.Out().y[0];
    core.Clock(&beats[at], true);
    at = (at + 1) % kBeats;
  }
  benchmark::DoNotOptimize(sum);
  bench.counters["beats/s"] =
      benchmark::Counter(static_cast<double>(bench.iterations()), benchmark::Counter::kIsRate);
}

void Requantise(benchmark::State& bench) { Stream(bench, {}); }
BENCHMARK(Requantise);

void Add(benchmark::State& bench) {
  ppu::CoreConfig config;
  config.op = ppu::CoreOp::kAdd;
  config.add.a.left_shift = 15;
  config.add.b = {0, 0, 45335, 1, true};
  config.add.stage1_shift = 8;
  config.add.stage1_bits = 16;
  Stream(bench, config);
}
BENCHMARK(Add);

void Multiply(benchmark::State& bench) {
  ppu::CoreConfig config;
  config.op = ppu::CoreOp::kMultiply;
  Stream(bench, config);
}
BENCHMARK(Multiply);

}  // namespace
}  // namespace bw::rtl_dut
