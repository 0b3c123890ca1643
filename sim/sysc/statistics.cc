#include "sim/sysc/statistics.h"

namespace bw::sysc {

std::string_view ToString(Engine engine) {
  switch (engine) {
    case Engine::kLoad:
      return "load";
    case Engine::kMac:
      return "mac";
    case Engine::kPpu:
      return "ppu";
    case Engine::kStore:
      return "store";
    case Engine::kDispatch:
      return "dispatch";
  }
  __builtin_unreachable();
}

std::string_view ToString(Cause cause) {
  constexpr std::string_view kNames[kCauses] = {
      "busy",           "random_stall",   "bank_conflict",    "output_backpressure",
      "dram_bandwidth", "dram_latency",   "weight_load",      "array_fill_drain",
      "ppu_pipeline",   "dma_pipeline",   "configure",        "token_wait_load",
      "token_wait_mac", "token_wait_ppu", "token_wait_store", "queue_full",
      "end_of_segment", "dispatch_empty", "idle_done"};
  return kNames[static_cast<size_t>(cause)];
}

}  // namespace bw::sysc
