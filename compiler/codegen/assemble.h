// From operations to the instructions of a program.
#ifndef COMPILER_CODEGEN_ASSEMBLE_H_
#define COMPILER_CODEGEN_ASSEMBLE_H_

#include <unordered_map>
#include <vector>

#include "compiler/codegen/emitter.h"
#include "compiler/isa/program.h"
#include "compiler/schedule/operation.h"

namespace bw::codegen {

// Collects segments: registers, software pipeline, tokens, encoding.
class Assembler {
 public:
  Assembler(const hwconfig::HwConfig& config, bool pipeline)
      : config_(config), pipeline_(pipeline) {}
  // `operations` end in a halt.
  void AddSegment(std::vector<schedule::Operation> operations, std::vector<isa::HostOp> host_ops,
                  isa::Program& program);
  void AddProbes(std::vector<PendingProbe> probes, isa::Program& program) const;

 private:
  const hwconfig::HwConfig& config_;
  bool pipeline_;
  std::unordered_map<OperationId, uint32_t> position_;  // of an operation in the code
};

}  // namespace bw::codegen

#endif  // COMPILER_CODEGEN_ASSEMBLE_H_
