// The executors of compiled programs, by name.
#ifndef SIM_COSIM_MACHINES_H_
#define SIM_COSIM_MACHINES_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/hwconfig/hw_config.h"
#include "models/machine/executor.h"
#include "models/status/result.h"
#include "sim/cosim/inject.h"
#include "sim/cosim/isolate.h"

namespace bw::cosim {

inline constexpr std::string_view kGolden = "golden";
// "golden,iss,sysc,rtl" in any order; the result is in that order, without repetition. An unknown
// name or an empty list is an error at `option`.
Result<std::vector<std::string>> ParseExecutors(const std::string& text, const std::string& option);
// The executors that run programs: all but golden.
std::vector<std::string> MachineNames();

struct MachineOptions {
  Injection injection;
  std::string wave;  // "rtl": write a VCD here
  std::function<void(const std::string&)> progress;
};

// What a timed executor knows about a run.
struct Timing {
  Json statistics;    // statistics_json.h
  Json timeline;      // statistics_json.h
  std::string trace;  // for Perfetto
};

struct Machine {
  std::unique_ptr<machine::Executor> executor;
  // What is wrong with the run that ended, beyond its values (hazards); may be empty.
  std::function<Status()> check;
  // Of the first run; empty for untimed executors. To be called after it, once.
  std::function<Timing(const isa::Program&)> statistics;
};

// SystemC elaborates once a process, so one call for "sysc" or "rtl" a process.
Result<Machine> MakeMachine(const std::string& name, const hwconfig::HwConfig& config,
                            const MachineOptions& options);

}  // namespace bw::cosim

#endif  // SIM_COSIM_MACHINES_H_
