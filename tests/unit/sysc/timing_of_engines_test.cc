// Cycles of single operations against the formulas of sim/timing.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>

#include "sim/sysc/systemc_executor.h"
#include "tests/unit/sysc/edit_program.h"
#include "tests/unit/sysc/matrix_program.h"

namespace bw::sysc {
namespace {

struct Times : EventSink {
  struct Span {
    uint64_t start = 0, retire = 0;
    int64_t Cycles() const { return static_cast<int64_t>(retire - start); }
  };
  std::map<uint32_t, Span> of;
  void OnStart(isa::Queue, uint32_t instruction, uint64_t cycle) override {
    of[instruction].start = cycle;
  }
  void OnRetire(isa::Queue, uint32_t instruction, uint64_t cycle) override {
    of[instruction].retire = cycle;
  }
};

class TimingOfEngines : public ::testing::Test {
 protected:
  // Runs the program and returns the cycles from the start of the only `opcode` to its retirement.
  int64_t CyclesOf(const isa::Program& program, isa::Opcode opcode) {
    SystemcOptions options;
    options.events = &times_;
    SystemcExecutor executor(program.config, options);
    EXPECT_TRUE(executor.Load(program).ok());
    const Status status = executor.Run(nullptr);
    EXPECT_TRUE(status.ok()) << ToString(status.errors());
    statistics_ = executor.statistics();
    return times_.of[Find(program, opcode)].Cycles();
  }
  int64_t GemmCycles(const hwconfig::HwConfig& config, int64_t m, int64_t n, int64_t k) {
    bw::testing::ProgramBuilder builder(config);
    EmitProduct(builder, m, n, k);
    return CyclesOf(builder.Finish(), isa::Opcode::kMm);
  }
  Times times_;
  RunStatistics statistics_;
};

TEST_F(TimingOfEngines, AMatrixProductTakesWhatTheFormulaSays) {
  const hwconfig::HwConfig config = WithoutConflicts();
  const int64_t shapes[][3] = {{128, 128, 128}, {100, 16, 16}, {1, 16, 16},   {5, 128, 128},
                               {64, 40, 100},   {16, 128, 16}, {17, 16, 128}, {33, 7, 3}};
  for (const auto& [m, n, k] : shapes) {
    EXPECT_EQ(GemmCycles(config, m, n, k), timing::GemmCycles(config, m, n, k))
        << m << " x " << n << " x " << k;
    EXPECT_EQ(statistics_.macs, static_cast<uint64_t>(m * n * k));
  }
}

TEST_F(TimingOfEngines, TheSameHoldsForAnArrayThatIsNotSquare) {
  hwconfig::HwConfig config = WithoutConflicts();
  config.array_rows = 8;
  config.array_cols = 32;
  for (const int64_t m : {1, 20, 100}) {
    EXPECT_EQ(GemmCycles(config, m, 128, 128), timing::GemmCycles(config, m, 128, 128));
  }
}

TEST_F(TimingOfEngines, BankConflictsCostCycles) {
  hwconfig::HwConfig config = WithoutConflicts();
  config.spm_banks = 2;
  EXPECT_GT(GemmCycles(config, 128, 128, 128), timing::GemmCycles(config, 128, 128, 128));
  const auto& mac = statistics_.engines[static_cast<size_t>(Engine::kMac)];
  EXPECT_GT(mac[static_cast<size_t>(Cause::kBankConflict)], 0U);
}

TEST_F(TimingOfEngines, OutputStationaryIsBoundedByItsSteps) {
  hwconfig::HwConfig config = WithoutConflicts();
  config.array_dataflow = hwconfig::Dataflow::kOs;
  const int64_t cycles = GemmCycles(config, 64, 32, 128);
  // Eight blocks of 16 x 16 outputs: 128 steps and a drain of 16 each.
  EXPECT_GE(cycles, 8 * (128 + 16));
  EXPECT_LE(cycles, 8 * (128 + 16) + 200);
  EXPECT_EQ(statistics_.macs, 64U * 32 * 128);
}

TEST_F(TimingOfEngines, ARequantiseTakesItsBeatsAndThePipeline) {
  hwconfig::HwConfig config = WithoutConflicts();
  for (const int64_t pixels : {1, 2, 50}) {
    bw::testing::ProgramBuilder builder(config);
    EmitReadOut(builder, pixels, 16);
    EXPECT_EQ(CyclesOf(builder.Finish(), isa::Opcode::kRq), timing::PpuCycles(config, pixels))
        << pixels << " beats";
  }
}

TEST_F(TimingOfEngines, AWindowTakesOneCycleAPosition) {
  using isa::PpuReg;
  const hwconfig::HwConfig config = WithoutConflicts();
  bw::testing::ProgramBuilder builder(config);
  builder.SetAll(PpuReg::kc0, {16, 10, 1, 1, 3, 3});
  builder.SetAll(PpuReg::kas0, {8, 1024, 0, 0, 128, 4096});
  builder.Set(PpuReg::kds0, 8).Set(PpuReg::kds0, 128, 1).Set(PpuReg::kdbits, 8);
  builder.SetAll(PpuReg::kx0, {0, 0, 1, 9}).SetAll(PpuReg::ky0, {0, 0, 1, 9});
  builder.SetAll(PpuReg::kabits, {8, 1, 0});
  isa::Instruction in;
  in.opcode = isa::Opcode::kPmax;
  in.queue = isa::Queue::kPpu;
  in.ppu.d_base = kMatrixResult;
  builder.Emit(in);
  EXPECT_EQ(CyclesOf(builder.Finish(), isa::Opcode::kPmax), timing::PpuCycles(config, 90));
}

TEST_F(TimingOfEngines, ALoadStreamsAtTheRateOfTheBus) {
  const hwconfig::HwConfig config = WithoutConflicts();
  const auto cycles = [&](int64_t bytes) {
    bw::testing::ProgramBuilder builder(config);
    builder.LoadBytes(0, 0, bytes);
    return CyclesOf(builder.Finish(), isa::Opcode::kLd);
  };
  const int64_t one = cycles(16);
  EXPECT_GE(one, timing::DramReadLatency(config));
  EXPECT_LE(one, timing::DramReadLatency(config) + 6);
  // Eight bursts of 256 bytes under way hide the latency of 60 cycles.
  EXPECT_EQ(cycles(16 * 1024) - one, 1023);
}

TEST_F(TimingOfEngines, BytesMovedArePackedBytes) {
  using isa::LoadReg;
  using isa::StoreReg;
  const hwconfig::HwConfig config = WithoutConflicts();
  bw::testing::ProgramBuilder builder(config);
  // 100 rows of 30 elements of 5 bits: 19 bytes each, one behind the other.
  constexpr int64_t kRows = 100;
  builder.SetAll(LoadReg::kcnt0, {30, kRows, 1, 1, 1, 1})
      .SetAll(LoadReg::khi0, {30, kRows, 1, 1, 1, 1});
  builder.Set(LoadReg::kdstr0, 5).Set(LoadReg::kdstr0, 19 * 8, 1);
  builder.Set(LoadReg::kmstr0, 8).Set(LoadReg::kmstr0, 30 * 8, 1);
  builder.Set(LoadReg::kdbits, 5).Set(LoadReg::kmbits, 8);
  builder.Ld(0, 0);
  builder.SetAll(StoreReg::kcnt0, {30, kRows, 1, 1, 1, 1});
  builder.Set(StoreReg::kdstr0, 5).Set(StoreReg::kdstr0, 19 * 8, 1);
  builder.Set(StoreReg::kmstr0, 8).Set(StoreReg::kmstr0, 30 * 8, 1);
  builder.Set(StoreReg::kdbits, 5).Set(StoreReg::kmbits, 8);
  builder.St(kMatrixOutput, 0);
  CyclesOf(builder.Finish(), isa::Opcode::kSt);
  EXPECT_EQ(statistics_.dram_written_bytes, 1900U);
  // A byte that two bursts share is read twice.
  EXPECT_GE(statistics_.dram_read_bytes, 1900U);
  EXPECT_LE(statistics_.dram_read_bytes, 1900U + 8);
}

TEST_F(TimingOfEngines, OneBurstUnderWayShowsTheLatencyEveryTime) {
  hwconfig::HwConfig config = WithoutConflicts();
  config.dma_outstanding = 1;
  bw::testing::ProgramBuilder builder(config);
  builder.LoadBytes(0, 0, 4096);
  EXPECT_GE(CyclesOf(builder.Finish(), isa::Opcode::kLd),
            16 * (timing::DramReadLatency(config) + 16));
  const auto& load = statistics_.engines[static_cast<size_t>(Engine::kLoad)];
  EXPECT_GE(load[static_cast<size_t>(Cause::kDramLatency)], 15U * 60);
}

}  // namespace
}  // namespace bw::sysc
