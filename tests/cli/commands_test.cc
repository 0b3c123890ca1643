#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "compiler/isa/program.h"
#include "models/status/file.h"
#include "models/tensor/tensor_file.h"
#include "tests/cli/program.h"
#include "tests/unit/cosim/scratch_folder.h"

namespace bw::cli {
namespace {

using cosim::ScratchFolder;
using testing::HasSubstr;

TEST(Help, IsThereOnEveryLevel) {
  for (const char* command :
       {"", "run", "compile", "asm", "disasm", "exec", "replay", "report", "describe"}) {
    const Outcome outcome = Bitwright(std::string(command) + " --help");
    EXPECT_EQ(outcome.status, 0) << command;
    EXPECT_THAT(outcome.out, HasSubstr("Usage: bitwright")) << command;
    EXPECT_EQ(outcome.err, "") << command;
  }
}

TEST(Version, IsOneLine) {
  const Outcome outcome = Bitwright("--version");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, testing::MatchesRegex("bitwright [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST(Describe, PrintsEachSource) {
  for (const auto& [what, has] : {std::pair<const char*, const char*>{"npu", "array.rows"},
                                  {"recipe", "weight_bits"},
                                  {"isa", "halt"},
                                  {"ops", "HardSwish"}}) {
    const Outcome outcome = Bitwright(std::string("describe ") + what);
    EXPECT_EQ(outcome.status, 0) << what;
    EXPECT_THAT(outcome.out, HasSubstr(has)) << what;
  }
}

TEST(Programs, RoundTripThroughTextExactly) {
  const ScratchFolder scratch;
  const std::string program = scratch / "p.bwp", text = scratch / "p.s", again = scratch / "q.bwp";
  ASSERT_EQ(Bitwright("compile models/zoo/fashion_se.onnx --out " + program).status, 0);
  ASSERT_EQ(Bitwright("disasm " + program + " --out " + text).status, 0);
  ASSERT_EQ(Bitwright("asm " + text + " --out " + again).status, 0);
  EXPECT_TRUE(ReadFile(program).value() == ReadFile(again).value());
  const Outcome printed = Bitwright("disasm " + program);
  EXPECT_EQ(printed.out, ReadFile(text).value());
}

TEST(Compile, IsTheProgramThatRunUses) {
  const ScratchFolder scratch;
  ASSERT_EQ(
      Bitwright(std::string("run ") + kDemo + "--executors golden --out " + scratch / "out").status,
      0);
  ASSERT_EQ(Bitwright("compile models/zoo/fashion_se.onnx --input "
                      "models/zoo/fashion_se_images.npy --out " +
                      scratch / "p.bwp")
                .status,
            0);
  EXPECT_TRUE(ReadFile(scratch / "p.bwp").value() == ReadFile(scratch / "out/program.bwp").value());
}

TEST(Exec, GivesTheOutputsOfTheRun) {
  const ScratchFolder scratch;
  ASSERT_EQ(
      Bitwright(std::string("run ") + kDemo + "--executors golden --out " + scratch / "out").status,
      0);
  // Bytes would be taken as integers, so the images go in as reals.
  auto images =
      tensor::ReadTensorFile(BW_SOURCE_DIR "/models/zoo/fashion_se_images.npy").value().ToF64();
  std::string reals;
  for (size_t i = 0; i < 2 * 784; ++i) {
    const float v = static_cast<float>(images[i]) / 255.0F;
    reals.append(reinterpret_cast<const char*>(&v), sizeof v);
  }
  ASSERT_TRUE(WriteFile(scratch / "x.f32", reals).ok());
  const auto want = tensor::ReadTensorFile(scratch / "out/outputs/golden/logits.npy").value();
  for (const char* executor : {"iss", "sysc", "rtl"}) {
    const std::string folder = scratch / std::string(executor);
    const Outcome outcome =
        Bitwright("exec " + scratch / "out/program.bwp" + " --input " +
                  scratch / "x.f32:2x1x28x28" + " --executor " + executor + " --out " + folder);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("2 of 2 samples on " + std::string(executor)));
    const auto got =
        tensor::ReadTensorFile(folder + "/outputs/" + executor + "/logits.npy").value();
    ASSERT_EQ(got.shape(), (tensor::Shape{2, 1, 10}));
    EXPECT_TRUE(std::equal(got.bytes(), got.bytes() + got.byte_size(), want.bytes())) << executor;
  }
}

TEST(Exec, IntegersAreTakenAsTheyAreAndCheckedAgainstTheirType) {
  const ScratchFolder scratch;
  const std::string program = scratch / "p.bwp";
  ASSERT_EQ(Bitwright("compile models/zoo/fashion_se.onnx --out " + program).status, 0);
  ASSERT_TRUE(WriteFile(scratch / "x.s16", std::string(784, '\0') + std::string(784, '\1')).ok());
  const Outcome outcome = Bitwright("exec " + program + " --input " + scratch / "x.s16:1x1x28x28" +
                                    " --out " + scratch / "out");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err,
              HasSubstr("--input: value 257 of sample 0; input 'image' takes -128..127"));
}

TEST(Exec, ADamagedProgramIsRefused) {
  const ScratchFolder scratch;
  const std::string program = scratch / "p.bwp";
  ASSERT_EQ(Bitwright("compile models/zoo/fashion_se.onnx --out " + program).status, 0);
  std::string bytes = ReadFile(program).value();
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 4);
  ASSERT_TRUE(WriteFile(program, bytes).ok());
  const Outcome outcome = Bitwright("exec " + program + " --out " + scratch / "out");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("p.bwp: "));
  EXPECT_FALSE(std::filesystem::exists(scratch / "out"));
}

TEST(Report, MakesThePageAgain) {
  const ScratchFolder scratch;
  ASSERT_EQ(
      Bitwright(std::string("run ") + kDemo + "--executors golden --out " + scratch / "out").status,
      0);
  const std::string page = ReadFile(scratch / "out/report.html").value();
  std::filesystem::remove(scratch / "out/report.html");
  ASSERT_EQ(Bitwright("report " + scratch / "out").status, 0);
  EXPECT_TRUE(ReadFile(scratch / "out/report.html").value() == page);
}

}  // namespace
}  // namespace bw::cli
