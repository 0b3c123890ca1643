#include "compiler/codegen/assemble.h"

#include <algorithm>
#include <utility>

#include "compiler/schedule/list_schedule.h"
#include "compiler/schedule/registers.h"
#include "compiler/schedule/tokens.h"

namespace bw::codegen {

using schedule::Operation;

void Assembler::AddSegment(std::vector<Operation> operations, std::vector<isa::HostOp> host_ops,
                           isa::Program& program) {
  if (pipeline_) {
    Operation halt = std::move(operations.back());
    operations.pop_back();
    operations =
        schedule::ListSchedule(std::move(operations), {static_cast<int>(config_.queue_depth)});
    operations.push_back(std::move(halt));
  }
  // Nothing is assumed of what registers hold when a segment starts.
  schedule::RegisterState registers;
  schedule::PlaceConfiguration(operations, registers);
  schedule::PlaceTokens(operations);
  isa::Segment segment;
  segment.first = static_cast<uint32_t>(program.code.size());
  for (const Operation& operation : operations) {
    const isa::InstructionInfo info{operation.layer, operation.tile};
    for (const isa::Instruction& cfg : operation.cfg) {
      program.code.push_back(isa::Encode(cfg));
      program.info.push_back(info);
    }
    position_[operation.id] = static_cast<uint32_t>(program.code.size());
    program.code.push_back(isa::Encode(operation.instruction));
    program.info.push_back(info);
  }
  segment.count = static_cast<uint32_t>(program.code.size()) - segment.first;
  segment.host_ops = std::move(host_ops);
  program.segments.push_back(std::move(segment));
}

void Assembler::AddProbes(std::vector<PendingProbe> probes, isa::Program& program) const {
  for (PendingProbe& pending : probes) {
    pending.probe.instruction = position_.at(pending.operation);
    program.probes.push_back(std::move(pending.probe));
  }
  std::stable_sort(
      program.probes.begin(), program.probes.end(),
      [](const isa::Probe& a, const isa::Probe& b) { return a.instruction < b.instruction; });
}

}  // namespace bw::codegen
