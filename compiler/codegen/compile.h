// The back end: from the integer graph to a program for one hardware configuration.
#ifndef COMPILER_CODEGEN_COMPILE_H_
#define COMPILER_CODEGEN_COMPILE_H_

#include "compiler/graph/int_graph.h"
#include "compiler/isa/program.h"
#include "models/hwconfig/hw_config.h"
#include "models/status/result.h"

namespace bw::codegen {

struct CompileOptions {
  bool keep_resident = true;  // activations stay in the scratchpad between layers where they fit
  bool software_pipeline = true;  // loads and MAC tiles run ahead of earlier tiles
};

// Tiles every layer, allocates scratchpad and DRAM, emits instructions and tokens. layers[i] of the
// program is node i of the graph; every node's output is covered by probes, except those of host
// operators. The graph must have passed graph::Verify. The same input gives the same bytes.
// Errors name the layer, what it needs, what there is, and the hardware parameter to raise.
Result<isa::Program> Compile(const graph::IntGraph& graph, const hwconfig::HwConfig& config,
                             const CompileOptions& options = {});

}  // namespace bw::codegen

#endif  // COMPILER_CODEGEN_COMPILE_H_
