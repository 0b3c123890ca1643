// Replays the committed corpus of one fuzz target: seeds, and inputs that once failed.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace bw {
namespace {

constexpr uintmax_t kMostBytes = 200 * 1000;  // of a corpus: it is kept small

TEST(FuzzCorpus, EveryFileIsReadWithoutACrash) {
  int files = 0;
  uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(BW_CORPUS)) {
    SCOPED_TRACE(entry.path().string());
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    EXPECT_EQ(LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(text.data()), text.size()),
              0);
    bytes += text.size();
    ++files;
  }
  EXPECT_GT(files, 0);
  EXPECT_LT(bytes, kMostBytes);
}

}  // namespace
}  // namespace bw
