// The commands of the program, one source file each.
#ifndef SIM_CLI_COMMAND_H_
#define SIM_CLI_COMMAND_H_

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "models/status/result.h"

namespace bw::cli {

enum ExitCode : int {
  kDone = 0,      // everything agreed
  kFailed = 1,    // a comparison or check failed
  kBadInput = 2,  // the user's input or environment is wrong
};

// What the chosen command does; set by its callback, run after parsing.
struct Chosen {
  std::string command_line;  // as typed
  std::function<Result<ExitCode>()> action;
};

void AddRun(CLI::App& app, Chosen& chosen);
void AddCompile(CLI::App& app, Chosen& chosen);
void AddAsm(CLI::App& app, Chosen& chosen);
void AddDisasm(CLI::App& app, Chosen& chosen);
void AddExec(CLI::App& app, Chosen& chosen);
void AddReplay(CLI::App& app, Chosen& chosen);
void AddReport(CLI::App& app, Chosen& chosen);
void AddDescribe(CLI::App& app, Chosen& chosen);

}  // namespace bw::cli

#endif  // SIM_CLI_COMMAND_H_
