#include <fmt/format.h>

#include <memory>

#include "sim/cli/command.h"
#include "sim/cosim/bundle.h"

namespace bw::cli {
namespace {

struct ReplayArguments {
  std::string bundle, wave;
};

Result<ExitCode> Execute(const ReplayArguments& arguments) {
  BW_ASSIGN_OR_RETURN(const cosim::ReplayOutcome outcome,
                      cosim::Replay(arguments.bundle, arguments.wave));
  fmt::print("{}\n{}\n", outcome.text, outcome.still_fails ? "still fails" : "fixed");
  return outcome.still_fails ? kFailed : kDone;
}

}  // namespace

void AddReplay(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("replay", "Run a failure bundle again");
  auto arguments = std::make_shared<ReplayArguments>();
  command->add_option("BUNDLE", arguments->bundle, "Folder that a failed run left")->required();
  command->add_option("--wave", arguments->wave, "VCD file to write (executor rtl)");
  command->footer("Exit status: 1 while it still fails, 0 when it does not any more.");
  command->callback(
      [arguments, &chosen] { chosen.action = [arguments] { return Execute(*arguments); }; });
}

}  // namespace bw::cli
