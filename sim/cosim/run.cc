#include "sim/cosim/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>

#include "models/float_ref/executor.h"
#include "models/tensor/npy.h"
#include "sim/cosim/golden_trace.h"
#include "sim/cosim/network_io.h"
#include "sim/cosim/parallel.h"
#include "sim/cosim/run_machine.h"

namespace bw::cosim {
namespace {

using golden::IntTensor;

// Golden results of all samples.
struct GoldenResults {
  std::vector<std::vector<IntTensor>> outputs;  // by sample, then output
  std::vector<golden::NodeCounts> counts;       // by node, summed
};

void AddCounts(const std::vector<golden::NodeCounts>& from, std::vector<golden::NodeCounts>* to) {
  to->resize(from.size());
  for (size_t i = 0; i < from.size(); ++i) {
    (*to)[i].overflows += from[i].overflows;
    (*to)[i].saturations += from[i].saturations;
  }
}

Result<GoldenResults> RunGolden(const RunOptions& options, const Prepared& prepared) {
  const golden::GoldenExecutor executor(prepared.ints);
  const std::vector<InputFormat> formats = InputFormatsOf(prepared.ints, prepared.profile.clip);
  const size_t samples = prepared.samples.size();
  GoldenResults results;
  results.outputs.resize(samples);
  std::mutex mutex;
  Errors errors;
  size_t done = 0;
  ParallelFor(samples, options.prepare.threads, [&](size_t i) {
    auto run = executor.Run(QuantiseSample(prepared.samples, i, formats));
    const std::lock_guard<std::mutex> lock(mutex);
    if (!run.ok()) {
      errors = run.errors();
      return;
    }
    results.outputs[i] = std::move(run->outputs);
    AddCounts(run->counts, &results.counts);
    if (options.prepare.progress) options.prepare.progress("golden", ++done, samples);
  });
  if (!errors.empty()) return errors;
  return results;
}

// ---- against float

struct ErrorPower {
  double signal = 0, noise = 0;
};

std::map<graph::ValueId, size_t> NodesByFloatValue(const Prepared& prepared) {
  std::map<std::string, graph::ValueId> ids;
  for (size_t i = 0; i < prepared.graph.values.size(); ++i) {
    ids[prepared.graph.values[i].name] = static_cast<graph::ValueId>(i);
  }
  std::map<graph::ValueId, size_t> nodes;
  for (size_t i = 0; i < prepared.ints.nodes.size(); ++i) {
    const auto at = ids.find(prepared.ints.value(prepared.ints.nodes[i].output).float_value);
    if (at != ids.end()) nodes[at->second] = i;  // the last of those that stand for one value
  }
  return nodes;
}

ErrorPower PowerOf(const tensor::Tensor& real, const IntTensor& quantised,
                   const graph::IntValue& value) {
  ErrorPower power;
  const std::vector<double> want = real.ToF64();
  const std::vector<double> got = Dequantise(quantised, value.scale, value.zero_point);
  for (size_t i = 0; i < std::min(want.size(), got.size()); ++i) {
    power.signal += want[i] * want[i];
    power.noise += (want[i] - got[i]) * (want[i] - got[i]);
  }
  return power;
}

Status MeasureNoise(const RunOptions& options, RunResult* result) {
  const Prepared& prepared = result->prepared;
  const std::map<graph::ValueId, size_t> nodes = NodesByFloatValue(prepared);
  const golden::GoldenExecutor golden(prepared.ints);
  const float_ref::FloatExecutor reference(prepared.graph);
  const std::vector<InputFormat> formats = InputFormatsOf(prepared.ints, prepared.profile.clip);
  // By sample, then node: summed in order afterwards, so that threads do not change the sums.
  std::vector<std::vector<ErrorPower>> powers(result->sim_samples);
  std::mutex mutex;
  Errors errors;
  ParallelFor(powers.size(), options.prepare.threads, [&](size_t s) {
    powers[s].resize(prepared.ints.nodes.size());
    const auto trace = TraceGolden(golden, QuantiseSample(prepared.samples, s, formats));
    const auto observe = [&](graph::ValueId id, const tensor::Tensor& real) {
      const auto at = nodes.find(id);
      if (at == nodes.end() || !trace.ok()) return;
      const size_t node = at->second;
      powers[s][node] = PowerOf(real, trace->results[node],
                                prepared.ints.value(prepared.ints.nodes[node].output));
    };
    const auto ran = reference.Run(prepared.samples.Reals(s), observe);
    const std::lock_guard<std::mutex> lock(mutex);
    if (!trace.ok()) errors = trace.errors();
    if (!ran.ok()) errors = ran.errors();
  });
  if (!errors.empty()) return errors;
  for (const auto& [value, node] : nodes) {
    ErrorPower sum;
    for (const auto& sample : powers) {
      sum.signal += sample[node].signal;
      sum.noise += sample[node].noise;
    }
    result->layers[node].sqnr_db = 10 * std::log10(sum.signal / sum.noise);
  }
  return OkStatus();
}

Result<Accuracy> MeasureAccuracy(const RunOptions& options, const Prepared& prepared,
                                 const GoldenResults& golden) {
  Accuracy accuracy;
  accuracy.samples = prepared.samples.size();
  const int64_t classes = prepared.ints.value(prepared.ints.outputs.at(0)).shape.Elements();
  std::vector<int64_t> labels;
  if (!options.labels.empty()) {
    BW_ASSIGN_OR_RETURN(labels, LoadLabels(options.labels, accuracy.samples, classes));
  }
  if (classes < 2) return accuracy;
  size_t same = 0, float_right = 0, int_right = 0;
  for (size_t i = 0; i < accuracy.samples; ++i) {
    const int64_t real = ArgMax(prepared.reference.outputs[i].at(0).ToF64());
    const int64_t integer = ArgMax(golden.outputs[i].at(0).data);
    same += real == integer;
    if (labels.empty()) continue;
    float_right += real == labels[i];
    int_right += integer == labels[i];
  }
  const auto fraction = [&accuracy](size_t n) {
    return static_cast<double>(n) / static_cast<double>(accuracy.samples);
  };
  accuracy.agreement = fraction(same);
  if (!labels.empty()) {
    accuracy.float_top1 = fraction(float_right);
    accuracy.int_top1 = fraction(int_right);
  }
  return accuracy;
}

// ---- files

template <typename T>
std::vector<T> Column(const std::vector<std::vector<T>>& samples, size_t index) {
  std::vector<T> column;
  for (const auto& sample : samples) column.push_back(sample.at(index));
  return column;
}

Status WriteReferenceOutputs(const Prepared& prepared, const GoldenResults& golden,
                             const std::string& folder) {
  BW_RETURN_IF_ERROR(MakeFolders(folder + "/outputs/golden"));
  BW_RETURN_IF_ERROR(MakeFolders(folder + "/outputs/float"));
  for (size_t i = 0; i < prepared.ints.outputs.size(); ++i) {
    const graph::IntValue& value = prepared.ints.value(prepared.ints.outputs[i]);
    const std::string file = FileName(value.name) + ".npy";
    BW_RETURN_IF_ERROR(
        tensor::WriteNpy(folder + "/outputs/golden/" + file,
                         Stacked(Column(golden.outputs, i), value.bits, value.is_signed)));
  }
  for (size_t i = 0; i < prepared.graph.outputs.size(); ++i) {
    const std::string file = FileName(prepared.graph.value(prepared.graph.outputs[i]).name);
    BW_RETURN_IF_ERROR(tensor::WriteNpy(folder + "/outputs/float/" + file + ".npy",
                                        Stacked(Column(prepared.reference.outputs, i))));
  }
  return OkStatus();
}

// Layers that --dump names, as the golden model computes them.
Status WriteGoldenDumps(const RunOptions& options, const RunResult& result,
                        const std::string& folder) {
  const graph::IntGraph& ints = result.prepared.ints;
  const golden::GoldenExecutor golden(ints);
  const auto formats = InputFormatsOf(ints, result.prepared.profile.clip);
  for (const std::string& name : options.dumps) {
    const auto node = std::find_if(ints.nodes.begin(), ints.nodes.end(), [&](const auto& n) {
      return n.name == name || ints.value(n.output).name == name;
    });
    if (node == ints.nodes.end()) {
      return Error{"",
                   0,
                   0,
                   "--dump",
                   fmt::format("no layer or tensor '{}'", name),
                   "the names are in layers.csv"};
    }
    std::vector<IntTensor> samples;
    for (size_t s = 0; s < result.sim_samples; ++s) {
      BW_ASSIGN_OR_RETURN(GoldenTrace trace,
                          TraceGolden(golden, QuantiseSample(result.prepared.samples, s, formats)));
      samples.push_back(std::move(trace.results[static_cast<size_t>(node - ints.nodes.begin())]));
    }
    const graph::IntValue& value = ints.value(node->output);
    BW_RETURN_IF_ERROR(tensor::WriteNpy(folder + "/outputs/golden/" + FileName(name) + ".npy",
                                        Stacked(samples, value.bits, value.is_signed)));
  }
  return OkStatus();
}

// ---- machines

// The inputs of the compiled part: the network's own, or values that the golden model computes.
std::vector<IntTensor> InputsOfPart(const RunResult& result, const golden::GoldenExecutor& golden,
                                    size_t sample) {
  const Prepared& prepared = result.prepared;
  std::vector<IntTensor> whole = QuantiseSample(
      prepared.samples, sample, InputFormatsOf(prepared.ints, prepared.profile.clip));
  if (result.compiled.inputs == prepared.ints.inputs) return whole;
  const auto trace = TraceGolden(golden, std::move(whole));
  std::vector<IntTensor> inputs;
  for (const graph::IntValueId id : result.compiled.inputs) {
    for (size_t i = 0; i < prepared.ints.inputs.size(); ++i) {
      if (prepared.ints.inputs[i] == id) inputs.push_back(trace->inputs[i]);
    }
    for (size_t i = 0; i < prepared.ints.nodes.size(); ++i) {
      if (prepared.ints.nodes[i].output == id) inputs.push_back(trace->results[i]);
    }
  }
  return inputs;
}

Status RunMachines(const RunOptions& options, const std::string& folder, RunResult* result) {
  const golden::GoldenExecutor golden(result->prepared.ints);
  std::vector<IsolatedJob> jobs;
  for (const std::string& name : options.executors) {
    if (name == kGolden) continue;
    MachineJob job;
    job.executor = name;
    job.program = &result->program;
    job.ints = &result->compiled;
    job.inputs = [result, &golden](size_t s) { return InputsOfPart(*result, golden, s); };
    job.samples = result->sim_samples;
    job.options.injection = options.injection;
    if (options.wave && name == "rtl") job.options.wave = folder + "/rtl.vcd";
    job.folder = folder;
    job.dumps = options.dumps;
    jobs.push_back({name, [job] { return RunMachine(job); }});
    result->machines.emplace_back(name, Json());
  }
  const auto finished = RunIsolated(jobs, options.prepare.threads, [&](size_t done) {
    if (options.prepare.progress) options.prepare.progress("executors", done, jobs.size());
  });
  for (size_t i = 0; i < finished.size(); ++i) {
    if (!finished[i].ok()) return finished[i].errors();
    result->machines[i].second = *finished[i];
  }
  return OkStatus();
}

}  // namespace

bool RunResult::AllAgree() const {
  return std::all_of(machines.begin(), machines.end(),
                     [](const auto& machine) { return machine.second.at("match") == true; });
}

size_t SimulatedSamples(size_t samples, std::optional<size_t> asked) {
  return std::min(samples, asked.value_or(samples <= 16 ? samples : 4));
}

Result<RunResult> Run(const RunOptions& options, const OutputFolder& folder) {
  BW_ASSIGN_OR_RETURN(Prepared prepared, ReadInputs(options.prepare));
  RunResult result;
  result.sim_samples = SimulatedSamples(prepared.samples.size(), options.sim_samples);
  if (!options.labels.empty()) {  // before the work, though the classes are known only after it
    BW_ASSIGN_OR_RETURN(const auto labels,
                        LoadLabels(options.labels, prepared.samples.size(), INT64_MAX));
  }
  BW_RETURN_IF_ERROR(Quantise(options.prepare, &prepared));
  result.prepared = std::move(prepared);
  StageTimes& times = result.prepared.times;
  BW_ASSIGN_OR_RETURN(result.compiled, PartOf(result.prepared.ints, options.prepare.layers));
  BW_ASSIGN_OR_RETURN(result.program, Timed(times, "compile", [&] {
                        return CompileFor(result.prepared, result.compiled);
                      }));
  const std::string& out = folder.temporary();
  BW_RETURN_IF_ERROR(isa::WriteProgram(result.program, out + "/program.bwp"));

  BW_ASSIGN_OR_RETURN(const GoldenResults golden,
                      Timed(times, "golden", [&] { return RunGolden(options, result.prepared); }));
  for (const golden::NodeCounts& counts : golden.counts) result.layers.push_back({counts, {}});
  BW_ASSIGN_OR_RETURN(result.accuracy, MeasureAccuracy(options, result.prepared, golden));
  BW_RETURN_IF_ERROR(Timed(times, "noise", [&] { return MeasureNoise(options, &result); }));
  BW_RETURN_IF_ERROR(WriteReferenceOutputs(result.prepared, golden, out));
  BW_RETURN_IF_ERROR(WriteGoldenDumps(options, result, out));
  BW_RETURN_IF_ERROR(Timed(times, "executors", [&] { return RunMachines(options, out, &result); }));
  return result;
}

}  // namespace bw::cosim
