#include "sim/cosim/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/cosim/golden_trace.h"
#include "tests/unit/cosim/small_network.h"

namespace bw::cosim {
namespace {

// An explanation that came to another number than the golden model would explain nothing.
TEST(Explain, EveryElementOfEveryLayerComesToTheGoldenValue) {
  const graph::IntGraph ints = AllKinds();
  const golden::GoldenExecutor executor(ints);
  const GoldenTrace trace = TraceGolden(executor, RandomInputs(ints, 0)).value();
  int64_t explained = 0;
  for (size_t node = 0; node < ints.nodes.size(); ++node) {
    if (graph::IsHostNode(ints.nodes[node])) continue;
    for (int64_t at = 0; at < trace.results[node].elements(); ++at) {
      const Explanation e = ExplainIn(ints, trace, node, at);
      ASSERT_EQ(e.at("result"), trace.results[node].data[static_cast<size_t>(at)])
          << ints.nodes[node].name << " element " << at << "\n"
          << e.dump(1);
      ++explained;
    }
  }
  EXPECT_GT(explained, 2000);
}

TEST(Explain, ConvolutionNamesOperandsAndParameters) {
  const graph::IntGraph ints = AllKinds();
  const golden::GoldenExecutor executor(ints);
  const GoldenTrace trace = TraceGolden(executor, RandomInputs(ints, 0)).value();
  const Explanation e = ExplainIn(ints, trace, 0, 9);  // channel 0, row 1, column 1: no padding
  EXPECT_EQ(e["kind"], "Conv");
  EXPECT_EQ(e["terms"], 27);
  EXPECT_EQ(e["channel"], 0);
  EXPECT_LE(e["operands"].size(), 16U);
  EXPECT_GE(e["operands"].size(), 1U);
  for (const char* key : {"m", "s", "zp", "lo", "hi", "rounding", "bias", "accumulator"}) {
    EXPECT_TRUE(e.contains(key)) << key;
  }
  EXPECT_THAT(OneLine(e), testing::HasSubstr("from 27 products and bias"));
}

TEST(Explain, ResizesNameTheElementThatTheyRepeat) {
  codegen::Network net(8);
  net.Output(net.Resize(net.Input({1, 3, 2, 2}), {1, 1, 2, 3}));
  const graph::IntGraph ints = net.graph();
  const golden::GoldenExecutor executor(ints);
  const GoldenTrace trace = TraceGolden(executor, RandomInputs(ints, 0)).value();
  for (int64_t at = 0; at < 3 * 4 * 6; ++at) {
    const Explanation e = ExplainIn(ints, trace, 0, at);
    EXPECT_EQ(e.at("result"), trace.results[0].data[static_cast<size_t>(at)]) << at;
  }
  const Explanation e = ExplainIn(ints, trace, 0, 4 * 6 + 3 * 6 + 2);  // channel 1, row 3, column 2
  EXPECT_EQ(e["operands"][0]["at"], (std::vector<int64_t>{0, 1, 1, 0}));
}

TEST(Explain, HostOperatorsGiveTheirKindAlone) {
  const graph::IntGraph ints = AllKinds();
  const golden::GoldenExecutor executor(ints);
  const GoldenTrace trace = TraceGolden(executor, RandomInputs(ints, 0)).value();
  const Explanation e = ExplainIn(ints, trace, ints.nodes.size() - 1, 0);
  EXPECT_EQ(e["host"], true);
  EXPECT_FALSE(e.contains("result"));
}

TEST(Coordinates, AreRowMajor) {
  EXPECT_EQ(Coordinates({2, 3, 4}, 23), (std::vector<int64_t>{1, 2, 3}));
  EXPECT_EQ(Coordinates({2, 3, 4}, 4), (std::vector<int64_t>{0, 1, 0}));
  EXPECT_EQ(Coordinates({}, 0), std::vector<int64_t>{});
}

}  // namespace
}  // namespace bw::cosim
