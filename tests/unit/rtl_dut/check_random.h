// Random beats through the model of a config, every result checked.
#ifndef TESTS_UNIT_RTL_DUT_CHECK_RANDOM_H_
#define TESTS_UNIT_RTL_DUT_CHECK_RANDOM_H_

#include <string>
#include <vector>

#include "tests/unit/rtl_dut/beat_source.h"
#include "tests/unit/rtl_dut/rtl_bench.h"

namespace bw::rtl_dut {

// `groups` windows and single beats through the model, always-ready handshake; new tables now and
// then.
inline void CheckRandom(const std::vector<std::string>& overrides, int groups, uint32_t seed) {
  const hwconfig::HwConfig config = TestConfig(overrides);
  BW_MODEL_OR_SKIP(model, config);
  RtlPpuCore core(*model);
  CheckedStream stream(core);
  BeatSource source(config, seed);
  uint64_t new_tables_at = 1;
  const auto end = static_cast<uint64_t>(groups);
  while (source.groups() <= end && !testing::Test::HasFatalFailure()) {
    if (source.at_start() && source.groups() >= new_tables_at) {
      stream.Drain();
      stream.SetTables(config, RandomTables(source.random(), config));
      new_tables_at += end / 4;
    }
    stream.Feed(source.Beat());
    source.Next();
  }
  stream.Drain();
  EXPECT_GE(stream.compared(), end);
  EXPECT_EQ(core.Saturations(), stream.saturated());
  EXPECT_GT(stream.saturated(), 0u);
}

}  // namespace bw::rtl_dut

#endif  // TESTS_UNIT_RTL_DUT_CHECK_RANDOM_H_
