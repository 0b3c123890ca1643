#include "sim/cosim/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/cosim/machines.h"
#include "sim/cosim/network_io.h"
#include "tests/unit/cosim/small_network.h"

namespace bw::cosim {
namespace {

using testing::HasSubstr;

// One sound run on the ISS, and the golden trace to compare it with.
struct Fixture {
  graph::IntGraph ints = AllKinds();
  isa::Program program = Compiled(ints);
  ProbeCollector probes{program};
  GoldenTrace trace;
  std::vector<golden::IntTensor> outputs;

  Fixture() {
    const std::vector<golden::IntTensor> inputs = RandomInputs(ints, 0);
    const Machine machine = MakeMachine("iss", program.config, {}).value();
    EXPECT_TRUE(machine.executor->Load(program).ok());
    WriteToDram(program.inputs[0], inputs[0], machine.executor->dram());
    EXPECT_TRUE(machine.executor->Run(&probes).ok());
    outputs.push_back(ReadFromDram(program.outputs[0], machine.executor->dram()));
    trace = TraceGolden(golden::GoldenExecutor(ints), inputs).value();
  }
  Comparison Compared(bool rtl = false) {
    Comparison comparison = Comparison::Make(program, ints, rtl).value();
    comparison.Add(0, trace, probes, outputs);
    return comparison;
  }
};

TEST(Comparison, ASoundRunHasNoDifference) {
  Fixture f;
  EXPECT_FALSE(f.Compared().HasDifference());
}

TEST(Comparison, OneWrongElementOfAnyLayerIsFoundWhereverItIs) {
  Fixture f;
  int64_t tried = 0;
  for (size_t node = 0; node + 1 < f.ints.nodes.size(); ++node) {
    auto& data = f.trace.results[node].data;
    for (const size_t at : {size_t{0}, data.size() / 2, data.size() - 1}) {
      data[at] += 1;
      const Comparison comparison = f.Compared();
      data[at] -= 1;
      ASSERT_TRUE(comparison.HasDifference()) << node << " " << at;
      EXPECT_EQ(comparison.nodes()[comparison.first().layer], node);
      EXPECT_EQ(comparison.first().element, static_cast<int64_t>(at));
      EXPECT_EQ(comparison.first().expected, comparison.first().got + 1);
      EXPECT_EQ(comparison.ToJson()["mismatches"], 1);
      ++tried;
    }
  }
  EXPECT_GT(tried, 30);
}

TEST(Comparison, AWrongOutputIsADifferenceEvenBehindTheHost) {
  Fixture f;
  f.outputs[0].data.back() += 1;
  const Comparison comparison = f.Compared();
  ASSERT_TRUE(comparison.HasDifference());
  EXPECT_EQ(comparison.first().output, 0);
  EXPECT_EQ(comparison.ToJson()["output_mismatches"], 1);
  EXPECT_EQ(comparison.Describe(f.trace, f.probes)["found_in"], "output in DRAM");
}

TEST(Comparison, UnderRtlAWrongValueIsADifferenceEvenWhereItDoesNotCount) {
  Fixture f;
  size_t lookup = 0;
  while (!std::holds_alternative<graph::IntLut>(f.ints.nodes[lookup].params)) ++lookup;
  f.trace.results[lookup].data[0] += 1;
  const Json json = f.Compared(true).ToJson();
  EXPECT_EQ(json["mismatches"], 1);
  EXPECT_EQ(json["layers"][lookup]["elements_compared"], 0);
}

TEST(Comparison, AProgramOfAnotherNetworkIsRefused) {
  Fixture f;
  f.ints.nodes[0].name = "other";
  EXPECT_THAT(ToString(Comparison::Make(f.program, f.ints, false).errors()),
              HasSubstr("the network has no such layer"));
}

}  // namespace
}  // namespace bw::cosim
