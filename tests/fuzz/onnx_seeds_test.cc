// The seeds in corpus/onnx_import are what the tests' builder makes, and are no dead ends: all can
// be imported. With BITWRIGHT_REGENERATE set in the environment, they are written.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "compiler/frontend/onnx/onnx_import.h"
#include "compiler/passes/passes.h"
#include "tests/support/onnx_samples.h"

namespace bw {
namespace {

TEST(FuzzCorpus, HoldsTheSamples) {
  for (const auto& [name, bytes] : testing::OnnxSamples()) {
    const std::string path = std::string(BW_CORPUS) + "/" + name + ".onnx";
    if (std::getenv("BITWRIGHT_REGENERATE") != nullptr) {
      std::ofstream(path, std::ios::binary) << bytes;
    }
    std::ifstream in(path, std::ios::binary);
    EXPECT_EQ(std::string((std::istreambuf_iterator<char>(in)), {}), bytes)
        << path << ": run this test with BITWRIGHT_REGENERATE=1";
  }
}

TEST(FuzzCorpus, SamplesReachTheEndOfTheImport) {
  for (const auto& [name, bytes] : testing::OnnxSamples()) {
    auto graph = frontend::ImportOnnxBytes(bytes, name);
    ASSERT_TRUE(graph.ok()) << ToString(graph.errors());
    const Status status = passes::Canonicalise(*graph);
    EXPECT_TRUE(status.ok()) << ToString(status.errors());
  }
}

}  // namespace
}  // namespace bw
