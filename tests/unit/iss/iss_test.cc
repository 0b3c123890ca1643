#include "models/iss/iss.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstring>
#include <random>

#include "tests/unit/iss/conv_tiles.h"

namespace bw::iss {
namespace {

using ::testing::HasSubstr;

isa::Program Assembled(const std::string& text) {
  Result<isa::Program> made = isa::Assemble(text, "test.bwasm");
  BW_CHECK(made.ok(), "{}", ToString(made.errors()));
  return std::move(made).value();
}

isa::Program Operations(const std::string& lines) {
  return Assembled(testing::TileHead() + lines + "  halt load\n" + testing::TileConstants());
}

std::string RunMessage(Iss& iss) {
  const Status status = iss.Run(nullptr);
  return status.ok() ? "no error" : ToString(status.errors());
}

TEST(Iss, RefusesAProgramForOtherHardware) {
  const isa::Program program = Assembled(testing::TwoTiles());
  hwconfig::HwConfig other = testing::SmallMachine();
  other.name = "other";
  other.acc_entries = 1024;
  Iss iss(other);
  const Status status = iss.Load(program);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(ToString(status.errors()),
              ::testing::MatchesRegex("tiles: compiled for hardware 'small' \\([0-9a-f]+\\), this "
                                      "machine is 'other' \\([0-9a-f]+\\) \\(compile it for this "
                                      "hardware\\)\n"));
}

TEST(Iss, NamesTheInstructionThatWaitsForEver) {
  isa::Program program = Assembled(testing::TwoTiles());
  // The second mm waits for the ppu a second time; the token is never posted.
  for (isa::Word& word : program.code) {
    isa::Instruction in = *isa::Decode(word);
    if (in.opcode != isa::Opcode::kRq) continue;
    in.post = static_cast<uint8_t>(in.post & ~(1U << static_cast<unsigned>(isa::Queue::kMac)));
    word = isa::Encode(in);
  }
  EXPECT_FALSE(isa::VerifyProgram(program, "p").ok());
  Iss iss(program.config);
  ASSERT_TRUE(iss.Load(program).ok());
  EXPECT_EQ(RunMessage(iss),
            "instruction 36 (layer 'conv', tile 1): mm waits for a token from queue ppu that "
            "nothing before it posts: deadlock\n");
}

TEST(Iss, RefusesParametersThatAreNone) {
  const isa::Program program = Operations("  ldp dram=64 entry=3 count=1\n");
  Iss iss(program.config);
  ASSERT_TRUE(iss.Load(program).ok());
  EXPECT_EQ(RunMessage(iss), "no error");
  iss.dram()[64 + 12] = 5;  // lo 5, hi 0
  EXPECT_EQ(RunMessage(iss),
            "instruction 28 (layer 'conv', tile 0): parameter entry 3 has m 0, s 0, m2 0, s2 0, lo "
            "5, hi 0; m is below 2^31, s in -32..63, lo <= hi\n");
}

TEST(Iss, CountsResultsThatAClipChanges) {
  // 8 x 8 products of 100 and 100: 80000, times 2^15 / 2^20 = 2500, clipped to 127.
  const isa::Program program = Operations(
      "  ldp dram=2048 entry=0 count=4\n"
      "  ld dram=0 local=0\n"
      "  ld dram=0 local=64 post=mac\n"
      "  mm a_base=0 b_base=64 wait=load post=ppu\n"
      "  rq a_mem=acc d_base=256 mode=half_up wait=mac\n");
  Iss iss(program.config);
  ASSERT_TRUE(iss.Load(program).ok());
  ASSERT_EQ(RunMessage(iss), "no error");
  EXPECT_EQ(iss.Saturations(), 0U);
  std::fill(iss.dram(), iss.dram() + 64, uint8_t{100});
  ASSERT_EQ(RunMessage(iss), "no error");
  EXPECT_EQ(iss.Saturations(), 32U);
  EXPECT_EQ(iss.AccumulatorWraps(), 0U);
}

TEST(Iss, CountsSumsThatWrap) {
  isa::Program program = Operations(
      "  ld dram=0 local=0\n"
      "  ld dram=0 local=64 post=mac\n"
      "  mm a_base=0 b_base=64 wait=load\n");
  program.config.acc_bits = 18;  // 8 x 100 x 100 fits, 8 x 128 x 128 = 2^17 does not
  Iss iss(program.config);
  ASSERT_TRUE(iss.Load(program).ok());
  std::fill(iss.dram(), iss.dram() + 64, uint8_t{100});
  ASSERT_EQ(RunMessage(iss), "no error");
  EXPECT_EQ(iss.AccumulatorWraps(), 0U);
  std::fill(iss.dram(), iss.dram() + 64, uint8_t{128});
  ASSERT_EQ(RunMessage(iss), "no error");
  EXPECT_EQ(iss.AccumulatorWraps(), 32U);
}

TEST(Iss, LoadingClearsWhatThePreviousProgramLeft) {
  const isa::Program program = Operations("  st dram=4096 local=256\n");
  const isa::Program filler = Operations("  ld dram=2048 local=256\n  ld dram=2048 local=280\n");
  Iss iss(program.config);
  ASSERT_TRUE(iss.Load(filler).ok());
  ASSERT_EQ(RunMessage(iss), "no error");
  ASSERT_TRUE(iss.Load(program).ok());
  ASSERT_EQ(RunMessage(iss), "no error");
  EXPECT_TRUE(std::all_of(iss.dram() + 4096, iss.dram() + 4128, [](uint8_t b) { return b == 0; }));
}

// Registers are 0 at the start of every run, as VerifyProgram assumes.
TEST(Iss, EveryRunStartsWithRegistersOfZero) {
  const isa::Program program = Operations(
      "  cfg load fill=0\n"
      "  cfg load lo0=0\n"
      "  ld dram=0 local=0\n"
      "  cfg load lo0=64\n"
      "  cfg load fill=9\n"
      "  ld dram=0 local=64 post=store\n"
      "  st dram=4096 local=64 wait=load\n");
  Iss iss(program.config);
  ASSERT_TRUE(iss.Load(program).ok());
  for (int run = 0; run < 2; ++run) {
    ASSERT_EQ(RunMessage(iss), "no error");
    EXPECT_EQ(iss.dram()[4096], 9);
  }
}

class Counter : public machine::RetireObserver {
 public:
  void OnRetire(uint32_t instruction, uint64_t, const machine::MemoryView&) override {
    EXPECT_EQ(instruction, next_++);
  }
  uint32_t next_ = 0;
};

TEST(Iss, RetiresInProgramOrder) {
  const isa::Program program = Assembled(testing::TwoTiles());
  Iss iss(program.config);
  ASSERT_TRUE(iss.Load(program).ok());
  Counter counter;
  ASSERT_TRUE(iss.Run(&counter).ok());
  EXPECT_EQ(counter.next_, program.code.size());
}

// Whatever a file with a right checksum holds, once it is accepted it runs to its end or to an
// error (the sanitizers look).
TEST(Iss, RunsDamagedProgramsThatAreAccepted) {
  const std::vector<uint8_t> sound = isa::SerialiseProgram(Assembled(testing::TwoTiles()));
  std::mt19937_64 random(9);
  int accepted = 0;
  for (int round = 0; round < 3000; ++round) {
    std::vector<uint8_t> bytes = sound;
    for (int i = 0; i < 2; ++i) {
      bytes[11 + random() % (bytes.size() - 15)] = static_cast<uint8_t>(random());
    }
    const auto crc = static_cast<uint32_t>(crc32_z(0, bytes.data(), bytes.size() - 4));
    std::memcpy(bytes.data() + bytes.size() - 4, &crc, sizeof crc);
    const Result<isa::Program> program = isa::ParseProgram(bytes, "damaged.bwp");
    if (!program.ok()) continue;
    ++accepted;
    Iss iss(program->config);
    ASSERT_TRUE(iss.Load(*program).ok());
    const Status status = iss.Run(nullptr);
    if (!status.ok()) {
      EXPECT_THAT(ToString(status.errors()), HasSubstr("instruction "));
    }
  }
  EXPECT_GT(accepted, 50);
}

}  // namespace
}  // namespace bw::iss
