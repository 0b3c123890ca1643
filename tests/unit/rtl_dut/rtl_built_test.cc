// Models that no named config has, built by the test: other widths, the double mode, and mutants of
// the RTL, each of which must be noticed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "sim/ppu/native_core.h"
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
    options.cache_dir = std::string(BW_BINARY_DIR) + "/rtl_mutants";
    return options;
  }

 private:
  std::filesystem::path dir_;
};

// Results of the mutant that differ from the native core's, over random beats with bubbles.
int Differences(const MutatedSources& sources) {
  const hwconfig::HwConfig config = TestConfig({"ppu.lanes=2"});
  const auto model = LoadModel(ParametersFor(config), sources.Options());
  if (!model.ok()) {
    ADD_FAILURE() << ToString(model.errors());
    return 0;
  }
  RtlPpuCore rtl(**model);
  ppu::NativeCore native(config);
  Random random(6);
  const std::vector<int32_t> tables = RandomTables(random, config);
  WriteTables(rtl, config, tables);
  WriteTables(native, config, tables);
  BeatSource source(config, 6);
  int differences = 0;
  while (source.groups() <= 20000) {
    if (rtl.OutValid() != native.OutValid()) return differences + 1;
    if (native.OutValid()) {
      for (size_t lane = 0; lane < static_cast<size_t>(native.Out().lanes); ++lane) {
        differences += rtl.Out().y[lane] != native.Out().y[lane] ? 1 : 0;
      }
    }
    const ppu::CoreBeat* offered = random.OneIn(4) ? nullptr : &source.Beat();
    native.Clock(offered, true);
    rtl.Clock(offered, true);
    if (offered != nullptr) source.Next();
  }
  return differences + (rtl.Saturations() != native.Saturations() ? 1 : 0);
}

#define BW_SKIP_WITHOUT_VERILATOR()                             \
  if (std::system("command -v verilator >/dev/null 2>&1") != 0) \
  GTEST_SKIP() << "no verilator, so no mutants can be built"

struct Mutation {
  const char* name;
  const char* file;
  const char* from;
  const char* to;
};

const Mutation kMutations[] = {
    {"NoMutation", "rtl/bw_ppu_lane.sv", "mult4_q <= mult3_q;", "mult4_q <= mult3_q;"},
    {"OneBitOfTheMultiplier", "rtl/bw_ppu_lane.sv", "mult4_q <= mult3_q;",
     "mult4_q <= mult3_q ^ MultBits'(1);"},
    {"TiesAwayInsteadOfUp", "rtl/bw_round_shift.sv", "      increment = half;",
     "      increment = half & (sticky | ~negative);"},
    {"LostStickyBit", "rtl/bw_round_shift.sv", "half & (sticky | odd)", "half & odd"},
    {"FoldIgnoresInside", "rtl/bw_ppu_lane.sv", "else if (inside_i) begin", "else begin"},
    {"FoldStartsInsideOnly", "rtl/bw_ppu_lane.sv", "if (first_i) begin",
     "if (first_i & inside_i) begin"},
    {"FoldStartsWithTheOutside", "rtl/bw_ppu_lane.sv",
     "a1_q <= inside_i ? term :", "a1_q <= 1'b1 ? term :"},
    {"MaximumStartsAtZero", "rtl/bw_ppu_lane.sv", "maximum_i ? Lowest : ", "1'b0 ? Lowest : "},
    {"MaximumKeepsTheSmaller", "rtl/bw_ppu_lane.sv", "term > a1_q", "term < a1_q"},
    {"SumForgetsTheZeroPoint", "rtl/bw_ppu.sv", "assign a_zp = requantise0 ?",
     "assign a_zp = (requantise0 && op_i != bw_isa_pkg::CoreOpSum) ?"},
    {"MaximumTakesTheZeroPoint", "rtl/bw_ppu.sv", "assign a_zp = requantise0 ?",
     "assign a_zp = (requantise0 || op_i == bw_isa_pkg::CoreOpMaximum) ?"},
    {"BubbleClobbersTheFold", "rtl/bw_ppu.sv", "valid1_q, in_valid_i};", "valid1_q, 1'b1};"},
    {"EveryPositionMakesAResult", "rtl/bw_ppu.sv", "{in_valid_i & last_i, valid1_q",
     "{in_valid_i, valid1_q"},
    {"MaximumCountsAsSaturated", "rtl/bw_ppu_lane.sv", "saturated7_q <= requantise7_i &",
     "saturated7_q <="},
    {"KeyNotLimitedAbove", "rtl/bw_lookup.sv", "(above ? KeyBits'(high2_i) : key_i)", "key_i"},
    {"KeyNotLimitedBelow", "rtl/bw_lookup.sv",
     "limited = below ? KeyBits'(low2_i) : ", "limited = 1'b0 ? KeyBits'(low2_i) : "},
    {"RampAlsoAtTheLimit", "rtl/bw_lookup.sv", "key_i > KeyBits'(high2_i)",
     "key_i >= KeyBits'(high2_i)"},
    {"NoRampBelow", "rtl/bw_lookup.sv", "zero2_q  <= ramp2_i & below;", "zero2_q  <= 1'b0;"},
    {"InterpolationRoundsDown", "rtl/bw_lookup.sv", ".ModeMask(1 << bw_isa_pkg::RoundingHalfUp)",
     ".ModeMask(0)"},
    {"InterpolationTruncates", "rtl/bw_lookup.sv", "assign result5 = entry5_q + rounded[31:0];",
     "assign result5 = entry5_q + rounded[31:0] - 32'(product5_q < 0 && shift6_i != 0);"},
    {"NearestRoundsDown", "rtl/bw_lookup.sv", "floor_and_half[0] & ~interpolate3_i", "1'b0"},
    {"InterpolatesFromTheNearest", "rtl/bw_lookup.sv", "floor_and_half[0] & ~interpolate3_i",
     "floor_and_half[0]"},
    {"FractionLosesItsTopBit", "rtl/bw_lookup.sv", "fraction = index2_q[ShiftMax-1:0] &",
     "fraction = (index2_q[ShiftMax-1:0] >> 1) &"},
    {"TheOtherTable", "rtl/bw_lookup.sv", "address3_q      <= base3_i + number;",
     "address3_q      <= number;"},
    {"LastWordOfAGroupNotWritten", "rtl/bw_lut_table.sv", "if (w < 32'(count_i))",
     "if (w + 1 < 32'(count_i) || count_i == 1)"},
};

class RtlMutant : public testing::TestWithParam<Mutation> {};

TEST_P(RtlMutant, IsNoticed) {
  BW_SKIP_WITHOUT_VERILATOR();
  const Mutation& m = GetParam();
  const int differences = Differences(MutatedSources(m.file, m.from, m.to));
  if (std::string(m.from) == m.to) {
    EXPECT_EQ(differences, 0) << "the sources as they are";
  } else {
    EXPECT_GT(differences, 0) << m.file << ": " << m.from << " -> " << m.to;
  }
}

INSTANTIATE_TEST_SUITE_P(All, RtlMutant, testing::ValuesIn(kMutations),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(RtlSources, ASourceThatDoesNotCompileIsOneErrorWithTheToolsWords) {
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
