// Deliberate faults, to show that the comparison catches and names them (`--inject`).
#ifndef SIM_COSIM_INJECT_H_
#define SIM_COSIM_INJECT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/isa/program.h"
#include "models/status/result.h"

namespace bw::cosim {

enum class Fault : uint8_t {
  kNone,
  kDropToken,      // program: the first token awaited from instruction `at` on is gone
  kDmaOffByOne,    // sysc, rtl: write beat `at` of the load engine lands one container too high
  kMultiplierBit,  // rtl: bit `at` of the multiplier that lane 0 of the Verilated model gets flips
};

struct Injection {
  Fault fault = Fault::kNone;
  uint32_t at = 0;
};

// "drop-token:INSTRUCTION", "dma-off-by-one:BEAT", "multiplier-bit:BIT"; empty: none.
Result<Injection> ParseInjection(const std::string& text);
std::string ToString(const Injection& injection);
// Whether one of the executors can act on the fault; a fault that nothing acts on would pass for
// one that nothing noticed.
Status CheckInjection(const Injection& injection, const std::vector<std::string>& executors);

// Takes away one token: the first wait of the first instruction from `from` on that waits, and the
// post that it was paired with, so that all others keep their partners.
Status DropToken(isa::Program& program, uint32_t from);

}  // namespace bw::cosim

#endif  // SIM_COSIM_INJECT_H_
