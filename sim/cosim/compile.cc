#include "compiler/codegen/compile.h"

#include "sim/cosim/prepare.h"

namespace bw::cosim {

Result<isa::Program> CompileFor(const Prepared& prepared, const graph::IntGraph& ints) {
  return codegen::Compile(ints, prepared.config);
}

}  // namespace bw::cosim
