#include "sim/timing/timing.h"

#include <algorithm>

namespace bw::timing {
namespace {

int64_t CeilDivide(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Waits that end by themselves end within this, besides those for external memory: one operation's
// drain through the array or the PPU, with random stalls.
constexpr int64_t kWatchdogMargin = 20000;

// From the start of a MAC operation to its first weight access: descriptor, then block.
constexpr int64_t kFirstLoad = 2;

}  // namespace

int PpuPipelineDepth(const hwconfig::HwConfig& /*config*/) { return 7; }

int64_t PpuCycles(const hwconfig::HwConfig& config, int64_t beats) {
  return beats + kMemoryReadLatency + PpuPipelineDepth(config) + 2;
}

int64_t ArrayLatency(const hwconfig::HwConfig& config) {
  return config.array_rows + config.array_cols - 1;
}

int64_t WeightLoadAccesses(int64_t k) { return k; }

int64_t BlockPrologueAccesses(bool bias, bool zero_point_vector) {
  return (bias ? 1 : 0) + (zero_point_vector ? 1 : 0);
}

int64_t OutputDrain(int64_t pixels) { return pixels; }

int64_t GemmCycles(const hwconfig::HwConfig& config, int64_t m, int64_t n, int64_t k) {
  const int64_t n_folds = CeilDivide(n, config.array_cols);
  const int64_t k_folds = CeilDivide(k, config.array_rows);
  const int64_t last_k = k - (k_folds - 1) * config.array_rows;
  int64_t load_begin = kFirstLoad, load_end = kFirstLoad;  // of this fold's weights
  int64_t leave = 0, leave_before = 0;  // last vectors of the two folds before this one
  for (int64_t fold = 0; fold < n_folds * k_folds; ++fold) {
    const bool is_short = fold % k_folds == k_folds - 1;
    load_begin = fold < 2 ? load_end : std::max(load_end, leave_before + 1);
    load_end = load_begin + WeightLoadAccesses(is_short ? last_k : config.array_rows);
    const int64_t first = std::max(leave + 1, load_end - 1 + kMemoryReadLatency);
    leave_before = leave;
    leave = first + m - 1;
  }
  return leave + ArrayLatency(config);
}

int64_t DramBeats(const hwconfig::HwConfig& config, uint64_t address, int64_t bytes) {
  const auto width = static_cast<uint64_t>(config.dram_bytes_per_cycle);
  const uint64_t last = address + static_cast<uint64_t>(bytes) - 1;
  return static_cast<int64_t>(last / width - address / width + 1);
}

int64_t DramReadLatency(const hwconfig::HwConfig& config) {
  return std::max<int64_t>(config.dram_latency, 1);
}

int64_t DmaBeatElements(const hwconfig::HwConfig& config, int dram_bits, int container_bits) {
  const int64_t bits = std::max(dram_bits, container_bits);
  return std::clamp<int64_t>(config.dram_bytes_per_cycle * 8 / bits, 1, kMaxVector);
}

int64_t TableBeatEntries(const hwconfig::HwConfig& config, int entry_bytes) {
  return std::max<int64_t>(config.dram_bytes_per_cycle / entry_bytes, 1);
}

int64_t FetchBurstBytes(const hwconfig::HwConfig& config) {
  return std::clamp<int64_t>(config.dma_burst_bytes, kInstructionBytes, 256);
}

int64_t FetchBufferInstructions(const hwconfig::HwConfig& config) {
  return 2 * FetchBurstBytes(config) / kInstructionBytes;
}

int64_t WatchdogCycles(const hwconfig::HwConfig& config) {
  const int64_t burst = DramBeats(config, 0, config.dma_burst_bytes);
  return kWatchdogMargin + config.dma_outstanding * (burst + DramReadLatency(config));
}

}  // namespace bw::timing
