#include <fmt/format.h>

#include <memory>

#include "sim/cli/command.h"
#include "sim/report/html.h"

namespace bw::cli {

void AddReport(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("report", "Make report.html again from report.json");
  auto folder = std::make_shared<std::string>();
  command->add_option("FOLDER", *folder, "Folder of a run")->required();
  command->callback([folder, &chosen] {
    chosen.action = [folder]() -> Result<ExitCode> {
      BW_RETURN_IF_ERROR(report::WriteHtmlAgain(*folder));
      fmt::print("{}/report.html\n", *folder);
      return kDone;
    };
  });
}

}  // namespace bw::cli
