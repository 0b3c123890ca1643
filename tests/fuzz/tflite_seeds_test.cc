// The seeds in corpus/tflite_import are what the tests' writer makes. With BITWRIGHT_REGENERATE set
// in the environment, they are written.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/tflite_samples.h"

namespace bw {
namespace {

TEST(FuzzCorpus, HoldsTheSamples) {
  for (const auto& [name, bytes] : testing::TfliteSamples()) {
    const std::string path = std::string(BW_CORPUS) + "/" + name + ".tflite";
    if (std::getenv("BITWRIGHT_REGENERATE") != nullptr) {
      std::ofstream(path, std::ios::binary) << bytes;
    }
    std::ifstream in(path, std::ios::binary);
    EXPECT_EQ(std::string((std::istreambuf_iterator<char>(in)), {}), bytes)
        << path << ": run this test with BITWRIGHT_REGENERATE=1";
  }
}

}  // namespace
}  // namespace bw
