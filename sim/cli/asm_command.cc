#include <memory>

#include "compiler/isa/program.h"
#include "models/status/file.h"
#include "sim/cli/command.h"

namespace bw::cli {
namespace {

struct AsmArguments {
  std::string source, out;
};

Result<ExitCode> Execute(const AsmArguments& arguments) {
  BW_ASSIGN_OR_RETURN(const std::string text, ReadFile(arguments.source));
  BW_ASSIGN_OR_RETURN(const isa::Program program, isa::Assemble(text, arguments.source));
  BW_RETURN_IF_ERROR(isa::VerifyProgram(program, arguments.source));
  BW_RETURN_IF_ERROR(isa::WriteProgram(program, arguments.out));
  return kDone;
}

}  // namespace

void AddAsm(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("asm", "Text of a program to .bwp");
  auto arguments = std::make_shared<AsmArguments>();
  command->add_option("SOURCE", arguments->source, "Text, as disasm writes it")->required();
  command->add_option("--out", arguments->out, "Program to write, .bwp")->required();
  command->callback(
      [arguments, &chosen] { chosen.action = [arguments] { return Execute(*arguments); }; });
}

}  // namespace bw::cli
