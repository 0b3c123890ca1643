// What a run cost, and why.
#ifndef SIM_SYSC_STATISTICS_H_
#define SIM_SYSC_STATISTICS_H_

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace bw::sysc {

// The first four have the codes of isa::Queue.
enum class Engine : uint8_t { kLoad, kMac, kPpu, kStore, kDispatch };
inline constexpr size_t kEngines = 5;

// What an engine did with a cycle. Exactly one holds; where several would, the first of this list:
// an engine's own work comes before its queue.
enum class Cause : uint8_t {
  kBusy,                // a vector moved through it (dispatch: an instruction was handed out)
  kRandomStall,         // a ring or port that it needed was stalled on purpose
  kBankConflict,        // its scratchpad access waits for a bank
  kOutputBackpressure,  // its results find no room
  kDramBandwidth,       // the external data bus carries something else
  kDramLatency,         // data of external memory is under way
  kWeightLoad,          // MAC: weights for the next block are not complete
  kArrayFillDrain,      // MAC: only the array's own pipeline has work
  kPpuPipeline,         // PPU: only its own pipeline has work
  kDmaPipeline,         // load and store: only accesses under way
  kConfigure,           // cfg or fence
  kTokenWaitLoad,       // next instruction waits for a token of this queue
  kTokenWaitMac,
  kTokenWaitPpu,
  kTokenWaitStore,
  kQueueFull,      // dispatch: the target queue is full
  kEndOfSegment,   // dispatch: halt waits for the engines
  kDispatchEmpty,  // no instruction has arrived yet
  kIdleDone,       // none will come in this segment
};
inline constexpr size_t kCauses = static_cast<size_t>(Cause::kIdleDone) + 1;

std::string_view ToString(Engine engine);  // "load", "mac", ...
std::string_view ToString(Cause cause);    // "busy", "random_stall", ...

using CauseCycles = std::array<uint64_t, kCauses>;
using EngineCycles = std::array<CauseCycles, kEngines>;

struct LayerStatistics {
  // From the last retirement of the layer that finished before this one to that of this one; the
  // layers of a run sum to its total. 0 for layers without instructions.
  uint64_t cycles = 0;
  uint64_t last_retirement = 0;  // cycle, from the start of the run
  EngineCycles engines{};        // of these cycles
  uint64_t dram_read_bytes = 0;  // by its own instructions, as packed
  uint64_t dram_written_bytes = 0;
  uint64_t macs = 0;  // multiplications that the array was given, padding included
  uint64_t saturations = 0;
};

struct RunStatistics {
  uint64_t total_cycles = 0;
  uint64_t busy_cycles = 0;  // in which load, MAC, PPU or store was busy
  EngineCycles engines{};    // each sums to total_cycles
  std::vector<LayerStatistics> layers;
  uint64_t instructions = 0;
  uint64_t fetched_bytes = 0;
  uint64_t dram_read_bytes = 0;  // without instructions
  uint64_t dram_written_bytes = 0;
  uint64_t macs = 0;
  uint64_t saturations = 0;
};

}  // namespace bw::sysc

#endif  // SIM_SYSC_STATISTICS_H_
