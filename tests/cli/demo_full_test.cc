#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "models/status/file.h"
#include "tests/cli/program.h"

namespace bw::cli {
namespace {

TEST(RunDemo, LosesLessThanHalfAPointOnAllTestImagesInHalfAMinute) {
  if (!std::filesystem::exists("/usr/share/datasets/fashion-mnist/t10k-images-idx3-ubyte.gz")) {
    GTEST_SKIP() << "dataset-fashion-mnist is not installed";
  }
  const Outcome outcome = Shell("BITWRIGHT_BUILD_DIR='" BW_BINARY_DIR "' scripts/run_demo.sh");
  ASSERT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  const auto report =
      nlohmann::json::parse(ReadFile(BW_SOURCE_DIR "/out/demo/report.json").value());
  const auto& accuracy = report["accuracy"];
  EXPECT_EQ(accuracy["samples"], 10000);
  EXPECT_NEAR(accuracy["int_top1"].get<double>(), accuracy["float_top1"].get<double>(), 0.005);
  // 30 seconds by the clock on two cores, of which others may take a part.
  EXPECT_LT(outcome.processor_seconds, 60);
}

}  // namespace
}  // namespace bw::cli
