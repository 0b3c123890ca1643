#include "sim/timing/timing.h"

#include <algorithm>

namespace bw::timing {
namespace {

int64_t CeilDivide(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Waits that end by themselves end within this, besides those for external memory: one operation's
// drain through the array or the PPU, with random stalls.
constexpr int64_t kWatchdogMargin = 20000;

}  // namespace

int PpuPipelineDepth(const hwconfig::HwConfig& /*config*/) { return 7; }

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
  const int64_t full_load = WeightLoadAccesses(config.array_rows);
  const int64_t last_load = WeightLoadAccesses(last_k);
  const int64_t first_load = k_folds == 1 ? last_load : full_load;
  int64_t stream = 0;
  for (int64_t fold = 0; fold < n_folds * k_folds; ++fold) {
    const bool is_last = fold == n_folds * k_folds - 1;
    const bool next_is_short = (fold + 1) % k_folds == k_folds - 1;
    const int64_t next_load = is_last ? 0 : next_is_short ? last_load : full_load;
    // A fold whose successor's weights take longer than its own vectors waits for them; the swap
    // of the shadow registers costs the answer's way back.
    stream += std::max(m, next_load == 0 ? 0 : next_load + kMemoryReadLatency);
  }
  return first_load + kMemoryReadLatency + stream + ArrayLatency(config);
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
