// The options that commands on networks share.
#ifndef SIM_CLI_NETWORK_OPTIONS_H_
#define SIM_CLI_NETWORK_OPTIONS_H_

#include <CLI/CLI.hpp>
#include <string>

#include "sim/cosim/prepare.h"

namespace bw::cli {

// MODEL, --npu, --quant, --calib, --input, --set, --shape, --layers, --seed, --threads.
void AddNetworkOptions(CLI::App& command, cosim::PrepareOptions* options);

// A file that ships with the program (configs/...), in the folder that it was built from or in
// BITWRIGHT_SOURCE_DIR; "" when it is not there.
std::string ShippedFile(const std::string& relative);

}  // namespace bw::cli

#endif  // SIM_CLI_NETWORK_OPTIONS_H_
