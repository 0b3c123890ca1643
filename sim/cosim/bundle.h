// A failure as a folder that replays by itself.
#ifndef SIM_COSIM_BUNDLE_H_
#define SIM_COSIM_BUNDLE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "compiler/isa/program.h"
#include "models/golden/int_tensor.h"
#include "models/status/result.h"
#include "sim/cosim/inject.h"
#include "sim/cosim/isolate.h"

namespace bw::cosim {

// Files: config.yaml, program.bwp (as compiled, without the injected fault), input_I.npy,
// mismatch.json, and where values differ expected.npy and got.npy of the first layer that does.
struct Bundle {
  std::string executor;
  Injection injection;
  size_t sample = 0;
  std::vector<golden::IntTensor> inputs;
  std::string error;  // why the run stopped; empty when values differ
  Json mismatch;      // Comparison::Describe, or null
  golden::IntTensor expected, got;
};

Status WriteBundle(const std::string& folder, const Bundle& bundle, const isa::Program& program);

struct LoadedBundle {
  Bundle bundle;
  isa::Program program;
};
Result<LoadedBundle> ReadBundle(const std::string& folder);

struct ReplayOutcome {
  bool still_fails = false;
  std::string text;  // what happened, one or more lines
};
// Runs the program of the bundle on its executor and looks at the layer that differed. `wave`: VCD
// of the RTL, or empty.
Result<ReplayOutcome> Replay(const std::string& folder, const std::string& wave);

}  // namespace bw::cosim

#endif  // SIM_COSIM_BUNDLE_H_
