#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "models/status/file.h"
#include "models/tensor/tensor_file.h"
#include "tests/cli/program.h"
#include "tests/unit/cosim/scratch_folder.h"

namespace bw::cli {
namespace {

namespace fs = std::filesystem;
using cosim::ScratchFolder;
using testing::HasSubstr;

std::string RunDemo(const std::string& more) {
  return std::string("run ") + kDemo + "--sim-samples 1 " + more;
}

nlohmann::json ReportIn(const std::string& folder) {
  return nlohmann::json::parse(ReadFile(folder + "/report.json").value());
}

// Contents by path below `folder`, without lines of wall times.
std::map<std::string, std::string> SteadyContents(const std::string& folder) {
  std::map<std::string, std::string> contents;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::string text = ReadFile(entry.path().string()).value();
    const std::string name = fs::relative(entry.path(), folder).string();
    if (name == "report.json") text.resize(text.find("\"wall_seconds\""));
    if (name == "report.html") {
      const size_t wall = text.find("<script id=\"wall\"");
      text.erase(wall, text.find('\n', wall) - wall);
    }
    contents[name] = text;
  }
  return contents;
}

TEST(Run, AllExecutorsAgreeOnTheDemo) {
  const ScratchFolder scratch;
  const Outcome outcome = Bitwright(RunDemo("--out " + scratch / "out"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, HasSubstr("iss       agrees            1             104,066"));
  EXPECT_THAT(outcome.out, HasSubstr("sysc      agrees            1             104,066"));
  EXPECT_THAT(outcome.out, HasSubstr("rtl       agrees            1              99,346"));
  for (const char* file :
       {"report.json", "report.html", "layers.csv", "program.bwp", "outputs/golden/logits.npy",
        "outputs/float/logits.npy", "outputs/iss/logits.npy", "outputs/sysc/logits.npy",
        "outputs/rtl/logits.npy", "trace_sysc.json"}) {
    EXPECT_TRUE(fs::exists(scratch / "out/" + file)) << file;
  }
  const auto report = ReportIn(scratch / "out");
  EXPECT_EQ(report["executors"]["sysc"]["cycles"], report["executors"]["rtl"]["cycles"])
      << "the SystemC PPU keeps the RTL's time";
  EXPECT_NEAR(report["accuracy"]["float_top1"].get<double>(),
              report["accuracy"]["int_top1"].get<double>(), 0.05);
}

TEST(Run, TwiceGivesTheSameBytesButForWallTimes) {
  const ScratchFolder scratch;
  const std::string arguments = RunDemo("--out " + scratch / "out");
  ASSERT_EQ(Bitwright(arguments).status, 0);
  const auto first = SteadyContents(scratch / "out");
  ASSERT_EQ(Bitwright(arguments + " ").status, 0);
  const auto second = SteadyContents(scratch / "out");
  ASSERT_GE(first.size(), 10U);
  EXPECT_EQ(first.size(), second.size());
  for (const auto& [name, text] : first) EXPECT_TRUE(second.at(name) == text) << name;
}

TEST(Run, WithoutInputSaysThatItIsRandom) {
  const ScratchFolder scratch;
  const Outcome outcome =
      Bitwright("run models/zoo/fashion_se.onnx --executors iss --seed 5 --out " + scratch / "out");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("no --input: 4 random samples were used"));
  const auto report = ReportIn(scratch / "out");
  EXPECT_EQ(report["input"]["source"], "random (seed 5)");
}

TEST(Run, PartOfANetworkComparesThoseLayers) {
  const ScratchFolder scratch;
  const Outcome outcome =
      Bitwright(RunDemo("--executors iss,sysc --layers 2../block1/Add --out " + scratch / "out"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const auto layers = ReportIn(scratch / "out")["executors"]["iss"]["layers"];
  EXPECT_EQ(layers.size(), 8U);
  EXPECT_EQ(layers[0]["name"], "/block1/body/first/conv/Conv");
}

TEST(Run, DumpsATensorOfEveryExecutor) {
  const ScratchFolder scratch;
  ASSERT_EQ(Bitwright(RunDemo("--dump /block1/Add --out " + scratch / "out")).status, 0);
  const auto golden = tensor::ReadTensorFile(scratch / "out/outputs/golden/_block1_Add.npy");
  ASSERT_TRUE(golden.ok()) << ToString(golden.errors());
  EXPECT_EQ(golden->shape(), (tensor::Shape{1, 1, 16, 14, 14}));
  for (const char* name : {"iss", "sysc", "rtl"}) {
    const auto other = tensor::ReadTensorFile(scratch / "out/outputs/" + name + "/_block1_Add.npy");
    ASSERT_TRUE(other.ok()) << name;
    EXPECT_EQ(*other, *golden) << name;
  }
}

TEST(Run, WritesAWaveform) {
  const ScratchFolder scratch;
  const Outcome outcome =
      Bitwright(RunDemo("--executors rtl --layers 0..0 --wave --out " + scratch / "out"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(ReadFile(scratch / "out/rtl.vcd").value().substr(0, 2000), HasSubstr("$scope"));
}

struct FaultCase {
  const char* inject;
  const char* sees;     // the executor that finds it
  const char* message;  // and what it says
};

class InjectedFault : public testing::TestWithParam<FaultCase> {};

TEST_P(InjectedFault, IsCaughtNamedAndReplayed) {
  const ScratchFolder scratch;
  const auto& [inject, sees, message] = GetParam();
  const Outcome outcome =
      Bitwright(RunDemo(std::string("--inject ") + inject + " --out " + scratch / "out"));
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr(message));
  EXPECT_EQ(ReportIn(scratch / "out")["executors"][sees]["match"], false);
  const std::string bundle = scratch / "out/failures/" + sees;
  for (const char* file : {"config.yaml", "program.bwp", "input_0.npy", "mismatch.json"}) {
    EXPECT_TRUE(fs::exists(bundle + "/" + file)) << file;
  }
  const Outcome replay = Bitwright("replay " + bundle);
  EXPECT_EQ(replay.status, 1) << replay.err;
  EXPECT_THAT(replay.out, HasSubstr("still fails"));
}
INSTANTIATE_TEST_SUITE_P(
    Demo, InjectedFault,
    testing::Values(FaultCase{"multiplier-bit:14", "rtl", "rtl: layer /stem/conv/Conv (Conv)"},
                    FaultCase{"drop-token:0", "iss", "no token orders instruction"},
                    FaultCase{"dma-off-by-one:0", "sysc", "sysc: layer /stem/conv/Conv (Conv)"}));

TEST(Run, AFaultThatNeverActsIsNoPass) {
  const ScratchFolder scratch;
  const Outcome outcome = Bitwright(RunDemo(
      "--executors golden,sysc --inject dma-off-by-one:999999999 --out " + scratch / "out"));
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("dma-off-by-one:999999999 never acted"));
}

TEST(Run, StoppedByASignalLeavesNothing) {
  const ScratchFolder scratch;
  const std::string out = scratch / "out";
  const Outcome outcome =
      Shell("timeout -s INT 0.3 '" BW_PROGRAM "' " + std::string("run ") + kDemo +
            "--npu configs/npu/tiny.yaml --out " + out + " --sim-samples 64");
  EXPECT_THAT(outcome.err, HasSubstr("stopped; nothing was written"));
  EXPECT_TRUE(fs::is_empty(scratch.path()));
}

}  // namespace
}  // namespace bw::cli
