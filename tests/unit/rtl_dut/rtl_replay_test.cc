// Native core, RTL core and replay side by side.
#include "sim/rtl_dut/rtl_replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/ppu/native_core.h"
#include "tests/unit/rtl_dut/beat_source.h"
#include "tests/unit/rtl_dut/rtl_bench.h"

namespace bw::rtl_dut {
namespace {

// Corrupts the result of one beat.
class FaultyCore : public ppu::PpuCore {
 public:
  FaultyCore(const hwconfig::HwConfig& config, uint64_t bad_tag)
      : core_(config), bad_tag_(bad_tag) {}
  void Reset() override { core_.Reset(); }
  bool OutValid() const override { return core_.OutValid(); }
  const ppu::CoreResult& Out() const override {
    out_ = core_.Out();
    if (out_.tag == bad_tag_) out_.y[0] ^= 1;
    return out_;
  }
  void WriteTable(uint32_t entry, const int32_t* values, int count) override {
    core_.WriteTable(entry, values, count);
  }
  bool Clock(const ppu::CoreBeat* in, bool out_ready) override {
    return core_.Clock(in, out_ready);
  }
  uint64_t Saturations() const override { return core_.Saturations(); }

 private:
  ppu::NativeCore core_;
  uint64_t bad_tag_;
  mutable ppu::CoreResult out_;
};

void Drive(ppu::PpuCore& core, const hwconfig::HwConfig& config, int groups, uint32_t seed) {
  Random random(seed);
  BeatSource source(config, seed);
  WriteTables(core, config, RandomTables(random, config));
  while (source.groups() <= static_cast<uint64_t>(groups)) {
    if (core.Clock(&source.Beat(), !random.OneIn(3))) source.Next();
  }
  for (int i = 0; i < 20; ++i) core.Clock(nullptr, true);
}

TEST(PpuCores, NativeAndRtlBehaveAlikeInEveryCycle) {
  const hwconfig::HwConfig config = TestConfig({});
  BW_MODEL_OR_SKIP(model, config);
  ppu::NativeCore native(config);
  RtlPpuCore rtl(*model);
  native.Reset();
  Random random(11);
  const std::vector<int32_t> tables = RandomTables(random, config);
  WriteTables(native, config, tables);
  WriteTables(rtl, config, tables);
  BeatSource source(config, 11);
  int results = 0;
  for (int cycle = 0; cycle < 40000; ++cycle) {
    ASSERT_EQ(native.OutValid(), rtl.OutValid()) << cycle;
    const bool out_ready = !random.OneIn(4);
    if (native.OutValid()) {
      ASSERT_EQ(native.Out().tag, rtl.Out().tag) << cycle;
      for (size_t i = 0; i < static_cast<size_t>(native.Out().lanes); ++i) {
        ASSERT_EQ(native.Out().y[i], rtl.Out().y[i]) << cycle;
      }
      results += out_ready ? 1 : 0;
    }
    const ppu::CoreBeat* offered = random.OneIn(5) ? nullptr : &source.Beat();
    const bool taken = native.Clock(offered, out_ready);
    ASSERT_EQ(taken, rtl.Clock(offered, out_ready)) << cycle;
    if (taken) source.Next();
  }
  EXPECT_GT(results, 8000);
  for (int i = 0; i < 20; ++i) native.Clock(nullptr, true), rtl.Clock(nullptr, true);
  EXPECT_EQ(native.Saturations(), rtl.Saturations());
}

TEST(RtlReplay, ARunOfTheNativeCoreAgrees) {
  const hwconfig::HwConfig config = TestConfig({});
  BW_MODEL_OR_SKIP(model, config);
  RtlReplay replay(*model);
  ppu::PpuTrafficRecorder recorder(std::make_unique<ppu::NativeCore>(config), replay);
  Drive(recorder, config, 5000, 12);
  const ReplayCounts& counts = replay.Finish();
  EXPECT_GT(counts.beats, 5000u);
  EXPECT_GT(counts.compared, 20000u);
  EXPECT_EQ(counts.mismatches, 0u) << counts.first_mismatch;
}

TEST(RtlReplay, OneWrongResultIsFoundAndExplained) {
  const hwconfig::HwConfig config = TestConfig({});
  BW_MODEL_OR_SKIP(model, config);
  RtlReplay replay(*model);
  ppu::PpuTrafficRecorder recorder(std::make_unique<FaultyCore>(config, 1234), replay);
  Drive(recorder, config, 2000, 13);
  const ReplayCounts& counts = replay.Finish();
  EXPECT_EQ(counts.mismatches, 1u);
  EXPECT_THAT(counts.first_mismatch, testing::HasSubstr("tag 1234, lane 0: a = "));
}

TEST(RtlReplay, ALostResultIsAMismatch) {
  const hwconfig::HwConfig config = TestConfig({});
  BW_MODEL_OR_SKIP(model, config);
  RtlReplay replay(*model);
  ppu::CoreConfig op;
  ppu::CoreBeat beat;
  beat.config = &op;
  beat.lanes = 1;
  beat.a[0] = beat.b[0] = 0;
  replay.OnBeat(beat);
  EXPECT_EQ(replay.Finish().mismatches, 1u);
}

}  // namespace
}  // namespace bw::rtl_dut
