#include "compiler/isa/instruction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "compiler/isa/tables.h"
#include "tests/unit/isa/random_instruction.h"

namespace bw::isa {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kSeed = 20240611;

std::vector<const FieldInfo*> AllFields(const OpcodeInfo& info) {
  std::vector<const FieldInfo*> fields = CommonFields();
  fields.insert(fields.end(), info.fields.begin(), info.fields.end());
  return fields;
}

Word WordOf(Opcode opcode, Queue queue) {
  Instruction made;
  made.opcode = opcode;
  made.queue = queue;
  if (opcode == Opcode::kCfg) made.cfg.count = 1;
  return Encode(made);
}

std::string DecodeMessage(const Word& word) {
  const Result<Instruction> decoded = Decode(word);
  return decoded.ok() ? "no error" : ToString(decoded.errors());
}

TEST(Instruction, FieldsLieInsideTheWordAndDoNotOverlap) {
  for (const OpcodeInfo& info : InstructionTable()) {
    std::map<int, std::string_view> owner;
    for (const FieldInfo* field : AllFields(info)) {
      ASSERT_GE(field->width, 1);
      ASSERT_LE(field->width, 40);
      for (int bit = field->lsb; bit < field->lsb + field->width; ++bit) {
        ASSERT_LT(bit, kWordBits) << info.mnemonic << "." << field->name;
        const auto [at, fresh] = owner.emplace(bit, field->name);
        EXPECT_TRUE(fresh) << info.mnemonic << ": bit " << bit << " is in " << at->second
                           << " and in " << field->name;
      }
    }
  }
}

TEST(Instruction, CodesAndNamesAreUnique) {
  std::set<int> opcodes;
  std::set<std::string> mnemonics;
  const int64_t most = CommonFields()[0]->max;
  ASSERT_EQ(CommonFields()[0]->name, "opcode");
  for (const OpcodeInfo& info : InstructionTable()) {
    EXPECT_TRUE(opcodes.insert(static_cast<int>(info.opcode)).second) << info.mnemonic;
    EXPECT_TRUE(mnemonics.insert(info.mnemonic).second) << info.mnemonic;
    EXPECT_LE(static_cast<int64_t>(info.opcode), most);
  }
  std::set<std::pair<Queue, int>> indices;
  std::set<std::pair<Queue, std::string_view>> names;
  for (const RegisterInfo& row : RegisterTable()) {
    EXPECT_TRUE(indices.emplace(row.queue, row.index).second) << row.name;
    EXPECT_TRUE(names.emplace(row.queue, row.name).second) << row.name;
    EXPECT_GE(row.index, 0);
    EXPECT_LT(row.index, kRegisters);
  }
}

TEST(Instruction, EveryGroupOfFieldsBelongsToAnInstruction) {
  std::set<const FieldInfo*> used(CommonFields().begin(), CommonFields().end());
  for (const OpcodeInfo& info : InstructionTable()) {
    used.insert(info.fields.begin(), info.fields.end());
  }
  for (const FieldInfo& field : FieldTable()) {
    EXPECT_EQ(used.count(&field), 1U) << field.group << "." << field.name;
  }
}

TEST(Instruction, EncodesAndDecodesEveryFieldOfRandomInstructions) {
  std::mt19937_64 random(kSeed);
  for (const OpcodeInfo& info : InstructionTable()) {
    for (int round = 0; round < 500; ++round) {
      const Instruction made = RandomInstruction(info, random);
      const Word word = Encode(made);
      const Result<Instruction> back = Decode(word);
      ASSERT_TRUE(back.ok()) << info.mnemonic << ": " << ToString(back.errors());
      for (const FieldInfo* field : AllFields(info)) {
        ASSERT_EQ(field->get(*back), field->get(made)) << info.mnemonic << "." << field->name;
      }
      ASSERT_TRUE(Encode(*back) == word);
    }
  }
}

// Decode accepts a word only when Encode gives it back: no bit is ignored.
TEST(Instruction, EveryBitOfAnAcceptedWordMeansSomething) {
  std::mt19937_64 random(kSeed);
  int accepted = 0;
  for (const OpcodeInfo& info : InstructionTable()) {
    for (int round = 0; round < 20; ++round) {
      const Word word = Encode(RandomInstruction(info, random));
      for (int bit = 0; bit < kWordBits; ++bit) {
        Word flipped = word;
        SetField(flipped, bit, 1, 1 - GetField(word, bit, 1, false));
        const Result<Instruction> decoded = Decode(flipped);
        if (!decoded.ok()) continue;
        ++accepted;
        ASSERT_TRUE(Encode(*decoded) == flipped) << info.mnemonic << " bit " << bit;
      }
    }
  }
  EXPECT_GT(accepted, 1000);
}

TEST(Instruction, FieldsMayCrossTheMiddleOfTheWord) {
  Word word;
  SetField(word, 40, 40, int64_t{0x9a5a5a5a5a});
  EXPECT_EQ(GetField(word, 40, 40, false), int64_t{0x9a5a5a5a5a});
  EXPECT_EQ(GetField(word, 40, 40, true), int64_t{0x9a5a5a5a5a} - (int64_t{1} << 40));
  EXPECT_EQ(word.lo, 0x5a5a5a0000000000U);
  EXPECT_EQ(word.hi, 0x9a5aU);
  SetField(word, 40, 40, -1);
  EXPECT_EQ(GetField(word, 40, 40, true), -1);
  SetField(word, 40, 40, 0);
  EXPECT_TRUE(word == Word{});
}

TEST(InstructionDeathTest, ValuesThatDoNotFitAFieldStop) {
  Word word;
  EXPECT_DEATH(SetField(word, 0, 6, 64), "value 64 in a field of 6 bits");
  Instruction made;
  made.opcode = Opcode::kLd;
  made.ld.local = 1U << 24;
  EXPECT_DEATH(Encode(made), "ld.local = 16777216");
}

TEST(Instruction, DecodeNamesWhatIsWrong) {
  EXPECT_EQ(DecodeMessage({63, 0}),
            "opcode: 63 is not allowed here: no instruction has this code\n");

  Word word = WordOf(Opcode::kLd, Queue::kLoad);
  SetField(word, 6, 2, 1);
  EXPECT_EQ(DecodeMessage(word), "queue: 1 is not allowed here: ld is of queue load (0)\n");

  word = WordOf(Opcode::kLd, Queue::kLoad);
  SetField(word, 8, 4, 1);
  EXPECT_EQ(DecodeMessage(word), "wait: 1 is not allowed here: bit 0 is the own queue, load\n");

  word = WordOf(Opcode::kHalt, Queue::kPpu);
  SetField(word, 127, 1, 1);
  EXPECT_EQ(DecodeMessage(word),
            "spare bits: bits of 8000000000000000_0000000000000000 that halt does not use are not "
            "0\n");
}

TEST(Instruction, DecodeRejectsCodesThatHaveNoMeaning) {
  Word word = WordOf(Opcode::kMm, Queue::kMac);
  SetField(word, 112, 2, 3);
  EXPECT_EQ(DecodeMessage(word), "init: 3 is not allowed here: 0..2\n");

  word = WordOf(Opcode::kRq, Queue::kPpu);
  SetField(word, 104, 2, 2);
  SetField(word, 108, 3, 7);
  EXPECT_EQ(DecodeMessage(word),
            "a_mem: 2 is not allowed here: 0..1\nmode: 7 is not allowed here: 0..5\n");
}

TEST(Instruction, DecodeChecksTheRegistersOfCfg) {
  Word word = WordOf(Opcode::kCfg, Queue::kMac);
  SetField(word, 24, 2, 0);
  EXPECT_THAT(DecodeMessage(word), HasSubstr("count: 0 is not allowed here: 1..3"));

  word = WordOf(Opcode::kCfg, Queue::kMac);
  SetField(word, 16, 8, 64);
  EXPECT_EQ(DecodeMessage(word),
            "first: 64 is not allowed here: with count 1 the last register is 63\n");

  word = WordOf(Opcode::kCfg, Queue::kMac);
  SetField(word, 96, 32, 5);
  EXPECT_EQ(DecodeMessage(word), "v2: 5 is not allowed here: 0, as count is 1\n");
}

TEST(Instruction, CfgWritesItsRegistersAndNoOthers) {
  Instruction cfg;
  cfg.opcode = Opcode::kCfg;
  cfg.queue = Queue::kMac;
  cfg.cfg = {61, 2, {-7, 8, 0}};
  Registers registers;
  registers.fill(1);
  ApplyCfg(cfg, registers);
  EXPECT_EQ(registers[60], 1);
  EXPECT_EQ(registers[61], -7);
  EXPECT_EQ(registers[62], 8);
  EXPECT_EQ(registers[63], 1);
}

TEST(Instruction, RegistersHaveNames) {
  EXPECT_EQ(RegisterName(Queue::kLoad, 0), "load.cnt0");
  EXPECT_EQ(RegisterName(Queue::kLoad, 57), "load.r57");
  EXPECT_EQ(RegisterName(Queue::kPpu, static_cast<int>(PpuReg::kpstr)), "ppu.pstr");
  EXPECT_EQ(FindRegisterIndex(Queue::kLoad, "cnt5"), 5);
  EXPECT_EQ(FindRegisterIndex(Queue::kMac, "cnt5"), -1);
  EXPECT_EQ(FindRegisterIndex(Queue::kMac, "r63"), 63);
  EXPECT_EQ(FindRegisterIndex(Queue::kMac, "r64"), -1);
  EXPECT_EQ(FindRegisterIndex(Queue::kMac, "r"), -1);
}

}  // namespace
}  // namespace bw::isa
