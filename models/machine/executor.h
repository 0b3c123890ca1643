// What every executor of a program offers: ISS, SystemC, SystemC with RTL.
#ifndef MODELS_MACHINE_EXECUTOR_H_
#define MODELS_MACHINE_EXECUTOR_H_

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/isa/program.h"
#include "models/status/result.h"

namespace bw::machine {

// The memories of a machine as an untimed observer sees them.
struct MemoryView {
  const uint8_t* dram = nullptr;
  const uint8_t* spm = nullptr;
};

// Called when an instruction retires: all it wrote is in place, nothing later in its queue has
// written yet. Other queues may be in the middle of theirs.
class RetireObserver {
 public:
  virtual ~RetireObserver() = default;
  virtual void OnRetire(uint32_t instruction, uint64_t cycle, const MemoryView& memory) = 0;
};

class Executor {
 public:
  virtual ~Executor() = default;
  virtual std::string name() const = 0;  // "iss", "sysc", "rtl"
  // Takes a program: resets all state, writes constants to DRAM. The program must outlive the
  // executor's use of it and must have passed VerifyProgram.
  virtual Status Load(const isa::Program& program) = 0;
  // The whole DRAM, config.dram_bytes (backed lazily); inputs are written and outputs read here.
  virtual uint8_t* dram() = 0;
  // Runs all segments and host operators once. May be called again for the next sample: registers
  // start from 0 every time, as VerifyProgram assumes; the memories keep what they hold.
  // An error is a failed check (hazard, deadlock, watchdog), with the instructions concerned.
  virtual Status Run(RetireObserver* observer) = 0;
};

}  // namespace bw::machine

#endif  // MODELS_MACHINE_EXECUTOR_H_
