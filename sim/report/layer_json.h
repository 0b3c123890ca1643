// One layer of report.json.
#ifndef SIM_REPORT_LAYER_JSON_H_
#define SIM_REPORT_LAYER_JSON_H_

#include <cstddef>
#include <nlohmann/json.hpp>

#include "sim/cosim/run.h"

namespace bw::report {

using Json = nlohmann::ordered_json;

// Node `node` of the integer network. `timing` is the layer's part of a timed executor's
// statistics, or null.
Json LayerJson(const cosim::RunResult& result, size_t node, const Json& timing);

}  // namespace bw::report

#endif  // SIM_REPORT_LAYER_JSON_H_
