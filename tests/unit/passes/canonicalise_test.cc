// The whole pipeline on real networks.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "compiler/frontend/onnx/onnx_import.h"
#include "compiler/passes/passes.h"
#include "tests/unit/passes/equivalence.h"

namespace bw::passes {
namespace {

using graph::Graph;
using graph::Op;

std::map<Op, int> Count(const Graph& graph) {
  std::map<Op, int> counts;
  for (const graph::Node& node : graph.nodes) ++counts[node.op];
  return counts;
}

// The canonical form, which must compute the same.
Graph Canonical(const Result<Graph>& imported) {
  EXPECT_TRUE(imported.ok());
  if (!imported.ok()) return {};
  Graph graph = *imported;
  const Status status = Canonicalise(graph);
  EXPECT_TRUE(status.ok()) << ToString(status.errors());
  // A network sums millions of products whose folded weights were rounded to float32.
  EXPECT_LT(RelativeDifference(*imported, graph), 1e-5);
  return graph;
}

TEST(Canonicalise, FashionSeHasNoBatchNormalisationLeft) {
  const Graph graph = Canonical(frontend::ImportOnnx(BW_SOURCE_DIR "/models/zoo/fashion_se.onnx"));
  std::map<Op, int> counts = Count(graph);
  EXPECT_EQ(counts[Op::kBatchNormalization], 0);
  EXPECT_EQ(counts[Op::kConv], 22);
}

TEST(Canonicalise, IsIdempotent) {
  Graph graph = Canonical(frontend::ImportOnnx(BW_SOURCE_DIR "/models/zoo/fashion_se.onnx"));
  const std::string once = Ops(graph);
  EXPECT_TRUE(Canonicalise(graph).ok());
  EXPECT_EQ(Ops(graph), once);
}

TEST(Canonicalise, PpOcrClassifierHasHardSwishNodes) {
  const char* folder = std::getenv("BW_PPOCR_DIR");
  if (folder == nullptr) GTEST_SKIP() << "BW_PPOCR_DIR is not set (scripts/fetch_ppocr.sh)";
  const Graph graph = Canonical(
      frontend::ImportOnnx(std::filesystem::path(folder) / "ch_ppocr_mobile_v2.0_cls_infer.onnx",
                           {{{"x", {1, 3, 48, 192}}}, {}}));
  std::map<Op, int> counts = Count(graph);
  EXPECT_EQ(counts[Op::kHardSwish], 18);
  EXPECT_EQ(counts[Op::kHardSigmoid], 9);
  EXPECT_EQ(counts[Op::kBatchNormalization] + counts[Op::kClip] + counts[Op::kDiv], 0);
  EXPECT_EQ(counts[Op::kConv], 53);
  EXPECT_EQ(counts[Op::kGemm], 1);
}

}  // namespace
}  // namespace bw::passes
