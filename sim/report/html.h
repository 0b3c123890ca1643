// report.html: one file with everything in it, for any browser, without a network.
#ifndef SIM_REPORT_HTML_H_
#define SIM_REPORT_HTML_H_

#include <nlohmann/json.hpp>
#include <string>

#include "models/status/result.h"

namespace bw::report {

// The page for a report. What differs from run to run (wall_seconds) stands on one line of its own,
// the one with id="wall".
std::string MakeHtml(const nlohmann::ordered_json& report);

// FOLDER/report.json again to FOLDER/report.html. Errors: no report there, not JSON, another
// format.
Status WriteHtmlAgain(const std::string& folder);

// report.json, report.html and layers.csv.
Status WriteReport(const nlohmann::ordered_json& report, const std::string& folder);

}  // namespace bw::report

#endif  // SIM_REPORT_HTML_H_
