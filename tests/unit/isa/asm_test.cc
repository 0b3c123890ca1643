#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/isa/asm_text.h"
#include "compiler/isa/program.h"
#include "tests/support/sample_program.h"
#include "tests/unit/isa/random_instruction.h"

namespace bw::isa {
namespace {

using ::testing::HasSubstr;

// What Assemble says to these lines behind the head of a sound program.
std::string Message(const std::string& lines) {
  const std::string head = ".network \"n\"\n" + testing::ConfigBlock(testing::SmallMachine());
  const Result<Program> made = Assemble(head + lines, "t.bwasm");
  if (made.ok()) return "no error";
  // Lines are counted from the first behind the head.
  std::string text;
  const int head_lines = static_cast<int>(std::count(head.begin(), head.end(), '\n'));
  for (Error error : made.errors()) {
    if (error.line > 0) error.line -= head_lines;
    text += error.ToString() + "\n";
  }
  return text;
}

TEST(Assembler, TextAndBinaryRoundTripExactly) {
  const Result<Program> program = Assemble(testing::SampleProgramText(), "sample.bwasm");
  ASSERT_TRUE(program.ok()) << ToString(program.errors());
  const std::string text = Disassemble(*program);
  const Result<Program> again = Assemble(text, "again.bwasm");
  ASSERT_TRUE(again.ok()) << ToString(again.errors());
  EXPECT_TRUE(SerialiseProgram(*again) == SerialiseProgram(*program));
  EXPECT_EQ(Disassemble(*again), text);
}

TEST(Assembler, ReadsLinesWithCarriageReturns) {
  std::string text;
  for (const char c : testing::SampleProgramText()) text += c == '\n' ? "\r\n" : std::string(1, c);
  const Result<Program> program = Assemble(text, "crlf.bwasm");
  ASSERT_TRUE(program.ok()) << ToString(program.errors());
}

// Each instruction alone, whether its addresses make sense or not: the text is read up to the check
// of the program, which then may or may not accept it.
TEST(Assembler, RandomInstructionsSurviveTheText) {
  std::mt19937_64 random(11);
  for (const OpcodeInfo& info : InstructionTable()) {
    for (int round = 0; round < 40; ++round) {
      Program program;
      program.config = testing::SmallMachine();
      program.code = {Encode(RandomInstruction(info, random))};
      program.info.resize(1);
      program.segments = {{0, 1, {}}};
      const Result<Program> back = Assemble(Disassemble(program), "r.bwasm");
      if (back.ok()) {
        EXPECT_TRUE(back->code[0] == program.code[0]);
        continue;
      }
      for (const Error& error : back.errors()) {
        EXPECT_THAT(error.place, HasSubstr("instruction 0 (" + info.mnemonic)) << error.ToString();
      }
    }
  }
}

TEST(Assembler, NamesEnumeratorsAndQueues) {
  Program program;
  program.config = testing::SmallMachine();
  Instruction mm;
  mm.opcode = Opcode::kMm;
  mm.queue = Queue::kMac;
  mm.mac.init = AccInit::kBias;
  mm.wait = 1;
  mm.post = 4 | 8;
  program.code = {Encode(mm), {63, 7}};
  program.info.resize(2);
  program.segments = {{0, 2, {}}};
  const std::string text = Disassemble(program);
  EXPECT_THAT(text, HasSubstr("\n  mm init=bias wait=load post=ppu,store\n"));
  EXPECT_THAT(text, HasSubstr("\n  .word 0x0000000000000007 0x000000000000003f\n"));
}

TEST(Assembler, ErrorsNameLineAndColumn) {
  EXPECT_EQ(Message(".segment\n  halt\n"),
            "t.bwasm:2:3: halt needs its queue (for example: halt mac)\n");
  EXPECT_EQ(Message(".segment\n  mul a_base=3\n"),
            "t.bwasm:2:3: 'mul' is neither an instruction nor a directive\n");
  EXPECT_EQ(Message(".segment\n  mm a_bas=3\n"), "t.bwasm:2:6: mm has no field 'a_bas'\n");
  EXPECT_EQ(Message(".segment\n  mm a_base=16777216\n"),
            "t.bwasm:2:6: a_base=16777216 is not allowed here: 0..16777215\n");
  EXPECT_EQ(Message(".segment\n  mm init=full\n"),
            "t.bwasm:2:6: init=full is not allowed here: zero, bias, keep\n");
  EXPECT_EQ(Message(".segment\n  mm init=zero init=keep\n"), "t.bwasm:2:16: init a second time\n");
  EXPECT_EQ(Message(".segment\n  mm wait=dma\n"),
            "t.bwasm:2:6: 'dma' is no queue (queues are load, mac, ppu and store)\n");
  EXPECT_EQ(Message(".segment\n  mm wait=mac\n"), "t.bwasm:2:6: mac is the own queue\n");
  EXPECT_EQ(Message(".segment\n  cfg mac cnt0=3\n"),
            "t.bwasm:2:11: queue mac has no register 'cnt0'\n");
  EXPECT_EQ(Message(".segment\n  cfg mac m0=1 n=2\n"),
            "t.bwasm:2:16: n does not follow the registers before it; cfg writes up to 3 "
            "neighbours\n");
  EXPECT_EQ(Message(".segment\n  cfg mac m0=4294967296\n"),
            "t.bwasm:2:11: '4294967296' is no number that fits\n");
  EXPECT_EQ(Message(".segment\n  cfg mac\n"), "t.bwasm:2:3: cfg writes no register\n");
  EXPECT_EQ(Message("fence mac\n"), "t.bwasm:1:1: instruction before the first .segment\n");
  EXPECT_EQ(Message(".layer \"x\n"),
            "t.bwasm:1:8: the quoted text does not end, or holds an escape other than \\\\, \\\" "
            "and \\xNN\n");
  EXPECT_EQ(Message(".layer \"x\" op=\"y\" shape=1xx bits=8 macs=0\n"),
            "t.bwasm:1:19: shape=1xx is no shape such as 1x3x8x8 or scalar\n");
  EXPECT_EQ(Message(".layer \"x\" op=\"y\" shape=1 bits=8\n"), "t.bwasm:1:1: .layer needs macs=\n");
  EXPECT_EQ(Message(".layer \"x\" op=\"y\" shape=1 bits=8 macs=0 ops=1\n"),
            "t.bwasm:1:1: .layer does not take some of these keys, or takes them once\n");
  EXPECT_EQ(Message(".constants 0\n  012\n.end\n"), "t.bwasm:1:1: constants end in half a byte\n");
  EXPECT_EQ(Message(".constants 0\n  0g\n.end\n"),
            "t.bwasm:1:1: constants hold 'g', which is no hexadecimal digit\n");
  EXPECT_EQ(Message(".constants 0\n  01\n"), "t.bwasm:1:1: no .end follows .constants\n");
}

TEST(Assembler, ProblemsOfTheProgramNameTheLineToo) {
  EXPECT_EQ(Message(".segment\n  fence mac wait=load\n  halt mac\n"),
            "t.bwasm:2: instruction 0 (fence): waits for a token of queue load, but nothing before "
            "it posts one that is left: a deadlock\n");
}

TEST(Assembler, ErrorsOfTheConfigNameItsLines) {
  std::string text = ".network \"n\"\n" + testing::ConfigBlock(testing::SmallMachine());
  const size_t at = text.find("act_bits: 8");
  text.replace(at, 11, "act_bits: 99");
  const int line =
      1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
  const Result<Program> made = Assemble(text, "t.bwasm");
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.errors()[0].line, line) << ToString(made.errors());
  EXPECT_THAT(ToString(made.errors()), HasSubstr("act_bits"));
}

TEST(Assembler, NeedsAConfig) {
  const Result<Program> made = Assemble(".network \"n\"\n", "t.bwasm");
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(ToString(made.errors()), "t.bwasm: no .config: the hardware is not known\n");
}

TEST(AsmText, NumbersAreWholeAndInRange) {
  EXPECT_EQ(ParseInteger("-0x10"), -16);
  EXPECT_EQ(ParseInteger("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(ParseInteger("-9223372036854775808"), INT64_MIN);
  for (const char* bad :
       {"", "-", "0x", "1 ", "1.0", "9223372036854775808", "0x8000000000000000"}) {
    EXPECT_FALSE(ParseInteger(bad)) << bad;
  }
  EXPECT_EQ(ParseReal("0x1.8p-4"), 0.09375);
  EXPECT_FALSE(ParseReal("1.5x"));
  EXPECT_FALSE(ParseReal(""));
}

}  // namespace
}  // namespace bw::isa
