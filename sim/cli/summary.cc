#include "sim/cli/summary.h"

#include <fmt/format.h>

namespace bw::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string Text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string Percent(const Json& fraction) {
  return fmt::format("{:.2f} %", 100 * fraction.get<double>());
}

std::string Verdict(const Json& executor) {
  if (executor.contains("reference")) return "reference";
  if (executor["match"] == true) return "agrees";
  return executor["error"].is_null() ? "DIFFERS" : "STOPPED";
}

std::string ExecutorRow(const std::string& name, const Json& executor) {
  const auto number = [&executor](const char* key) {
    return executor.contains(key) ? Grouped(executor[key].get<int64_t>()) : std::string("-");
  };
  return fmt::format("{:<10}{:<11}{:>8}{:>20}{:>12}{:>14}\n", name, Verdict(executor),
                     number("samples"), number("elements_compared"), number("mismatches"),
                     number("not_in_rtl_elements"));
}

// Why an executor does not agree.
std::string Trouble(const std::string& name, const Json& executor, const std::string& folder) {
  std::string text;
  if (executor.contains("error") && !executor["error"].is_null()) {
    text += fmt::format("{}: {}\n", name, executor["error"].get<std::string>());
  }
  if (executor.contains("first_mismatch") && !executor["first_mismatch"].is_null()) {
    const Json& m = executor["first_mismatch"];
    text += fmt::format("{}: layer {} ({}), sample {}, element {}: expected {}, got {}\n", name,
                        Text(m["layer"]), Text(m["operator"]), m["sample"].dump(),
                        m["coordinates"].dump(), m["expected"].dump(), m["got"].dump());
    if (m.contains("disassembly")) {
      text += fmt::format("  instruction {}, tile {}: {}\n", m["instruction"].dump(),
                          m["tile"].dump(), Text(m["disassembly"]));
    }
    text += fmt::format("  {}\n", Text(m["explained"]));
  }
  if (executor.contains("bundle") && !executor["bundle"].is_null()) {
    text += fmt::format("  bitwright replay {}/{}\n", folder, Text(executor["bundle"]));
  }
  return text;
}

std::string AccuracyLines(const Json& accuracy) {
  std::string text;
  if (!accuracy["float_top1"].is_null()) {
    text += fmt::format("{:<16}float {}, integer {}, {} samples\n", "top-1",
                        Percent(accuracy["float_top1"]), Percent(accuracy["int_top1"]),
                        Grouped(accuracy["samples"].get<int64_t>()));
  }
  if (!accuracy["agreement"].is_null()) {
    text += fmt::format("{:<16}{} of samples\n", "same class", Percent(accuracy["agreement"]));
  }
  return text;
}

}  // namespace

std::string Grouped(int64_t number) {
  std::string digits = std::to_string(number);
  const size_t first = digits[0] == '-' ? 1 : 0;
  for (size_t at = digits.size(); at > first + 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string Summary(const Json& report, const std::string& folder) {
  std::string text =
      fmt::format("{:<16}{}, {} layers, {} MACs\n{:<16}{}, {} instructions\n\n", "network",
                  Text(report["network"]["name"]), report["network"]["layers"].dump(),
                  Grouped(report["network"]["macs"].get<int64_t>()), "npu",
                  Text(report["npu"]["name"]), Grouped(report["instructions"].get<int64_t>()));
  text += fmt::format("{:<10}{:<11}{:>8}{:>20}{:>12}{:>14}\n", "executor", "result", "samples",
                      "elements compared", "mismatches", "not in RTL");
  std::string trouble;
  for (const auto& [name, executor] : report["executors"].items()) {
    text += ExecutorRow(name, executor);
    trouble += Trouble(name, executor, folder);
  }
  text += "\n" + trouble + AccuracyLines(report["accuracy"]);
  if (!report["cycles"].is_null()) {
    text += fmt::format("{:<16}{} a sample ({}), {:.4g} ms at {} MHz\n", "cycles",
                        Grouped(report["cycles"].get<int64_t>()), Text(report["cycles_from"]),
                        report["milliseconds"].get<double>(),
                        report["npu"]["parameters"]["clock_mhz"].dump());
  }
  if (const size_t warnings = report["warnings"].size(); warnings != 0) {
    text += fmt::format("{:<16}{}, first: {}\n", "warnings", warnings, Text(report["warnings"][0]));
  }
  return text + fmt::format("{:<16}{}/report.html\n", "report", folder);
}

}  // namespace bw::cli
