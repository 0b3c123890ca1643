#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "compiler/codegen/compile.h"
#include "models/iss/iss.h"
#include "sim/ppu/native_core.h"
#include "sim/ppu/traffic_recorder.h"
#include "sim/sysc/systemc_executor.h"
#include "tests/unit/codegen/network.h"
#include "tests/unit/sysc/edit_program.h"
#include "tests/unit/sysc/matrix_program.h"
#include "tests/unit/sysc/run_pair.h"

namespace bw::sysc {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

hwconfig::HwConfig Edge() {
  hwconfig::HwConfig config;
  config.name = "edge";
  return config;
}

// Convolutions, a residual, pools, a lookup: every engine and every kind of load.
isa::Program SmallNetwork(const hwconfig::HwConfig& config, uint32_t seed = 3) {
  codegen::Network network(seed);
  auto x = network.Input({1, 3, 16, 16});
  codegen::ConvSpec conv;
  conv.out = 20;
  x = network.Conv(x, conv);
  x = network.Add(x, network.Conv(x, codegen::Depthwise(20)));
  x = network.Lut(x, 64, true);
  x = network.Pool(x, {});
  x = network.Conv(x, codegen::Pointwise(24));
  network.Output(
      network.Softmax(network.MatMul(network.Reshape(network.GlobalPool(x), {1, 24}), 10)));
  auto program = codegen::Compile(network.graph(), config);
  BW_CHECK(program.ok(), "{}", ToString(program.errors()));
  return *program;
}

struct Outcome {
  Observed observed;
  RunStatistics statistics;
};
Outcome RunWith(const isa::Program& program, const SystemcOptions& options, uint32_t input = 1) {
  SystemcExecutor executor(program.config, options);
  Outcome run;
  run.observed = RunOn(executor, program, input);
  run.statistics = executor.statistics();
  return run;
}

bool SameCycles(const RunStatistics& a, const RunStatistics& b) {
  if (a.layers.size() != b.layers.size()) return false;
  for (size_t i = 0; i < a.layers.size(); ++i) {
    if (a.layers[i].cycles != b.layers[i].cycles || a.layers[i].engines != b.layers[i].engines ||
        a.layers[i].last_retirement != b.layers[i].last_retirement) {
      return false;
    }
  }
  return a.total_cycles == b.total_cycles && a.engines == b.engines;
}

TEST(SystemcExecutor, RandomStallsChangeCyclesAndNoValue) {
  const isa::Program program = SmallNetwork(Edge());
  const Outcome free = RunWith(program, {});
  EXPECT_EQ(Difference(program, free.observed, RunOnIss(program, 1)), "");
  EXPECT_GT(free.observed.elements, 10000);
  for (const uint64_t seed : {1U, 2U, 3U}) {
    SystemcOptions options;
    options.stall_seed = seed;
    const Outcome stalled = RunWith(program, options);
    EXPECT_EQ(Difference(program, stalled.observed, free.observed), "");
    EXPECT_GT(stalled.statistics.total_cycles, free.statistics.total_cycles);
    EXPECT_GT(stalled.statistics.engines[static_cast<size_t>(Engine::kMac)]
                                        [static_cast<size_t>(Cause::kRandomStall)],
              0U);
  }
}

TEST(SystemcExecutor, TheOrderOfProcessesChangesNothingAtAll) {
  const isa::Program program = SmallNetwork(Edge());
  for (const uint64_t stall_seed : {0U, 7U}) {
    SystemcOptions options;
    options.stall_seed = stall_seed;
    const Outcome want = RunWith(program, options);
    for (uint64_t order = 1; order <= 10; ++order) {
      options.order_seed = order;
      const Outcome got = RunWith(program, options);
      EXPECT_EQ(Difference(program, got.observed, want.observed), "");
      EXPECT_TRUE(SameCycles(got.statistics, want.statistics)) << "order " << order;
    }
  }
}

TEST(SystemcExecutor, TheSameHoldsOnOutputStationaryHardware) {
  hwconfig::HwConfig config = Edge();
  config.array_dataflow = hwconfig::Dataflow::kOs;
  const isa::Program program = SmallNetwork(config);
  const Outcome want = RunWith(program, {});
  EXPECT_EQ(Difference(program, want.observed, RunOnIss(program, 1)), "");
  SystemcOptions options;
  options.order_seed = 4;
  EXPECT_TRUE(SameCycles(RunWith(program, options).statistics, want.statistics));
}

TEST(SystemcExecutor, CausesAddUpForEveryEngineAndLayer) {
  const isa::Program program = SmallNetwork(Edge());
  const RunStatistics run = RunWith(program, {}).statistics;
  const auto sum = [](const CauseCycles& cycles) {
    return std::accumulate(cycles.begin(), cycles.end(), uint64_t{0});
  };
  uint64_t layers = 0;
  for (const LayerStatistics& layer : run.layers) layers += layer.cycles;
  EXPECT_EQ(layers, run.total_cycles);
  for (size_t e = 0; e < kEngines; ++e) {
    EXPECT_EQ(sum(run.engines[e]), run.total_cycles) << ToString(static_cast<Engine>(e));
    for (const LayerStatistics& layer : run.layers) {
      EXPECT_EQ(sum(layer.engines[e]), layer.cycles);
    }
  }
  EXPECT_LE(run.busy_cycles, run.total_cycles);
  EXPECT_EQ(run.instructions, program.code.size());
  EXPECT_EQ(run.fetched_bytes, program.code.size() * 16);
}

TEST(SystemcExecutor, CountsTheMultiplicationsOfTheLayers) {
  const isa::Program program = SmallNetwork(Edge());
  const RunStatistics run = RunWith(program, {}).statistics;
  for (size_t i = 0; i < program.layers.size(); ++i) {
    // The array also multiplies padding, which a layer's own count may leave out.
    EXPECT_GE(run.layers[i].macs, program.layers[i].macs) << program.layers[i].name;
    EXPECT_LE(run.layers[i].macs, program.layers[i].macs * 3 / 2) << program.layers[i].name;
  }
}

TEST(SystemcExecutor, CountsTheSaturationsThatTheIssCounts) {
  const isa::Program program = SmallNetwork(Edge());
  iss::Iss iss(program.config);
  RunOn(iss, program, 1);
  const RunStatistics run = RunWith(program, {}).statistics;
  EXPECT_GT(run.saturations, 0U);
  EXPECT_EQ(run.saturations, iss.Saturations());
}

TEST(SystemcExecutor, RunsAgainAndTakesAnotherProgramAndHardware) {
  const isa::Program first = SmallNetwork(Edge(), 3), second = SmallNetwork(Edge(), 4);
  hwconfig::HwConfig narrow = Edge();
  narrow.array_cols = 8;
  narrow.ppu_lanes = 4;
  const isa::Program third = SmallNetwork(narrow, 3);
  SystemcExecutor edge(Edge());
  SystemcExecutor other(narrow);
  const Observed once = RunOn(edge, first, 1);
  const RunStatistics statistics = edge.statistics();
  EXPECT_EQ(Difference(third, RunOn(other, third, 1), RunOnIss(third, 1)), "");
  EXPECT_EQ(Difference(second, RunOn(edge, second, 2), RunOnIss(second, 2)), "");
  EXPECT_EQ(Difference(first, RunOn(edge, first, 1), once), "");
  EXPECT_TRUE(SameCycles(edge.statistics(), statistics));
  EXPECT_TRUE(edge.Run(nullptr).ok());
  EXPECT_TRUE(SameCycles(edge.statistics(), statistics));
}

struct Beats : ppu::TrafficSink {
  uint64_t in = 0, out = 0;
  void OnBeat(const ppu::CoreBeat&) override { ++in; }
  void OnResult(const ppu::CoreResult&) override { ++out; }
  void OnTable(uint32_t, const int32_t*, int) override {}
};

TEST(SystemcExecutor, ThePipelineOfThePpuCanBeExchanged) {
  const isa::Program program = SmallNetwork(Edge());
  Beats beats;
  SystemcOptions options;
  options.name = "rtl";
  options.ppu_core = [&](const hwconfig::HwConfig& config) {
    return std::make_unique<ppu::PpuTrafficRecorder>(std::make_unique<ppu::NativeCore>(config),
                                                     beats);
  };
  SystemcExecutor executor(program.config, options);
  EXPECT_EQ(executor.name(), "rtl");
  EXPECT_EQ(Difference(program, RunOn(executor, program, 1), RunOnIss(program, 1)), "");
  EXPECT_GT(beats.in, 1000U);
  EXPECT_EQ(beats.in, beats.out);
}

// Flips a bit of one result.
class FaultyCore : public ppu::NativeCore {
 public:
  using NativeCore::NativeCore;
  const ppu::CoreResult& Out() const override {
    faulty_ = NativeCore::Out();
    faulty_.y[0] ^= 1;
    return faulty_;
  }

 private:
  mutable ppu::CoreResult faulty_;
};

TEST(SystemcExecutor, TheScratchpadHoldsWhatThePipelinePutOut) {
  const isa::Program program = SmallNetwork(Edge());
  SystemcOptions options;
  options.ppu_core = [](const hwconfig::HwConfig& config) {
    return std::make_unique<FaultyCore>(config);
  };
  const Observed faulty = RunWith(program, options).observed;
  const Observed right = RunOnIss(program, 1);
  int different_layers = 0;
  for (size_t i = 0; i < right.layers.size(); ++i) {
    different_layers += faulty.layers[i] != right.layers[i];
  }
  EXPECT_GT(different_layers, 5);
}

TEST(SystemcExecutor, AnInjectedFaultOfTheDmaIsSeen) {
  const isa::Program program = SmallNetwork(Edge());
  SystemcOptions options;
  options.faults.load_beat_off_by_one = 20;
  EXPECT_NE(Difference(program, RunWith(program, options).observed, RunOnIss(program, 1)), "");
  options.faults.load_beat_off_by_one = 1000000000;
  EXPECT_EQ(Difference(program, RunWith(program, options).observed, RunOnIss(program, 1)), "");
}

// Product, read-out and store, with their tokens.
isa::Program ProductProgram() {
  bw::testing::ProgramBuilder p(WithoutConflicts());
  p.LoadParams({One()}, 0);
  EmitProduct(p, 16, 16, 16);
  EmitReadOut(p, 16, 16);
  p.StoreBytes(kMatrixOutput, kMatrixResult, 1024);
  return p.Finish();
}

TEST(SystemcExecutor, ADeadlockNamesWhatWaits) {
  isa::Program program = ProductProgram();
  const uint32_t mm = Find(program, isa::Opcode::kMm);
  const uint32_t rq = Find(program, isa::Opcode::kRq);
  const uint32_t st = Find(program, isa::Opcode::kSt);
  Edit(program, mm, [](isa::Instruction& in) { in.post = 0; });
  const std::string error = RunWith(program, {}).observed.error;
  EXPECT_THAT(error, HasSubstr(fmt::format("instruction {} (layer 'layer', tile 0): rq waits for a "
                                           "token from queue mac to queue ppu: deadlock",
                                           rq)));
  EXPECT_THAT(error, HasSubstr(fmt::format("instruction {} (layer 'layer', tile 0): st waits for a "
                                           "token from queue ppu to queue store: deadlock",
                                           st)));
  EXPECT_THAT(error, ::testing::Not(HasSubstr("mm")));
  // The machine runs on afterwards.
  EXPECT_EQ(RunWith(ProductProgram(), {}).observed.error, "");
}

TEST(SystemcExecutor, AnInstructionThatBlocksTheDispatcherIsNamed) {
  isa::Program program = ProductProgram();
  program.config.queue_depth = 2;
  Edit(program, Find(program, isa::Opcode::kMm),
       [](isa::Instruction& in) { in.wait = Bit(isa::Queue::kStore); });
  // More instructions of its queue than fit behind it; the dispatcher stands in front of the third.
  const std::string error = RunWith(program, {}).observed.error;
  EXPECT_THAT(error, HasSubstr("mm waits for a token from queue store to queue mac"));
}

TEST(SystemcExecutor, ABadDescriptorStopsTheRunAndNamesTheInstruction) {
  isa::Program program = ProductProgram();
  const uint32_t rq = Find(program, isa::Opcode::kRq);
  Edit(program, rq, [](isa::Instruction& in) { in.ppu.d_base = 131071; });
  EXPECT_THAT(RunWith(program, {}).observed.error,
              HasSubstr(fmt::format("instruction {} (layer 'layer', tile 0): d_base", rq)));
}

TEST(SystemcExecutor, ABadParameterStopsTheRun) {
  isa::Program program = ProductProgram();
  std::fill(program.constants[0].bytes.begin(), program.constants[0].bytes.end(), uint8_t{0xff});
  EXPECT_THAT(RunWith(program, {}).observed.error, HasSubstr("parameter entry 0 is not valid"));
}

TEST(SystemcExecutor, AProgramForOtherHardwareIsRefused) {
  const isa::Program program = ProductProgram();
  SystemcExecutor executor(Edge());
  const Status status = executor.Load(program);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(
      ToString(status.errors()),
      MatchesRegex("built: compiled for hardware 'without_conflicts' \\(.*\\), this machine "
                   "is 'edge' \\(.*\\) \\(compile it for this hardware\\)\n"));
}

}  // namespace
}  // namespace bw::sysc
