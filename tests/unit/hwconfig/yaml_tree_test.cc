#include "models/hwconfig/yaml_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bw::hwconfig {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> Problems(const std::string& text) {
  Errors errors;
  (void)ParseYaml(text, "f.yaml", &errors);
  std::vector<std::string> lines;
  for (const Error& error : errors) lines.push_back(error.ToString());
  return lines;
}

TEST(YamlTree, KnowsWhereEverythingStands) {
  Errors errors;
  const auto root = ParseYaml("a: 1\nb:\n  c: [x, \"8\"]\nd:\n", "f.yaml", &errors);
  ASSERT_TRUE(root.has_value());
  ASSERT_TRUE(errors.empty());
  const YamlNode& list = *root->Find("b")->Find("c");
  EXPECT_EQ(list.kind, YamlNode::Kind::kList);
  EXPECT_EQ(list.where.line, 3);
  EXPECT_EQ(list.where.column, 6);
  EXPECT_EQ(list.items[0].text, "x");
  EXPECT_FALSE(list.items[0].quoted);
  EXPECT_EQ(list.items[1].where.column, 10);
  EXPECT_TRUE(list.items[1].quoted);
  EXPECT_EQ(root->Find("d")->kind, YamlNode::Kind::kNull);
  EXPECT_EQ(root->entries[2].where.line, 4);
  EXPECT_EQ(root->Find("e"), nullptr);
}

TEST(YamlTree, DescribesValues) {
  Errors errors;
  const auto root = ParseYaml("[8, \"8\", [], {}, ~]", "f.yaml", &errors);
  ASSERT_TRUE(root.has_value());
  EXPECT_EQ(root->items[0].Describe(), "8");
  EXPECT_EQ(root->items[1].Describe(), "\"8\"");
  EXPECT_EQ(root->items[2].Describe(), "a list");
  EXPECT_EQ(root->items[3].Describe(), "a map");
  EXPECT_EQ(root->items[4].Describe(), "nothing");
  YamlNode longer = root->items[0];
  longer.text = std::string(500, 'x');
  EXPECT_EQ(longer.Describe(), std::string(60, 'x') + "...");
}

TEST(YamlTree, ReportsDuplicateKeysInEveryMap) {
  EXPECT_THAT(Problems("a: 1\nb: {c: 1, c: 2}\na: 3\n"),
              ElementsAre("f.yaml:2:11: b.c: given twice; first at line 2 (keep one of the two)",
                          "f.yaml:3:1: a: given twice; first at line 1 (keep one of the two)"));
}

TEST(YamlTree, RefusesAnchorsAliasesAndTags) {
  EXPECT_THAT(
      Problems("a: &x 1\nb: *x\nc: !!int 3\nd: &y [1]\n"),
      ElementsAre("f.yaml:1:4: anchors are not allowed (write the value out)",
                  "f.yaml:2:4: aliases are not allowed (write the value out)",
                  "f.yaml:3:4: tag tag:yaml.org,2002:int is not allowed (leave the tag out)",
                  "f.yaml:4:4: anchors are not allowed (write the value out)"));
}

TEST(YamlTree, RefusesKeysThatAreNotNames) {
  EXPECT_THAT(Problems("? [a, b]\n: 1\n"),
              ElementsAre("f.yaml:1:3: a key must be a name, found a list"));
  EXPECT_THAT(Problems("~: 1\n"), ElementsAre("f.yaml:1:1: a key must be a name, found nothing"));
}

TEST(YamlTree, RefusesASecondDocument) {
  EXPECT_THAT(Problems("a: 1\n---\nb: 2\n"),
              ElementsAre("f.yaml:3:1: a second document begins here (keep one document a file)"));
}

TEST(YamlTree, SaysWhereTextStopsBeingYaml) {
  EXPECT_THAT(Problems(""), ElementsAre("f.yaml: holds no YAML document"));
  EXPECT_THAT(Problems("# nothing\n"), ElementsAre("f.yaml: holds no YAML document"));
  EXPECT_THAT(Problems("a: 1\nb: [1, 2\n"),
              ElementsAre("f.yaml:3:1: not YAML: end of sequence flow not found"));
  EXPECT_THAT(Problems("a: 1\n b: 2\n"), ElementsAre(HasSubstr("f.yaml:2:3: not YAML: ")));
}

TEST(YamlTree, SurvivesDeepNestingAndSize) {
  EXPECT_THAT(Problems(std::string(100000, '[')), ElementsAre(HasSubstr("f.yaml:1:")));
  EXPECT_THAT(Problems("a: " + std::string(1 << 20, 'x')),
              ElementsAre("f.yaml: 1048579 bytes are too many for a YAML file here; allowed "
                          "1048576"));
}

}  // namespace
}  // namespace bw::hwconfig
