#include <fmt/format.h>

#include <memory>

#include "compiler/isa/program.h"
#include "models/arith/profile.h"
#include "models/hwconfig/hw_config.h"
#include "models/status/file.h"
#include "sim/cli/command.h"
#include "sim/cli/summary.h"
#include "sim/cosim/folders.h"
#include "sim/cosim/machines.h"
#include "sim/cosim/network_io.h"
#include "sim/cosim/run_machine.h"

namespace bw::cli {
namespace {

struct ExecArguments {
  std::string program, input, executor = "iss", out;
  uint64_t seed = 1;
};

// Integers of the program's own type are taken as they are, all else as reals.
Result<std::vector<golden::IntTensor>> SampleFor(const isa::Program& program,
                                                 const cosim::SampleStore& samples, size_t sample,
                                                 arith::ClipKind clip) {
  const auto formats = cosim::InputFormatsOf(program, clip);
  std::vector<golden::IntTensor> inputs;
  for (size_t i = 0; i < formats.size(); ++i) {
    if (!samples.IsInteger(i)) {
      inputs.push_back(cosim::Quantise(samples.Real(sample, i), formats[i]));
      continue;
    }
    inputs.emplace_back(formats[i].shape, samples.Integers(sample, i));
    const arith::ClipRange range = arith::RangeOf(
        arith::ClipKind::kTypeRange, program.inputs[i].bits, program.inputs[i].is_signed);
    for (const int32_t v : inputs.back().data) {
      if (v >= range.lo && v <= range.hi) continue;
      return Error{samples.source(),
                   0,
                   0,
                   "--input",
                   fmt::format("value {} of sample {}; input '{}' takes {}..{}", v, sample,
                               program.inputs[i].name, range.lo, range.hi),
                   "integers are taken as quantised already; give floats for real values"};
    }
  }
  return inputs;
}

Result<ExitCode> Execute(const ExecArguments& arguments) {
  BW_ASSIGN_OR_RETURN(const auto names, cosim::ParseExecutors(arguments.executor, "--executor"));
  if (names.size() != 1 || names[0] == cosim::kGolden) {
    return Error{
        "", 0, 0, "--executor", fmt::format("'{}'", arguments.executor), "one of iss, sysc, rtl"};
  }
  BW_ASSIGN_OR_RETURN(const isa::Program program, isa::ReadProgram(arguments.program));
  const auto specs = cosim::InputSpecsOf(program);
  cosim::SampleStore samples = cosim::RandomSamples(specs, 1, arguments.seed);
  if (!arguments.input.empty()) {
    BW_ASSIGN_OR_RETURN(samples, cosim::LoadSamples(arguments.input, specs, "--input"));
  }
  const arith::ClipKind clip =
      hwconfig::ResolveProfile(program.config, program.config.profile).clip;
  std::vector<std::vector<golden::IntTensor>> inputs(samples.size());
  for (size_t s = 0; s < inputs.size(); ++s) {
    BW_ASSIGN_OR_RETURN(inputs[s], SampleFor(program, samples, s, clip));
  }
  BW_ASSIGN_OR_RETURN(auto folder, cosim::OutputFolder::Create(arguments.out, "--out"));
  cosim::MachineJob job;
  job.executor = names[0];
  job.program = &program;
  job.inputs = [&inputs](size_t s) { return inputs[s]; };
  job.samples = inputs.size();
  job.folder = folder.temporary();
  BW_ASSIGN_OR_RETURN(const cosim::Json result, cosim::RunMachine(job));
  cosim::Json json;
  json["program"] = arguments.program;
  json["executor"] = names[0];
  json["input"] = samples.source();
  json["samples"] = result["samples"];
  json["error"] = result["error"];
  json["statistics"] = result["statistics"];
  BW_RETURN_IF_ERROR(WriteFile(folder.temporary() + "/exec.json", json.dump(1) + "\n"));
  BW_RETURN_IF_ERROR(folder.Commit());
  const bool stopped = !result["error"].is_null();
  if (stopped) fmt::print(stderr, "bitwright: {}\n", result["error"].get<std::string>());
  fmt::print("{} of {} samples on {}: {}/outputs/{}\n", result["samples"].dump(), samples.size(),
             names[0], folder.path(), names[0]);
  if (!result["statistics"].is_null()) {
    fmt::print("{} cycles a sample\n", Grouped(result["statistics"]["cycles"].get<int64_t>()));
  }
  return stopped ? kFailed : kDone;
}

}  // namespace

void AddExec(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("exec", "Run a program without its network");
  auto arguments = std::make_shared<ExecArguments>();
  command->add_option("PROGRAM", arguments->program, ".bwp file")->required();
  command->add_option("--input", arguments->input,
                      "Samples: floats are quantised, integers are taken as they are (default: one "
                      "random sample)");
  command->add_option("--executor", arguments->executor, "iss, sysc or rtl")->capture_default_str();
  command->add_option("--seed", arguments->seed, "Seed of the random sample")
      ->capture_default_str();
  command->add_option("--out", arguments->out, "Folder for the outputs")->required();
  command->callback(
      [arguments, &chosen] { chosen.action = [arguments] { return Execute(*arguments); }; });
}

}  // namespace bw::cli
