// What others may hang onto the machine: traces, tests, faults.
#ifndef SIM_SYSC_HOOKS_H_
#define SIM_SYSC_HOOKS_H_

#include <cstdint>
#include <functional>
#include <optional>

#include "compiler/isa/instruction.h"
#include "sim/sysc/spm_port.h"

namespace bw::sysc {

// Instructions of the four queues as they start (tokens taken) and retire; for a timeline.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void OnStart(isa::Queue queue, uint32_t instruction, uint64_t cycle) = 0;
  virtual void OnRetire(isa::Queue queue, uint32_t instruction, uint64_t cycle) = 0;
};

// Every bank word in the cycle in which its bank serves it.
class SpmObserver {
 public:
  virtual ~SpmObserver() = default;
  virtual void OnServe(uint64_t cycle, SpmPortId port, const SpmAccess& access, uint32_t first_byte,
                       uint32_t bytes) = 0;
};

// Defects put in on purpose, to show that the checks see them.
struct Faults {
  // This write beat of the load engine, counted from 0 in a run, lands one container too high.
  std::optional<uint64_t> load_beat_off_by_one;
  std::function<void()> on_fault;  // told when a fault acts; may be empty
};

// Told by a memory, in that very cycle, that the last write of an instruction is in place.
class LandingSink {
 public:
  virtual ~LandingSink() = default;
  virtual void Landed(isa::Queue queue, uint32_t instruction) = 0;
};

// One clocked process.
class Clocked {
 public:
  virtual ~Clocked() = default;
  virtual void Clock() = 0;
};

}  // namespace bw::sysc

#endif  // SIM_SYSC_HOOKS_H_
