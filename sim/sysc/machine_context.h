// What all engines of the machine share.
#ifndef SIM_SYSC_MACHINE_CONTEXT_H_
#define SIM_SYSC_MACHINE_CONTEXT_H_

#include <cstdint>
#include <optional>
#include <utility>

#include "compiler/isa/program.h"
#include "models/hwconfig/hw_config.h"
#include "models/status/result.h"
#include "sim/sysc/hooks.h"
#include "sim/sysc/recorder.h"
#include "sim/sysc/registered.h"
#include "sim/sysc/retirement.h"
#include "sim/sysc/tokens.h"

namespace bw::sysc {

struct MachineContext {
  hwconfig::HwConfig config;
  uint64_t stall_seed = 0;  // 0: no random stalls
  Faults faults;
  EventSink* events = nullptr;
  SpmObserver* spm_observer = nullptr;

  CycleClock clock;
  Tokens tokens;
  Retirement retirement;
  Recorder recorder;
  // Set by dispatch when the last instruction of a segment has left it.
  RegisteredCounter segments_dispatched;
  uint64_t segments_begun = 0;

  struct Failure {
    uint32_t instruction = 0;
    Errors errors;
  };
  std::optional<Failure> failure;

  RandomStall StallPoint(uint64_t point) const { return RandomStall(stall_seed, point); }
  // No more instructions come in this segment.
  bool AllDispatched() const { return segments_dispatched.Before(clock.now) == segments_begun; }
  // Stops the run. Of several in one cycle the lowest instruction stays.
  void Fail(uint32_t instruction, Errors errors) {
    if (failure && failure->instruction <= instruction) return;
    failure = Failure{instruction, std::move(errors)};
  }
};

// Stall points of rings; those of scratchpad ports are below.
enum class StallPoint : uint64_t {
  kQueueLoad = 100,
  kQueueMac,
  kQueuePpu,
  kQueueStore,
  kFetchRequest,
  kFetchAnswer,
  kLoadRequest,
  kLoadAnswer,
  kStoreRequest,
  kTables,
  kSums,
  kAccRead,
  kAccReadB,
};

}  // namespace bw::sysc

#endif  // SIM_SYSC_MACHINE_CONTEXT_H_
