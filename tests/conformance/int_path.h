// A float network through the whole integer path: ranges, lowering, golden against float, and the
// compiled program against the golden.
#ifndef TESTS_CONFORMANCE_INT_PATH_H_
#define TESTS_CONFORMANCE_INT_PATH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/graph/int_graph.h"
#include "compiler/lower/settings.h"
#include "models/golden/int_tensor.h"
#include "models/hwconfig/hw_config.h"
#include "models/status/result.h"
#include "models/tensor/tensor.h"

namespace bw::conformance {

struct Lowered {
  graph::IntGraph graph;
  std::vector<golden::IntTensor> inputs;  // the samples, quantised
  int mult_bits = 16;
};

// Canonicalises, takes the ranges from one float pass over `inputs`, lowers to `bits` for
// activations and weights. Errors are the user's: of any of the steps.
Result<Lowered> LowerOn(graph::Graph graph, const std::vector<tensor::Tensor>& inputs,
                        const lower::Settings& settings);
// The settings of the shipped configurations at another width.
lower::Settings SettingsOf(int bits);

// configs/npu/<name>.yaml at another width.
const hwconfig::HwConfig& Machine(const std::string& name, int bits);

// Golden results against float ones, in output steps.
struct Distance {
  double steps = 0;   // the largest
  double budget = 0;  // of the output where that is
  double excess = 0;  // largest of steps / budget: above 1 is a failure
  int64_t elements = 0;
  std::string where;
};
enum class Allow { kBudget, kWorstCase };  // StepError::Budget, StepError::worst
Distance FloatDistance(const Lowered& lowered, const std::vector<tensor::Tensor>& expected,
                       Allow allow = Allow::kBudget);

// Compiles, runs on the ISS under the hazard checker, compares every layer and output with the
// golden: on the samples, and on random inputs. The first problem, or "". `elements` counts.
std::string MachineProblem(const Lowered& lowered, const hwconfig::HwConfig& config,
                           int64_t* elements);

}  // namespace bw::conformance

#endif  // TESTS_CONFORMANCE_INT_PATH_H_
