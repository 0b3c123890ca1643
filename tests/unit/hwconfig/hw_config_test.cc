#include "models/hwconfig/hw_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "models/hwconfig/hw_rules.h"
#include "models/status/file.h"

namespace bw::hwconfig {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kRoot = BW_SOURCE_DIR;

std::vector<std::string> Lines(const Result<HwConfig>& result) {
  std::vector<std::string> lines;
  if (result.ok()) return lines;
  for (const Error& error : result.errors()) lines.push_back(error.ToString());
  return lines;
}

HwConfig Named(const std::string& name) {
  const Result<HwConfig> config = LoadHwConfig(kRoot + "/configs/npu/" + name + ".yaml");
  EXPECT_TRUE(config.ok()) << ToString(config.errors());
  return config.ok() ? *config : HwConfig();
}

std::map<std::string, Parameter> Parameters(const HwConfig& config) {
  std::map<std::string, Parameter> parameters;
  ForEachParameter(config, [&](const Parameter& p) { parameters[p.key] = p; });
  return parameters;
}

TEST(HwConfig, DefaultsAreTheEdgeConfig) {
  HwConfig expected;
  expected.name = "edge";
  EXPECT_EQ(Named("edge"), expected);
  EXPECT_TRUE(BrokenRules(expected).empty());
}

TEST(HwConfig, NamedConfigsDifferWhereTheyShould) {
  const HwConfig tiny = Named("tiny");
  EXPECT_EQ(tiny.name, "tiny");
  EXPECT_EQ(tiny.array_rows, 4);
  EXPECT_EQ(tiny.array_cols, 4);
  EXPECT_EQ(tiny.ppu_lanes, 4);
  EXPECT_EQ(tiny.spm_bytes, 32768);
  EXPECT_EQ(tiny.spm_banks, 4);
  EXPECT_EQ(tiny.spm_bank_bytes, 4);
  EXPECT_EQ(tiny.acc_entries, 1024);
  EXPECT_EQ(tiny.dram_bytes_per_cycle, 4);
  const HwConfig wide = Named("wide");
  EXPECT_EQ(wide.array_rows, 32);
  EXPECT_EQ(wide.array_cols, 32);
  EXPECT_EQ(wide.ppu_lanes, 32);
  EXPECT_EQ(wide.spm_bytes, 1048576);
  EXPECT_EQ(wide.spm_banks, 16);
  EXPECT_EQ(wide.spm_bank_bytes, 32);
  EXPECT_EQ(wide.acc_entries, 65536);
  EXPECT_EQ(wide.dram_bytes_per_cycle, 64);
}

// So that nobody has to know the defaults to read a config. Canonical text after the comment lines.
TEST(HwConfig, NamedConfigsWriteEveryKey) {
  for (const std::string name : {"tiny", "edge", "wide"}) {
    const Result<std::string> text = ReadFile(kRoot + "/configs/npu/" + name + ".yaml");
    ASSERT_TRUE(text.ok());
    const size_t body = text->find("\nname:");
    ASSERT_NE(body, std::string::npos);
    EXPECT_EQ(text->substr(body + 1), ToYaml(Named(name))) << name;
  }
}

TEST(HwConfig, CanonicalTextReadsBack) {
  HwConfig config;
  config.name = "null";  // the one kind of name that needs quotes
  config.array_dataflow = Dataflow::kOs;
  config.lut_mode = LutMode::kNearest;
  config.ppu_zero_point = false;
  config.ppu_modes = {arith::Rounding::kHalfUp, arith::Rounding::kHalfEven};
  config.ppu_rounding = arith::Rounding::kHalfEven;
  config.ppu_mult_bits = 12;
  config.profile = "native";
  config.dram_bytes = 4294967295;
  const Result<HwConfig> back = ParseHwConfig(ToYaml(config), "canonical");
  ASSERT_TRUE(back.ok()) << ToString(back.errors());
  EXPECT_EQ(*back, config);
  EXPECT_EQ(ToYaml(*back), ToYaml(config));
}

TEST(HwConfig, OrderAndCommentsDoNotMatter) {
  const Result<HwConfig> a = ParseHwConfig("name: x\nppu: {modes: [half_up, floor]}\n", "a");
  const Result<HwConfig> b =
      ParseHwConfig("# other\nppu:\n  modes: [floor, half_up]\nname: x\n", "b");
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_EQ(*a, *b);
  EXPECT_EQ(HashHex(*a), HashHex(*b));
}

// Pinned: a hash may not change from one machine or build to the next. The
// value is FNV-1a over configs/npu/edge.yaml without its comment, computed by another program.
TEST(HwConfig, HashIsStableAndSeesEveryParameter) {
  EXPECT_EQ(HashHex(Named("edge")), "17546ce881be50c8");
  std::set<std::string> hashes = {HashHex(Named("edge")), HashHex(Named("tiny")),
                                  HashHex(Named("wide"))};
  HwConfig other = Named("edge");
  other.dram_latency += 1;
  hashes.insert(HashHex(other));
  EXPECT_EQ(hashes.size(), 4u);
}

TEST(HwConfig, SetReplacesAndIsChecked) {
  const std::string path = kRoot + "/configs/npu/edge.yaml";
  const Result<HwConfig> config =
      LoadHwConfig(path, {{"array.rows", "8", ""}, {"ppu.modes", "[half_up]", ""}});
  ASSERT_TRUE(config.ok()) << ToString(config.errors());
  EXPECT_EQ(config->array_rows, 8);
  EXPECT_THAT(config->ppu_modes, ElementsAre(arith::Rounding::kHalfUp));
  EXPECT_THAT(Lines(LoadHwConfig(path, {{"array.rows", "300", ""}})),
              ElementsAre("--set array.rows=300: array.rows: value 300 is out of range; allowed "
                          "1..256"));
}

TEST(HwConfig, RefusesEveryParameterOutsideItsRange) {
  int checked = 0;
  for (const auto& [key, parameter] : Parameters(HwConfig())) {
    if (parameter.type != "integer" && parameter.type != "power of two") continue;
    for (const std::string value : {"-1", "99999999999"}) {
      EXPECT_THAT(Lines(ParseHwConfig("name: x\n", "f.yaml", {{key, value, ""}})),
                  ElementsAre(HasSubstr(key + ": value " + value + " is out of range; allowed ")));
      ++checked;
    }
  }
  EXPECT_EQ(checked, 2 * 27);
}

TEST(HwConfig, MultiplierIsEightTo31OrOne) {
  EXPECT_THAT(Lines(ParseHwConfig("name: x\nppu: {mult_bits: 7}\n", "f.yaml")),
              ElementsAre("f.yaml:2:18: ppu.mult_bits: value 7 is out of range; allowed 8..31, "
                          "or 1"));
  EXPECT_THAT(Lines(ParseHwConfig("name: x\nppu: {mult_bits: 32}\n", "f.yaml")),
              ElementsAre("f.yaml:2:18: ppu.mult_bits: value 32 is out of range; allowed 8..31, "
                          "or 1"));
  const auto config = ParseHwConfig("name: x\nprofile: pow2\nppu: {mult_bits: 1}\n", "f.yaml");
  ASSERT_TRUE(config.ok()) << ToString(config.errors());
  EXPECT_EQ(config->ppu_mult_bits, 1);
}

TEST(HwConfig, WantsPowersOfTwo) {
  EXPECT_THAT(Lines(ParseHwConfig("name: x\nlut: {segments: 300}\nspm: {banks: 63}\n", "f.yaml")),
              ElementsAre("f.yaml:2:17: lut.segments: value 300 is not a power of two; allowed "
                          "powers of two, 16..4096 (write 256 or 512)",
                          "f.yaml:3:14: spm.banks: value 63 is not a power of two; allowed "
                          "powers of two, 1..64 (write 32 or 64)"));
}

TEST(HwConfig, ReportsAllErrorsAtOnce) {
  EXPECT_THAT(
      Lines(ParseHwConfig("name: x\n"
                          "act_bits: 010\n"
                          "arry: {rows: 4}\n"
                          "ppu: {mult_bits: 31, stage1_bits: 1e3, zero_point: yes}\n"
                          "acc_bits: 40\n"
                          "acc_bits: 32\n"
                          "spm: {bytes: 10000}\n",
                          "f.yaml")),
      ElementsAre(
          "f.yaml:2:11: act_bits: value 010 is not a decimal integer; allowed 2..16 (some readers "
          "take a leading 0 for octal: leave it out)",
          "f.yaml:3:1: arry: unknown hardware parameter (did you mean array?)",
          "f.yaml:4:18: ppu.mult_bits: acc_bits + ppu.mult_bits is 40 + 31 = 71; allowed up to 63 "
          "(set ppu.mult_bits to 23 or less, or acc_bits to 32 or less)",
          "f.yaml:4:18: profile: profile mantissa16 needs ppu.mult_bits 16 (is 31) (set "
          "ppu.mult_bits=16, or set profile to one of: tosa32, native)",
          "f.yaml:4:35: ppu.stage1_bits: value 1e3 is not a decimal integer; allowed 12..24 "
          "(write decimal digits only)",
          "f.yaml:4:52: ppu.zero_point: value yes is not a flag; allowed true, false",
          "f.yaml:6:1: acc_bits: given twice; first at line 5 (keep one of the two)",
          "f.yaml:7:14: spm.bytes: value 10000 is not a multiple of spm.banks * spm.bank_bytes = "
          "128 (set spm.bytes to 10112)"));
}

TEST(HwConfig, RefusesFilesThatAreNone) {
  EXPECT_THAT(Lines(LoadHwConfig("/nonexistent/x.yaml")),
              ElementsAre("/nonexistent/x.yaml: cannot open: No such file or directory"));
  EXPECT_THAT(Lines(LoadHwConfig(kRoot)), ElementsAre(kRoot + ": cannot read: Is a directory"));
  EXPECT_THAT(Lines(ParseHwConfig("", "f.yaml")), ElementsAre("f.yaml: holds no YAML document"));
}

TEST(HwConfig, DescribesEveryParameter) {
  const auto parameters = Parameters(Named("edge"));
  EXPECT_EQ(parameters.size(), 35u);
  const std::string table = DescribeNpu();
  for (const auto& [key, parameter] : parameters) {
    EXPECT_TRUE(IsHwKey(key));
    EXPECT_FALSE(parameter.doc.empty()) << key;
    EXPECT_FALSE(parameter.allowed.empty()) << key;
    EXPECT_THAT(table, HasSubstr("\n" + key + " "));
    EXPECT_THAT(table, HasSubstr(parameter.doc + "\n"));
  }
  EXPECT_FALSE(IsHwKey("array"));
  EXPECT_FALSE(IsHwKey("array.row"));
}

TEST(HwConfig, VisitsValuesAsTextAndNumber) {
  const auto parameters = Parameters(Named("edge"));
  EXPECT_EQ(parameters.at("array.rows").value, "16");
  EXPECT_EQ(parameters.at("array.rows").number, 16);
  EXPECT_EQ(parameters.at("array.rows").allowed, "1..256");
  EXPECT_EQ(parameters.at("array.rows").default_value, "16");
  EXPECT_EQ(parameters.at("ppu.zero_point").number, 1);
  EXPECT_EQ(parameters.at("ppu.rounding").value, "half_up");
  EXPECT_EQ(parameters.at("ppu.rounding").number, 2);
  EXPECT_EQ(parameters.at("ppu.modes").value, "[floor, truncate, half_up, half_away, half_even]");
  EXPECT_EQ(parameters.at("ppu.modes").number, 31);
  EXPECT_EQ(parameters.at("lut.mode").number, 2);
  EXPECT_EQ(parameters.at("profile").number, 0);
  EXPECT_EQ(parameters.at("name").number, 0);
  EXPECT_EQ(parameters.at("name").default_value, "");
  EXPECT_EQ(parameters.at("spm.banks").type, "power of two");
  EXPECT_THAT(parameters.at("array.dataflow").choices, ElementsAre("ws", "os"));
}

TEST(HwConfig, NativeProfileIsMadeOfTheHardware) {
  HwConfig config;
  config.ppu_mult_bits = 12;
  config.ppu_rounding = arith::Rounding::kHalfAway;
  const arith::Profile native = ResolveProfile(config, "native");
  EXPECT_EQ(native.mult_bits, 12);
  EXPECT_EQ(native.rounding, arith::Rounding::kHalfAway);
  EXPECT_EQ(native.clip, arith::ClipKind::kSymmetric);
  EXPECT_EQ(native.scale_rule, arith::ScaleRule::kNearest);
  EXPECT_EQ(ResolveProfile(config, "tosa32").mult_bits, 31);
  EXPECT_DEATH(ResolveProfile(config, "other"), "profile other");
}

}  // namespace
}  // namespace bw::hwconfig
