// The result of a run as a few lines of text.
#ifndef SIM_CLI_SUMMARY_H_
#define SIM_CLI_SUMMARY_H_

#include <nlohmann/json.hpp>
#include <string>

namespace bw::cli {

// From report.json; `folder` is where it was written.
std::string Summary(const nlohmann::ordered_json& report, const std::string& folder);

// 1234567 -> "1,234,567".
std::string Grouped(int64_t number);

}  // namespace bw::cli

#endif  // SIM_CLI_SUMMARY_H_
