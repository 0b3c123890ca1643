#include "models/tensor/idx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <string>

#include "models/status/file.h"

namespace bw::tensor {
namespace {

using testing::HasSubstr;

// Two rows of three values of type `type`.
std::string Idx(char type, const std::string& values) {
  return std::string("\0\0", 2) + type + std::string("\2\0\0\0\2\0\0\0\3", 9) + values;
}

TEST(Idx, ReadsBytes) {
  const auto tensor = ParseIdx(Idx(8, "abcdef"), "x.idx");
  ASSERT_TRUE(tensor.ok()) << ToString(tensor.errors());
  EXPECT_EQ(*tensor,
            Tensor::From<uint8_t>({2, 3}, std::vector<uint8_t>{97, 98, 99, 100, 101, 102}));
}

TEST(Idx, WiderValuesAreBigEndian) {
  const auto words = ParseIdx(Idx(0xb, std::string("\0\1\0\2\0\3\xff\xff\x80\0\x7f\xff", 12)), "x");
  ASSERT_TRUE(words.ok()) << ToString(words.errors());
  EXPECT_EQ(*words,
            Tensor::From<int16_t>({2, 3}, std::vector<int16_t>{1, 2, 3, -1, -32768, 32767}));
  const auto reals = ParseIdx(std::string("\0\0\xd\1\0\0\0\1\x3f\x80\0\0", 12), "x");
  ASSERT_TRUE(reals.ok()) << ToString(reals.errors());
  EXPECT_EQ(reals->data<float>()[0], 1.0F);
}

TEST(Idx, DamageIsNamed) {
  const std::string good = Idx(8, "abcdef");
  for (const auto& [bytes, message] :
       {std::pair<std::string, std::string>{"", "does not start with two zero bytes"},
        {"PNG!", "does not start with two zero bytes"},
        {good.substr(0, 9), "the IDX header is cut short"},
        {good.substr(0, good.size() - 1), "5 bytes of values for IDX shape 2x3 of uint8"},
        {good + "x", "7 bytes of values"},
        {Idx(7, "abcdef"), "IDX element type 7"},
        {std::string("\0\0\x8\0", 4), "IDX rank 0; allowed is 1..8"},
        {std::string("\0\0\x8\x9", 4), "IDX rank 9"},
        {std::string("\0\0\x8\2\xff\xff\xff\xff\xff\xff\xff\xff", 12), "0 bytes of values"}}) {
    const auto tensor = ParseIdx(bytes, "x.idx");
    ASSERT_FALSE(tensor.ok()) << message;
    EXPECT_THAT(ToString(tensor.errors()), HasSubstr("x.idx: ")) << message;
    EXPECT_THAT(ToString(tensor.errors()), HasSubstr(message));
  }
}

TEST(Idx, UnpacksGzip) {
  const std::string path =
      (std::filesystem::temp_directory_path() / "bitwright-idx-test-ubyte.gz").string();
  const std::string bytes = Idx(8, "abcdef");
  const gzFile file = gzopen(path.c_str(), "wb");
  ASSERT_NE(file, nullptr);
  gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(file);
  const auto tensor = ReadIdx(path);
  ASSERT_TRUE(tensor.ok()) << ToString(tensor.errors());
  EXPECT_EQ(tensor->shape(), (Shape{2, 3}));
  const std::string packed = ReadFile(path).value();
  ASSERT_TRUE(WriteFile(path, packed.substr(0, packed.size() - 6)).ok());
  EXPECT_THAT(ToString(ReadIdx(path).errors()), HasSubstr("damaged or cut short"));
  std::filesystem::remove(path);
}

TEST(Idx, IsKnownByItsName) {
  for (const char* name :
       {"t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte", "a/x.idx", "x.idx.gz"}) {
    EXPECT_TRUE(IsIdxName(name)) << name;
  }
  for (const char* name : {"x.npy", "idx", "x.gz", "ubyte.png"})
    EXPECT_FALSE(IsIdxName(name)) << name;
}

}  // namespace
}  // namespace bw::tensor
