// Every value at narrow widths: 12-bit x, all 7-bit significands of an 8-bit multiplier, eight
// shifts, all single rounding modes, both signs of the clip.
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/unit/rtl_dut/rtl_bench.h"

namespace bw::rtl_dut {
namespace {

TEST(RtlExhaustive, EveryNarrowValueInEveryMode) {
  const hwconfig::HwConfig config = TestConfig({"ppu.mult_bits=8", "profile=native"});
  BW_MODEL_OR_SKIP(model, config);
  RtlPpuCore core(*model);
  CheckedStream stream(core);
  const auto lanes = static_cast<int>(config.ppu_lanes);
  for (const arith::Rounding mode : config.ppu_modes) {
    ppu::CoreConfig op;
    op.rounding = mode;
    ppu::CoreBeat beat;
    beat.config = &op;
    beat.lanes = lanes;
    beat.b.fill(0);
    for (int s = 4; s < 12; ++s) {
      for (int m = 128; m < 256; m += 2) {
        beat.param.fill({m, 0, s % 3, -100, 100, s, 0});
        for (int x = -2048; x < 2048; x += lanes) {
          for (int i = 0; i < lanes; ++i) beat.a[static_cast<size_t>(i)] = x + i;
          stream.Feed(beat);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
  stream.Drain();
  const uint64_t expected = 5ULL * 8 * 64 * 4096;
  EXPECT_EQ(stream.compared(), expected);
  std::printf("compared %llu\n", static_cast<unsigned long long>(stream.compared()));
}

}  // namespace
}  // namespace bw::rtl_dut
