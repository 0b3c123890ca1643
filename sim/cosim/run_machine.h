// A program on one machine, sample by sample, against the golden model.
#ifndef SIM_COSIM_RUN_MACHINE_H_
#define SIM_COSIM_RUN_MACHINE_H_

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "compiler/graph/int_graph.h"
#include "compiler/isa/program.h"
#include "models/golden/int_tensor.h"
#include "models/status/result.h"
#include "sim/cosim/isolate.h"
#include "sim/cosim/machines.h"

namespace bw::cosim {

struct MachineJob {
  std::string executor;  // a name of MachineNames()
  const isa::Program* program = nullptr;
  const graph::IntGraph* ints = nullptr;  // nullptr: run only, nothing to compare with
  std::function<std::vector<golden::IntTensor>(size_t)> inputs;
  size_t samples = 0;
  MachineOptions options;
  std::string folder;  // outputs/EXECUTOR/ and failures/EXECUTOR/ go here; empty: nowhere
  std::vector<std::string> dumps;  // layers to write beside the outputs
};

// The executor's part of report.json: what Comparison::ToJson gives, "match", "samples",
// "first_mismatch" (or null), "error" (or null: why the run stopped), "bundle" (folder, or null),
// "statistics" and "timeline" (or null), "seconds". A machine that cannot be made is an error; a
// run that fails or differs is a result.
Result<Json> RunMachine(const MachineJob& job);

}  // namespace bw::cosim

#endif  // SIM_COSIM_RUN_MACHINE_H_
