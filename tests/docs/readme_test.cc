// The README against what it describes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

#include "compiler/frontend/tflite/tflite_import.h"
#include "compiler/graph/op.h"

namespace bw {
namespace {

std::string Readme() {
  std::ifstream in(std::string(BW_SOURCE_DIR) + "/README.md");
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// The text between <!-- name --> and <!-- end of name -->.
std::string Section(const std::string& text, const std::string& name) {
  const std::string open = "<!-- " + name + " -->\n", close = "<!-- end of " + name + " -->";
  const size_t begin = text.find(open), end = text.find(close);
  if (begin == std::string::npos || end == std::string::npos) return "";
  return text.substr(begin + open.size(), end - begin - open.size());
}

TEST(Readme, ListsTheOperatorsOfTheTable) {
  EXPECT_EQ(Section(Readme(), "operators"), graph::DescribeOps())
      << "put the output of `bitwright describe ops` between the marks";
}

TEST(Readme, ListsTheOperatorsOfTensorFlowLite) {
  EXPECT_EQ(Section(Readme(), "tflite operators"), frontend::DescribeTfliteOps())
      << "put the second table of `bitwright describe ops` between the marks";
}

TEST(Readme, NamesOnlyFilesThatExist) {
  const std::string text = Readme();
  const std::regex path(
      "(models|compiler|sim|rtl|configs|tests|scripts)/[A-Za-z0-9_./-]*[A-Za-z0-9_]");
  int found = 0;
  for (std::sregex_iterator at(text.begin(), text.end(), path), end; at != end; ++at) {
    const std::string name = at->str();
    if (at->position() > 0 && text[static_cast<size_t>(at->position()) - 1] == '/') continue;
    EXPECT_TRUE(std::filesystem::exists(std::string(BW_SOURCE_DIR) + "/" + name)) << name;
    ++found;
  }
  EXPECT_GT(found, 10);
}

}  // namespace
}  // namespace bw
