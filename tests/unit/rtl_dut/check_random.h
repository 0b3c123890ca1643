// Random beats through the model of a config, every result checked.
#ifndef TESTS_UNIT_RTL_DUT_CHECK_RANDOM_H_
#define TESTS_UNIT_RTL_DUT_CHECK_RANDOM_H_

#include <string>
#include <vector>

#include "tests/unit/rtl_dut/rtl_bench.h"
#include "tests/unit/rtl_dut/stimulus.h"

namespace bw::rtl_dut {

// `beats` random beats through the model, always-ready handshake.
inline void CheckRandom(const std::vector<std::string>& overrides, int beats, uint32_t seed) {
  const hwconfig::HwConfig config = TestConfig(overrides);
  BW_MODEL_OR_SKIP(model, config);
  RtlPpuCore core(*model);
  CheckedStream stream(core);
  Random random(seed);
  Stimulus s;
  s.beat.config = &s.config;
  for (int i = 0; i < beats && !testing::Test::HasFatalFailure(); ++i) {
    s.config = RandomConfig(random, config);
    s.beat.tag = static_cast<uint64_t>(i);
    FillLanes(random, config, s);
    stream.Feed(s.beat);
  }
  stream.Drain();
  EXPECT_GE(stream.compared(), static_cast<uint64_t>(beats));
  EXPECT_EQ(core.Saturations(), stream.saturated());
  EXPECT_GT(stream.saturated(), 0u);
}

}  // namespace bw::rtl_dut

#endif  // TESTS_UNIT_RTL_DUT_CHECK_RANDOM_H_
