// Damaged files: an error or a sound graph, never a crash, and nothing large is allocated.
#include <gmock/gmock.h>
#include <sys/resource.h>

#include "compiler/passes/passes.h"
#include "tests/support/random.h"
#include "tests/support/tflite_samples.h"
#include "tests/unit/frontend_tflite/import_case.h"

namespace bw::frontend {
namespace {

using ::testing::HasSubstr;

// Whether the bytes give a graph. What is imported must also pass the passes behind it.
bool Survives(const std::string& bytes) {
  auto graph = ImportTfliteBuffer(bytes, "damaged.tflite");
  if (!graph.ok()) {
    EXPECT_FALSE(graph.errors()[0].message.empty());
    return false;
  }
  const Status status = passes::Canonicalise(*graph);
  EXPECT_TRUE(status.ok() || !status.errors()[0].message.empty());
  return true;
}

TEST(TfliteDamage, TheSamplesAreSound) {
  for (const auto& [name, bytes] : testing::TfliteSamples()) {
    auto graph = ImportTfliteBuffer(bytes, name);
    ASSERT_TRUE(graph.ok()) << ToString(graph.errors());
    const Status status = passes::Canonicalise(*graph);
    EXPECT_TRUE(status.ok()) << ToString(status.errors());
  }
}

// Files end with what the writer made first, so that hardly any byte can be missed.
TEST(TfliteDamage, EveryTruncationIsAnErrorOrASoundGraph) {
  for (const auto& [name, bytes] : testing::TfliteSamples()) {
    size_t survived = 0;
    for (size_t n = 0; n < bytes.size(); ++n) survived += Survives(bytes.substr(0, n)) ? 1 : 0;
    EXPECT_LT(survived, 100U) << name;
  }
}

TEST(TfliteDamage, EveryFlippedBitIsAnErrorOrASoundGraph) {
  for (const auto& [name, bytes] : testing::TfliteSamples()) {
    // One bit of every byte, and all of them in two files.
    const size_t step = name == "classifier" || name == "odd" ? 1 : 9;
    size_t flips = 0, refused = 0;
    for (size_t bit = 0; bit < 8 * bytes.size(); bit += step, ++flips) {
      std::string flipped = bytes;
      flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
      refused += Survives(flipped) ? 0 : 1;
    }
    EXPECT_GT(refused, flips / 4) << name;
  }
}

// Types, codes, fields and counts are small numbers: another one of them in every byte.
TEST(TfliteDamage, EveryByteAsAnotherSmallNumber) {
  const auto samples = testing::TfliteSamples();
  for (const char* name : {"constants", "odd"}) {
    const std::string& bytes = samples.at(name);
    for (size_t at = 0; at < bytes.size(); ++at) {
      for (char value = 0; value < 18; ++value) {
        std::string changed = bytes;
        changed[at] = value;
        Survives(changed);
      }
    }
  }
}

TEST(TfliteDamage, SeveralRandomBytes) {
  testing::Random random(5);
  const auto samples = testing::TfliteSamples();
  for (int run = 0; run < 3000; ++run) {
    std::string bytes = std::next(samples.begin(), run % static_cast<int>(samples.size()))->second;
    for (int i = 0; i < 4; ++i) {
      bytes[static_cast<size_t>(random.In(0, static_cast<int64_t>(bytes.size()) - 1))] =
          static_cast<char>(random.Pick(std::vector<int>{0, 1, 2, 4, 127, 128, 255}));
    }
    Survives(bytes);
  }
}

TEST(TfliteDamage, OffsetsAndLengthsAreChecked) {
  std::string bytes = testing::TfliteSamples().at("classifier");
  const auto with = [&bytes](size_t at, uint32_t value) {
    std::string changed = bytes;
    std::memcpy(changed.data() + at, &value, sizeof(value));
    const auto graph = ImportTfliteBuffer(changed, "m.tflite");
    return graph.ok() ? "" : ToString(graph.errors());
  };
  EXPECT_THAT(with(0, 0xFFFFFFF0U), HasSubstr("m.tflite: is damaged or truncated: the offset "
                                              "4294967280 at position 0 leaves the file's"));
  EXPECT_THAT(with(0, 0), HasSubstr("the offset 0 at position 0 leaves the file's"));
  EXPECT_THAT(with(0, 17), HasSubstr("position 17 is not a multiple of 4"));
  uint32_t root = 0;
  std::memcpy(&root, bytes.data(), sizeof(root));
  EXPECT_THAT(with(root, 0x7FFFFFFFU), HasSubstr("has no field list"));
  EXPECT_THAT(with(root, 0x80000001U), HasSubstr("are outside of the file's"));
}

// A vector that is longer than the rest of the file must not be allocated first.
TEST(TfliteDamage, HugeVectorsAreErrors) {
  const std::string bytes = testing::TfliteSamples().at("classifier");
  int vectors = 0;
  for (size_t at = 8; at + 4 <= bytes.size(); at += 4) {
    std::string changed = bytes;
    const uint32_t huge = 0x7FFFFFFFU;
    std::memcpy(changed.data() + at, &huge, sizeof(huge));
    const auto graph = ImportTfliteBuffer(changed, "m.tflite");
    if (graph.ok()) continue;
    vectors += graph.errors()[0].message.find("more than the rest of the file") != std::string::npos
                   ? 1
                   : 0;
  }
  EXPECT_GT(vectors, 50);
}

TEST(TfliteDamage, HugeDimensionsAreErrors) {
  TfliteBuilder input;
  const int x = input.Input(input.Int8("x", {1, 65536, 65536, 64}, 0.5f, 0));
  input.Unary(TfliteOp::kRelu, x, input.Output(input.Int8("y", {1, 65536, 65536, 64}, 0.5f, 0)));
  EXPECT_EQ(Problems(input),
            "m.tflite: subgraph 0, x: has shape 1x65536x65536x64; extents must not be negative, "
            "elements at most 2^31\n");

  TfliteBuilder result;
  const int a = result.Input(result.Int8("a", {1, 256, 256, 256}, 0.5f, 0));
  const int b = result.Output(result.Int8("b", {}, 0.5f, 0));
  result.Pad(a, b, {0, 0, 8064, 8064, 8064, 8064, 0, 0});
  EXPECT_THAT(Problems(result), HasSubstr("more than 2147483648 elements are refused"));

  // Constants: as many bytes as the shape says, or none of this.
  TfliteBuilder constant;
  const int k = constant.Int8Constant("k", {32768, 32768}, {1, 2, 3}, 0.5f, 0);
  const int c = constant.Input(constant.Int8("c", {1, 1}, 0.5f, 0));
  constant.Binary(TfliteOp::kAdd, c, k,
                  constant.Output(constant.Int8("d", {32768, 32768}, 0.5f, 0)));
  EXPECT_THAT(Problems(constant),
              HasSubstr("k: has 3 bytes of data; int8 32768x32768 needs 1073741824"));
}

// PADV2 on constants could make gigabytes out of a few bytes.
TEST(TfliteDamage, ConstantsDoNotGrowWithoutBound) {
  TfliteBuilder b;
  const int one = b.FloatConstant("one", {1, 1}, {1});
  const int big = b.Float("big", {8192, 8192});
  const int x = b.Input(b.Float("x", {1, 1}));
  b.Pad(one, big, {0, 8191, 0, 8191});
  b.Binary(TfliteOp::kAdd, x, big, b.Output(b.Float("y", {8192, 8192})));
  EXPECT_THAT(Problems(b),
              HasSubstr("the network's constants have many more elements than the file"));
}

TEST(TfliteDamage, MemoryStaysSmall) {
  rusage usage{};
  ASSERT_EQ(getrusage(RUSAGE_SELF, &usage), 0);
  const int64_t before = usage.ru_maxrss;
  for (const auto& [name, bytes] : testing::TfliteSamples()) {
    for (size_t at = 0; at < bytes.size(); ++at) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(0xFF);
      Survives(changed);
    }
  }
  ASSERT_EQ(getrusage(RUSAGE_SELF, &usage), 0);
  EXPECT_LT(usage.ru_maxrss - before, 256 * 1024);  // KiB
}

}  // namespace
}  // namespace bw::frontend
