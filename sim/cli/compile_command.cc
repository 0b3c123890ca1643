#include <fmt/format.h>

#include <memory>

#include "compiler/isa/program.h"
#include "sim/cli/command.h"
#include "sim/cli/console.h"
#include "sim/cli/network_options.h"
#include "sim/cli/summary.h"
#include "sim/cosim/prepare.h"
#include "sim/cosim/run.h"

namespace bw::cli {
namespace {

struct CompileArguments {
  cosim::PrepareOptions prepare;
  std::string out;
};

Result<ExitCode> Execute(CompileArguments& arguments) {
  cosim::PrepareOptions& options = arguments.prepare;
  options.progress = TerminalProgress();
  BW_ASSIGN_OR_RETURN(cosim::Prepared prepared, cosim::ReadInputs(options));
  const Status quantised = cosim::Quantise(options, &prepared);
  ClearProgress();
  if (!quantised.ok()) return quantised.errors();
  BW_ASSIGN_OR_RETURN(const graph::IntGraph ints, cosim::PartOf(prepared.ints, options.layers));
  BW_ASSIGN_OR_RETURN(const isa::Program program, cosim::CompileFor(prepared, ints));
  BW_RETURN_IF_ERROR(isa::WriteProgram(program, arguments.out));
  uint64_t constants = 0;
  for (const isa::Constants& block : program.constants) constants += block.bytes.size();
  fmt::print("{}: {} layers, {} instructions, {} bytes of constants, {} bytes of DRAM\n",
             arguments.out, program.layers.size(),
             Grouped(static_cast<int64_t>(program.code.size())),
             Grouped(static_cast<int64_t>(constants)),
             Grouped(static_cast<int64_t>(program.dram_bytes_used)));
  for (const std::string& warning : program.warnings) {
    fmt::print(stderr, "bitwright: warning: {}\n", warning);
  }
  return kDone;
}

}  // namespace

void AddCompile(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("compile", "Quantise and compile to a .bwp program");
  auto arguments = std::make_shared<CompileArguments>();
  AddNetworkOptions(*command, &arguments->prepare);
  command->add_option("--out", arguments->out, "Program to write, .bwp")->required();
  command->callback(
      [arguments, &chosen] { chosen.action = [arguments] { return Execute(*arguments); }; });
}

}  // namespace bw::cli
