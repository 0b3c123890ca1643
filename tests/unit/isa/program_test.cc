#include "compiler/isa/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstring>
#include <functional>
#include <random>

#include "compiler/isa/descriptor.h"
#include "tests/support/sample_program.h"

namespace bw::isa {
namespace {

using ::testing::HasSubstr;

Program Sample() {
  Result<Program> made = Assemble(testing::SampleProgramText(), "sample.bwasm");
  BW_CHECK(made.ok(), "{}", ToString(made.errors()));
  return std::move(made).value();
}

std::string ParseMessage(const std::vector<uint8_t>& bytes) {
  const Result<Program> parsed = ParseProgram(bytes, "p.bwp");
  return parsed.ok() ? "no error" : ToString(parsed.errors());
}

// The checksum of changed contents, so that what lies behind that check is reached.
void SetChecksum(std::vector<uint8_t>& bytes) {
  const size_t size = bytes.size() - 4;
  const auto crc = static_cast<uint32_t>(crc32_z(0, bytes.data(), size));
  std::memcpy(bytes.data() + size, &crc, sizeof crc);
}

TEST(Program, RoundTripsThroughItsBytes) {
  const Program program = Sample();
  const std::vector<uint8_t> bytes = SerialiseProgram(program);
  const Result<Program> back = ParseProgram(bytes, "p.bwp");
  ASSERT_TRUE(back.ok()) << ToString(back.errors());
  EXPECT_TRUE(SerialiseProgram(*back) == bytes);
  EXPECT_EQ(back->network, "a \"sample\"");
  EXPECT_TRUE(back->config == program.config);
  ASSERT_EQ(back->segments.size(), 2U);
  ASSERT_EQ(back->segments[0].host_ops.size(), 1U);
  EXPECT_EQ(back->segments[0].host_ops[0].table, (std::vector<int32_t>{1 << 24, 1 << 23, 0}));
  EXPECT_EQ(back->inputs[0].scale, 0.09375);
  EXPECT_EQ(back->inputs[0].zero_point, -3);
  EXPECT_EQ(back->inputs[0].file_axes, (std::vector<int>{1, 0}));
  EXPECT_TRUE(back->inputs[0].ties_to_even);
  EXPECT_TRUE(back->inputs[0].file_integers);
  EXPECT_TRUE(back->outputs[0].file_axes.empty());
  EXPECT_EQ(back->probes[1].memory, Memory::kDram);
  EXPECT_EQ(back->constants[0].bytes.size(), 24U);
  EXPECT_EQ(back->warnings[0], "scales of \\ were clipped");
}

TEST(Program, RoundTripsThroughAFile) {
  const std::string path = ::testing::TempDir() + "/program_test.bwp";
  const Program program = Sample();
  ASSERT_TRUE(WriteProgram(program, path).ok());
  const Result<Program> back = ReadProgram(path);
  ASSERT_TRUE(back.ok()) << ToString(back.errors());
  EXPECT_TRUE(SerialiseProgram(*back) == SerialiseProgram(program));
  EXPECT_FALSE(ReadProgram(path + ".absent").ok());
}

TEST(Program, EveryTruncationIsAnError) {
  const std::vector<uint8_t> bytes = SerialiseProgram(Sample());
  for (size_t size = 0; size < bytes.size(); ++size) {
    const std::vector<uint8_t> cut(bytes.begin(), bytes.begin() + static_cast<long>(size));
    ASSERT_FALSE(ParseProgram(cut, "p.bwp").ok()) << size;
  }
  EXPECT_EQ(ParseMessage({}),
            "p.bwp: empty file (give a .bwp file made by `bitwright compile` or "
            "`bitwright asm`)\n");
}

TEST(Program, EveryFlippedBitIsAnError) {
  std::vector<uint8_t> bytes = SerialiseProgram(Sample());
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    bytes[bit / 8] = static_cast<uint8_t>(bytes[bit / 8] ^ 1U << bit % 8);
    ASSERT_FALSE(ParseProgram(bytes, "p.bwp").ok()) << bit;
    bytes[bit / 8] = static_cast<uint8_t>(bytes[bit / 8] ^ 1U << bit % 8);
  }
}

// A right checksum over damaged contents: an error, or a program that is as sound as any and comes
// back byte for byte unless the damage was in the text of the config.
TEST(Program, DamageUnderARightChecksumNeverCrashes) {
  const std::vector<uint8_t> sound = SerialiseProgram(Sample());
  std::mt19937_64 random(5);
  int errors = 0, accepted = 0;
  for (int round = 0; round < 6000; ++round) {
    std::vector<uint8_t> bytes = sound;
    const int changes = 1 + static_cast<int>(random() % 3);
    for (int i = 0; i < changes; ++i) {
      const size_t at = 11 + random() % (bytes.size() - 15);
      bytes[at] = random() % 4 == 0 ? 0xff : static_cast<uint8_t>(random());
    }
    if (random() % 8 == 0) bytes.erase(bytes.begin() + 11 + static_cast<long>(random() % 500));
    SetChecksum(bytes);
    const Result<Program> parsed = ParseProgram(bytes, "p.bwp");
    errors += !parsed.ok();
    if (!parsed.ok()) continue;
    ++accepted;
    ASSERT_TRUE(VerifyProgram(*parsed, "p.bwp").ok());
    const Result<Program> text = Assemble(Disassemble(*parsed), "p.bwasm");
    ASSERT_TRUE(text.ok()) << ToString(text.errors());
    ASSERT_TRUE(SerialiseProgram(*text) == SerialiseProgram(*parsed));
  }
  EXPECT_GT(errors, 1000);
  EXPECT_GT(accepted, 100);
}

TEST(Program, SaysWhatIsWrongWithAFile) {
  EXPECT_THAT(ParseMessage({'P', 'K', 3, 4}), HasSubstr("p.bwp: not a bitwright program"));
  std::vector<uint8_t> bytes = SerialiseProgram(Sample());
  bytes[7] = 9;
  EXPECT_EQ(ParseMessage(bytes),
            "p.bwp: format version 9, this program reads version 2 (compile "
            "the program again)\n");
  bytes[7] = 2;
  bytes.back() ^= 1;
  EXPECT_THAT(ParseMessage(bytes), HasSubstr("damaged: checksum "));
  bytes.resize(bytes.size() / 2);
  EXPECT_THAT(ParseMessage(bytes), HasSubstr("damaged or truncated: section "));
}

// Each case breaks one thing in a sound program; the message is part of what VerifyProgram says.
struct BadProgram {
  const char* name;
  std::function<void(Program&)> break_it;
  const char* message;
};

void PrintTo(const BadProgram& bad, std::ostream* out) { *out << bad.name; }

Word Changed(const Word& word, const std::function<void(Instruction&)>& change) {
  Instruction in = *Decode(word);
  change(in);
  return Encode(in);
}

class Verify : public ::testing::TestWithParam<BadProgram> {};

TEST_P(Verify, NamesTheProblem) {
  Program program = Sample();
  ASSERT_TRUE(VerifyProgram(program, "p").ok());
  GetParam().break_it(program);
  const Status status = VerifyProgram(program, "p");
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(ToString(status.errors()), HasSubstr(GetParam().message));
}

constexpr uint8_t kPpuBit = 1 << static_cast<int>(Queue::kPpu);
constexpr uint8_t kStoreBit = 1 << static_cast<int>(Queue::kStore);

const BadProgram kBadPrograms[] = {
    {"UnknownOpcode",
     [](Program& p) {
       p.code[15] = {63, 0};
     },
     "p: instruction 15 (unknown, layer 'scale', tile 0): opcode: 63 is not allowed"},
    {"AddressOutOfRange",
     [](Program& p) {
       p.code[7] = Changed(p.code[7], [](Instruction& in) { in.ld.local = 8190; });
     },
     "instruction 7 (ld, layer 'scale', tile 0): local: 8190 reaches bytes 8190..8193 of the "
     "scratchpad, which has 0..8191"},
    {"WaitWithoutPost",
     [](Program& p) { p.code[8] = Changed(p.code[8], [](Instruction& in) { in.post = 0; }); },
     "instruction 15 (rq, layer 'scale', tile 0): waits for a token of queue load, but nothing "
     "before it posts one that is left: a deadlock"},
    {"PostWithoutWait",
     [](Program& p) {
       p.code[8] = Changed(p.code[8], [](Instruction& in) { in.post = kPpuBit | kStoreBit; });
     },
     "instruction 8 (ldp, layer 'scale', tile 0): 1 token(s) posted to queue store are never "
     "waited for"},
    {"HaltWithTokens",
     [](Program& p) {
       p.code[22] = Changed(p.code[22], [](Instruction& in) { in.wait = kPpuBit; });
     },
     "instruction 22 (halt, layer 'scale', tile 0): has tokens"},
    {"NoHalt", [](Program& p) { p.code[22] = p.code[6]; },
     "instruction 22 (cfg, layer 'scale', tile 0): ends its segment, but is no halt"},
    {"HaltInTheMiddle", [](Program& p) { p.code[6] = p.code[22]; },
     "halts in the middle of its segment"},
    {"SegmentsLeaveAGap", [](Program& p) { p.segments[1].first = 24; },
     "segment 1: 3 instructions from 24; the code has 26, and 23 comes next"},
    {"SegmentsAreTooShort", [](Program& p) { p.segments.pop_back(); },
     "segments: they hold 23 of 26 instructions"},
    {"LayerOfAnInstruction", [](Program& p) { p.info[3].layer = 2; }, "belongs to layer 2 of 2"},
    {"MapTooShort", [](Program& p) { p.info.pop_back(); },
     "map to layers: 25 entries for 26 instructions"},
    {"ConstantsOutside", [](Program& p) { p.constants[0].dram_byte = 65520; },
     "constants: 24 bytes at 65520 leave the DRAM, which has 65536"},
    {"BadParameter",
     [](Program& p) {
       p.constants[0].bytes[16] = 0x80;
       p.constants[0].bytes[19] = 0x80;
     },
     "instruction 8 (ldp, layer 'scale', tile 0): loads parameter entry 0 with m 32768"},
    {"InputOutside", [](Program& p) { p.inputs[0].placement.base_bit = uint64_t{65536} * 8 - 8; },
     "input 'x': leaves the DRAM, which has bytes 0..65535"},
    {"HugeStride", [](Program& p) { p.inputs[0].placement.strides[1] = INT64_MIN; },
     "input 'x': leaves the DRAM"},
    {"HugeShape",
     [](Program& p) {
       p.outputs[0].shape.dims = {INT64_MAX, INT64_MAX};
     },
     "output 'y': more elements than the memory has bits"},
    {"StridesOfAnotherRank", [](Program& p) { p.outputs[0].placement.strides.pop_back(); },
     "output 'y': 2 axes and 1 strides"},
    {"ScaleNotFinite", [](Program& p) { p.inputs[0].scale = NAN; }, "input 'x': scale nan"},
    {"FileAxesTwice",
     [](Program& p) {
       p.inputs[0].file_axes = {1, 1};
     },
     "input 'x': file_axes 1,1 are no order of the 2 axes"},
    {"FileAxisOutside",
     [](Program& p) {
       p.outputs[0].file_axes = {0, 2};
     },
     "output 'y': file_axes 0,2 are no order of the 2 axes"},
    {"FileAxesOfAnotherRank", [](Program& p) { p.inputs[0].file_axes = {0}; },
     "input 'x': file_axes 0 are no order of the 2 axes"},
    {"WideValues", [](Program& p) { p.inputs[0].bits = 12; },
     "input 'x': values of 12 bits in elements of 8"},
    {"ProbeOfNoLayer", [](Program& p) { p.probes[0].layer = 7; }, "probe 0: layer 7 of 2"},
    {"ProbeOfNoInstruction", [](Program& p) { p.probes[0].instruction = 26; },
     "probe 0: instruction 26 of 26"},
    {"ProbesOutOfOrder", [](Program& p) { std::swap(p.probes[0], p.probes[1]); },
     "probe 1: instruction 15 behind 24; they are in order"},
    {"ProbeOutsideItsLayer",
     [](Program& p) {
       p.probes[1].extent = {1, 4};
     },
     "probe 1: elements 1 to 1 + 4 of axis 1, which has 4"},
    {"ProbeOutsideItsMemory", [](Program& p) { p.probes[0].placement.base_bit = 65528; },
     "probe 0: leaves the scratchpad, which has bytes 0..8191"},
    {"ProbeOfAccumulators", [](Program& p) { p.probes[0].memory = Memory::kAcc; },
     "probe 0: neither in the scratchpad nor in DRAM"},
    {"UnknownHostOperator", [](Program& p) { p.segments[0].host_ops[0].kind = "sort"; },
     "host operator 'sort': there is no such operator"},
    {"TfliteSoftmaxOfAnotherTable",
     [](Program& p) { p.segments[0].host_ops[0].kind = "tflite_softmax"; },
     "host operator 'tflite_softmax': its table does not start with 2^31 - 1"},
    {"TfliteSoftmaxOfAnotherType",
     [](Program& p) {
       HostOp& op = p.segments[0].host_ops[0];
       op.kind = "tflite_softmax";
       op.output.is_signed = false;
     },
     "a result of 8 unsigned bits; it is 8 signed ones"},
    {"SoftmaxWithoutTable", [](Program& p) { p.segments[0].host_ops[0].table.clear(); },
     "host operator 'softmax': its table is empty"},
};

INSTANTIATE_TEST_SUITE_P(Program, Verify, ::testing::ValuesIn(kBadPrograms),
                         [](const auto& info) { return info.param.name; });

TEST(Program, ReportsAllProblemsUpToALimit) {
  Program program = Sample();
  program.code[7] = program.code[15] = program.code[21] = {63, 0};
  const Status status = VerifyProgram(program, "p");
  ASSERT_FALSE(status.ok());
  EXPECT_GE(status.errors().size(), 3U);
  for (Word& word : program.code) word = {63, 0};
  program.code.resize(1000, {63, 0});
  program.info.resize(1000);
  program.segments[1].count = 1000 - 23;
  const Status many = VerifyProgram(program, "p");
  EXPECT_EQ(many.errors().size(), 50U);
}

}  // namespace
}  // namespace bw::isa
