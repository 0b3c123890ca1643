// The one command of the README, as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "tests/cli/program.h"

namespace bw::cli {
namespace {

using testing::HasSubstr;

constexpr char kScript[] = "BITWRIGHT_BUILD_DIR='" BW_BINARY_DIR "' scripts/run_demo.sh ";

TEST(RunDemo, PrintsAgreementAccuracyCyclesAndTheReport) {
  const Outcome outcome = Shell(std::string(kScript) + "--quick");
  ASSERT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  for (const char* text : {"iss       agrees            4             416,264",
                           "sysc      agrees            4             416,264",
                           "rtl       agrees            4             397,384", "64 samples",
                           "cycles          ", "report          out/demo/report.html"}) {
    EXPECT_THAT(outcome.out, HasSubstr(text));
  }
}

TEST(RunDemo, PrintsWhatTheReadmeSays) {
  std::ifstream in(std::string(BW_SOURCE_DIR) + "/README.md");
  const std::string readme(std::istreambuf_iterator<char>(in), {});
  const Outcome outcome = Shell(std::string(kScript) + "--quick");
  EXPECT_THAT(readme, HasSubstr("<!-- demo output -->\n```\n" + outcome.out + "```\n"));
}

TEST(RunDemo, KnowsNoOtherOptions) { EXPECT_EQ(Shell("scripts/run_demo.sh --slow").status, 2); }

}  // namespace
}  // namespace bw::cli
