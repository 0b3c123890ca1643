// Work in a process of its own: SystemC elaborates once a process, a crash stays there, and two
// simulators use two cores.
#ifndef SIM_COSIM_ISOLATE_H_
#define SIM_COSIM_ISOLATE_H_

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/status/result.h"

namespace bw::cosim {

using Json = nlohmann::ordered_json;

struct IsolatedJob {
  std::string name;                    // for messages
  std::function<Result<Json>()> work;  // runs in the child
};

// Runs all jobs, each in a child, at most `at_once` at a time; results in the order of `jobs`. No
// other thread of this process may be running work. A child that dies is an error that names the
// job and the signal. Children do not outlive this process.
std::vector<Result<Json>> RunIsolated(const std::vector<IsolatedJob>& jobs, int at_once,
                                      const std::function<void(size_t done)>& progress = nullptr);

// Errors as JSON and back.
Json ToJson(const Errors& errors);
Errors ErrorsFromJson(const Json& json);

}  // namespace bw::cosim

#endif  // SIM_COSIM_ISOLATE_H_
