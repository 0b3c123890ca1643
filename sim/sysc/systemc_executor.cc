#include "sim/sysc/systemc_executor.h"

#include <fmt/format.h>

#include <utility>

#include "models/host/host_op.h"

namespace bw::sysc {

SystemcExecutor::SystemcExecutor(const hwconfig::HwConfig& config, SystemcOptions options)
    : config_(config),
      options_(std::move(options)),
      dram_(static_cast<uint64_t>(config.dram_bytes)) {}

Status SystemcExecutor::Load(const isa::Program& program) {
  if (program.config != config_) {
    Error error;
    error.place = program.network;
    error.message = fmt::format("compiled for hardware '{}' ({}), this machine is '{}' ({})",
                                program.config.name, hwconfig::HashHex(program.config),
                                config_.name, hwconfig::HashHex(config_));
    error.hint = "compile it for this hardware";
    return error;
  }
  program_ = &program;
  dram_.Clear();
  dram_.WriteConstants(program);
  return OkStatus();
}

Status SystemcExecutor::Run(machine::RetireObserver* observer) {
  BW_CHECK(program_ != nullptr, "program = {}", static_cast<const void*>(program_));
  Machine& machine = Machine::OfProcess();
  machine.Begin(*program_, config_, options_, dram_.data(), observer);
  for (const isa::Segment& segment : program_->segments) {
    BW_RETURN_IF_ERROR(machine.RunSegment(segment));
    for (const isa::HostOp& op : segment.host_ops) {
      BW_RETURN_IF_ERROR(host::RunHostOp(op, dram_.data()));
    }
  }
  statistics_ = machine.Finish();
  return OkStatus();
}

}  // namespace bw::sysc
