// A network whose weights are many times the scratchpad, at MobileNet's channel counts.
#include <gtest/gtest.h>

#include "tests/unit/codegen/network.h"
#include "tests/unit/codegen/run_program.h"

namespace bw::codegen {
namespace {

Network MobileNet(int64_t size) {
  Network net(1);
  ConvSpec stem;
  stem.out = 32;
  stem.stride = 2;
  auto x = net.Conv(net.Input({1, 3, size, size}), stem);
  constexpr int64_t kChannels[] = {64,  128, 128, 256, 256,  512, 512,
                                   512, 512, 512, 512, 1024, 1024};
  int64_t before = 32;
  for (const int64_t channels : kChannels) {
    ConvSpec depthwise = Depthwise(before);
    depthwise.stride = channels > before && before > 32 ? 2 : 1;
    x = net.Conv(net.Conv(x, depthwise), Pointwise(channels));
    before = channels;
  }
  x = net.Reshape(net.GlobalPool(x), {1, 1024});
  net.Output(net.MatMul(x, 1001));
  return net;
}

TEST(MobileNet, StreamsItsWeights) {
  const Network net = MobileNet(96);
  const RunReport report = RunAndCompare(net.graph(), {}, {}, 1);
  EXPECT_EQ(report.compile_error, "");
  EXPECT_EQ(report.problem, "");
  EXPECT_GT(report.program.constants[0].bytes.size(), size_t{4} << 20);
  EXPECT_GT(report.elements, 400000);
}

TEST(MobileNet, FitsATinyMachine) {
  const Network net = MobileNet(64);
  hwconfig::HwConfig tiny;
  tiny.array_rows = tiny.array_cols = tiny.ppu_lanes = 4;
  tiny.spm_bytes = 32768;
  tiny.spm_banks = tiny.spm_bank_bytes = 4;
  tiny.acc_entries = 1024;
  const RunReport report = RunAndCompare(net.graph(), tiny, {}, 1);
  EXPECT_EQ(report.compile_error, "");
  EXPECT_EQ(report.problem, "");
  EXPECT_GT(report.elements, 100000);
}

}  // namespace
}  // namespace bw::codegen
