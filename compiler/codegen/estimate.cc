#include "compiler/codegen/estimate.h"

#include <algorithm>
#include <limits>

namespace bw::codegen {
namespace {

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

constexpr int64_t kHandOver = 8;  // queue, token and registered hops

void Set(schedule::Operation& operation, int64_t cycles, int64_t latency) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  operation.cycles = static_cast<uint32_t>(std::min(cycles, kMost));
  operation.latency = static_cast<uint32_t>(std::min(latency, kMost));
}

}  // namespace

void EstimateTransfer(const isa::TransferDescriptor& t, const hwconfig::HwConfig& config,
                      schedule::Operation& operation) {
  const int64_t width = config.dram_bytes_per_cycle;
  const int64_t wider = std::max(t.dram_bits, t.container.bits);
  const int64_t runs = t.Elements() / t.count[0];
  Set(operation, runs * CeilDiv(t.count[0] * wider, 8 * width), config.dram_latency + kHandOver);
}

void EstimateTable(const isa::TableDescriptor& table, int entry_bytes,
                   const hwconfig::HwConfig& config, schedule::Operation& operation) {
  const int64_t at_once = std::max<int64_t>(1, config.dram_bytes_per_cycle / entry_bytes);
  const int64_t bus = CeilDiv(int64_t{table.count} * entry_bytes, config.dram_bytes_per_cycle);
  Set(operation, std::max(bus, table.count / at_once), config.dram_latency + kHandOver);
}

void EstimateMac(const isa::MacDescriptor& mac, const hwconfig::HwConfig& config,
                 schedule::Operation& operation) {
  const int64_t pixels = mac.m0 * mac.m1, taps = mac.k1 * mac.k2;
  const int64_t blocks = CeilDiv(mac.n, config.array_cols);
  const int64_t folds = mac.pack ? CeilDiv(taps * mac.k0, config.array_rows)
                                 : taps * CeilDiv(mac.k0, config.array_rows);
  const int64_t cycles = mac.depthwise ? blocks * taps * pixels
                                       : blocks * folds * std::max(pixels, config.array_rows + 2);
  Set(operation, cycles, config.array_rows + config.array_cols + kHandOver);
}

void EstimatePpu(const isa::PpuDescriptor& ppu, const hwconfig::HwConfig& config,
                 schedule::Operation& operation) {
  constexpr int64_t kPipeline = 12;  // the next operation starts when this one has left
  int64_t beats = CeilDiv(ppu.count[0], config.ppu_lanes);
  for (size_t i = 1; i < ppu.count.size(); ++i) beats *= ppu.count[i];
  Set(operation, beats + kPipeline, 2);
}

}  // namespace bw::codegen
