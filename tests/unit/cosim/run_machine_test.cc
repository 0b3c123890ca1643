#include "sim/cosim/run_machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/status/file.h"
#include "models/tensor/tensor_file.h"
#include "sim/cosim/bundle.h"
#include "tests/unit/cosim/scratch_folder.h"
#include "tests/unit/cosim/small_network.h"

namespace bw::cosim {
namespace {

using testing::HasSubstr;

struct Fixture {
  graph::IntGraph ints = AllKinds();
  isa::Program program = Compiled(ints);
  ScratchFolder folder;

  MachineJob Job(const std::string& executor, size_t samples = 2) const {
    MachineJob job;
    job.executor = executor;
    job.program = &program;
    job.ints = &ints;
    job.inputs = [this](size_t s) { return RandomInputs(ints, s); };
    job.samples = samples;
    job.folder = folder.path();
    return job;
  }
  int64_t MachineElements() const {
    int64_t elements = 0;
    for (const graph::IntNode& node : ints.nodes) {
      if (!graph::IsHostNode(node)) elements += ints.value(node.output).shape.Elements();
    }
    return elements;
  }
  // The bias of the first layer as the machine gets it, one step off.
  void DamageConstants() {
    for (isa::Constants& block : program.constants) {
      for (uint8_t& byte : block.bytes) byte = static_cast<uint8_t>(byte ^ 1);
    }
  }
};

Json Ran(const MachineJob& job) {
  auto result = RunMachine(job);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : ToString(result.errors()));
  return result.ok() ? *result : Json();
}

TEST(RunMachine, EveryElementButTheHostsIsCompared) {
  const Fixture f;
  const Json result = Ran(f.Job("iss"));
  EXPECT_EQ(result["match"], true);
  EXPECT_EQ(result["samples"], 2);
  EXPECT_EQ(result["elements_compared"], 2 * f.MachineElements());
  EXPECT_EQ(result["mismatches"], 0);
  EXPECT_TRUE(result["first_mismatch"].is_null());
  EXPECT_EQ(result["layers"].back()["elements_compared"], 0) << "softmax runs on the host";
  EXPECT_TRUE(result["statistics"].is_null()) << "the ISS has no time";
}

TEST(RunMachine, NothingComparedIsNoMatch) {
  const Fixture f;
  EXPECT_EQ(Ran(f.Job("iss", 0))["match"], false);
}

TEST(RunMachine, OutputsAreWrittenWithSamplesFirst) {
  const Fixture f;
  Ran(f.Job("iss"));
  const auto output =
      tensor::ReadTensorFile(f.folder / ("outputs/iss/" + f.program.outputs[0].name + ".npy"));
  ASSERT_TRUE(output.ok());
  EXPECT_EQ(output->shape(), (tensor::Shape{2, 1, 10}));
}

TEST(RunMachine, DumpsNamedLayers) {
  const Fixture f;
  MachineJob job = f.Job("iss");
  job.dumps = {f.ints.nodes[1].name};
  Ran(job);
  const auto dump =
      tensor::ReadTensorFile(f.folder / ("outputs/iss/" + f.ints.nodes[1].name + ".npy"));
  ASSERT_TRUE(dump.ok());
  EXPECT_EQ(dump->shape(), (tensor::Shape{2, 1, 8, 8, 8}));
}

TEST(RunMachine, TheFirstDifferenceIsExplained) {
  Fixture f;
  f.DamageConstants();
  const Json result = Ran(f.Job("iss"));
  EXPECT_EQ(result["match"], false);
  EXPECT_GT(result["mismatches"], 0);
  const Json& first = result["first_mismatch"];
  ASSERT_TRUE(first.is_object());
  EXPECT_EQ(first["layer"], f.ints.nodes[0].name);
  EXPECT_EQ(first["sample"], 0);
  EXPECT_NE(first["expected"], first["got"]);
  EXPECT_EQ(first["coordinates"].size(), 4U);
  EXPECT_EQ(first["made_from"]["result"], first["expected"]);
  EXPECT_THAT(first["disassembly"].get<std::string>(), HasSubstr("rq"));
  EXPECT_EQ(f.program.info[first["instruction"].get<size_t>()].layer, 0U);
}

TEST(RunMachine, ADroppedTokenIsNamedByTheHazardChecker) {
  const Fixture f;
  MachineJob job = f.Job("iss");
  job.options.injection = {Fault::kDropToken, 0};
  const Json result = Ran(job);
  EXPECT_EQ(result["match"], false);
  EXPECT_THAT(result["error"].get<std::string>(), HasSubstr("no token orders instruction"));
  EXPECT_EQ(result["bundle"], "failures/iss");
}

TEST(RunMachine, SystemcAgreesAndItsCyclesAddUp) {
  const Fixture f;
  const Json result = Ran(f.Job("sysc"));
  EXPECT_EQ(result["match"], true);
  EXPECT_EQ(result["elements_compared"], 2 * f.MachineElements());
  const Json& statistics = result["statistics"];
  int64_t cycles = 0;
  for (const Json& layer : statistics["layers"]) {
    cycles += layer["cycles"].get<int64_t>();
    int64_t causes = layer["busy"].get<int64_t>();
    for (const auto& [cause, n] : layer["stalls"].items()) causes += n.get<int64_t>();
    EXPECT_EQ(causes, layer["cycles"]);
  }
  EXPECT_EQ(cycles, statistics["cycles"]);
  EXPECT_GT(result["timeline"].size(), 10U);
  const auto trace = ReadFile(f.folder / "trace_sysc.json");
  ASSERT_TRUE(trace.ok());
  EXPECT_FALSE(Json::parse(*trace)["traceEvents"].empty());
}

TEST(RunMachine, ADmaThatIsOffByOneIsFound) {
  const Fixture f;
  MachineJob job = f.Job("sysc", 1);
  job.options.injection = {Fault::kDmaOffByOne, 0};
  const Json result = Ran(job);
  EXPECT_EQ(result["match"], false);
  EXPECT_EQ(result["first_mismatch"]["layer"], f.ints.nodes[0].name);
}

TEST(RunMachine, OperationsWithoutRtlAreCountedApart) {
  const Fixture f;
  const Json result = Ran(f.Job("rtl", 1));
  EXPECT_EQ(result["match"], true);
  int64_t apart = 0;
  for (const Json& layer : result["not_in_rtl"]) apart += layer["elements"].get<int64_t>();
  // Mean, lookup, maximum; and pad and concatenation, which copy by a maximum of one element.
  EXPECT_EQ(result["not_in_rtl"].size(), 5U) << result["not_in_rtl"].dump();
  EXPECT_EQ(result["not_in_rtl_elements"], apart);
  EXPECT_EQ(result["elements_compared"], f.MachineElements() - apart);
}

TEST(RunMachine, OneBitOfAMultiplierInRtlIsFound) {
  const Fixture f;
  MachineJob job = f.Job("rtl", 1);
  job.options.injection = {Fault::kMultiplierBit, 14};
  const Json result = Ran(job);
  EXPECT_EQ(result["match"], false);
  EXPECT_EQ(result["first_mismatch"]["operator"], "Conv");
  EXPECT_TRUE(result["first_mismatch"]["made_from"].contains("m"));
}

TEST(Bundle, ReplaysWhileTheFaultIsThereAndReportsItsEnd) {
  Fixture f;
  const isa::Program sound = f.program;
  f.DamageConstants();
  Ran(f.Job("iss"));
  const std::string bundle = f.folder / "failures/iss";
  const auto again = Replay(bundle, "");
  ASSERT_TRUE(again.ok()) << ToString(again.errors());
  EXPECT_TRUE(again->still_fails);
  EXPECT_THAT(again->text, HasSubstr("layer " + f.ints.nodes[0].name + " differs in "));
  ASSERT_TRUE(isa::WriteProgram(sound, bundle + "/program.bwp").ok());
  const auto fixed = Replay(bundle, "");
  ASSERT_TRUE(fixed.ok()) << ToString(fixed.errors());
  EXPECT_FALSE(fixed->still_fails);
  EXPECT_THAT(fixed->text, HasSubstr("agrees, 512 elements compared"));
}

TEST(Bundle, ReplaysAnInjectedFault) {
  const Fixture f;
  MachineJob job = f.Job("sysc", 1);
  job.options.injection = {Fault::kDmaOffByOne, 0};
  Ran(job);
  const auto again = Replay(f.folder / "failures/sysc", "");
  ASSERT_TRUE(again.ok()) << ToString(again.errors());
  EXPECT_TRUE(again->still_fails);
}

TEST(Bundle, ADamagedDescriptionIsRefused) {
  Fixture f;
  f.DamageConstants();
  Ran(f.Job("iss"));
  const std::string bundle = f.folder / "failures/iss";
  const std::string text = ReadFile(bundle + "/mismatch.json").value();
  for (const auto& [from, to] :
       {std::pair<std::string, std::string>{"\"layer_index\": 0", "\"layer_index\": 99"},
        {"\"executor\": \"iss\"", "\"executor\": \"abacus\""},
        {"\"sample\"", "\"simple\""},
        {"{", "["}}) {
    std::string changed = text;
    ASSERT_NE(changed.find(from), std::string::npos);
    changed.replace(changed.find(from), from.size(), to);
    ASSERT_TRUE(WriteFile(bundle + "/mismatch.json", changed).ok());
    const auto refused = Replay(bundle, "");
    ASSERT_FALSE(refused.ok()) << to;
    EXPECT_THAT(ToString(refused.errors()), HasSubstr("mismatch.json")) << to;
  }
}

}  // namespace
}  // namespace bw::cosim
