#include "sim/cosim/run_machine.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <utility>

#include "models/golden/executor.h"
#include "models/status/check.h"
#include "models/status/file.h"
#include "models/tensor/npy.h"
#include "sim/cosim/bundle.h"
#include "sim/cosim/comparison.h"
#include "sim/cosim/folders.h"
#include "sim/cosim/golden_trace.h"
#include "sim/cosim/network_io.h"
#include "sim/cosim/probe_collector.h"

namespace bw::cosim {
namespace {

using golden::IntTensor;

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::vector<IntTensor> ReadOutputs(const isa::Program& program, const uint8_t* dram) {
  std::vector<IntTensor> outputs;
  for (const isa::IoTensor& io : program.outputs) outputs.push_back(ReadFromDram(io, dram));
  return outputs;
}

// The state of one RunMachine.
class Session {
 public:
  Session(const MachineJob& job, const isa::Program& program)
      : job_(job), program_(program), probes_(program), outputs_(program.outputs.size()) {}

  Status Prepare() {
    BW_ASSIGN_OR_RETURN(machine_, MakeMachine(job_.executor, program_.config, job_.options));
    BW_RETURN_IF_ERROR(machine_.executor->Load(program_));
    if (job_.ints == nullptr) return OkStatus();
    golden_.emplace(*job_.ints);
    BW_ASSIGN_OR_RETURN(comparison_,
                        Comparison::Make(program_, *job_.ints, job_.executor == "rtl"));
    return FindDumps();
  }

  Status RunAll() {
    for (size_t sample = 0; sample < job_.samples && error_.empty(); ++sample) {
      BW_RETURN_IF_ERROR(RunSample(sample));
    }
    return WriteOutputs();
  }

  Json Report(double seconds) const {
    Json json;
    json["match"] = nullptr;
    json["samples"] = done_;
    if (comparison_) {
      const Json counts = comparison_->ToJson();
      json["match"] = error_.empty() && counts["mismatches"] == 0 &&
                      counts["output_mismatches"] == 0 && counts["elements_compared"] > 0;
      json.update(counts);
    }
    json["first_mismatch"] = first_mismatch_;
    json["error"] = error_.empty() ? Json(nullptr) : Json(error_);
    json["bundle"] = bundle_.empty() ? Json(nullptr) : Json(bundle_);
    json["statistics"] = statistics_;
    json["timeline"] = timeline_;
    json["seconds"] = seconds;
    return json;
  }

 private:
  Status FindDumps() {
    for (const std::string& name : job_.dumps) {
      for (size_t i = 0; i < program_.layers.size(); ++i) {
        const graph::IntNode& node = job_.ints->nodes[comparison_->nodes()[i]];
        if (node.name == name || job_.ints->value(node.output).name == name) {
          dumps_.push_back({i, name, {}});
        }
      }
    }
    return OkStatus();
  }

  Status RunSample(size_t sample) {
    const std::vector<IntTensor> inputs = job_.inputs(sample);
    for (size_t i = 0; i < inputs.size(); ++i) {
      WriteToDram(program_.inputs.at(i), inputs[i], machine_.executor->dram());
    }
    probes_.Clear();
    Status ran = machine_.executor->Run(&probes_);
    if (ran.ok() && machine_.check) ran = machine_.check();
    if (ran.ok() && comparison_) ran = probes_.CheckComplete();
    if (!ran.ok()) {
      error_ = ToString(ran.errors());
      while (!error_.empty() && error_.back() == '\n') error_.pop_back();
      return WriteFailure(sample, inputs, nullptr, {});
    }
    ++done_;
    if (sample == 0 && machine_.statistics) BW_RETURN_IF_ERROR(KeepTiming());
    std::vector<IntTensor> outputs = ReadOutputs(program_, machine_.executor->dram());
    if (comparison_) {
      BW_ASSIGN_OR_RETURN(const GoldenTrace trace, TraceGolden(*golden_, inputs));
      if (comparison_->Add(sample, trace, probes_, outputs)) {
        first_mismatch_ = comparison_->Describe(trace, probes_);
        BW_RETURN_IF_ERROR(WriteFailure(sample, inputs, &trace, outputs));
      }
    }
    for (size_t i = 0; i < outputs.size(); ++i) outputs_[i].push_back(std::move(outputs[i]));
    for (Dump& dump : dumps_) {
      dump.samples.emplace_back(program_.layers[dump.layer].shape, probes_.layer(dump.layer));
    }
    return OkStatus();
  }

  Status KeepTiming() {
    const Timing timing = machine_.statistics(program_);
    statistics_ = timing.statistics;
    timeline_ = timing.timeline;
    if (job_.folder.empty()) return OkStatus();
    return WriteFile(fmt::format("{}/trace_{}.json", job_.folder, job_.executor), timing.trace);
  }

  // The first failure only: comparison_->Add says so, and an error ends the run.
  Status WriteFailure(size_t sample, const std::vector<IntTensor>& inputs, const GoldenTrace* trace,
                      const std::vector<IntTensor>& outputs) {
    if (job_.folder.empty() || !bundle_.empty()) return OkStatus();
    Bundle bundle;
    bundle.executor = job_.executor;
    bundle.injection = job_.options.injection;
    bundle.sample = sample;
    bundle.inputs = inputs;
    bundle.error = error_;
    bundle.mismatch = first_mismatch_;
    if (trace != nullptr) {
      const size_t layer = comparison_->first().layer;
      const int output = comparison_->first().output;
      bundle.expected = trace->results[comparison_->nodes()[layer]];
      bundle.got = output >= 0 ? outputs[static_cast<size_t>(output)]
                               : IntTensor(program_.layers[layer].shape, probes_.layer(layer));
    }
    bundle_ = "failures/" + job_.executor;
    return WriteBundle(job_.folder + "/" + bundle_, bundle, *job_.program);
  }

  Status WriteOutputs() const {
    if (job_.folder.empty()) return OkStatus();
    const std::string folder = job_.folder + "/outputs/" + job_.executor;
    BW_RETURN_IF_ERROR(MakeFolders(folder));
    for (size_t i = 0; i < outputs_.size(); ++i) {
      if (outputs_[i].empty()) continue;
      const isa::IoTensor& io = program_.outputs[i];
      BW_RETURN_IF_ERROR(tensor::WriteNpy(folder + "/" + FileName(io.name) + ".npy",
                                          Stacked(outputs_[i], io.bits, io.is_signed)));
    }
    for (const Dump& dump : dumps_) {
      if (dump.samples.empty()) continue;
      BW_RETURN_IF_ERROR(
          tensor::WriteNpy(folder + "/" + FileName(dump.name) + ".npy",
                           Stacked(dump.samples, program_.layers[dump.layer].bits, true)));
    }
    return OkStatus();
  }

  struct Dump {
    size_t layer;
    std::string name;
    std::vector<IntTensor> samples;
  };

  const MachineJob& job_;
  const isa::Program& program_;
  Machine machine_;
  std::optional<golden::GoldenExecutor> golden_;
  std::optional<Comparison> comparison_;
  ProbeCollector probes_;
  std::vector<std::vector<IntTensor>> outputs_;  // by output, then sample
  std::vector<Dump> dumps_;
  size_t done_ = 0;
  std::string error_, bundle_;
  Json first_mismatch_, statistics_, timeline_;
};

}  // namespace

Result<Json> RunMachine(const MachineJob& job) {
  const auto start = std::chrono::steady_clock::now();
  isa::Program changed;
  const isa::Program* program = job.program;
  if (job.options.injection.fault == Fault::kDropToken) {
    changed = *program;
    BW_RETURN_IF_ERROR(DropToken(changed, job.options.injection.at));
    program = &changed;
  }
  Session session(job, *program);
  BW_RETURN_IF_ERROR(session.Prepare());
  BW_RETURN_IF_ERROR(session.RunAll());
  return session.Report(SecondsSince(start));
}

}  // namespace bw::cosim
