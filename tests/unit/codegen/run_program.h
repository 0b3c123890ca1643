// Compiles a graph, runs it on the ISS under the hazard checker, and compares every layer with the
// golden.
#ifndef TESTS_UNIT_CODEGEN_RUN_PROGRAM_H_
#define TESTS_UNIT_CODEGEN_RUN_PROGRAM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/codegen/compile.h"
#include "compiler/graph/int_graph.h"
#include "models/golden/int_tensor.h"

namespace bw::codegen {

struct RunReport {
  std::string compile_error;    // empty when it compiled
  std::string problem;          // the first difference, hazard or gap; empty when all agree
  int64_t elements = 0;         // of machine layers, compared
  int64_t output_elements = 0;  // of the network's outputs in DRAM, compared
  isa::Program program;
};
RunReport RunAndCompare(const graph::IntGraph& graph, const hwconfig::HwConfig& config,
                        const CompileOptions& options,
                        const std::vector<golden::IntTensor>& inputs);
// The same on uniformly random inputs.
RunReport RunAndCompare(const graph::IntGraph& graph, const hwconfig::HwConfig& config,
                        const CompileOptions& options, uint32_t seed);

}  // namespace bw::codegen

#endif  // TESTS_UNIT_CODEGEN_RUN_PROGRAM_H_
