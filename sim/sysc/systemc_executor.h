// The SystemC machine behind the interface that all executors share. Under the name "rtl" it is the
// same machine with a Verilated pipeline in its PPU.
#ifndef SIM_SYSC_SYSTEMC_EXECUTOR_H_
#define SIM_SYSC_SYSTEMC_EXECUTOR_H_

#include <optional>
#include <string>

#include "models/machine/dram.h"
#include "models/machine/executor.h"
#include "sim/sysc/machine.h"
#include "sim/sysc/statistics.h"

namespace bw::sysc {

struct SystemcOptions : MachineOptions {
  std::string name = "sysc";
};

// Any number may exist in a process, one after the other or side by side: they share the process's
// machine and run one at a time. DRAM belongs to the executor.
class SystemcExecutor : public machine::Executor {
 public:
  explicit SystemcExecutor(const hwconfig::HwConfig& config, SystemcOptions options = {});

  std::string name() const override { return options_.name; }
  Status Load(const isa::Program& program) override;
  uint8_t* dram() override { return dram_.data(); }
  Status Run(machine::RetireObserver* observer) override;

  // Of the last run that succeeded.
  const RunStatistics& statistics() const { return statistics_; }
  // For the runs that follow.
  SystemcOptions& options() { return options_; }

 private:
  const hwconfig::HwConfig config_;
  SystemcOptions options_;
  machine::Dram dram_;
  const isa::Program* program_ = nullptr;
  RunStatistics statistics_;
};

}  // namespace bw::sysc

#endif  // SIM_SYSC_SYSTEMC_EXECUTOR_H_
