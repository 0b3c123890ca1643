// Every latency, occupancy and buffer size of the machine: formulas over the hardware parameters.
// The engines of sim/sysc hold none of their own. All results are cycles unless a unit is named.
//
// Conventions. A registered hop (ring, request, answer) takes one cycle: what one process writes in
// cycle t, another reads from t + 1 on. "Latency n" means: not ready at n - 1, ready at n.
#ifndef SIM_TIMING_TIMING_H_
#define SIM_TIMING_TIMING_H_

#include <cstdint>

#include "models/hwconfig/hw_config.h"

namespace bw::timing {

// ---- post-processing unit
// Register stages of the arithmetic pipeline (rtl/bw_ppu.sv). Independent of the configuration: the
// widths change, the stages do not.
int PpuPipelineDepth(const hwconfig::HwConfig& config);
// One PPU operation of `beats` operand beats (a window counts each of its positions), free of
// conflicts: from its start to the last result in the scratchpad. Read, beat register, pipeline,
// hop to the bank.
int64_t PpuCycles(const hwconfig::HwConfig& config, int64_t beats);

// ---- scratchpad and accumulators
// From the cycle in which an engine asks for a vector to the first one in which it can use it, with
// no conflict: one hop to the bank, one back.
inline constexpr int64_t kMemoryReadLatency = 2;
// Requests of one port that may be under way; enough for one a cycle.
inline constexpr int kPortDepth = 4;
// Largest vector of one access, elements, and its largest size in bytes.
inline constexpr int kMaxVector = 256;
inline constexpr int kMaxVectorBytes = kMaxVector * 4;

// ---- MAC array
// From a vector's entry at the array's edge to its sums at the accumulators: down all rows, across
// all columns (the skew of both edges included).
int64_t ArrayLatency(const hwconfig::HwConfig& config);
// The same for one depthwise beat, which takes one row of multipliers: multiply, then add.
inline constexpr int64_t kDepthwiseLatency = 2;
// Scratchpad accesses, one a cycle, that bring a block of `k` x `n` weights into the shadow
// registers: one a row of the array in use.
int64_t WeightLoadAccesses(int64_t k);
// Reads in front of the weights of a block of output channels: zero points, bias.
int64_t BlockPrologueAccesses(bool bias, bool zero_point_vector);
// Cycles of an output-stationary block after its last k: one accumulator row a pixel.
int64_t OutputDrain(int64_t pixels);

// A whole matrix product C[m][n] = A[m][k] B[k][n] as one `mm` instruction on weights-stationary
// hardware, operands in the scratchpad and free of conflicts: from the engine's start to the last
// sum in the accumulators.
// Every one of the ceil(k / rows) * ceil(n / cols) folds streams m vectors, one a cycle. Its
// weights, one row a cycle, load while the fold before it streams, and not earlier, as there is one
// set of shadow registers. So with m >= rows + 2 the total is
//   2 + rows + 1 + folds * m - 1 + array latency.
// Published numbers for 128 x 128 x 128 on 16 x 16, which fill and drain the array in every one of
// the 64 folds: 64 * (2*16 + 16 + 128 - 2) = 11,136 (weights loaded in the open),
// 64 * (128 + 16 + 16 - 2) - 1 = 10,111 and 64 * (128 + 35) = 10,432. Here folds overlap: 8,192
// streaming cycles and one fill and drain.
int64_t GemmCycles(const hwconfig::HwConfig& config, int64_t m, int64_t n, int64_t k);

// ---- external memory
// Data bus cycles of a burst: the beats of bytes_per_cycle, aligned to their size, that it touches.
int64_t DramBeats(const hwconfig::HwConfig& config, uint64_t address, int64_t bytes);
// From the cycle in which the controller takes a read burst to its first data on the bus.
int64_t DramReadLatency(const hwconfig::HwConfig& config);
// Writes wait for nothing but the bus: a burst is in place with its last beat, DramBeats after the
// cycle in which the controller takes it.
// Read requests between an engine and the controller, beats on the way back; one a cycle needs two.
inline constexpr int kReadRequestDepth = 2;
inline constexpr int kBusBeatDepth = 4;
// Elements that a DMA packs or unpacks in a cycle: what the bus carries in the wider of the two
// formats, at least one.
int64_t DmaBeatElements(const hwconfig::HwConfig& config, int dram_bits, int container_bits);
// Entries of 24 (parameters) or 4 bytes (tables) that a load writes in a cycle, at least one.
int64_t TableBeatEntries(const hwconfig::HwConfig& config, int entry_bytes);

// Such beats between the load engine and the PPU's memories.
inline constexpr int kTableBeatDepth = 2;

// ---- instruction fetch
inline constexpr int kInstructionBytes = 16;
int64_t FetchBurstBytes(const hwconfig::HwConfig& config);
// Instructions that the prefetch buffer holds: two bursts, so that one is used as one arrives.
int64_t FetchBufferInstructions(const hwconfig::HwConfig& config);

// Operations that an engine may have under way: one at its front, one in the middle, one draining.
inline constexpr int kOperationsUnderWay = 3;

// No engine moving for this long is a deadlock: longer than any latency that resolves itself.
int64_t WatchdogCycles(const hwconfig::HwConfig& config);

}  // namespace bw::timing

#endif  // SIM_TIMING_TIMING_H_
