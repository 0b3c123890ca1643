#include <fmt/format.h>

#include <memory>

#include "compiler/calibrate/recipe.h"
#include "compiler/frontend/tflite/tflite_import.h"
#include "compiler/graph/op.h"
#include "compiler/isa/program.h"
#include "models/hwconfig/hw_config.h"
#include "sim/cli/command.h"

namespace bw::cli {
namespace {

Result<ExitCode> Execute(const std::string& what) {
  if (what == "npu") fmt::print("{}", hwconfig::DescribeNpu());
  if (what == "recipe") fmt::print("{}", calibrate::DescribeRecipe());
  if (what == "isa") fmt::print("{}", isa::DescribeIsa());
  if (what == "ops") {
    fmt::print("{}\n{}", graph::DescribeOps(), frontend::DescribeTfliteOps());
  }
  return kDone;
}

}  // namespace

void AddDescribe(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "describe", "Print the hardware parameters, recipe keys, instruction set or operators");
  auto what = std::make_shared<std::string>();
  command->add_option("WHAT", *what, "npu, recipe, isa or ops")
      ->required()
      ->check(CLI::IsMember({"npu", "recipe", "isa", "ops"}));
  command->callback([what, &chosen] { chosen.action = [what] { return Execute(*what); }; });
}

}  // namespace bw::cli
