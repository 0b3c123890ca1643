#include "sim/cosim/prepare.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "compiler/frontend/onnx/onnx_import.h"
#include "compiler/frontend/tflite/tflite_import.h"
#include "compiler/lower/lower.h"
#include "compiler/passes/passes.h"
#include "sim/cosim/settings.h"

namespace bw::cosim {
namespace {

Result<graph::Graph> ImportModel(const PrepareOptions& options) {
  frontend::OnnxImportOptions import;
  for (const std::string& shape : options.shapes) {
    BW_ASSIGN_OR_RETURN(auto binding, frontend::ParseBinding(shape, "--shape"));
    if (!import.bindings.insert(std::move(binding)).second) {
      return Error{"",
                   0,
                   0,
                   "--shape",
                   fmt::format("'{}': this input has a shape already", shape),
                   "give one for each input"};
    }
  }
  auto imported = frontend::IsTfliteFile(options.model)
                      ? frontend::ImportTflite(options.model, {import.bindings})
                      : frontend::ImportOnnx(options.model, import);
  BW_ASSIGN_OR_RETURN(graph::Graph graph, std::move(imported));
  // Exporters call every network alike ("torch_jit"); the file's name is the one that people use.
  graph.name = std::filesystem::path(options.model).stem().string();
  return graph;
}

// Nothing would run, and there would be nothing to compare.
Status CheckOutputsAreComputed(const graph::Graph& graph) {
  for (const graph::ValueId id : graph.outputs) {
    if (!graph.value(id).constant) continue;
    return Error{graph.file,
                 0,
                 0,
                 fmt::format("output {}", graph.value(id).name),
                 "is a constant, which depends on no input",
                 "remove it from the outputs"};
  }
  return OkStatus();
}

Result<SampleStore> ReadSamples(const PrepareOptions& options, const graph::Graph& graph) {
  const std::vector<InputSpec> specs = InputSpecsOf(graph);
  if (options.input.empty()) return RandomSamples(specs, kRandomSamples, options.seed);
  return LoadSamples(options.input, specs, "--input");
}

// Ranges that are good for nothing but finding out whether the network fits the hardware.
calibrate::Ranges UnitRanges(const graph::Graph& graph) {
  calibrate::Ranges ranges;
  for (const graph::Value& value : graph.values) ranges[value.name] = {-1, 1};
  return ranges;
}

double FloatWork(const Prepared& prepared) {
  double elements = 0;
  for (const graph::Value& value : prepared.graph.values) {
    elements += static_cast<double>(value.shape.Elements());
  }
  const size_t samples = std::max(prepared.samples.size(), prepared.calibration_samples);
  return elements * static_cast<double>(samples);
}

// A network that is too large for the memories should be refused before minutes of calibration.
Status CheckThatItFits(const Prepared& prepared) {
  constexpr double kQuick = 3e7;  // values to compute; a second or so
  if (FloatWork(prepared) < kQuick) return OkStatus();
  const lower::Settings settings = MakeSettings(prepared.recipe, prepared.config, prepared.profile);
  const auto ints = lower::Lower(prepared.graph, UnitRanges(prepared.graph), settings);
  if (!ints.ok()) return OkStatus();  // only the real ranges can tell
  const auto program = CompileFor(prepared, *ints);
  if (!program.ok()) return program.errors();
  return OkStatus();
}

Result<calibrate::FloatPass> RunFloat(const PrepareOptions& options, const Prepared& prepared,
                                      const SampleStore& samples, const char* stage, bool ranges,
                                      bool outputs) {
  calibrate::FloatPassOptions pass;
  pass.threads = options.threads;
  pass.keep_ranges = ranges;
  pass.keep_outputs = outputs;
  if (options.progress) {
    pass.progress = [&](size_t done) { options.progress(stage, done, samples.size()); };
  }
  const auto source = [&samples](size_t i) -> Result<std::vector<tensor::Tensor>> {
    return samples.Reals(i);
  };
  return calibrate::RunFloatPass(prepared.graph, samples.size(), source, pass);
}

// Ranges from the calibration samples, results of the input samples: one pass when they are the
// same.
Status RunReference(const PrepareOptions& options, Prepared* prepared) {
  if (options.calib.empty()) {
    BW_ASSIGN_OR_RETURN(prepared->reference, RunFloat(options, *prepared, prepared->samples,
                                                      "float reference", true, true));
    return OkStatus();
  }
  BW_ASSIGN_OR_RETURN(const SampleStore calib,
                      LoadSamples(options.calib, InputSpecsOf(prepared->graph), "--calib"));
  BW_ASSIGN_OR_RETURN(calibrate::FloatPass ranges,
                      RunFloat(options, *prepared, calib, "calibration", true, false));
  BW_ASSIGN_OR_RETURN(prepared->reference, RunFloat(options, *prepared, prepared->samples,
                                                    "float reference", false, true));
  prepared->reference.ranges = std::move(ranges.ranges);
  return OkStatus();
}

}  // namespace

Result<Prepared> ReadInputs(const PrepareOptions& options) {
  Prepared prepared;
  BW_ASSIGN_OR_RETURN(const calibrate::SplitOverrides sets, calibrate::SplitSets(options.sets));
  BW_ASSIGN_OR_RETURN(prepared.config, hwconfig::LoadHwConfig(options.npu, sets.npu));
  BW_ASSIGN_OR_RETURN(prepared.recipe,
                      calibrate::LoadRecipe(options.quant, prepared.config, sets.recipe));
  prepared.profile = prepared.recipe.ProfileOn(prepared.config);
  BW_ASSIGN_OR_RETURN(prepared.graph,
                      Timed(prepared.times, "import", [&] { return ImportModel(options); }));
  BW_RETURN_IF_ERROR(
      Timed(prepared.times, "canonicalise", [&] { return passes::Canonicalise(prepared.graph); }));
  BW_RETURN_IF_ERROR(CheckOutputsAreComputed(prepared.graph));
  BW_ASSIGN_OR_RETURN(prepared.samples, ReadSamples(options, prepared.graph));
  prepared.calibrated_with = prepared.samples.source();
  prepared.calibration_samples = prepared.samples.size();
  if (!options.calib.empty()) {
    BW_ASSIGN_OR_RETURN(const SampleStore calib,
                        LoadSamples(options.calib, InputSpecsOf(prepared.graph), "--calib"));
    prepared.calibrated_with = options.calib;
    prepared.calibration_samples = calib.size();
  }
  return prepared;
}

Status Quantise(const PrepareOptions& options, Prepared* prepared) {
  BW_RETURN_IF_ERROR(
      Timed(prepared->times, "check_fit", [&] { return CheckThatItFits(*prepared); }));
  BW_RETURN_IF_ERROR(
      Timed(prepared->times, "float", [&] { return RunReference(options, prepared); }));
  const lower::Settings settings =
      MakeSettings(prepared->recipe, prepared->config, prepared->profile);
  BW_ASSIGN_OR_RETURN(prepared->ints, Timed(prepared->times, "lower", [&] {
                        return lower::Lower(prepared->graph, prepared->reference.ranges, settings);
                      }));
  return graph::Verify(prepared->ints);
}

}  // namespace bw::cosim
