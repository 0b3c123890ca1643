// Which programs and libraries made a result.
#ifndef SIM_REPORT_VERSIONS_H_
#define SIM_REPORT_VERSIONS_H_

#include <nlohmann/json.hpp>
#include <string>

namespace bw::report {

std::string BitwrightVersion();  // "0.1.0"
// bitwright, compiler, C++ standard, formats.
nlohmann::ordered_json VersionsJson();

}  // namespace bw::report

#endif  // SIM_REPORT_VERSIONS_H_
