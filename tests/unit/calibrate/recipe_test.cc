#include "compiler/calibrate/recipe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/status/file.h"

namespace bw::calibrate {
namespace {

using hwconfig::HwConfig;
using hwconfig::Override;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kRoot = BW_SOURCE_DIR;

template <typename T>
std::vector<std::string> Lines(const Result<T>& result) {
  std::vector<std::string> lines;
  if (result.ok()) return lines;
  for (const Error& error : result.errors()) lines.push_back(error.ToString());
  return lines;
}

std::vector<std::string> Problems(const std::string& text,
                                  const std::vector<Override>& overrides = {}) {
  return Lines(ParseRecipe(text, "r.yaml", HwConfig(), overrides));
}

Recipe Shipped(const std::string& name) {
  const Result<Recipe> recipe = LoadRecipe(kRoot + "/configs/quant/" + name + ".yaml", HwConfig());
  EXPECT_TRUE(recipe.ok()) << ToString(recipe.errors());
  return recipe.ok() ? *recipe : Recipe();
}

TEST(Recipe, ShippedOnesDifferInTheirWeights) {
  EXPECT_EQ(Shipped("int8").weights, Weights::kPerChannel);
  EXPECT_EQ(Shipped("per_tensor").weights, Weights::kPerTensor);
  EXPECT_EQ(Shipped("int8").name, "int8");
  EXPECT_EQ(Shipped("per_tensor").name, "per_tensor");
}

TEST(Recipe, ShippedOnesWriteEveryKey) {
  for (const std::string name : {"int8", "per_tensor"}) {
    const Result<std::string> text = ReadFile(kRoot + "/configs/quant/" + name + ".yaml");
    ASSERT_TRUE(text.ok());
    const size_t body = text->find("\nname:");
    ASSERT_NE(body, std::string::npos);
    EXPECT_EQ(text->substr(body + 1), ToYaml(Shipped(name))) << name;
  }
}

TEST(Recipe, DefaultsFollowTheHardware) {
  HwConfig config;
  config.act_bits = 6;
  config.weight_bits = 4;
  config.ppu_mult_bits = 12;
  config.profile = "native";
  const Result<Recipe> recipe = ParseRecipe("name: x\n", "r.yaml", config);
  ASSERT_TRUE(recipe.ok()) << ToString(recipe.errors());
  EXPECT_EQ(recipe->ActBits(config), 6);
  EXPECT_EQ(recipe->WeightBits(config), 4);
  EXPECT_EQ(recipe->ProfileOn(config).name, "native");
  EXPECT_EQ(recipe->ProfileOn(config).mult_bits, 12);
}

TEST(Recipe, GivenValuesWin) {
  const HwConfig config;
  const Result<Recipe> recipe =
      ParseRecipe("name: x\nact_bits: 4\nweight_bits: 2\nprofile: native\nweights: per_tensor\n",
                  "r.yaml", config, {{"act_bits", "5", ""}});
  ASSERT_TRUE(recipe.ok()) << ToString(recipe.errors());
  EXPECT_EQ(recipe->ActBits(config), 5);
  EXPECT_EQ(recipe->WeightBits(config), 2);
  EXPECT_EQ(recipe->ProfileOn(config).name, "native");
  EXPECT_EQ(recipe->weights, Weights::kPerTensor);
}

TEST(Recipe, RefusesWhatItCannotDo) {
  EXPECT_THAT(Problems("name: x\nmode: alpha\n"),
              ElementsAre("r.yaml:2:7: mode: value alpha is not supported by this version; allowed "
                          "int8 (set mode to int8)"));
  EXPECT_THAT(Problems("name: x\nmode: int4\n"),
              ElementsAre("r.yaml:2:7: mode: value int4 is unknown; allowed int8 (did "
                          "you mean int8?)"));
  EXPECT_THAT(Problems("name: x\ncalibration: entropy\n"),
              ElementsAre("r.yaml:2:14: calibration: value entropy is unknown; allowed minmax"));
  EXPECT_THAT(Problems("name: x\nweights: per_chanel\n"),
              ElementsAre("r.yaml:2:10: weights: value per_chanel is unknown; allowed per_channel, "
                          "per_tensor (did you mean per_channel?)"));
  EXPECT_THAT(Problems("name: x\nprofile: mantissa\n"),
              ElementsAre("r.yaml:2:10: profile: value mantissa is unknown; allowed config, "
                          "mantissa16, tosa32, tosa16, tflite_double, nvdla, pow2, fp32_even, "
                          "native (did you mean mantissa16?)"));
}

TEST(Recipe, ChecksWidths) {
  EXPECT_THAT(
      Problems("name: x\nact_bits: 1\nweight_bits: 17\n"),
      ElementsAre("r.yaml:2:11: act_bits: value 1 is out of range; allowed 2..16, or 0",
                  "r.yaml:3:14: weight_bits: value 17 is out of range; allowed 2..16, or 0"));
  EXPECT_THAT(Problems("name: x\nact_bits: 9\n", {{"weight_bits", "12", "quant.weight_bits=12"}}),
              ElementsAre("r.yaml:2:11: act_bits: value 9 is wider than the hardware; allowed "
                          "2..8, or 0 (set the hardware's act_bits to 9 or more)",
                          "--set quant.weight_bits=12: weight_bits: value 12 is wider than the "
                          "hardware; allowed 2..8, or 0 (set the hardware's weight_bits to 12 or "
                          "more)"));
}

TEST(Recipe, ProfileMustBeBuilt) {
  EXPECT_THAT(Problems("name: x\nprofile: nvdla\n"),
              ElementsAre("r.yaml:2:10: profile: profile nvdla needs ppu.mult_bits 15 (is 16) (set "
                          "ppu.mult_bits=15, or set profile to one of: mantissa16, native)"));
  EXPECT_THAT(Problems("name: x\nprofile: fp32_even\n"),
              ElementsAre("r.yaml:2:10: profile: profile fp32_even scales in floating point: it "
                          "is no hardware profile (set profile to one of: mantissa16, native)"));
}

TEST(Recipe, IsAsStrictAsTheHardwareConfig) {
  EXPECT_THAT(
      Problems("weight: per_tensor\nact_bits: 08\nact_bits: 8\n"),
      ElementsAre("r.yaml:1:1: weight: unknown recipe key (did you mean weights?)",
                  "r.yaml:2:11: act_bits: value 08 is not a decimal integer; allowed 2..16, "
                  "or 0 (some readers take a leading 0 for octal: leave it out)",
                  "r.yaml:3:1: act_bits: given twice; first at line 2 (keep one of the "
                  "two)",
                  "r.yaml: name: missing (add name: ...)"));
  EXPECT_THAT(Lines(LoadRecipe("/nonexistent.yaml", HwConfig())),
              ElementsAre("/nonexistent.yaml: cannot open: No such file or directory"));
}

TEST(Recipe, DescribesEveryKey) {
  const std::string table = DescribeRecipe();
  for (const std::string key :
       {"name ", "mode ", "profile ", "act_bits ", "weight_bits ", "weights ", "calibration "}) {
    EXPECT_THAT(table, HasSubstr("\n" + key));
  }
  EXPECT_THAT(table, HasSubstr("(required)"));
}

TEST(SplitSets, SortsByKey) {
  const auto split = SplitSets({"act_bits=4", "quant.act_bits=3", "weights=per_tensor",
                                "array.rows=8", "name=x", "quant.name=y"});
  ASSERT_TRUE(split.ok()) << ToString(split.errors());
  std::vector<std::string> npu;
  std::vector<std::string> recipe;
  for (const Override& change : split->npu) npu.push_back(change.key + "=" + change.value);
  for (const Override& change : split->recipe) recipe.push_back(change.key + "=" + change.value);
  EXPECT_THAT(npu, ElementsAre("act_bits=4", "array.rows=8", "name=x"));
  EXPECT_THAT(recipe, ElementsAre("act_bits=3", "weights=per_tensor", "name=y"));
  EXPECT_EQ(split->recipe[0].as_typed, "quant.act_bits=3");
}

TEST(SplitSets, RefusesWhatNobodyKnows) {
  EXPECT_THAT(Lines(SplitSets({"weigths=per_tensor", "rows=8", "quant.array=1", "zzz=1", "x"})),
              ElementsAre("--set weigths=per_tensor: weigths: neither a hardware parameter nor a "
                          "recipe key (did you mean weights?)",
                          "--set rows=8: rows: neither a hardware parameter nor a recipe key (did "
                          "you mean array.rows?)",
                          "--set quant.array=1: quant.array: neither a hardware parameter nor a "
                          "recipe key (bitwright describe npu lists them)",
                          "--set zzz=1: zzz: neither a hardware parameter nor a recipe key "
                          "(bitwright describe npu lists them)",
                          "--set: x is not KEY=VALUE (as in --set array.rows=8)"));
}

TEST(SplitSets, KnowsWhoseKeyItIs) {
  EXPECT_TRUE(IsRecipeKey("mode"));
  EXPECT_TRUE(IsRecipeKey("weights"));
  EXPECT_TRUE(IsRecipeKey("quant.act_bits"));
  EXPECT_FALSE(IsRecipeKey("act_bits"));
  EXPECT_FALSE(IsRecipeKey("profile"));
  EXPECT_FALSE(IsRecipeKey("quant.rows"));
  EXPECT_FALSE(IsRecipeKey("quant."));
}

}  // namespace
}  // namespace bw::calibrate
