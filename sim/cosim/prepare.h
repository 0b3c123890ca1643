// From files to a compiled network: the stages in front of the executors.
#ifndef SIM_COSIM_PREPARE_H_
#define SIM_COSIM_PREPARE_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/calibrate/float_pass.h"
#include "compiler/calibrate/recipe.h"
#include "compiler/graph/graph.h"
#include "compiler/graph/int_graph.h"
#include "compiler/isa/program.h"
#include "models/arith/profile.h"
#include "models/hwconfig/hw_config.h"
#include "models/status/result.h"
#include "sim/cosim/samples.h"

namespace bw::cosim {

// Told what is being done: a stage, and how much of it (0 of 0: unknown).
using Progress = std::function<void(const std::string& stage, size_t done, size_t total)>;

struct PrepareOptions {
  std::string model, npu, quant;
  std::string calib;                // empty: the input samples calibrate
  std::string input;                // empty: random samples
  std::vector<std::string> sets;    // KEY=VALUE
  std::vector<std::string> shapes;  // [INPUT=]AxBxC
  std::string layers;               // A..B, or empty: all
  uint64_t seed = 1;
  int threads = 1;
  Progress progress;  // may be empty
};

// Wall time of each stage, in the order in which they ran.
using StageTimes = std::vector<std::pair<std::string, double>>;

// How many random samples stand in for missing ones.
inline constexpr size_t kRandomSamples = 4;

struct Prepared {
  hwconfig::HwConfig config;
  calibrate::Recipe recipe;
  arith::Profile profile{};
  graph::Graph graph;  // canonical
  SampleStore samples;
  std::string calibrated_with;  // where its samples came from
  size_t calibration_samples = 0;
  calibrate::FloatPass reference;  // ranges of the calibration, float results of the samples
  graph::IntGraph ints;            // the whole network
  StageTimes times;
};

// Config, recipe, network, samples: everything that can be wrong with the user's files and costs
// little, in an order that finds mistakes early.
Result<Prepared> ReadInputs(const PrepareOptions& options);
// Calibration, float reference, lowering.
Status Quantise(const PrepareOptions& options, Prepared* prepared);
// Compiles `ints` for the hardware.
Result<isa::Program> CompileFor(const Prepared& prepared, const graph::IntGraph& ints);

// Runs `work` and adds its wall time as stage `name`.
template <typename Work>
auto Timed(StageTimes& times, const std::string& name, Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  auto result = work();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  times.emplace_back(name, seconds.count());
  return result;
}

}  // namespace bw::cosim

#endif  // SIM_COSIM_PREPARE_H_
