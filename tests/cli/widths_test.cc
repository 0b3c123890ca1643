// Every named hardware at several widths: all executors give the golden numbers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "tests/cli/program.h"
#include "tests/unit/cosim/scratch_folder.h"

namespace bw::cli {
namespace {

class Widths : public testing::TestWithParam<std::tuple<const char*, int>> {};

TEST_P(Widths, AllExecutorsAgree) {
  const cosim::ScratchFolder scratch;
  const auto& [npu, bits] = GetParam();
  const Outcome outcome = Bitwright(
      fmt::format("run {} --npu configs/npu/{}.yaml --set act_bits={} --set weight_bits={} "
                  "--sim-samples 1 --out {}",
                  kDemo, npu, bits, bits, scratch / "out"));
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
}
INSTANTIATE_TEST_SUITE_P(Demo, Widths,
                         testing::Combine(testing::Values("tiny", "edge", "wide"),
                                          testing::Values(4, 6, 8, 12)),
                         [](const auto& info) {
                           return fmt::format("{}{}", std::get<0>(info.param),
                                              std::get<1>(info.param));
                         });

}  // namespace
}  // namespace bw::cli
