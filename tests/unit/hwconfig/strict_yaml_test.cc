#include "models/hwconfig/strict_yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bw::hwconfig {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A document with one group, to read through the same machinery as the real ones.
struct Sample {
  std::string name;
  int64_t rows = 7;
  bool on = false;
  size_t flow = 0;
  std::vector<size_t> modes;
};

std::vector<SchemaKey> Schema(Sample* sample) {
  const std::vector<std::string> flows = {"ws", "os"};
  const std::vector<std::string> modes = {"floor", "half_up", "half_even"};
  const auto keep = [](auto value, auto* to) {
    if (value.has_value()) *to = *value;
    return value.has_value();
  };
  return {{"name", true,
           [=](const YamlNode& node, Errors* errors) {
             return keep(ReadName(node, "name", errors), &sample->name);
           }},
          {"array.rows", false,
           [=](const YamlNode& node, Errors* errors) {
             return keep(ReadInt(node, "array.rows", -5, 256, errors), &sample->rows);
           }},
          {"array.flow", false,
           [=](const YamlNode& node, Errors* errors) {
             return keep(ReadChoice(node, "array.flow", flows, errors), &sample->flow);
           }},
          {"on", false,
           [=](const YamlNode& node, Errors* errors) {
             return keep(ReadFlag(node, "on", errors), &sample->on);
           }},
          {"modes", false, [=](const YamlNode& node, Errors* errors) {
             return keep(ReadChoices(node, "modes", modes, errors), &sample->modes);
           }}};
}

std::vector<std::string> Problems(const std::string& text,
                                  const std::vector<Override>& overrides = {}) {
  Sample sample;
  Errors errors;
  ReadDocument(text, "f.yaml", overrides, "key", Schema(&sample), &errors);
  std::vector<std::string> lines;
  for (const Error& error : errors) lines.push_back(error.ToString());
  return lines;
}

Sample Read(const std::string& text, const std::vector<Override>& overrides = {}) {
  Sample sample;
  Errors errors;
  ReadDocument(text, "f.yaml", overrides, "key", Schema(&sample), &errors);
  EXPECT_TRUE(errors.empty()) << ToString(errors);
  return sample;
}

TEST(StrictYaml, ReadsEveryKind) {
  const Sample sample =
      Read("name: a-1.b\narray: {rows: -5, flow: os}\non: true\nmodes: [half_even, floor]\n");
  EXPECT_EQ(sample.name, "a-1.b");
  EXPECT_EQ(sample.rows, -5);
  EXPECT_EQ(sample.flow, 1u);
  EXPECT_TRUE(sample.on);
  EXPECT_THAT(sample.modes, ElementsAre(0, 2));  // ascending, however written
}

TEST(StrictYaml, KeepsDefaultsOfAbsentKeys) { EXPECT_EQ(Read("name: x\n").rows, 7); }

TEST(StrictYaml, TakesNothingButPlainDecimals) {
  const std::string tail = " is not a decimal integer; allowed -5..256 (";
  for (const std::string value : {"0x10", "1e3", "1_000", "16.0", "+5", "-0", "0o17", "ten", ".5",
                                  "1 6", "-", "true", ".inf"}) {
    EXPECT_THAT(Problems("name: x\narray: {rows: " + value + "}\n"),
                ElementsAre("f.yaml:2:15: array.rows: value " + value + tail +
                            "write decimal digits only)"));
  }
  EXPECT_THAT(Problems("name: x\narray: {rows: 010}\n"),
              ElementsAre("f.yaml:2:15: array.rows: value 010" + tail +
                          "some readers take a leading 0 for octal: leave it out)"));
  EXPECT_THAT(
      Problems("name: x\narray: {rows: \"16\"}\n"),
      ElementsAre("f.yaml:2:15: array.rows: value \"16\"" + tail + "leave the quotes out)"));
  EXPECT_THAT(Problems("name: x\narray: {rows: [16]}\n"),
              ElementsAre("f.yaml:2:15: array.rows: value a list is not a decimal integer; "
                          "allowed -5..256"));
  EXPECT_THAT(Problems("name: x\narray: {rows: }\n"),
              ElementsAre("f.yaml:2:15: array.rows: value nothing is not a decimal integer; "
                          "allowed -5..256"));
}

TEST(StrictYaml, ChecksRanges) {
  EXPECT_EQ(Read("name: x\narray: {rows: 256}\n").rows, 256);
  EXPECT_EQ(Read("name: x\narray: {rows: 0}\n").rows, 0);
  for (const std::string value : {"257", "-6", "9223372036854775808", "-99999999999999999999"}) {
    EXPECT_THAT(Problems("name: x\narray: {rows: " + value + "}\n"),
                ElementsAre("f.yaml:2:15: array.rows: value " + value +
                            " is out of range; allowed -5..256"));
  }
}

TEST(StrictYaml, TakesTrueAndFalseOnly) {
  EXPECT_FALSE(Read("name: x\non: false\n").on);
  for (const std::string value :
       {"yes", "no", "on", "True", "TRUE", "1", "\"true\"", "y", "false_"}) {
    EXPECT_THAT(
        Problems("name: x\non: " + value + "\n"),
        ElementsAre("f.yaml:2:5: on: value " + value + " is not a flag; allowed true, false"));
  }
}

TEST(StrictYaml, NamesTheChoices) {
  EXPECT_THAT(Problems("name: x\narray: {flow: wss}\n"),
              ElementsAre("f.yaml:2:15: array.flow: value wss is unknown; allowed ws, os "
                          "(did you mean ws?)"));
  EXPECT_THAT(Problems("name: x\narray: {flow: systolic}\n"),
              ElementsAre("f.yaml:2:15: array.flow: value systolic is unknown; allowed ws, os"));
  EXPECT_THAT(Problems("name: x\narray: {flow: [ws]}\n"),
              ElementsAre("f.yaml:2:15: array.flow: value a list is not one name; allowed ws, os"));
}

TEST(StrictYaml, ChecksLists) {
  EXPECT_THAT(Problems("name: x\nmodes: floor\n"),
              ElementsAre("f.yaml:2:8: modes: value floor is not a list; allowed a list of floor, "
                          "half_up, half_even (write [floor])"));
  EXPECT_THAT(Problems("name: x\nmodes: []\n"),
              ElementsAre("f.yaml:2:8: modes: value a list is empty; allowed a list of one or more "
                          "of floor, half_up, half_even"));
  EXPECT_THAT(
      Problems("name: x\nmodes: [floor, halfup, floor]\n"),
      ElementsAre("f.yaml:2:16: modes: value halfup is unknown; allowed floor, half_up, half_even "
                  "(did you mean half_up?)",
                  "f.yaml:2:24: modes: value floor stands in the list twice; allowed each once"));
}

TEST(StrictYaml, ChecksNames) {
  EXPECT_EQ(Read("name: \"null\"\n").name, "null");
  EXPECT_EQ(Read("name: " + PrintName("null") + "\n").name, "null");
  EXPECT_EQ(PrintName("edge"), "edge");
  const std::string tail =
      " is not a name; allowed 1 to 64 letters, digits, '_', '-' and '.', not '-' or '.' first";
  for (const std::string value : {"\"\"", "a/b", "a b", "..", "-x"}) {
    EXPECT_THAT(Problems("name: " + value + "\n"),
                ElementsAre("f.yaml:1:7: name: value " + value + tail));
  }
  EXPECT_THAT(Problems("name: null\n"), ElementsAre("f.yaml:1:7: name: value nothing" + tail));
  EXPECT_THAT(Problems("name: {a: b}\n"), ElementsAre("f.yaml:1:7: name: value a map" + tail));
}

TEST(StrictYaml, SuggestsTheNearestKey) {
  EXPECT_THAT(Problems("name: x\narray: {row: 1}\n"),
              ElementsAre("f.yaml:2:9: array.row: unknown key (did you mean array.rows?)"));
  EXPECT_THAT(Problems("name: x\nrows: 1\n"),
              ElementsAre("f.yaml:2:1: rows: unknown key (did you mean array.rows?)"));
  EXPECT_THAT(Problems("name: x\nwonderful: 1\n"),
              ElementsAre("f.yaml:2:1: wonderful: unknown key"));
  EXPECT_THAT(Problems("name: x\narray.rows: 1\n"),
              ElementsAre("f.yaml:2:1: array.rows: unknown key (in a file write array: "
                          "{rows: ...})"));
}

TEST(StrictYaml, TellsGroupsFromValues) {
  EXPECT_THAT(Problems("name: x\narray: 16\n"),
              ElementsAre("f.yaml:2:8: array: value 16 is not a group of keys; allowed a map of "
                          "rows, flow"));
  EXPECT_THAT(Problems("name: x\n", {{"array", "16", ""}}),
              ElementsAre("--set array=16: array: unknown key (array is a group: set one of rows, "
                          "flow in it)"));
}

TEST(StrictYaml, WantsAMap) {
  EXPECT_THAT(Problems("- 1\n"), ElementsAre("f.yaml:1:1: a map of keys was expected, found a "
                                             "list"));
  EXPECT_THAT(Problems("x\n"), ElementsAre("f.yaml:1:1: a map of keys was expected, found x"));
}

TEST(StrictYaml, ReportsMissingRequiredKeys) {
  EXPECT_THAT(Problems("on: true\n"), ElementsAre("f.yaml: name: missing (add name: ...)"));
  EXPECT_THAT(Problems("on: true\n", {{"name", "x", ""}}), IsEmpty());
}

TEST(StrictYaml, ReportsEverythingAtOnce) {
  EXPECT_THAT(
      Problems("array: {rows: 300, rows: 1, col: 2}\non: yes\nof: 1\n", {{"array.flow", "x", ""}}),
      ElementsAre("f.yaml:1:20: array.rows: given twice; first at line 1 (keep one of the two)",
                  "f.yaml:1:15: array.rows: value 300 is out of range; allowed -5..256",
                  "f.yaml:1:29: array.col: unknown key",
                  "f.yaml:2:5: on: value yes is not a flag; allowed true, false",
                  "f.yaml:3:1: of: unknown key (did you mean on?)",
                  "--set array.flow=x: array.flow: value x is unknown; allowed ws, os",
                  "f.yaml: name: missing (add name: ...)"));
}

TEST(Override, ReplacesTheFilesValue) {
  const Sample sample = Read("name: x\narray: {rows: 1}\n",
                             {{"array.rows", "2", ""}, {"modes", "[floor, half_up]", ""}});
  EXPECT_EQ(sample.rows, 2);
  EXPECT_THAT(sample.modes, ElementsAre(0, 1));
}

TEST(Override, IsCheckedLikeTheFile) {
  EXPECT_THAT(Problems("name: x\n", {{"array.rows", "010", ""}}),
              ElementsAre("--set array.rows=010: array.rows: value 010 is not a decimal integer; "
                          "allowed -5..256 (some readers take a leading 0 for octal: leave it "
                          "out)"));
  EXPECT_THAT(Problems("name: x\n", {{"array.rows", "", ""}}),
              ElementsAre("--set array.rows=: array.rows: value nothing is not a decimal integer; "
                          "allowed -5..256"));
  EXPECT_THAT(Problems("name: x\n", {{"modes", "[floor, x]", ""}}),
              ElementsAre("--set modes=[floor, x]: modes: value x is unknown; allowed floor, "
                          "half_up, half_even"));
  EXPECT_THAT(Problems("name: x\n", {{"modes", "[floor", ""}}),
              ElementsAre("--set modes=[floor: modes: not YAML: end of sequence flow not found"));
  EXPECT_THAT(Problems("name: x\n", {{"array.row", "1", ""}}),
              ElementsAre("--set array.row=1: array.row: unknown key (did you mean array.rows?)"));
}

TEST(Override, MayBeGivenOnceForAKey) {
  EXPECT_THAT(Problems("name: x\n", {{"array.rows", "1", ""}, {"array.rows", "2", ""}}),
              ElementsAre("--set array.rows=2: array.rows: given twice (keep one of the two)"));
}

TEST(Override, SplitsAtTheFirstEquals) {
  const Result<Override> parsed = ParseOverride("a.b=c=d");
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->key, "a.b");
  EXPECT_EQ(parsed->value, "c=d");
  for (const std::string text : {"a.b", "=3", ""}) {
    const Result<Override> failed = ParseOverride(text);
    ASSERT_FALSE(failed.ok());
    EXPECT_EQ(ToString(failed.errors()),
              "--set: " + text + " is not KEY=VALUE (as in --set array.rows=8)\n");
  }
}

TEST(Violation, StandsAtTheFirstGivenKey) {
  ReadOutcome outcome;
  outcome.where["b"] = {"f.yaml", 4, 2};
  outcome.where["c"] = {"f.yaml", 9, 2};
  Errors errors;
  AddViolation({{"a", "b", "c"}, "wrong", "mend"}, "f.yaml", outcome, &errors);
  AddViolation({{"a"}, "wrong", ""}, "f.yaml", outcome, &errors);
  EXPECT_EQ(ToString(errors), "f.yaml:4:2: a: wrong (mend)\nf.yaml: a: wrong\n");
}

TEST(Violation, IsSilentWhenAKeyWasRefusedAnyway) {
  ReadOutcome outcome;
  outcome.bad.insert("b");
  Errors errors;
  AddViolation({{"a", "b"}, "wrong", ""}, "f.yaml", outcome, &errors);
  EXPECT_TRUE(errors.empty());
}

}  // namespace
}  // namespace bw::hwconfig
