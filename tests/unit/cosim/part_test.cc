#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/cosim/golden_trace.h"
#include "sim/cosim/run.h"
#include "tests/unit/cosim/small_network.h"

namespace bw::cosim {
namespace {

using testing::HasSubstr;

TEST(PartOf, NothingSaidIsTheWholeNetwork) {
  const graph::IntGraph ints = AllKinds();
  EXPECT_EQ(PartOf(ints, "")->nodes.size(), ints.nodes.size());
}

TEST(PartOf, ComputesWhatTheWholeComputes) {
  const graph::IntGraph ints = AllKinds();
  const auto part = PartOf(ints, "1.." + ints.nodes[4].name);
  ASSERT_TRUE(part.ok()) << ToString(part.errors());
  EXPECT_EQ(part->nodes.size(), 4U);
  const Status sound = graph::Verify(*part);
  ASSERT_TRUE(sound.ok()) << ToString(sound.errors());
  const GoldenTrace whole =
      TraceGolden(golden::GoldenExecutor(ints), RandomInputs(ints, 0)).value();
  std::vector<golden::IntTensor> inputs;
  for (const graph::IntValueId id : part->inputs) {
    for (size_t i = 0; i < ints.nodes.size(); ++i) {
      if (ints.nodes[i].output == id) inputs.push_back(whole.results[i]);
    }
  }
  const GoldenTrace alone = TraceGolden(golden::GoldenExecutor(*part), std::move(inputs)).value();
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(alone.results[i], whole.results[i + 1]);
}

TEST(PartOf, NamesWhatIsWrong) {
  const graph::IntGraph ints = AllKinds();
  for (const auto& [range, message] : {std::pair<std::string, std::string>{"3", "'3' has no '..'"},
                                       {"3..99", "no layer '99'"},
                                       {"x..3", "no layer 'x'"},
                                       {"3..1", "'3..1' ends before it starts"}}) {
    const auto part = PartOf(ints, range);
    ASSERT_FALSE(part.ok()) << range;
    EXPECT_THAT(ToString(part.errors()), HasSubstr("--layers: " + message));
  }
}

TEST(SimulatedSamples, AllUpToSixteenElseFour) {
  EXPECT_EQ(SimulatedSamples(16, {}), 16U);
  EXPECT_EQ(SimulatedSamples(17, {}), 4U);
  EXPECT_EQ(SimulatedSamples(3, {}), 3U);
  EXPECT_EQ(SimulatedSamples(100, 20), 20U);
  EXPECT_EQ(SimulatedSamples(5, 20), 5U);
}

}  // namespace
}  // namespace bw::cosim
