// The machine with the Verilated pipeline in its PPU: the same values in the same cycles as with
// the native one.
#include <gtest/gtest.h>

#include "compiler/codegen/compile.h"
#include "sim/rtl_dut/model_library.h"
#include "sim/rtl_dut/rtl_ppu_core.h"
#include "sim/sysc/systemc_executor.h"
#include "tests/unit/codegen/network.h"
#include "tests/unit/sysc/run_pair.h"

namespace bw::sysc {
namespace {

isa::Program EveryPpuOperation(const hwconfig::HwConfig& config) {
  codegen::Network network(5);
  auto x = network.Input({1, 5, 12, 12});
  codegen::ConvSpec conv;
  conv.out = 18;
  x = network.Conv(x, conv);
  x = network.Add(x, network.Conv(x, codegen::Depthwise(18)));
  x = network.Mul(x, network.Requant(x, true, true));
  x = network.Lut(x, 64, true);
  x = network.Pool(x, {});
  network.Output(network.GlobalPool(x));
  auto program = codegen::Compile(network.graph(), config);
  BW_CHECK(program.ok(), "{}", ToString(program.errors()));
  return *program;
}

TEST(RtlPipeline, GivesTheSameValuesInTheSameCycles) {
  const auto config = hwconfig::LoadHwConfig(BW_SOURCE_DIR "/configs/npu/edge.yaml");
  ASSERT_TRUE(config.ok());
  const auto model = rtl_dut::LoadModel(rtl_dut::ParametersFor(*config), {});
  if (!model.ok() && std::system("command -v verilator >/dev/null 2>&1") != 0) {
    GTEST_SKIP() << "no verilator, so no RTL model";
  }
  ASSERT_TRUE(model.ok()) << ToString(model.errors());
  const isa::Program program = EveryPpuOperation(*config);
  SystemcOptions with_rtl;
  with_rtl.name = "rtl";
  with_rtl.ppu_core = [&](const hwconfig::HwConfig&) {
    return std::make_unique<rtl_dut::RtlPpuCore>(**model);
  };
  for (const uint64_t stall_seed : {0U, 21U}) {
    SystemcOptions options;
    options.stall_seed = with_rtl.stall_seed = stall_seed;
    SystemcExecutor native(*config, options), rtl(*config, with_rtl);
    const Observed want = RunOn(native, program, 1);
    const Observed got = RunOn(rtl, program, 1);
    EXPECT_GT(got.elements, 5000);
    EXPECT_EQ(Difference(program, got, want), "");
    EXPECT_EQ(rtl.statistics().total_cycles, native.statistics().total_cycles);
    EXPECT_EQ(rtl.statistics().engines, native.statistics().engines);
    EXPECT_EQ(rtl.statistics().saturations, native.statistics().saturations);
    EXPECT_GT(rtl.statistics().saturations, 0U);
  }
}

}  // namespace
}  // namespace bw::sysc
