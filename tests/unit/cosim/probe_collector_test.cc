#include "sim/cosim/probe_collector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/cosim/small_network.h"

namespace bw::cosim {
namespace {

using testing::HasSubstr;

std::string Problem(const Status& status) {
  return status.ok() ? "none" : ToString(status.errors());
}

TEST(CheckProbes, CompiledProgramsAreCoveredOnce) {
  EXPECT_EQ(Problem(CheckProbes(Compiled(AllKinds()))), "none");
}

TEST(CheckProbes, AMissingProbeIsNamed) {
  isa::Program program = Compiled(AllKinds());
  program.probes.erase(program.probes.begin());
  EXPECT_THAT(Problem(CheckProbes(program)), HasSubstr("layer " + program.layers[0].name));
}

TEST(CheckProbes, AnElementReadTwiceIsNamed) {
  isa::Program program = Compiled(AllKinds());
  program.probes.push_back(program.probes.back());
  EXPECT_THAT(Problem(CheckProbes(program)), HasSubstr("is probed 2 times"));
}

TEST(CheckProbes, ALayerWithoutProbesCannotPass) {
  isa::Program program = Compiled(AllKinds());
  auto& probes = program.probes;
  probes.erase(std::remove_if(probes.begin(), probes.end(),
                              [](const isa::Probe& probe) { return probe.layer == 2; }),
               probes.end());
  EXPECT_THAT(Problem(CheckProbes(program)), HasSubstr("no probe reads its output"));
}

TEST(ProbeCollector, KnowsWhatDidNotArrive) {
  const isa::Program program = Compiled(AllKinds());
  const ProbeCollector probes(program);
  EXPECT_THAT(Problem(probes.CheckComplete()), HasSubstr("element 0 is probed 0 times"));
}

TEST(ProbeCollector, FindsTheInstructionOfAnElement) {
  const isa::Program program = Compiled(AllKinds());
  const ProbeCollector probes(program);
  const int64_t last = program.layers[0].shape.Elements() - 1;
  EXPECT_LT(probes.InstructionOf(0, 0), program.code.size());
  EXPECT_EQ(program.info[probes.InstructionOf(0, last)].layer, 0U);
}

TEST(HostLayers, AreThoseOfHostOperators) {
  const isa::Program program = Compiled(AllKinds());
  const std::vector<bool> host = HostLayers(program);
  EXPECT_TRUE(host.back());
  EXPECT_EQ(std::count(host.begin(), host.end(), true), 1);
}

}  // namespace
}  // namespace bw::cosim
