// bitwright: from a float network to cycles on an integer NPU, with proof that all models agree.
#include <fmt/format.h>

#include <cstdio>
#include <new>
#include <string>

#include "sim/cli/command.h"
#include "sim/cosim/stop.h"
#include "sim/report/versions.h"

namespace bw::cli {
namespace {

// As a shell would take it back: words with special characters in single quotes.
std::string CommandLine(int argc, char** argv) {
  std::string line = "bitwright";
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool plain =
        !word.empty() &&
        word.find_first_not_of(
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=+@%") ==
            std::string::npos;
    line += plain ? " " + word : " '" + word + "'";
  }
  return line;
}

void Complain(const Errors& errors) {
  for (const Error& error : errors) fmt::print(stderr, "bitwright: {}\n", error.ToString());
}

// The command that help should be asked of: "bitwright run" when parsing of `run` failed.
std::string HelpCommand(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? "bitwright --help" : "bitwright " + parsed[0]->get_name() + " --help";
}

int Main(int argc, char** argv) {
  cosim::CleanUpOnSignals();
  CLI::App app{"bitwright: a co-design testbench for integer NPUs", "bitwright"};
  app.set_version_flag("--version", "bitwright " + report::BitwrightVersion());
  app.set_help_all_flag("--help-all", "Help of all commands");
  app.require_subcommand(1);
  app.footer(
      "Exit status: 0 done and everything agreed, 1 a comparison or check failed, "
      "2 wrong input or environment.");
  Chosen chosen;
  chosen.command_line = CommandLine(argc, argv);
  AddRun(app, chosen);
  AddCompile(app, chosen);
  AddAsm(app, chosen);
  AddDisasm(app, chosen);
  AddExec(app, chosen);
  AddReplay(app, chosen);
  AddReport(app, chosen);
  AddDescribe(app, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);  // help, version
    fmt::print(stderr, "bitwright: {} (see {})\n", e.what(), HelpCommand(app));
    return kBadInput;
  }
  try {
    const Result<ExitCode> result = chosen.action();
    if (result.ok()) return *result;
    Complain(result.errors());
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "bitwright: out of memory\n");
  }
  return kBadInput;
}

}  // namespace
}  // namespace bw::cli

int main(int argc, char** argv) { return bw::cli::Main(argc, argv); }
