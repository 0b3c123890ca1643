#include <fmt/format.h>

#include <memory>

#include "compiler/isa/program.h"
#include "models/status/file.h"
#include "sim/cli/command.h"

namespace bw::cli {
namespace {

struct DisasmArguments {
  std::string program, out;
};

Result<ExitCode> Execute(const DisasmArguments& arguments) {
  BW_ASSIGN_OR_RETURN(const isa::Program program, isa::ReadProgram(arguments.program));
  const std::string text = isa::Disassemble(program);
  if (!arguments.out.empty()) {
    BW_RETURN_IF_ERROR(WriteFile(arguments.out, text));
  } else {
    fmt::print("{}", text);
  }
  return kDone;
}

}  // namespace

void AddDisasm(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("disasm", "Program to text that asm takes back");
  auto arguments = std::make_shared<DisasmArguments>();
  command->add_option("PROGRAM", arguments->program, ".bwp file")->required();
  command->add_option("--out", arguments->out, "File to write (default: stdout)");
  command->callback(
      [arguments, &chosen] { chosen.action = [arguments] { return Execute(*arguments); }; });
}

}  // namespace bw::cli
