// Whole networks that others trained.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "compiler/frontend/tflite/tflite_import.h"
#include "compiler/passes/passes.h"
#include "tests/support/tflite_samples.h"

namespace bw::frontend {
namespace {

using graph::Graph;
using graph::Op;
using tensor::Shape;

std::string NetworkPath(const std::string& name) {
  const char* folder = std::getenv("BITWRIGHT_DATA");
  const std::filesystem::path data = folder != nullptr ? folder : BW_SOURCE_DIR "/../shared/data";
  return data / "mlperf_tiny" / name / "model.tflite";
}

std::map<Op, int> Counts(const Graph& graph) {
  std::map<Op, int> counts;
  for (const graph::Node& node : graph.nodes) ++counts[node.op];
  return counts;
}

#define SKIP_WITHOUT(path) \
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there"

// Every activation but the raw result of a fused one is int8, every weight has integers.
void ExpectQuantised(const Graph& graph) {
  for (const graph::Node& node : graph.nodes) {
    const graph::Value& result = graph.value(node.outputs[0]);
    const std::vector<int> readers = graph.Consumers(node.outputs[0]);
    const bool raw =
        readers.size() == 1 && graph.nodes[static_cast<size_t>(readers[0])].op == Op::kRelu;
    EXPECT_EQ(result.quantisation.has_value(), !raw) << result.name;
    if (node.op != Op::kConv && node.op != Op::kGemm) continue;
    const graph::Value& weights = graph.value(node.inputs[1]);
    const graph::Value& bias = graph.value(node.inputs[2]);
    ASSERT_TRUE(weights.quantisation && bias.quantisation) << node.name;
    EXPECT_EQ(static_cast<int64_t>(weights.quantisation->integers.size()),
              weights.shape.Elements());
    EXPECT_EQ(bias.quantisation->bits, 32);
    EXPECT_DOUBLE_EQ(
        bias.quantisation->scales[0],
        graph.value(node.inputs[0]).quantisation->scales[0] * weights.quantisation->scales[0]);
  }
}

TEST(TfliteNetwork, ResNet8) {
  const std::string path = NetworkPath("resnet8_cifar10");
  SKIP_WITHOUT(path);
  auto graph = ImportTflite(path);
  ASSERT_TRUE(graph.ok()) << ToString(graph.errors());
  const std::map<Op, int> counts = {{Op::kConv, 9},        {Op::kRelu, 7},    {Op::kAdd, 3},
                                    {Op::kAveragePool, 1}, {Op::kReshape, 1}, {Op::kGemm, 1},
                                    {Op::kSoftmax, 1}};
  EXPECT_EQ(Counts(*graph), counts);
  ExpectQuantised(*graph);
  const graph::Value& input = graph->value(graph->inputs.at(0));
  EXPECT_EQ(input.name, "input_1_int8");
  EXPECT_EQ(input.shape, Shape({1, 3, 32, 32}));
  EXPECT_EQ(input.file_axes, (std::vector<int>{0, 2, 3, 1}));
  EXPECT_EQ(input.quantisation->zero_points, (std::vector<int64_t>{-128}));
  EXPECT_EQ(graph->value(graph->outputs.at(0)).shape, Shape({1, 10}));
  EXPECT_TRUE(graph->value(graph->outputs.at(0)).file_axes.empty());
  EXPECT_TRUE(passes::Canonicalise(*graph).ok());
}

TEST(TfliteNetwork, KeywordSpotting) {
  const std::string path = NetworkPath("kws_dscnn");
  SKIP_WITHOUT(path);
  auto graph = ImportTflite(path);
  ASSERT_TRUE(graph.ok()) << ToString(graph.errors());
  const std::map<Op, int> counts = {{Op::kConv, 9},    {Op::kRelu, 9}, {Op::kAveragePool, 1},
                                    {Op::kReshape, 1}, {Op::kGemm, 1}, {Op::kSoftmax, 1}};
  EXPECT_EQ(Counts(*graph), counts);
  ExpectQuantised(*graph);
  EXPECT_EQ(graph->value(graph->inputs.at(0)).shape, Shape({1, 1, 49, 10}));
  int depthwise = 0;
  for (const graph::Node& node : graph->nodes) {
    depthwise += node.op == Op::kConv && node.Int("group") == 64 ? 1 : 0;
  }
  EXPECT_EQ(depthwise, 4);
  EXPECT_TRUE(passes::Canonicalise(*graph).ok());
}

TEST(TfliteFile, IsKnownByItsNameOrItsIdentifier) {
  const std::string folder = ::testing::TempDir();
  const std::string named = folder + "/tflite_file_test.bin",
                    other = folder + "/tflite_file_test.x";
  std::ofstream(named, std::ios::binary) << bw::testing::TfliteSamples().at("odd");
  std::ofstream(other, std::ios::binary) << "short";
  EXPECT_TRUE(IsTfliteFile("not/there.tflite"));
  EXPECT_TRUE(IsTfliteFile(named));
  EXPECT_TRUE(ImportTflite(named).ok());
  EXPECT_FALSE(IsTfliteFile(other));
  EXPECT_FALSE(IsTfliteFile(folder));
  EXPECT_FALSE(IsTfliteFile("not/there.onnx"));
  std::filesystem::remove(named);
  std::filesystem::remove(other);
}

TEST(TfliteNetwork, AFileThatIsNotThereIsAnError) {
  const auto graph = ImportTflite("/nowhere/model.tflite");
  ASSERT_FALSE(graph.ok());
  EXPECT_EQ(
      graph.errors()[0].ToString(),
      "/nowhere/model.tflite: cannot be opened: No such file or directory (give the path of a "
      ".tflite file)");
}

}  // namespace
}  // namespace bw::frontend
