// The Verilated PPU pipeline of the named configs against models/arith: values, handshakes,
// latency, saturation counts; and the library of models.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/rtl_dut/check_random.h"
#include "tests/unit/rtl_dut/rtl_bench.h"

namespace bw::rtl_dut {
namespace {

TEST(RtlPpu, EqualsTheArithmeticOnTheEdgeConfig) { CheckRandom({}, 100000, 1); }

TEST(RtlPpu, ABeatComesOutInTheSeventhCycle) {
  const hwconfig::HwConfig config = TestConfig({}, "tiny");
  BW_MODEL_OR_SKIP(model, config);
  RtlPpuCore core(*model);
  ppu::CoreConfig maximum;
  maximum.op = ppu::CoreOp::kMaximum;
  ppu::CoreBeat beat;
  beat.config = &maximum;
  beat.lanes = 1;
  beat.a[0] = -5;
  beat.tag = 77;
  ASSERT_TRUE(core.Clock(&beat, true));
  for (int edge = 1; edge < 7; ++edge) {
    EXPECT_FALSE(core.OutValid()) << edge;
    core.Clock(nullptr, true);
  }
  ASSERT_TRUE(core.OutValid());
  EXPECT_EQ(core.Out().y[0], -5);
  EXPECT_EQ(core.Out().tag, 77u);
}

TEST(RtlPpu, NothingIsLostOrReorderedUnderRandomHandshakes) {
  const hwconfig::HwConfig config = TestConfig({}, "tiny");
  BW_MODEL_OR_SKIP(model, config);
  RtlPpuCore core(*model);
  CheckedStream stream(core);
  BeatSource source(config, 5);
  Random random(6);
  stream.SetTables(config, RandomTables(random, config));
  int taken = 0;
  for (int cycle = 0; cycle < 30000; ++cycle) {
    const bool out_ready = !random.OneIn(3);
    const bool enable = !core.OutValid() || out_ready;
    const bool offered = !random.OneIn(4);
    const bool accepted = stream.Step(offered ? &source.Beat() : nullptr, out_ready);
    ASSERT_EQ(accepted, offered && enable) << cycle;
    taken += accepted ? 1 : 0;
    if (accepted) source.Next();
  }
  stream.Drain();
  EXPECT_GT(taken, 15000);
  EXPECT_EQ(core.Saturations(), stream.saturated()) << "a result that waits counts once";
}

TEST(ModelLibrary, MissingSourcesSayWhatToSet) {
  LibraryOptions options;
  options.source_dir = "/nonexistent";
  const auto model = LoadModel(RtlParameters{}, options);
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(
      ToString(model.errors()),
      "/nonexistent/rtl: no SystemVerilog sources here (set BITWRIGHT_SOURCE_DIR to the folder "
      "of the bitwright sources)\n");
}

TEST(ModelLibrary, EveryParameterChangesTheName) {
  const RtlParameters base;
  std::vector<std::string> names = {LibraryFileName(base, {}).value()};
  for (int RtlParameters::*member :
       {&RtlParameters::lanes, &RtlParameters::act_bits, &RtlParameters::a_bits,
        &RtlParameters::mult_bits, &RtlParameters::left_shift_max, &RtlParameters::align_shift_max,
        &RtlParameters::mode_mask, &RtlParameters::lut_entries, &RtlParameters::lut_shift_max,
        &RtlParameters::lut_interpolate, &RtlParameters::table_words}) {
    RtlParameters changed = base;
    changed.*member += 1;
    names.push_back(LibraryFileName(changed, {}).value());
  }
  LibraryOptions trace;
  trace.trace = true;
  names.push_back(LibraryFileName(base, trace).value());
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::unique(names.begin(), names.end()), names.end());
}

}  // namespace
}  // namespace bw::rtl_dut
