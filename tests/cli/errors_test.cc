// Whatever a user gets wrong: one clear line that names the place, status 2, at once, nothing left.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <random>
#include <string>

#include "models/status/file.h"
#include "tests/cli/program.h"
#include "tests/unit/cosim/scratch_folder.h"

namespace bw::cli {
namespace {

using cosim::ScratchFolder;
using testing::HasSubstr;

constexpr double kAtOnce = 1.0;  // seconds of processor time, as others may keep the machine busy

void ExpectRefused(const std::string& arguments, const std::string& message) {
  const Outcome outcome = Bitwright(arguments);
  EXPECT_EQ(outcome.status, 2) << arguments << "\n" << outcome.out << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr(message)) << arguments;
  EXPECT_THAT(outcome.err, testing::StartsWith("bitwright: ")) << arguments;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  EXPECT_EQ(outcome.out, "") << arguments;
  EXPECT_LT(outcome.processor_seconds, kAtOnce) << arguments;
}

bool IsEmpty(const ScratchFolder& folder) { return std::filesystem::is_empty(folder.path()); }

struct Case {
  const char* name;
  const char* arguments;  // OUT stands for a fresh folder's name
  const char* message;
};
std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

class Refused : public testing::TestWithParam<Case> {};

TEST_P(Refused, WithOneLineAndNothingLeft) {
  const ScratchFolder scratch;
  std::string arguments = GetParam().arguments;
  const std::string out = scratch / "deep/out";
  for (size_t at; (at = arguments.find("OUT")) != std::string::npos;) arguments.replace(at, 3, out);
  ExpectRefused(arguments, GetParam().message);
  EXPECT_TRUE(IsEmpty(scratch)) << "something was left behind";
}

#define DEMO "models/zoo/fashion_se.onnx "
#define IMAGES "--input models/zoo/fashion_se_images.npy "
const Case kCases[] = {
    {"AbsentModel", "run no/such.onnx --out OUT",
     "bitwright: no/such.onnx: cannot be opened: No such file or directory"},
    {"ModelThatIsText", "run README.md --out OUT", "README.md: is not an ONNX model"},
    {"ModelThatIsAFolder", "run models --out OUT", "bitwright: models: "},
    {"EmptyModel", "run /dev/null --out OUT", "/dev/null: "},
    {"OutputThatIsConstant", "run tests/fuzz/corpus/tflite_import/constants.tflite --out OUT",
     "constants.tflite: output u: is a constant, which depends on no input"},
    {"UnknownExecutor", "run " DEMO "--executors golden,fpga --out OUT",
     "--executors: unknown executor 'fpga' (one or more of golden, iss, sysc, rtl, separated by "
     "commas)"},
    {"NoExecutor", "run " DEMO "--executors '' --out OUT", "--executors: unknown executor ''"},
    {"AbsentConfig", "run " DEMO "--npu no.yaml --out OUT", "no.yaml: cannot open: No such file"},
    {"AbsentRecipe", "run " DEMO "--quant no.yaml --out OUT", "no.yaml: cannot open: No such file"},
    {"ValueOutOfRange", "run " DEMO "--set array.rows=300 --out OUT",
     "--set array.rows=300: array.rows: value 300 is out of range; allowed 1..256"},
    {"MisspeltKey", "run " DEMO "--set array.row=3 --out OUT",
     "array.row: neither a hardware parameter nor a recipe key (did you mean array.rows?)"},
    {"SetWithoutValue", "run " DEMO "--set array.rows --out OUT", "--set array.rows"},
    {"RecipeWiderThanHardware", "run " DEMO "--set quant.act_bits=12 --out OUT", "act_bits"},
    {"TooLargeForDram", "run " DEMO "--set dram.bytes=65536 --out OUT", "dram.bytes"},
    {"AbsentInput", "run " DEMO "--input no.npy --out OUT", "no.npy: cannot open"},
    {"InputOfAnotherShape", "run " DEMO "--input models/zoo/fashion_se_labels.npy --out OUT",
     "fashion_se_labels.npy: --input: shape 64 does not fit input 'image', which takes 1x1x28x28"},
    {"InputOfUnknownKind", "run " DEMO "--input README.md --out OUT", "README.md: "},
    {"CalibOfAnotherShape", "run " DEMO "--calib models/zoo/fashion_se_labels.npy --out OUT",
     "fashion_se_labels.npy: --calib: shape 64 does not fit"},
    {"LabelsOfAnotherNumber", "run " DEMO "--labels models/zoo/fashion_se_labels.npy --out OUT",
     "fashion_se_labels.npy: --labels: 64 labels for 4 samples"},
    {"LabelsThatAreImages",
     "run " DEMO IMAGES "--labels models/zoo/fashion_se_images.npy --out OUT",
     "fashion_se_images.npy: --labels: 50176 labels for 64 samples"},
    {"ShapeThatIsNone", "run " DEMO "--shape 1xx2 --out OUT", "--shape"},
    {"ShapeThatContradicts", "run " DEMO "--shape 1x3x28x28 --out OUT", "image"},
    {"UnknownLayer", "run " DEMO "--layers 3..fc7 --out OUT", "--layers: no layer 'fc7'"},
    {"UnknownDump", "run " DEMO "--dump fc7 --out OUT", "--dump: no layer or tensor 'fc7'"},
    {"FaultThatActsOnNoChosenExecutor",
     "run " DEMO "--executors golden,iss,sysc --inject multiplier-bit:3 --out OUT",
     "--inject: multiplier-bit:3 acts on none of the executors chosen (add rtl to --executors)"},
    {"WaveformWithoutRtl", "run " DEMO "--executors golden,iss --wave --out OUT",
     "--wave: only rtl has a waveform (add rtl to --executors)"},
    {"UnknownFault", "run " DEMO "--inject rain:1 --out OUT", "--inject: unknown fault 'rain'"},
    {"OutThatCannotBe", "run " DEMO "--out /proc/bitwright/out",
     "/proc/bitwright/out: --out: cannot write: "},
    {"OutThatIsAFile", "run " DEMO "--out README.md", "README.md: --out: is a file"},
    {"OutWithOtherFiles", "run " DEMO "--out models", "models: --out: holds other files"},
    {"NoOut", "run " DEMO, "--out is required (see bitwright run --help)"},
    {"NoModel", "run --out OUT", "MODEL is required"},
    {"NoSamplesToSimulate", "run " DEMO "--sim-samples 0 --out OUT", "--sim-samples"},
    {"UnknownOption", "run " DEMO "--out OUT --fast", "--fast"},
    {"UnknownCommand", "train", "bitwright: "},
    {"NoCommand", "", "A subcommand is required (see bitwright --help)"},
    {"CompileToNowhere", "compile " DEMO "--out /no/such/p.bwp", "/no/such/p.bwp: cannot write"},
    {"DisasmOfText", "disasm README.md", "README.md: "},
    {"DisasmOfNothing", "disasm no.bwp", "no.bwp: "},
    {"AsmOfNothing", "asm /dev/null --out OUT", "/dev/null"},
    {"ExecOfNetwork", "exec " DEMO "--out OUT", "fashion_se.onnx: "},
    {"ExecOnGolden", "exec no.bwp --executor golden --out OUT", "--executor: 'golden' (one of iss"},
    {"ReplayOfNothing", "replay models", "models/program.bwp: "},
    {"ReportOfNothing", "report models", "models/report.json: "},
    {"DescribeOther", "describe weather", "WHAT: weather not in"},
};
INSTANTIATE_TEST_SUITE_P(Input, Refused, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Refused, TruncatedAndRandomModels) {
  const ScratchFolder scratch;
  const std::string whole = ReadFile(BW_SOURCE_DIR "/models/zoo/fashion_se.onnx").value();
  std::mt19937 rng(3);
  std::string noise(5000, '\0');
  for (char& c : noise) c = static_cast<char>(rng());
  const std::string model = scratch / "m.onnx";
  for (const std::string& bytes :
       {whole.substr(0, whole.size() / 2), whole.substr(0, 100), noise}) {
    ASSERT_TRUE(WriteFile(model, bytes).ok());
    ExpectRefused("run " + model + " --out " + scratch / "out", "m.onnx: ");
  }
  std::filesystem::remove(model);
  EXPECT_TRUE(IsEmpty(scratch));
}

TEST(Refused, ConfigsWithUnknownKeysAndBadValuesByLineAndColumn) {
  const ScratchFolder scratch;
  const std::string good = ReadFile(BW_SOURCE_DIR "/configs/npu/edge.yaml").value();
  const std::string file = scratch / "npu.yaml";
  const std::string run =
      std::string("run ") + kDemo + "--npu " + file + " --out " + scratch / "out";
  ASSERT_TRUE(WriteFile(file, good + "turbo: true\n").ok());
  ExpectRefused(run, "npu.yaml:46:1: turbo: ");
  std::string changed = good;
  changed.replace(changed.find("rows: 16"), 8, "rows: 1600");
  ASSERT_TRUE(WriteFile(file, changed).ok());
  ExpectRefused(run, "npu.yaml:7:9: array.rows: value 1600 is out of range; allowed 1..256");
}

TEST(Refused, UnwritableFolder) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const ScratchFolder scratch;
  std::filesystem::permissions(
      scratch.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  ExpectRefused(std::string("run ") + kDemo + "--out " + scratch / "out",
                "--out: cannot write: Permission denied");
  std::filesystem::permissions(scratch.path(), std::filesystem::perms::owner_all);
}

// The question is how long it takes to find out: 2,000 images need seconds of float runs.
TEST(Refused, TooLargeANetworkBeforeTheLongWorkStarts) {
  const ScratchFolder scratch;
  std::string many;
  for (int i = 0; i < 2000; ++i) many += std::string(784, static_cast<char>(i));
  ASSERT_TRUE(WriteFile(scratch / "x.u8", many).ok());
  ExpectRefused("run models/zoo/fashion_se.onnx --set dram.bytes=65536 --input " +
                    scratch / "x.u8:2000x1x28x28" + " --out " + scratch / "out",
                "dram.bytes");
}

}  // namespace
}  // namespace bw::cli
