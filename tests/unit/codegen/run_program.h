// Compiles a graph, runs it on the ISS under the hazard checker, and compares every layer with the
// golden.
#ifndef TESTS_UNIT_CODEGEN_RUN_PROGRAM_H_
#define TESTS_UNIT_CODEGEN_RUN_PROGRAM_H_

#include <cstdint>
#include <string>

#include "compiler/codegen/compile.h"
#include "compiler/graph/int_graph.h"

namespace bw::codegen {

struct RunReport {
  std::string compile_error;  // empty when it compiled
  std::string problem;        // the first difference, hazard or gap; empty when all agree
  int64_t elements = 0;       // compared
  isa::Program program;
};
RunReport RunAndCompare(const graph::IntGraph& graph, const hwconfig::HwConfig& config,
                        const CompileOptions& options, uint32_t seed);

}  // namespace bw::codegen

#endif  // TESTS_UNIT_CODEGEN_RUN_PROGRAM_H_
