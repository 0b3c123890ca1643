#include "tests/contract/executor_contract.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "tests/contract/naive_machine.h"

namespace bw::contract {
namespace {

constexpr size_t kImageBytes = 1 << 17;  // of random DRAM contents, from address 0

// Every instruction retires once, those of a queue in order, halts behind everything before them.
class RetirementCheck : public machine::RetireObserver {
 public:
  explicit RetirementCheck(const isa::Program& program)
      : program_(program), retired_(program.code.size()) {}

  void OnRetire(uint32_t instruction, uint64_t cycle, const machine::MemoryView& memory) override {
    ASSERT_LT(instruction, program_.code.size());
    EXPECT_FALSE(retired_[instruction]) << "instruction " << instruction << " retires again";
    retired_[instruction] = true;
    ++count_;
    EXPECT_GE(cycle, last_cycle_);
    last_cycle_ = cycle;
    const isa::Instruction in = isa::Decode(program_.code[instruction]).value();
    int64_t& last = last_of_queue_[static_cast<size_t>(in.queue)];
    EXPECT_GT(static_cast<int64_t>(instruction), last) << isa::QueueName(in.queue);
    last = instruction;
    if (in.opcode != isa::Opcode::kHalt) return;
    EXPECT_EQ(count_, instruction + 1) << "a halt retires behind everything before it";
    spm_.assign(memory.spm, memory.spm + program_.config.spm_bytes);
  }
  void ExpectAllRetired() const { EXPECT_EQ(count_, retired_.size()); }
  // At the last halt.
  const std::vector<uint8_t>& spm() const { return spm_; }

 private:
  const isa::Program& program_;
  std::vector<bool> retired_;
  uint32_t count_ = 0;
  uint64_t last_cycle_ = 0;
  std::array<int64_t, isa::kQueues> last_of_queue_ = {-1, -1, -1, -1};
  std::vector<uint8_t> spm_;
};

size_t FirstDifference(const uint8_t* got, const std::vector<uint8_t>& want) {
  return static_cast<size_t>(std::mismatch(want.begin(), want.end(), got).first - want.begin());
}

void RunOnce(machine::Executor& executor, const isa::Program& program,
             const std::vector<uint8_t>& image) {
  std::vector<uint8_t> dram(static_cast<size_t>(
      std::max<uint64_t>(program.dram_bytes_used, testing::ProgramBuilder::kConstants)));
  std::copy(image.begin(), image.end(), dram.begin());
  for (const isa::Constants& block : program.constants) {
    std::copy(block.bytes.begin(), block.bytes.end(),
              dram.begin() + static_cast<long>(block.dram_byte));
  }
  std::copy(dram.begin(), dram.end(), executor.dram());
  NaiveMachine naive(program, dram);
  naive.Run();

  RetirementCheck retirement(program);
  const Status status = executor.Run(&retirement);
  ASSERT_TRUE(status.ok()) << ToString(status.errors());
  retirement.ExpectAllRetired();
  const size_t at = FirstDifference(executor.dram(), naive.dram());
  ASSERT_EQ(at, dram.size()) << "DRAM byte " << at << ": got " << int{executor.dram()[at]}
                             << ", should be " << int{naive.dram()[at]};
  ASSERT_NE(naive.dram(), dram) << "the program changed nothing";
  for (size_t i = 0; i < naive.spm().size(); ++i) {
    if (!naive.spm_written()[i]) continue;
    ASSERT_EQ(int{retirement.spm()[i]}, int{naive.spm()[i]}) << "scratchpad byte " << i;
  }
}

}  // namespace

void PrintTo(const ContractCase& contract_case, std::ostream* out) { *out << contract_case.name; }

std::vector<ContractCase> AllContractCases() {
  std::vector<ContractCase> all;
  for (const auto& cases : {TransferCases(), MacCases(), PpuCases(), ProgramCases()}) {
    all.insert(all.end(), cases.begin(), cases.end());
  }
  return all;
}

void CheckExecutor(const Factory& factory, const ContractCase& contract_case) {
  const Result<hwconfig::HwConfig> config = hwconfig::LoadHwConfig(
      std::string(BW_SOURCE_DIR) + "/configs/npu/tiny.yaml", contract_case.config);
  ASSERT_TRUE(config.ok()) << ToString(config.errors());
  const std::unique_ptr<machine::Executor> executor = factory(*config);
  for (int round = 0; round < contract_case.rounds; ++round) {
    testing::Random random(1000 + static_cast<uint64_t>(round));
    testing::ProgramBuilder builder(*config);
    contract_case.build(builder, random);
    const isa::Program program = builder.Finish();
    SCOPED_TRACE("round " + std::to_string(round));
    const Status sound = isa::VerifyProgram(program, "round " + std::to_string(round));
    ASSERT_TRUE(sound.ok()) << ToString(sound.errors());
    const Status loaded = executor->Load(program);
    ASSERT_TRUE(loaded.ok()) << ToString(loaded.errors());
    for (int sample = 0; sample < 2; ++sample) {
      std::vector<uint8_t> image(kImageBytes);
      for (uint8_t& byte : image) byte = random.Byte();
      RunOnce(*executor, program, image);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

}  // namespace bw::contract
