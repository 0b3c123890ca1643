// Finds accesses that only luck orders (ARCHITECTURE.md section 4).
#ifndef MODELS_ISS_HAZARD_CHECKER_H_
#define MODELS_ISS_HAZARD_CHECKER_H_

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "models/iss/iss.h"
#include "models/iss/shadow_memory.h"

namespace bw::iss {

// Two accesses to the same place, at least one of them a write, in different queues, that no chain
// of tokens and queue order puts one after the other.
struct Hazard {
  enum class Kind : uint8_t { kReadAfterWrite, kWriteAfterRead, kWriteAfterWrite };
  Kind kind{};
  isa::Memory memory{};
  uint64_t address = 0;  // first place found: byte (dram, spm) or entry
  uint32_t first = 0;    // instruction, earlier in program order
  uint32_t second = 0;
};

// Happens-before by vector clocks: one component a queue, advanced by each of its instructions and
// carried by tokens (the k-th wait of a pair of queues takes the clock of the k-th post). Times of
// a run play no part, so a missing token is found even when that run was lucky. The end of a
// segment orders everything before it.
class HazardChecker : public InstructionObserver {
 public:
  void BeginProgram(const isa::Program& program) override;
  void BeginInstruction(uint32_t index, const isa::Instruction& instruction) override;
  void EndInstruction(uint32_t index, const isa::Instruction& instruction) override;
  void EndSegment() override;
  void Read(isa::Memory memory, uint64_t begin, uint64_t end) override;
  void Write(isa::Memory memory, uint64_t begin, uint64_t end) override;
  // Success, or every pair of instructions in conflict, worded, at most kMaxReported of them.
  Status Finish() override;

  // One for each pair of instructions, kind and memory, in the order of discovery.
  const std::vector<Hazard>& hazards() const { return hazards_; }
  uint64_t accesses_checked() const { return accesses_; }

  static constexpr size_t kMaxReported = 10;

 private:
  using Clock = std::array<uint32_t, isa::kQueues>;

  bool Before(uint32_t queue, uint32_t time) const { return clock_[queue_][queue] >= time; }
  void Found(Hazard::Kind kind, isa::Memory memory, uint64_t address, uint32_t queue,
             uint32_t time);
  std::string Describe(uint32_t instruction) const;

  const isa::Program* program_ = nullptr;
  std::array<Clock, isa::kQueues> clock_{};
  std::array<std::array<std::deque<Clock>, isa::kQueues>, isa::kQueues> tokens_;
  std::array<std::vector<uint32_t>, isa::kQueues> issued_;  // instruction by queue and time - 1
  size_t queue_ = 0;
  uint32_t current_ = 0;
  std::array<ShadowMemory, 5> shadow_;  // by isa::Memory
  std::vector<Hazard> hazards_;
  std::map<std::array<uint64_t, 4>, size_t> seen_;
  uint64_t accesses_ = 0;
};

}  // namespace bw::iss

#endif  // MODELS_ISS_HAZARD_CHECKER_H_
