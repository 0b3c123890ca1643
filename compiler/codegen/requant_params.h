// Parameters of the PPU from the graph's requantisation sets.
#ifndef COMPILER_CODEGEN_REQUANT_PARAMS_H_
#define COMPILER_CODEGEN_REQUANT_PARAMS_H_

#include <vector>

#include "compiler/graph/int_graph.h"
#include "compiler/isa/descriptor.h"

namespace bw::codegen {

isa::PpuParam MakePpuParam(const arith::Requant& positive, const arith::Requant* negative);
// Entries [first, first + count) of a set with one entry a channel; the single entry of the others.
std::vector<isa::PpuParam> MakePpuParams(const graph::RequantSet& set, int64_t first,
                                         int64_t count);
inline bool PerChannel(const graph::RequantSet& set) { return set.entries.size() > 1; }

}  // namespace bw::codegen

#endif  // COMPILER_CODEGEN_REQUANT_PARAMS_H_
