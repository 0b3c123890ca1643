#include "models/iss/hazard_checker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/iss/conv_tiles.h"

namespace bw::iss {
namespace {

using isa::Memory;
using isa::Queue;
using ::testing::HasSubstr;
using Kind = Hazard::Kind;

isa::Program Assembled(const std::string& text) {
  Result<isa::Program> made = isa::Assemble(text, "test.bwasm");
  BW_CHECK(made.ok(), "{}", ToString(made.errors()));
  return std::move(made).value();
}

// Operations of the program, cfg left out: what the comments in the texts number.
std::vector<uint32_t> Operations(const isa::Program& program) {
  std::vector<uint32_t> at;
  for (uint32_t i = 0; i < program.code.size(); ++i) {
    if (isa::Decode(program.code[i])->opcode != isa::Opcode::kCfg) at.push_back(i);
  }
  return at;
}

struct Checked {
  std::vector<Hazard> hazards;  // instructions as operation numbers
  std::string message;
};

Checked Check(const isa::Program& program) {
  Iss iss(program.config);
  HazardChecker checker;
  iss.Watch(&checker);
  BW_CHECK(iss.Load(program).ok(), "{}", program.network);
  const Status status = iss.Run(nullptr);
  Checked result{checker.hazards(), status.ok() ? "" : ToString(status.errors())};
  const std::vector<uint32_t> operations = Operations(program);
  const auto number = [&](uint32_t index) {
    return static_cast<uint32_t>(std::find(operations.begin(), operations.end(), index) -
                                 operations.begin());
  };
  for (Hazard& hazard : result.hazards) {
    hazard.first = number(hazard.first);
    hazard.second = number(hazard.second);
  }
  return result;
}

// The operations between the head and the halt.
Checked CheckOperations(const std::string& lines) {
  return Check(Assembled(testing::TileHead() + lines + "  halt load\n" + testing::TileConstants()));
}

MATCHER_P4(IsHazard, kind, memory, first, second, "") {
  return arg.kind == kind && arg.memory == memory && arg.first == first && arg.second == second;
}

TEST(HazardChecker, AcceptsTilesWithAllTheirTokens) {
  const Checked checked = Check(Assembled(testing::TwoTiles()));
  EXPECT_TRUE(checked.hazards.empty()) << checked.message;
  EXPECT_EQ(checked.message, "");
}

struct Token {
  size_t post, wait;  // operations
  Kind kind;
  Memory memory;
};

void PrintTo(const Token& token, std::ostream* out) { *out << token.post << "To" << token.wait; }

const Token kTokens[] = {
    {1, 3, Kind::kReadAfterWrite, Memory::kSpm},   {2, 4, Kind::kReadAfterWrite, Memory::kParam},
    {3, 4, Kind::kReadAfterWrite, Memory::kAcc},   {3, 6, Kind::kWriteAfterRead, Memory::kSpm},
    {4, 5, Kind::kReadAfterWrite, Memory::kSpm},   {4, 7, Kind::kWriteAfterRead, Memory::kParam},
    {4, 8, Kind::kWriteAfterRead, Memory::kAcc},   {5, 9, Kind::kWriteAfterRead, Memory::kSpm},
    {5, 11, Kind::kReadAfterWrite, Memory::kDram}, {6, 8, Kind::kReadAfterWrite, Memory::kSpm},
    {7, 9, Kind::kReadAfterWrite, Memory::kParam}, {8, 9, Kind::kReadAfterWrite, Memory::kAcc},
    {9, 10, Kind::kReadAfterWrite, Memory::kSpm},
};

class MissingToken : public ::testing::TestWithParam<Token> {};

TEST_P(MissingToken, IsFoundWithItsInstructions) {
  isa::Program program = Assembled(testing::TwoTiles());
  const std::vector<uint32_t> operations = Operations(program);
  const uint32_t post = operations[GetParam().post], wait = operations[GetParam().wait];
  isa::Instruction first = *isa::Decode(program.code[post]);
  isa::Instruction second = *isa::Decode(program.code[wait]);
  const uint8_t to = static_cast<uint8_t>(1U << static_cast<unsigned>(second.queue));
  const uint8_t from = static_cast<uint8_t>(1U << static_cast<unsigned>(first.queue));
  ASSERT_NE(first.post & to, 0);
  ASSERT_NE(second.wait & from, 0);
  first.post = static_cast<uint8_t>(first.post & ~to);
  second.wait = static_cast<uint8_t>(second.wait & ~from);
  program.code[post] = isa::Encode(first);
  program.code[wait] = isa::Encode(second);
  ASSERT_TRUE(isa::VerifyProgram(program, "p").ok()) << "the other tokens still balance";
  const Checked checked = Check(program);
  EXPECT_THAT(checked.hazards, ::testing::Contains(IsHazard(GetParam().kind, GetParam().memory,
                                                            GetParam().post, GetParam().wait)))
      << checked.message;
  EXPECT_THAT(checked.message, HasSubstr(fmt::format("instruction {} (", post)));
  EXPECT_THAT(checked.message, HasSubstr(fmt::format("instruction {} (", wait)));
}

INSTANTIATE_TEST_SUITE_P(HazardChecker, MissingToken, ::testing::ValuesIn(kTokens),
                         ::testing::PrintToStringParamName());

TEST(HazardChecker, TheListOfTokensIsWhole) {
  size_t posts = 0;
  for (const isa::Word& word : Assembled(testing::TwoTiles()).code) {
    for (unsigned mask = isa::Decode(word)->post; mask != 0; mask >>= 1) posts += mask & 1;
  }
  EXPECT_EQ(posts, std::size(kTokens));
}

TEST(HazardChecker, SaysWhatHappensWhereAndWhoDoesIt) {
  const Checked checked = CheckOperations(
      "  ld dram=0 local=0\n"
      "  ld dram=0 local=64\n"
      ".tile 0 7\n"
      "  mm a_base=0 b_base=64\n");
  ASSERT_EQ(checked.hazards.size(), 2U);
  EXPECT_THAT(
      checked.message,
      HasSubstr("hazard: read after write at scratchpad byte 0: no token orders instruction "
                "30 (mm in queue mac, layer 'conv', tile 7) behind instruction 28 (ld in "
                "queue load, layer 'conv', tile 0)"));
}

TEST(HazardChecker, FindsTwoWritersOfOnePlace) {
  const Checked checked = CheckOperations(
      "  ldp dram=2048 entry=0 count=4 post=ppu\n"
      "  rq a_mem=acc d_base=256 mode=half_up wait=load\n"
      "  ld dram=0 local=280\n");
  EXPECT_THAT(checked.hazards,
              ::testing::ElementsAre(IsHazard(Kind::kWriteAfterWrite, Memory::kSpm, 1U, 2U)));
  EXPECT_EQ(checked.hazards[0].address, 280U);
}

TEST(HazardChecker, FindsStoresOverWhatIsStillLoaded) {
  const Checked checked = CheckOperations(
      "  ld dram=0 local=0\n"
      "  st dram=63 local=256\n");
  EXPECT_THAT(checked.hazards,
              ::testing::ElementsAre(IsHazard(Kind::kWriteAfterRead, Memory::kDram, 0U, 1U)));
  EXPECT_EQ(checked.hazards[0].address, 63U);
  EXPECT_TRUE(CheckOperations("  ld dram=0 local=0\n  st dram=64 local=256\n").hazards.empty());
}

TEST(HazardChecker, FindsTablesThatAreStillLoading) {
  const std::string lookup =
      "  cfg ppu as0=8 as1=32\n"
      "  cfg ppu abits=8 asgn=1\n"
      "  cfg ppu tlow=0 thigh=15 tk=0\n"
      "  cfg ppu tseg=16\n";
  EXPECT_THAT(CheckOperations(lookup + "  ldt dram=0 entry=0 count=17\n"
                                       "  lut a_base=0 d_base=256\n")
                  .hazards,
              ::testing::ElementsAre(IsHazard(Kind::kReadAfterWrite, Memory::kLut, 0U, 1U)));
  EXPECT_THAT(CheckOperations(lookup + "  lut a_base=0 d_base=256\n"
                                       "  ldt dram=0 entry=0 count=17\n")
                  .hazards,
              ::testing::ElementsAre(IsHazard(Kind::kWriteAfterRead, Memory::kLut, 0U, 1U)));
  EXPECT_TRUE(CheckOperations(lookup + "  lut a_base=0 d_base=256\n"
                                       "  ldt dram=0 entry=257 count=17\n")
                  .hazards.empty());
}

TEST(HazardChecker, ReadersDoNotConflict) {
  EXPECT_TRUE(CheckOperations("  mm a_base=0 b_base=64\n"
                              "  st dram=4096 local=0\n"
                              "  ld dram=0 local=1024\n")
                  .hazards.empty());
}

TEST(HazardChecker, AQueueIsInOrderWithItself) {
  EXPECT_TRUE(CheckOperations("  ld dram=0 local=0\n"
                              "  ld dram=64 local=0\n"
                              "  mm a_base=512 b_base=600\n"
                              "  mm a_base=512 b_base=600 init=keep\n")
                  .hazards.empty());
}

TEST(HazardChecker, OrderIsCarriedOverSeveralQueues) {
  // load -> mac -> ppu -> store, by fences.
  EXPECT_TRUE(CheckOperations("  ld dram=0 local=256 post=mac\n"
                              "  fence mac wait=load post=ppu\n"
                              "  fence ppu wait=mac post=store\n"
                              "  st dram=4096 local=256 wait=ppu\n")
                  .hazards.empty());
  // The fence of ppu stands before the token arrives.
  EXPECT_THAT(CheckOperations("  fence ppu post=store\n"
                              "  ld dram=0 local=256 post=ppu\n"
                              "  fence ppu wait=load\n"
                              "  st dram=4096 local=256 wait=ppu\n")
                  .hazards,
              ::testing::ElementsAre(IsHazard(Kind::kReadAfterWrite, Memory::kSpm, 1U, 3U)));
}

TEST(HazardChecker, TheFirstWaitTakesTheFirstPost) {
  EXPECT_THAT(CheckOperations("  ld dram=0 local=512 post=mac\n"
                              "  ld dram=0 local=0 post=mac\n"
                              "  mm a_base=0 b_base=600 wait=load\n"
                              "  fence mac wait=load\n")
                  .hazards,
              ::testing::ElementsAre(IsHazard(Kind::kReadAfterWrite, Memory::kSpm, 1U, 2U)));
}

TEST(HazardChecker, AHaltOrdersEverything) {
  EXPECT_TRUE(CheckOperations("  ld dram=0 local=256\n"
                              "  halt load\n"
                              ".segment\n"
                              "  st dram=4096 local=256\n")
                  .hazards.empty());
}

// The second nibble of a byte is written with the first one in place: the byte is the unit.
TEST(HazardChecker, NeighbouringNibblesConflict) {
  const std::string nibbles =
      "  cfg ppu c0=3 c1=1 c2=1\n"
      "  cfg ppu ds0=4\n"
      "  cfg ppu dbits=4 pstr=0\n"
      "  ldp dram=2048 entry=0 count=4 post=ppu\n"
      "  rq a_mem=acc d_base=256 mode=half_up wait=load\n";
  EXPECT_THAT(CheckOperations(nibbles + "  ld dram=0 local=257\n").hazards,
              ::testing::ElementsAre(IsHazard(Kind::kWriteAfterWrite, Memory::kSpm, 1U, 2U)));
  EXPECT_TRUE(CheckOperations(nibbles + "  ld dram=0 local=258\n").hazards.empty());
}

TEST(HazardChecker, AnotherRunStartsAfresh) {
  const isa::Program program = Assembled(testing::TwoTiles());
  Iss iss(program.config);
  HazardChecker checker;
  iss.Watch(&checker);
  ASSERT_TRUE(iss.Load(program).ok());
  ASSERT_TRUE(iss.Run(nullptr).ok());
  EXPECT_GT(checker.accesses_checked(), 1000U);
  ASSERT_TRUE(iss.Run(nullptr).ok());
}

TEST(HazardChecker, ReportsTheFirstTenPairsAndHowManyMore) {
  std::string lines;
  for (int i = 0; i < 13; ++i) lines += fmt::format("  ld dram={} local={}\n", i * 64, i * 64);
  lines += "  cfg store cnt0=832\n  st dram=4096 local=0\n";
  const Checked checked = CheckOperations(lines);
  EXPECT_EQ(checked.hazards.size(), 13U);
  EXPECT_EQ(std::count(checked.message.begin(), checked.message.end(), '\n'), 11);
  EXPECT_THAT(checked.message, HasSubstr("hazard: 3 more pairs of instructions in conflict"));
}

}  // namespace
}  // namespace bw::iss
