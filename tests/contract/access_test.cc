// What the untimed machine tells its watcher of each instruction is what the naive machine touches.
#include <gtest/gtest.h>

#include <algorithm>

#include "models/iss/iss.h"
#include "tests/contract/executor_contract.h"
#include "tests/contract/naive_machine.h"

namespace bw::contract {
namespace {

class Recorder : public iss::InstructionObserver {
 public:
  void BeginProgram(const isa::Program& program) override {
    touched.assign(program.code.size(), {});
  }
  void BeginInstruction(uint32_t index, const isa::Instruction&) override { current_ = index; }
  void EndInstruction(uint32_t, const isa::Instruction&) override {}
  void EndSegment() override {}
  Status Finish() override { return OkStatus(); }
  void Read(isa::Memory memory, uint64_t begin, uint64_t end) override {
    for (uint64_t at = begin; at < end; ++at) Add(touched[current_].reads, memory, at);
  }
  void Write(isa::Memory memory, uint64_t begin, uint64_t end) override {
    for (uint64_t at = begin; at < end; ++at) Add(touched[current_].writes, memory, at);
  }
  std::vector<Touched> touched;

 private:
  static void Add(Places& places, isa::Memory memory, uint64_t at) {
    places.emplace_hint(places.end(), memory, at);
  }
  uint32_t current_ = 0;
};

bool Includes(const Places& all, const Places& part) {
  return std::includes(all.begin(), all.end(), part.begin(), part.end());
}

// Operand B is read as a whole, and a lookup may touch any entry of its range.
bool MayReadMore(isa::Opcode opcode) {
  return opcode == isa::Opcode::kMm || opcode == isa::Opcode::kDw || opcode == isa::Opcode::kLut;
}

class Accesses : public ::testing::TestWithParam<ContractCase> {};

TEST_P(Accesses, AreThoseOfTheNaiveMachine) {
  const auto config = hwconfig::LoadHwConfig(std::string(BW_SOURCE_DIR) + "/configs/npu/tiny.yaml",
                                             GetParam().config);
  ASSERT_TRUE(config.ok()) << ToString(config.errors());
  iss::Iss iss(*config);
  Recorder recorder;
  iss.Watch(&recorder);
  for (int round = 0; round < std::min(GetParam().rounds, 5); ++round) {
    testing::Random random(1000 + static_cast<uint64_t>(round));
    testing::ProgramBuilder builder(*config);
    GetParam().build(builder, random);
    const isa::Program program = builder.Finish();
    ASSERT_TRUE(iss.Load(program).ok());
    std::vector<uint8_t> dram(iss.dram(), iss.dram() + (1 << 19));
    NaiveMachine naive(program, dram);
    naive.Record();
    naive.Run();
    ASSERT_TRUE(iss.Run(nullptr).ok());
    for (uint32_t i = 0; i < program.code.size(); ++i) {
      const isa::Opcode opcode = isa::Decode(program.code[i])->opcode;
      const Touched& got = recorder.touched[i];
      const Touched& want = naive.touched()[i];
      EXPECT_EQ(got.writes, want.writes) << i << " " << isa::Mnemonic(opcode);
      EXPECT_TRUE(Includes(got.reads, want.reads)) << i << " " << isa::Mnemonic(opcode);
      if (MayReadMore(opcode)) continue;
      EXPECT_EQ(got.reads, want.reads) << i << " " << isa::Mnemonic(opcode);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Iss, Accesses, ::testing::ValuesIn(AllContractCases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace bw::contract
