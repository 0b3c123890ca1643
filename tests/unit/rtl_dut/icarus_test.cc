// The RTL in a second simulator: Icarus plays cycles whose outputs the native core made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "sim/ppu/native_core.h"
#include "tests/unit/rtl_dut/beat_source.h"
#include "tests/unit/rtl_dut/rtl_bench.h"

namespace bw::rtl_dut {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("bw_icarus_" + std::to_string(getpid()))) {
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  std::string File(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

// Writes the records that tests/rtl/bw_ppu_tb.sv describes.
class VectorWriter {
 public:
  VectorWriter(const hwconfig::HwConfig& hw, const std::string& path) : hw_(hw), out_(path) {
    out_ << std::hex;
  }

  void Table(size_t entry, const std::vector<int32_t>& values, size_t words) {
    const size_t count = std::min(words, values.size() - entry);
    Put(1);
    Put(static_cast<int64_t>(entry));
    Put(static_cast<int64_t>(count));
    for (size_t w = 0; w < words; ++w) Put(w < count ? values[entry + w] : 0);
    out_ << '\n';
  }
  void Clock(const ppu::PpuCore& core, const ppu::CoreBeat* beat, bool out_ready) {
    Put(2);
    Put(out_ready);
    Put(core.OutValid());
    if (core.OutValid()) {
      Put(core.Out().lanes);
      for (size_t i = 0; i < static_cast<size_t>(core.Out().lanes); ++i) Put(core.Out().y[i]);
    }
    Put(beat != nullptr);
    if (beat != nullptr) Beat(*beat);
    out_ << '\n';
  }
  void End(uint64_t saturations) {
    Put(3);
    Put(static_cast<int64_t>(saturations));
    out_ << '\n';
  }

 private:
  void Put(int64_t value) { out_ << static_cast<uint64_t>(value) << ' '; }

  void Beat(const ppu::CoreBeat& beat) {
    const ppu::CoreConfig& c = *beat.config;
    const bool add = c.op == ppu::CoreOp::kAdd;
    for (const int64_t value : {int64_t{beat.lanes},
                                int64_t{beat.first},
                                int64_t{beat.last},
                                int64_t{beat.inside},
                                static_cast<int64_t>(c.op),
                                static_cast<int64_t>(c.rounding),
                                int64_t{c.negative_set},
                                add ? c.add.a.zp : c.a_zero_point,
                                add ? c.add.b.zp : c.b_zero_point,
                                int64_t{c.add.subtract},
                                int64_t{c.add.a.left_shift},
                                int64_t{c.add.b.left_shift},
                                int64_t{c.add.a.multiply},
                                int64_t{c.add.b.multiply},
                                c.add.a.m,
                                c.add.b.m,
                                int64_t{c.add.a.s},
                                int64_t{c.add.b.s},
                                int64_t{c.add.stage1_shift},
                                int64_t{c.add.stage1_bits},
                                int64_t{c.table},
                                c.lut.low,
                                c.lut.high,
                                int64_t{c.lut.k},
                                int64_t{c.lut.interpolate},
                                int64_t{c.lut.ramp_outside}}) {
      Put(value);
    }
    for (size_t i = 0; i < static_cast<size_t>(beat.lanes); ++i) {
      const isa::PpuParam& p = beat.param[i];
      for (const int64_t value :
           {beat.a[i], beat.b[i], p.m, p.m2, int64_t{p.s}, int64_t{p.s2}, p.zp, p.lo, p.hi}) {
        Put(value);
      }
    }
  }

  const hwconfig::HwConfig& hw_;
  std::ofstream out_;
};

void WriteVectors(const hwconfig::HwConfig& hw, int cycles, const std::string& path) {
  VectorWriter writer(hw, path);
  ppu::NativeCore core(hw);
  BeatSource source(hw, 21);
  Random random(22);
  const std::vector<int32_t> tables = RandomTables(random, hw);
  const auto words = static_cast<size_t>(ParametersFor(hw).table_words);
  for (size_t entry = 0; entry < tables.size(); entry += words) writer.Table(entry, tables, words);
  core.WriteTable(0, tables.data(), static_cast<int>(tables.size()));
  for (int cycle = 0; cycle < cycles; ++cycle) {
    const bool out_ready = !random.OneIn(4);
    const ppu::CoreBeat* beat = random.OneIn(5) ? nullptr : &source.Beat();
    writer.Clock(core, beat, out_ready);
    if (core.Clock(beat, out_ready)) source.Next();
  }
  // A result that leaves with the last edge is counted by it.
  writer.End(core.Saturations());
}

std::string OutputOf(const std::string& command) {
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  std::string text;
  std::array<char, 4096> buffer;
  while (const size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    text.append(buffer.data(), got);
  }
  pclose(pipe);
  return text;
}

// What the simulator prints, with `fault` put into a copy of bw_ppu_lane.sv when it is not empty.
std::string Simulate(const hwconfig::HwConfig& hw, int cycles,
                     const std::pair<std::string, std::string>& fault = {}) {
  const Folder folder;
  WriteVectors(hw, cycles, folder.File("vectors"));
  fs::copy(std::string(BW_SOURCE_DIR) + "/rtl", folder.File("rtl"), fs::copy_options::recursive);
  if (!fault.first.empty()) {
    const std::string path = folder.File("rtl/bw_ppu_lane.sv");
    std::ifstream in(path);
    std::string text(std::istreambuf_iterator<char>(in), {});
    const size_t at = text.find(fault.first);
    if (at == std::string::npos) return "the fault was not put in";
    std::ofstream(path) << text.replace(at, fault.first.size(), fault.second);
  }
  std::string compile = "iverilog -g2012 -s bw_ppu_tb -o " + folder.File("tb.vvp");
  for (const auto& [name, value] : ParametersFor(hw).AsList()) {
    compile += " -Pbw_ppu_tb." + name + "=" + std::to_string(value);
  }
  compile += " " + folder.File("rtl/gen/bw_isa_pkg.sv") + " " + folder.File("rtl") + "/*.sv " +
             BW_SOURCE_DIR + "/tests/rtl/bw_ppu_tb.sv";
  const std::string messages = OutputOf(compile);
  if (!messages.empty()) return messages;
  return OutputOf("timeout 100 vvp -n " + folder.File("tb.vvp") +
                  " +vectors=" + folder.File("vectors"));
}

#define BW_SKIP_WITHOUT_ICARUS()                               \
  if (std::system("command -v iverilog >/dev/null 2>&1") != 0) \
  GTEST_SKIP() << "iverilog is not installed"

TEST(Icarus, AgreesWithTheNativeCoreInEveryCycle) {
  BW_SKIP_WITHOUT_ICARUS();
  EXPECT_THAT(Simulate(TestConfig({"ppu.lanes=2"}), 3000), testing::StartsWith("PASS 31"));
}

TEST(Icarus, AgreesWithTheWidestMultiplierAndTheDoubleMode) {
  BW_SKIP_WITHOUT_ICARUS();
  EXPECT_THAT(Simulate(TestConfig({"ppu.mult_bits=31", "profile=tflite_double",
                                   "ppu.modes=[half_up, half_even, double]", "ppu.lanes=1"}),
                       2000),
              testing::StartsWith("PASS 21"));
}

TEST(Icarus, AgreesWithShiftsInPlaceOfMultipliers) {
  BW_SKIP_WITHOUT_ICARUS();
  EXPECT_THAT(
      Simulate(TestConfig({"ppu.mult_bits=1", "profile=pow2", "acc_bits=48", "ppu.lanes=1"}), 2000),
      testing::StartsWith("PASS 21"));
}

TEST(Icarus, NoticesAFault) {
  BW_SKIP_WITHOUT_ICARUS();
  EXPECT_THAT(Simulate(TestConfig({"ppu.lanes=1"}), 500, {"term > a1_q", "term >= 0"}),
              testing::HasSubstr("FAIL"));
}

}  // namespace
}  // namespace bw::rtl_dut
