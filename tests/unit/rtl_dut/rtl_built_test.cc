// Models that no named config has, built by the test: other widths, the double mode, and mutants of
// the RTL, each of which must be noticed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/unit/rtl_dut/check_random.h"

namespace bw::rtl_dut {
namespace {

TEST(RtlPpu, EqualsTheArithmeticWithTheDoubleMode) {
  CheckRandom({"ppu.mult_bits=31", "profile=tflite_double", "ppu.modes=[floor, half_up, double]",
               "ppu.lanes=4"},
              60000, 2);
}

TEST(RtlPpu, EqualsTheArithmeticAtSixteenBitsAndWideAccumulators) {
  CheckRandom({"act_bits=16", "weight_bits=16", "acc_bits=44", "ppu.mult_bits=18", "profile=native",
               "ppu.stage1_bits=20", "ppu.lanes=3"},
              60000, 3);
}

TEST(RtlPpu, EqualsTheArithmeticAtFourBitsWithAnEightBitMultiplier) {
  CheckRandom({"act_bits=4", "weight_bits=4", "acc_bits=16", "ppu.mult_bits=8", "profile=native",
               "ppu.lanes=1"},
              60000, 4);
}

// A copy of the sources with one line changed.
class MutatedSources {
 public:
  MutatedSources(const std::string& file, const std::string& from, const std::string& to) {
    namespace fs = std::filesystem;
    dir_ = fs::temp_directory_path() / ("bw_mutant_" + std::to_string(getpid()));
    fs::create_directories(dir_ / "sim/rtl_dut");
    fs::copy(std::string(BW_SOURCE_DIR) + "/rtl", dir_ / "rtl", fs::copy_options::recursive);
    for (const char* name : {"/sim/rtl_dut/model_shim.cc", "/sim/rtl_dut/rtl_abi.h"}) {
      fs::copy(BW_SOURCE_DIR + std::string(name), dir_.string() + name);
    }
    std::ifstream in(dir_ / file);
    std::string text(std::istreambuf_iterator<char>(in), {});
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    EXPECT_EQ(text.find(from, at + 1), std::string::npos) << from;
    text.replace(at, from.size(), to);
    std::ofstream(dir_ / file) << text;
  }
  ~MutatedSources() { std::filesystem::remove_all(dir_); }
  LibraryOptions Options() const {
    LibraryOptions options;
    options.source_dir = dir_.string();
    options.cache_dir = (dir_ / "cache").string();
    return options;
  }

 private:
  std::filesystem::path dir_;
};

// Results of the mutant that differ from the arithmetic, over random beats.
int Differences(const MutatedSources& sources) {
  const hwconfig::HwConfig config = TestConfig({"ppu.lanes=2"});
  const auto model = LoadModel(ParametersFor(config), sources.Options());
  if (!model.ok()) {
    ADD_FAILURE() << ToString(model.errors());
    return 0;
  }
  RtlPpuCore core(**model);
  Random random(6);
  int differences = 0;
  for (int i = 0; i < 20000; ++i) {
    Stimulus s;
    s.beat.config = &s.config;
    s.config = RandomConfig(random, config);
    FillLanes(random, config, s);
    core.Clock(&s.beat, true);
    while (!core.OutValid()) core.Clock(nullptr, true);
    for (size_t lane = 0; lane < static_cast<size_t>(s.beat.lanes); ++lane) {
      const auto want =
          ppu::ComputeLane(s.config, s.beat.a[lane], s.beat.b[lane], s.beat.param[lane]);
      differences += core.Out().y[lane] != want.y ? 1 : 0;
    }
    core.Clock(nullptr, true);
  }
  return differences;
}

#define BW_SKIP_WITHOUT_VERILATOR()                             \
  if (std::system("command -v verilator >/dev/null 2>&1") != 0) \
  GTEST_SKIP() << "no verilator, so no mutants can be built"

TEST(RtlMutant, OneFlippedBitOfTheMultiplierIsNoticed) {
  BW_SKIP_WITHOUT_VERILATOR();
  EXPECT_GT(Differences(MutatedSources("rtl/bw_ppu_lane.sv", "mult4_q <= mult3_q;",
                                       "mult4_q <= mult3_q ^ MultBits'(1);")),
            0);
}

TEST(RtlMutant, TiesAwayInsteadOfUpAreNoticed) {
  BW_SKIP_WITHOUT_VERILATOR();
  EXPECT_GT(Differences(MutatedSources("rtl/bw_round_shift.sv", "      increment = half;",
                                       "      increment = half & (sticky | ~negative);")),
            0);
}

TEST(RtlMutant, LostStickyBitIsNoticed) {
  BW_SKIP_WITHOUT_VERILATOR();
  EXPECT_GT(
      Differences(MutatedSources("rtl/bw_round_shift.sv", "half & (sticky | odd)", "half & odd")),
      0);
}

TEST(RtlMutant, ASourceThatDoesNotCompileIsOneErrorWithTheToolsWords) {
  BW_SKIP_WITHOUT_VERILATOR();
  const MutatedSources sources("rtl/bw_scale.sv", "assign result_o = result_q;",
                               "assign result_o = no_such_signal;");
  const auto model = LoadModel(ParametersFor(TestConfig({})), sources.Options());
  ASSERT_FALSE(model.ok());
  EXPECT_THAT(ToString(model.errors()),
              testing::AllOf(testing::HasSubstr("the RTL model does not build"),
                             testing::HasSubstr("no_such_signal")));
}

}  // namespace
}  // namespace bw::rtl_dut
