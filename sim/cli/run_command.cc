#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "sim/cli/command.h"
#include "sim/cli/console.h"
#include "sim/cli/network_options.h"
#include "sim/cli/summary.h"
#include "sim/cosim/machines.h"
#include "sim/cosim/run.h"
#include "sim/report/html.h"
#include "sim/report/report_json.h"

namespace bw::cli {
namespace {

struct RunArguments {
  cosim::RunOptions run;
  std::string executors = "golden,iss,sysc,rtl";
  std::string inject;
  int64_t sim_samples = -1;
};

Result<ExitCode> Execute(RunArguments& arguments, const std::string& command_line) {
  cosim::RunOptions& run = arguments.run;
  BW_ASSIGN_OR_RETURN(run.executors, cosim::ParseExecutors(arguments.executors, "--executors"));
  BW_ASSIGN_OR_RETURN(run.injection, cosim::ParseInjection(arguments.inject));
  BW_RETURN_IF_ERROR(cosim::CheckInjection(run.injection, run.executors));
  if (run.wave && std::count(run.executors.begin(), run.executors.end(), "rtl") == 0) {
    return Error{"", 0, 0, "--wave", "only rtl has a waveform", "add rtl to --executors"};
  }
  if (arguments.sim_samples > 0) run.sim_samples = static_cast<size_t>(arguments.sim_samples);
  run.prepare.progress = TerminalProgress();
  BW_ASSIGN_OR_RETURN(cosim::OutputFolder folder, cosim::OutputFolder::Create(run.out, "--out"));
  auto result = cosim::Run(run, folder);
  ClearProgress();
  if (!result.ok()) return result.errors();
  const report::Json json = report::MakeReport(*result, command_line);
  BW_RETURN_IF_ERROR(report::WriteReport(json, folder.temporary()));
  BW_RETURN_IF_ERROR(folder.Commit());
  fmt::print("{}", Summary(json, folder.path()));
  return result->AllAgree() ? kDone : kFailed;
}

}  // namespace

void AddRun(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "run", "Quantise, compile, run on each executor, compare bit for bit, report");
  auto arguments = std::make_shared<RunArguments>();
  AddNetworkOptions(*command, &arguments->run.prepare);
  command->add_option("--labels", arguments->run.labels,
                      "Class of each sample, .npy or IDX, for top-1 accuracy");
  command->add_option("--executors", arguments->executors, "Some of golden,iss,sysc,rtl")
      ->capture_default_str();
  command
      ->add_option("--sim-samples", arguments->sim_samples,
                   "Samples for iss, sysc and rtl (default: all up to 16, else 4)")
      ->check(CLI::Range(int64_t{1}, INT64_MAX));
  command
      ->add_option("--dump", arguments->run.dumps,
                   "A layer or tensor to write for each executor, beside its outputs")
      ->take_all();
  command->add_flag("--wave", arguments->run.wave, "Write a waveform of the RTL, rtl.vcd");
  command->add_option("--inject", arguments->inject,
                      "Put in a fault, to see it caught: drop-token:INSTRUCTION, "
                      "dma-off-by-one:BEAT, multiplier-bit:BIT");
  command->add_option("--out", arguments->run.out, "Folder for the results")->required();
  command->callback([arguments, &chosen] {
    chosen.action = [arguments, &chosen] { return Execute(*arguments, chosen.command_line); };
  });
}

}  // namespace bw::cli
