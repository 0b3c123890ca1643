// report.json: everything that a run found out (ARCHITECTURE.md section 8).
#ifndef SIM_REPORT_REPORT_JSON_H_
#define SIM_REPORT_REPORT_JSON_H_

#include <nlohmann/json.hpp>
#include <string>

#include "sim/cosim/run.h"

namespace bw::report {

using Json = nlohmann::ordered_json;

// The keys stand in the order in which they are documented; wall_seconds is the last one and alone
// holds what differs from run to run. `command` is the command line as typed.
Json MakeReport(const cosim::RunResult& result, const std::string& command);

// One line a layer: number, name, operator, class, shape, bits, macs, cycles, utilisation, bytes,
// stalls, sqnr_db, overflows, saturations. Text with commas or quotes is quoted.
std::string LayersCsv(const Json& report);

}  // namespace bw::report

#endif  // SIM_REPORT_REPORT_JSON_H_
