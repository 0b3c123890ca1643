// The main job: quantise, compile, run on every executor, compare.
#ifndef SIM_COSIM_RUN_H_
#define SIM_COSIM_RUN_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/isa/program.h"
#include "models/golden/executor.h"
#include "models/status/result.h"
#include "sim/cosim/folders.h"
#include "sim/cosim/inject.h"
#include "sim/cosim/isolate.h"
#include "sim/cosim/prepare.h"

namespace bw::cosim {

struct RunOptions {
  PrepareOptions prepare;
  std::string labels;
  std::vector<std::string> executors;  // ParseExecutors
  std::optional<size_t> sim_samples;   // default: all up to 16, else 4
  std::vector<std::string> dumps;      // layers or values
  bool wave = false;                   // rtl: VCD beside its outputs
  Injection injection;
  std::string out;
};

// Top-1 over the first output; fractions of 1.
struct Accuracy {
  size_t samples = 0;
  std::optional<double> float_top1, int_top1;  // with labels
  std::optional<double> agreement;  // float and integer choose the same class; more than one class
};

// What the golden model says about one layer.
struct LayerNumbers {
  golden::NodeCounts counts;      // over all samples
  std::optional<double> sqnr_db;  // against float, over the simulated samples; none when the layer
                                  // stands for no float value, infinite when they are equal
};

struct RunResult {
  Prepared prepared;
  graph::IntGraph compiled;  // the network, or the part of it that --layers names
  isa::Program program;
  size_t sim_samples = 0;
  Accuracy accuracy;
  std::vector<LayerNumbers> layers;                    // by node of prepared.ints
  std::vector<std::pair<std::string, Json>> machines;  // RunMachine's results, in the order asked

  // Every machine agrees with the golden model on every element, and compared at least one.
  bool AllAgree() const;
};

// Writes program.bwp, outputs/ and failures/ into `folder`; reports are made from the result.
Result<RunResult> Run(const RunOptions& options, const OutputFolder& folder);

// Samples that the simulators run.
size_t SimulatedSamples(size_t samples, std::optional<size_t> asked);

// Nodes A..B of a network (names or numbers, both ends included) as a network of their own: values
// that come from outside become inputs.
Result<graph::IntGraph> PartOf(const graph::IntGraph& ints, const std::string& range);

}  // namespace bw::cosim

#endif  // SIM_COSIM_RUN_H_
