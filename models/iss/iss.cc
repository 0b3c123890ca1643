#include "models/iss/iss.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/isa/descriptor.h"
#include "models/host/host_op.h"

namespace bw::iss {

using isa::Opcode;

Iss::Iss(const hwconfig::HwConfig& config)
    : config_(config),
      dram_(static_cast<uint64_t>(config.dram_bytes)),
      state_(std::make_unique<State>(config_)) {
  state_->dram = dram_.data();
}

Status Iss::Load(const isa::Program& program) {
  if (program.config != config_) {
    return Error{"",
                 0,
                 0,
                 program.network,
                 fmt::format("compiled for hardware '{}' ({}), this machine is '{}' ({})",
                             program.config.name, hwconfig::HashHex(program.config), config_.name,
                             hwconfig::HashHex(config_)),
                 "compile it for this hardware"};
  }
  program_ = &program;
  dram_.Clear();
  dram_.WriteConstants(program);
  state_ = std::make_unique<State>(config_);
  state_->dram = dram_.data();
  return OkStatus();
}

Error Iss::InstructionError(uint32_t index, std::string message) const {
  const isa::InstructionInfo& info = program_->info.at(index);
  std::string layer = "?";
  if (info.layer < program_->layers.size()) layer = program_->layers[info.layer].name;
  return {"",
          0,
          0,
          fmt::format("instruction {} (layer '{}', tile {})", index, layer, info.tile),
          std::move(message),
          ""};
}

Status Iss::TakeTokens(uint32_t index, const isa::Instruction& instruction) {
  const auto to = static_cast<size_t>(instruction.queue);
  for (size_t from = 0; from < isa::kQueues; ++from) {
    if ((instruction.wait >> from & 1) == 0) continue;
    if (tokens_[from][to] == 0) {
      return InstructionError(
          index, fmt::format("{} waits for a token from queue {} that nothing before it posts: "
                             "deadlock",
                             isa::Mnemonic(instruction.opcode),
                             isa::QueueName(static_cast<isa::Queue>(from))));
    }
    --tokens_[from][to];
  }
  return OkStatus();
}

void Iss::PostTokens(const isa::Instruction& instruction) {
  const auto from = static_cast<size_t>(instruction.queue);
  for (size_t to = 0; to < isa::kQueues; ++to) tokens_[from][to] += instruction.post >> to & 1;
}

Status Iss::CheckParameters(uint32_t index, const isa::TableDescriptor& table) const {
  for (uint32_t i = table.entry; i < table.entry + table.count; ++i) {
    const isa::PpuParam& p = state_->param[i];
    if (isa::IsValid(p)) continue;
    return InstructionError(
        index, fmt::format("parameter entry {} has m {}, s {}, m2 {}, s2 {}, lo {}, hi {}; m is "
                           "below 2^31, s in -32..63, lo <= hi",
                           i, p.m, p.s, p.m2, p.s2, p.lo, p.hi));
  }
  return OkStatus();
}

Status Iss::Step(uint32_t index, const isa::Instruction& instruction) {
  isa::Registers& registers = state_->registers[static_cast<size_t>(instruction.queue)];
  const auto failed = [&](const Errors& errors) {
    return InstructionError(index, errors.front().ToString());
  };
  // Runs `run` on the descriptor, or says what is wrong with it.
  const auto with = [&](auto descriptor, auto run) -> Status {
    if (!descriptor.ok()) return failed(descriptor.errors());
    run(*descriptor, *state_);
    return OkStatus();
  };
  switch (instruction.opcode) {
    case Opcode::kHalt:
    case Opcode::kFence:
      return OkStatus();
    case Opcode::kCfg:
      isa::ApplyCfg(instruction, registers);
      return OkStatus();
    case Opcode::kLd:
      return with(isa::MakeTransfer(instruction, registers, config_), RunLoad);
    case Opcode::kLdp: {
      const auto table = isa::MakeTable(instruction, config_);
      BW_RETURN_IF_ERROR(with(table, RunLoadParameters));
      return CheckParameters(index, *table);
    }
    case Opcode::kLdt:
      return with(isa::MakeTable(instruction, config_), RunLoadTable);
    case Opcode::kSt:
      return with(isa::MakeTransfer(instruction, registers, config_), RunStore);
    case Opcode::kMm:
    case Opcode::kDw:
      return with(isa::MakeMac(instruction, registers, config_), RunMac);
    case Opcode::kRq:
    case Opcode::kEadd:
    case Opcode::kEmul:
    case Opcode::kPmax:
    case Opcode::kPsum:
    case Opcode::kLut:
      return with(isa::MakePpu(instruction, registers, config_), RunPpu);
  }
  BW_CHECK(false, "opcode = {}", static_cast<int>(instruction.opcode));
}

Status Iss::Run(machine::RetireObserver* observer) {
  BW_CHECK(program_ != nullptr, "program = {}", static_cast<const void*>(program_));
  std::fill(&tokens_[0][0], &tokens_[0][0] + isa::kQueues * isa::kQueues, 0);
  for (isa::Registers& registers : state_->registers) registers.fill(0);
  state_->observer = watcher_;
  if (watcher_ != nullptr) watcher_->BeginProgram(*program_);
  const machine::MemoryView view{dram_.data(), state_->spm.data()};
  for (const isa::Segment& segment : program_->segments) {
    for (uint32_t i = segment.first; i < segment.first + segment.count; ++i) {
      auto decoded = isa::Decode(program_->code[i]);
      if (!decoded.ok()) return InstructionError(i, decoded.errors().front().ToString());
      BW_RETURN_IF_ERROR(TakeTokens(i, *decoded));
      if (watcher_ != nullptr) watcher_->BeginInstruction(i, *decoded);
      BW_RETURN_IF_ERROR(Step(i, *decoded));
      if (watcher_ != nullptr) watcher_->EndInstruction(i, *decoded);
      PostTokens(*decoded);
      if (observer != nullptr) observer->OnRetire(i, 0, view);
    }
    if (watcher_ != nullptr) watcher_->EndSegment();
    for (const isa::HostOp& op : segment.host_ops) {
      BW_RETURN_IF_ERROR(host::RunHostOp(op, dram_.data()));
    }
  }
  return watcher_ == nullptr ? OkStatus() : watcher_->Finish();
}

}  // namespace bw::iss
