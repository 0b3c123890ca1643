#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <string>

#include "models/status/file.h"
#include "sim/cli/summary.h"
#include "sim/cosim/run.h"
#include "sim/report/html.h"
#include "sim/report/report_json.h"
#include "tests/unit/cosim/scratch_folder.h"

namespace bw::report {
namespace {

using cosim::ScratchFolder;
using testing::HasSubstr;
using testing::Not;

// The demo network on four of its images, on the untimed and the timed machine.
Json DemoReport(const std::string& out) {
  const std::string root = BW_SOURCE_DIR;
  cosim::RunOptions options;
  options.prepare.model = root + "/models/zoo/fashion_se.onnx";
  options.prepare.npu = root + "/configs/npu/edge.yaml";
  options.prepare.quant = root + "/configs/quant/int8.yaml";
  options.prepare.input = root + "/models/zoo/fashion_se_images.npy";
  options.labels = root + "/models/zoo/fashion_se_labels.npy";
  options.executors = {"golden", "iss", "sysc"};
  options.sim_samples = 1;
  auto folder = cosim::OutputFolder::Create(out, "--out");
  EXPECT_TRUE(folder.ok());
  auto result = cosim::Run(options, *folder);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : ToString(result.errors()));
  EXPECT_TRUE(result->AllAgree());
  return MakeReport(*result, "bitwright run \"<b>\" </script><script>alert(1)</script>");
}

int64_t Sum(const Json& layers, const char* key) {
  int64_t sum = 0;
  for (const Json& layer : layers) sum += layer[key].get<int64_t>();
  return sum;
}

TEST(Report, HasEveryFieldThatIsPromised) {
  const ScratchFolder scratch;
  const Json report = DemoReport(scratch / "out");
  for (const char* key :
       {"network", "npu", "quantisation", "layers", "executors", "accuracy", "cycles",
        "wall_seconds", "warnings", "versions", "command", "host_ops", "sim_samples"}) {
    EXPECT_TRUE(report.contains(key)) << key;
  }
  EXPECT_EQ(report["network"]["name"], "fashion_se");
  EXPECT_EQ(report["network"]["macs"], 2506816);
  EXPECT_EQ(report["npu"]["parameters"]["array.rows"], 16);
  EXPECT_EQ(report["npu"]["hash"].get<std::string>().size(), 16U);
  EXPECT_EQ(report["quantisation"]["act_bits"], 8);
  EXPECT_EQ(report["sim_samples"], 1);
  EXPECT_EQ(report["accuracy"]["samples"], 64);
  EXPECT_GT(report["accuracy"]["int_top1"].get<double>(), 0.8);
  for (const char* executor : {"iss", "sysc"}) {
    const Json& e = report["executors"][executor];
    EXPECT_EQ(e["match"], true);
    EXPECT_GT(e["elements_compared"], 100000);
    EXPECT_EQ(e["mismatches"], 0);
    EXPECT_TRUE(e["first_mismatch"].is_null());
    EXPECT_TRUE(e.contains("not_in_rtl"));
  }
}

TEST(Report, LayersAddUp) {
  const ScratchFolder scratch;
  const Json report = DemoReport(scratch / "out");
  const Json& layers = report["layers"];
  EXPECT_EQ(Sum(layers, "cycles"), report["cycles"]);
  EXPECT_EQ(Sum(layers, "macs"), report["network"]["macs"]);
  for (const Json& layer : layers) {
    for (const char* key : {"name", "operator", "class", "shape", "requantise", "macs", "cycles",
                            "stalls", "bytes", "utilisation", "sqnr_db"}) {
      EXPECT_TRUE(layer.contains(key)) << key;
    }
    EXPECT_GE(layer["utilisation"].get<double>(), 0.0) << layer["name"];
    const Json& sqnr = layer["sqnr_db"];
    EXPECT_TRUE(!sqnr.is_number() || sqnr.get<double>() > 5) << layer["name"];
  }
  // Layers overlap, so one may exceed the peak in the cycles that it adds; the run may not.
  EXPECT_LE(report["network"]["macs"].get<double>(), report["cycles"].get<double>() * 256);
  const Json& conv = layers[0]["requantise"];
  EXPECT_EQ(conv["entries"], 16);
  EXPECT_GE(conv["m_min"], 1 << 15);
  EXPECT_LT(conv["m_max"], 1 << 16);
}

TEST(Report, TwoRunsDifferInWallTimesAlone) {
  const ScratchFolder scratch;
  Json first = DemoReport(scratch / "out"), second = DemoReport(scratch / "out");
  first.erase("wall_seconds");
  second.erase("wall_seconds");
  EXPECT_EQ(first.dump(), second.dump());
}

TEST(Html, NeedsNoNetworkAndNoTextEndsItsScripts) {
  const ScratchFolder scratch;
  const std::string html = MakeHtml(DemoReport(scratch / "out"));
  const std::string name_space = "http://www.w3.org/2000/svg";  // a name, never fetched
  std::string rest = html;
  ASSERT_NE(rest.find(name_space), std::string::npos);
  rest.erase(rest.find(name_space), name_space.size());
  EXPECT_THAT(rest, Not(HasSubstr("http:")));
  EXPECT_THAT(rest, Not(HasSubstr("https:")));
  EXPECT_THAT(rest, Not(HasSubstr("@import")));
  EXPECT_THAT(rest, Not(HasSubstr("url(")));
  EXPECT_FALSE(std::regex_search(rest, std::regex("<(link|img|iframe|script[^>]*src)")));
  size_t scripts = 0;
  for (size_t at = html.find("</script>"); at != std::string::npos;
       at = html.find("</script>", at + 1)) {
    ++scripts;
  }
  EXPECT_EQ(scripts, 3U) << "the command's own </script> is escaped";
}

TEST(Html, IsMadeAgainFromTheJson) {
  const ScratchFolder scratch;
  const Json report = DemoReport(scratch / "out");
  ASSERT_TRUE(WriteReport(report, scratch.path()).ok());
  const std::string html = ReadFile(scratch / "report.html").value();
  std::filesystem::remove(scratch / "report.html");
  const Status again = WriteHtmlAgain(scratch.path());
  ASSERT_TRUE(again.ok()) << ToString(again.errors());
  EXPECT_EQ(ReadFile(scratch / "report.html").value(), html);
}

TEST(Html, RefusesWhatIsNoReport) {
  const ScratchFolder scratch;
  EXPECT_THAT(ToString(WriteHtmlAgain(scratch.path()).errors()), HasSubstr("report.json"));
  for (const auto& [text, message] : {std::pair<std::string, std::string>{"{", "is not JSON"},
                                      {"[]", "is not JSON"},
                                      {"{}", "format: is null"},
                                      {"{\"format\": 2}", "format: is 2; this program reads 1"}}) {
    ASSERT_TRUE(WriteFile(scratch / "report.json", text).ok());
    EXPECT_THAT(ToString(WriteHtmlAgain(scratch.path()).errors()), HasSubstr(message));
  }
}

TEST(LayersCsv, HasOneLineALayer) {
  const ScratchFolder scratch;
  const Json report = DemoReport(scratch / "out");
  const std::string csv = LayersCsv(report);
  EXPECT_EQ(static_cast<size_t>(std::count(csv.begin(), csv.end(), '\n')),
            report["layers"].size() + 1);
  EXPECT_THAT(csv, HasSubstr("\n0,/stem/conv/Conv,Conv,A,1x16x28x28,8,112896,"));
}

TEST(Summary, SaysWhatMatters) {
  const ScratchFolder scratch;
  const std::string text = cli::Summary(DemoReport(scratch / "out"), "out/demo");
  EXPECT_THAT(text, HasSubstr("iss       agrees            1             104,066           0"));
  EXPECT_THAT(text, HasSubstr("top-1           float 90.62 %, integer 90.62 %, 64 samples"));
  EXPECT_THAT(text, HasSubstr("a sample (sysc)"));
  EXPECT_THAT(text, HasSubstr("report          out/demo/report.html"));
}

TEST(Grouped, PutsCommasBetweenThousands) {
  EXPECT_EQ(cli::Grouped(0), "0");
  EXPECT_EQ(cli::Grouped(999), "999");
  EXPECT_EQ(cli::Grouped(1000), "1,000");
  EXPECT_EQ(cli::Grouped(-1234567), "-1,234,567");
}

}  // namespace
}  // namespace bw::report
