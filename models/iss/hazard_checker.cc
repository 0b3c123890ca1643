#include "models/iss/hazard_checker.h"

#include <fmt/format.h>

#include <algorithm>

namespace bw::iss {
namespace {

std::string_view KindName(Hazard::Kind kind) {
  switch (kind) {
    case Hazard::Kind::kReadAfterWrite:
      return "read after write";
    case Hazard::Kind::kWriteAfterRead:
      return "write after read";
    case Hazard::Kind::kWriteAfterWrite:
      return "write after write";
  }
  __builtin_unreachable();
}

std::string_view PlaceName(isa::Memory memory) {
  switch (memory) {
    case isa::Memory::kSpm:
      return "scratchpad byte";
    case isa::Memory::kAcc:
      return "accumulator";
    case isa::Memory::kParam:
      return "parameter entry";
    case isa::Memory::kLut:
      return "table entry";
    case isa::Memory::kDram:
      return "DRAM byte";
  }
  __builtin_unreachable();
}

}  // namespace

void HazardChecker::BeginProgram(const isa::Program& program) {
  program_ = &program;
  clock_ = {};
  for (auto& row : tokens_) {
    for (auto& pair : row) pair.clear();
  }
  for (auto& queue : issued_) queue.clear();
  for (ShadowMemory& shadow : shadow_) shadow.Clear();
  hazards_.clear();
  seen_.clear();
  accesses_ = 0;
}

void HazardChecker::BeginInstruction(uint32_t index, const isa::Instruction& instruction) {
  queue_ = static_cast<size_t>(instruction.queue);
  current_ = index;
  Clock& clock = clock_[queue_];
  for (size_t from = 0; from < isa::kQueues; ++from) {
    auto& waiting = tokens_[from][queue_];
    if ((instruction.wait >> from & 1) == 0 || waiting.empty()) continue;
    for (size_t q = 0; q < isa::kQueues; ++q) clock[q] = std::max(clock[q], waiting.front()[q]);
    waiting.pop_front();
  }
  issued_[queue_].push_back(index);
  clock[queue_] = static_cast<uint32_t>(issued_[queue_].size());
}

void HazardChecker::EndInstruction(uint32_t, const isa::Instruction& instruction) {
  for (size_t to = 0; to < isa::kQueues; ++to) {
    if ((instruction.post >> to & 1) != 0) tokens_[queue_][to].push_back(clock_[queue_]);
  }
}

void HazardChecker::EndSegment() {
  Clock all{};
  for (const Clock& clock : clock_) {
    for (size_t q = 0; q < isa::kQueues; ++q) all[q] = std::max(all[q], clock[q]);
  }
  clock_.fill(all);
}

void HazardChecker::Read(isa::Memory memory, uint64_t begin, uint64_t end) {
  accesses_ += end - begin;
  const uint32_t now = clock_[queue_][queue_];
  shadow_[static_cast<size_t>(memory)].ForEach(begin, end, [&](uint64_t at, LastAccess& last) {
    if (!Before(last.write_queue, last.write_time)) {
      Found(Hazard::Kind::kReadAfterWrite, memory, at, last.write_queue, last.write_time);
    }
    last.read_time[queue_] = now;
  });
}

void HazardChecker::Write(isa::Memory memory, uint64_t begin, uint64_t end) {
  accesses_ += end - begin;
  const uint32_t now = clock_[queue_][queue_];
  shadow_[static_cast<size_t>(memory)].ForEach(begin, end, [&](uint64_t at, LastAccess& last) {
    if (!Before(last.write_queue, last.write_time)) {
      Found(Hazard::Kind::kWriteAfterWrite, memory, at, last.write_queue, last.write_time);
    }
    for (uint32_t q = 0; q < isa::kQueues; ++q) {
      if (!Before(q, last.read_time[q])) {
        Found(Hazard::Kind::kWriteAfterRead, memory, at, q, last.read_time[q]);
      }
    }
    // Reads before this write are ordered before whatever is ordered behind it.
    last.read_time = {};
    last.write_queue = static_cast<uint32_t>(queue_);
    last.write_time = now;
  });
}

void HazardChecker::Found(Hazard::Kind kind, isa::Memory memory, uint64_t address, uint32_t queue,
                          uint32_t time) {
  const uint32_t first = issued_[queue][time - 1];
  const std::array<uint64_t, 4> key = {first, current_, static_cast<uint64_t>(kind),
                                       static_cast<uint64_t>(memory)};
  if (!seen_.emplace(key, hazards_.size()).second) return;
  hazards_.push_back({kind, memory, address, first, current_});
}

std::string HazardChecker::Describe(uint32_t instruction) const {
  const auto decoded = isa::Decode(program_->code.at(instruction));
  const isa::InstructionInfo& info = program_->info.at(instruction);
  const std::string_view what = decoded.ok() ? isa::Mnemonic(decoded->opcode) : "?";
  const std::string_view queue = decoded.ok() ? isa::QueueName(decoded->queue) : "?";
  std::string layer = "?";
  if (info.layer < program_->layers.size()) layer = program_->layers[info.layer].name;
  return fmt::format("instruction {} ({} in queue {}, layer '{}', tile {})", instruction, what,
                     queue, layer, info.tile);
}

Status HazardChecker::Finish() {
  Errors errors;
  for (const Hazard& hazard : hazards_) {
    if (errors.size() == kMaxReported) break;
    errors.push_back({"", 0, 0, "hazard",
                      fmt::format("{} at {} {}: no token orders {} behind {}",
                                  KindName(hazard.kind), PlaceName(hazard.memory), hazard.address,
                                  Describe(hazard.second), Describe(hazard.first)),
                      ""});
  }
  if (hazards_.size() > errors.size()) {
    errors.push_back(
        {"", 0, 0, "hazard",
         fmt::format("{} more pairs of instructions in conflict", hazards_.size() - errors.size()),
         ""});
  }
  if (!errors.empty()) return errors;
  return OkStatus();
}

}  // namespace bw::iss
