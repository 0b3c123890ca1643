// Whole networks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>

#include "compiler/frontend/onnx/onnx_import.h"

namespace bw::frontend {
namespace {

using graph::Op;

std::map<Op, int> Count(const graph::Graph& graph) {
  std::map<Op, int> counts;
  for (const graph::Node& node : graph.nodes) ++counts[node.op];
  return counts;
}

TEST(Networks, FashionSeImportsWhole) {
  const auto graph = ImportOnnx(BW_SOURCE_DIR "/models/zoo/fashion_se.onnx");
  ASSERT_TRUE(graph.ok()) << ToString(graph.errors());
  EXPECT_EQ(graph->value(graph->inputs.at(0)).shape.ToString(), "1x1x28x28");
  EXPECT_EQ(graph->value(graph->outputs.at(0)).shape.ToString(), "1x10");
  std::map<Op, int> counts = Count(*graph);
  EXPECT_EQ(counts[Op::kConv], 22);
  EXPECT_EQ(counts[Op::kBatchNormalization], 13);
  EXPECT_EQ(counts[Op::kSigmoid], 4);
}

// Damage where the operators and shapes are, not in the weights.
TEST(Networks, DamagedFilesNeverCrash) {
  std::ifstream in(BW_SOURCE_DIR "/models/zoo/fashion_se.onnx", std::ios::binary);
  const std::string sound((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  ASSERT_FALSE(sound.empty());
  std::vector<size_t> text;  // bytes beside printable ones: names, types, numbers of nodes
  for (size_t i = 1; i + 1 < sound.size(); ++i) {
    const auto printable = [](char c) { return c >= 32 && c < 127; };
    if (printable(sound[i - 1]) && printable(sound[i + 1])) text.push_back(i);
  }
  std::mt19937 random(11);
  int refused = 0;
  constexpr int kRuns = 300;
  for (int run = 0; run < kRuns; ++run) {
    std::string bytes = sound;
    for (int flips = 0; flips < 3; ++flips) {
      bytes[text[random() % text.size()]] = static_cast<char>(random());
    }
    refused += ImportOnnxBytes(bytes, "damaged.onnx").ok() ? 0 : 1;
  }
  EXPECT_GT(refused, kRuns / 2);
}

// The text-direction classifier of PP-OCR (MobileNetV3), fetched by scripts/fetch_ppocr.sh into the
// folder that BW_PPOCR_DIR names.
TEST(Networks, PpOcrClassifierImportsWholeOnceItsShapeIsBound) {
  const char* folder = std::getenv("BW_PPOCR_DIR");
  if (folder == nullptr) GTEST_SKIP() << "BW_PPOCR_DIR is not set (scripts/fetch_ppocr.sh)";
  const std::string path = std::filesystem::path(folder) / "ch_ppocr_mobile_v2.0_cls_infer.onnx";
  EXPECT_FALSE(ImportOnnx(path).ok());
  const auto graph = ImportOnnx(path, {{{"", {1, 3, 48, 192}}}, {}});
  ASSERT_TRUE(graph.ok()) << ToString(graph.errors());
  EXPECT_EQ(graph->value(graph->outputs.at(0)).shape.ToString(), "1x2");
  std::map<Op, int> counts = Count(*graph);
  EXPECT_EQ(counts[Op::kConv], 53);
  EXPECT_EQ(counts[Op::kHardSigmoid], 9);
  EXPECT_EQ(counts[Op::kShape] + counts[Op::kSlice] + counts[Op::kCast], 0);
}

}  // namespace
}  // namespace bw::frontend
