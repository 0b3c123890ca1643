// Rates of the untimed machine's engines: multiply-accumulates and PPU results a second.
#include <benchmark/benchmark.h>

#include "models/iss/state.h"

namespace bw::iss {
namespace {

// 3x3 convolution of a 16 x 16 x k0 tile to 32 channels, padded by one, channels last.
isa::MacDescriptor Convolution(int64_t k0, int container) {
  isa::MacDescriptor d;
  const int64_t row = k0 * container;
  d.a_bit = 65536 * 8;
  d.a = d.b = {container, true};
  d.m0 = d.m1 = 16;
  d.n = 32;
  d.k0 = k0;
  d.k1 = d.k2 = 3;
  d.am0 = d.ak1 = row;
  d.am1 = d.ak2 = row * 16;
  d.ak0 = d.bk0 = container;
  d.bk1 = row;
  d.bk2 = row * 3;
  d.bn = row * 9;
  d.x0 = d.y0 = -1;
  d.xm = d.xk = d.ym = d.yk = 1;
  d.xlim = d.ylim = 16;
  d.cm0 = 32;
  d.cm1 = 512;
  d.a_bit += static_cast<uint64_t>(row * 17);
  return d;
}

void MacTile(benchmark::State& bench) {
  hwconfig::HwConfig config;
  State state(config);
  for (size_t i = 0; i < state.spm.size(); ++i) state.spm[i] = static_cast<uint8_t>(i * 37);
  const isa::MacDescriptor d = Convolution(bench.range(0), static_cast<int>(bench.range(1)));
  for (auto _ : bench) RunMac(d, state);
  const double macs = static_cast<double>(d.m0 * d.m1 * d.n * d.k0 * d.k1 * d.k2);
  bench.counters["MMAC/s"] = benchmark::Counter(
      macs / 1e6 * static_cast<double>(bench.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(MacTile)->Args({16, 8})->Args({64, 8})->Args({3, 8})->Args({64, 16});

void PpuRequantise(benchmark::State& bench) {
  hwconfig::HwConfig config;
  State state(config);
  for (size_t i = 0; i < state.acc.size(); ++i)
    state.acc[i] = static_cast<int64_t>(i * 977) - 50000;
  for (isa::PpuParam& p : state.param) p = {40000, 0, 0, -127, 127, 25, 0};
  isa::PpuDescriptor d;
  d.op = isa::Opcode::kRq;
  d.a_mem = isa::Memory::kAcc;
  d.count = {32, 16, 16, 1, 1, 1};
  d.a_stride = {1, 32, 512, 0, 0, 0};
  d.d_stride = {8, 256, 4096, 0};
  d.param_stride = 1;
  for (auto _ : bench) RunPpu(d, state);
  bench.SetItemsProcessed(bench.iterations() * 32 * 256);
}
BENCHMARK(PpuRequantise);

}  // namespace
}  // namespace bw::iss
