#include "tests/conformance/int_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "compiler/calibrate/float_pass.h"
#include "compiler/lower/lower.h"
#include "compiler/passes/passes.h"
#include "models/arith/quantise.h"
#include "models/golden/executor.h"
#include "tests/conformance/error_budget.h"
#include "tests/unit/codegen/run_program.h"

namespace bw::conformance {
namespace {

golden::IntTensor Quantise(const tensor::Tensor& reals, const graph::IntValue& value) {
  golden::IntTensor made(value.shape);
  const int64_t limit = (int64_t{1} << (value.bits - 1)) - 1;
  const std::vector<double> v = reals.ToF64();
  for (size_t i = 0; i < v.size(); ++i) {
    made.data[i] = static_cast<int32_t>(arith::QuantiseReal(v[i], value.scale, 0, -limit, limit));
  }
  return made;
}

// Room for the reference being float32 itself.
constexpr double kFloatSlack = 1e-3;

}  // namespace

lower::Settings SettingsOf(int bits) {
  lower::Settings settings;
  settings.act_bits = settings.weight_bits = bits;
  return settings;
}

Result<Lowered> LowerOn(graph::Graph graph, const std::vector<tensor::Tensor>& inputs,
                        const lower::Settings& settings) {
  BW_RETURN_IF_ERROR(passes::Canonicalise(graph));
  const auto source = [&inputs](size_t) -> Result<std::vector<tensor::Tensor>> { return inputs; };
  BW_ASSIGN_OR_RETURN(const calibrate::FloatPass pass,
                      calibrate::RunFloatPass(graph, 1, source, {}));
  Lowered lowered;
  lowered.mult_bits = settings.mult_bits;
  BW_ASSIGN_OR_RETURN(lowered.graph, lower::Lower(graph, pass.ranges, settings));
  for (size_t i = 0; i < inputs.size(); ++i) {
    lowered.inputs.push_back(Quantise(inputs[i], lowered.graph.value(lowered.graph.inputs[i])));
  }
  return lowered;
}

const hwconfig::HwConfig& Machine(const std::string& name, int bits) {
  static std::map<std::pair<std::string, int>, hwconfig::HwConfig> known;
  const auto found = known.find({name, bits});
  if (found != known.end()) return found->second;
  const std::string width = std::to_string(bits);
  auto config = hwconfig::LoadHwConfig(BW_SOURCE_DIR "/configs/npu/" + name + ".yaml",
                                       {{"act_bits", width, ""}, {"weight_bits", width, ""}});
  BW_CHECK(config.ok(), "{}", ToString(config.errors()));
  return known[{name, bits}] = std::move(config).value();
}

Distance FloatDistance(const Lowered& lowered, const std::vector<tensor::Tensor>& expected,
                       Allow allow) {
  const graph::IntGraph& graph = lowered.graph;
  const auto run = golden::GoldenExecutor(graph).Run(lowered.inputs);
  BW_CHECK(run.ok(), "{}", ToString(run.errors()));
  const std::vector<StepError> errors = StepErrors(graph, lowered.inputs, lowered.mult_bits);
  Distance distance;
  for (size_t o = 0; o < expected.size(); ++o) {
    const graph::IntValueId id = graph.outputs[o];
    const graph::IntValue& value = graph.value(id);
    const golden::IntTensor& got = run->outputs[o];
    BW_CHECK(got.shape == expected[o].shape(), "{}, expected {}", got.shape.ToString(),
             expected[o].shape().ToString());
    const StepError& error = errors[static_cast<size_t>(id)];
    const double budget = (allow == Allow::kBudget ? error.Budget() : error.worst) + kFloatSlack;
    const std::vector<double> want = expected[o].ToF64();
    for (size_t i = 0; i < want.size(); ++i, ++distance.elements) {
      const double steps = std::abs(got.data[i] - want[i] / value.scale);
      if (!(steps / budget > distance.excess)) continue;
      distance.excess = steps / budget;
      distance.steps = steps, distance.budget = budget;
      distance.where =
          fmt::format("{} element {}: {} steps of {}, {:.3f} expected; budget {:.3f}", value.name,
                      i, got.data[i], value.scale, want[i] / value.scale, budget);
    }
  }
  return distance;
}

std::string MachineProblem(const Lowered& lowered, const hwconfig::HwConfig& config,
                           int64_t* elements) {
  codegen::RunReport report = codegen::RunAndCompare(lowered.graph, config, {}, lowered.inputs);
  for (const bool random : {false, true}) {
    if (random) report = codegen::RunAndCompare(lowered.graph, config, {}, 7);
    if (!report.compile_error.empty()) return "does not compile: " + report.compile_error;
    if (!report.problem.empty()) return report.problem;
    *elements += report.elements + report.output_elements;
  }
  return "";
}

}  // namespace bw::conformance
