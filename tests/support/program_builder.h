// Builds small programs for tests. Operations are serial: each waits, by a token, for the one
// before it when that is in another queue.
#ifndef TESTS_SUPPORT_PROGRAM_BUILDER_H_
#define TESTS_SUPPORT_PROGRAM_BUILDER_H_

#include <array>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "compiler/isa/descriptor.h"
#include "compiler/isa/program.h"

namespace bw::testing {

class ProgramBuilder {
 public:
  explicit ProgramBuilder(const hwconfig::HwConfig& config) {
    program_.network = "built";
    program_.config = config;
    program_.layers.push_back({"layer", "Test", {1}, 8, 0});
    program_.segments.push_back({});
  }
  const hwconfig::HwConfig& config() const { return program_.config; }

  template <typename Reg>
  ProgramBuilder& Set(Reg reg, int64_t value, int offset = 0) {
    SetRegister(QueueOf(reg), static_cast<int>(reg) + offset, value);
    return *this;
  }
  // Neighbouring registers from `first` on.
  template <typename Reg>
  ProgramBuilder& SetAll(Reg first, const std::vector<int64_t>& values) {
    for (size_t i = 0; i < values.size(); ++i) Set(first, values[i], static_cast<int>(i));
    return *this;
  }

  void Emit(isa::Instruction in);
  void Ld(uint64_t dram, uint32_t local, int dram_bit = 0);
  void St(uint64_t dram, uint32_t local);
  void Mac(isa::Opcode opcode, uint32_t a, uint32_t b, uint32_t acc, isa::AccInit init,
           uint32_t bias = 0, bool pack = false);
  // Bytes as they are.
  void LoadBytes(uint64_t dram, uint32_t local, int64_t bytes);
  void StoreBytes(uint64_t dram, uint32_t local, int64_t bytes);
  // Puts them into the constants, and loads them to entries from `entry` on.
  void LoadParams(const std::vector<isa::PpuParam>& params, uint32_t entry);
  void LoadTable(const std::vector<int32_t>& values, uint32_t entry);
  // Ends the segment; what follows is in the next.
  void EndSegment();
  void AddHostOp(isa::HostOp op) { program_.segments.back().host_ops.push_back(std::move(op)); }

  // Constants are placed from here up.
  static constexpr uint64_t kConstants = 1 << 18;
  isa::Program Finish();

 private:
  static isa::Queue QueueOf(isa::LoadReg) { return isa::Queue::kLoad; }
  static isa::Queue QueueOf(isa::MacReg) { return isa::Queue::kMac; }
  static isa::Queue QueueOf(isa::PpuReg) { return isa::Queue::kPpu; }
  static isa::Queue QueueOf(isa::StoreReg) { return isa::Queue::kStore; }
  void SetRegister(isa::Queue queue, int index, int64_t value);
  void Append(const isa::Instruction& in);
  uint64_t AddConstants(const std::vector<uint8_t>& bytes);

  isa::Program program_;
  std::array<isa::Registers, isa::kQueues> registers_{};
  int64_t last_ = -1;  // operation of this segment, before tokens; -1: none
  bool open_ = true;   // the last segment has not ended
  uint64_t next_constant_ = kConstants;
};

}  // namespace bw::testing

#endif  // TESTS_SUPPORT_PROGRAM_BUILDER_H_
