#include "sim/report/versions.h"

#include <fmt/format.h>

namespace bw::report {

std::string BitwrightVersion() { return BW_VERSION; }

nlohmann::ordered_json VersionsJson() {
  return {{"bitwright", BW_VERSION},
          {"compiler", __VERSION__},
          {"systemc", BW_SYSTEMC_VERSION},
          {"verilator", BW_VERILATOR_VERSION},
          {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100,
                              FMT_VERSION % 100)},
          {"nlohmann_json", fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR,
                                        NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH)}};
}

}  // namespace bw::report
