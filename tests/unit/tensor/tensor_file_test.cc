#include "models/tensor/tensor_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "models/status/file.h"
#include "models/tensor/npy.h"

namespace bw::tensor {
namespace {

namespace fs = std::filesystem;

const std::string kData = std::string(BW_SOURCE_DIR) + "/tests/unit/tensor/data/";
const Tensor kSmall = Tensor::From<int8_t>({3}, {-128, 0, 127});

template <typename T>
std::string Problem(const Result<T>& result) {
  return result.ok() ? "" : ToString(result.errors());
}

// An empty folder of this test's own.
std::string Folder() {
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  const std::string path = ::testing::TempDir() + "bw_tensor_file_" + test->name();
  fs::remove_all(path);
  fs::create_directories(path);
  return path;
}

void Write(const std::string& path, const std::string& bytes) {
  ASSERT_TRUE(WriteFile(path, bytes).ok());
}

TEST(TensorFile, ReadsNpy) {
  EXPECT_EQ(*ReadTensorFile(kData + "scalar.npy"), Tensor::From<int64_t>({}, {-5}));
}

TEST(TensorFile, ReadsArchives) {
  EXPECT_EQ(*ReadTensorFile(kData + "single.npz"), kSmall);
  EXPECT_EQ(*ReadTensorFile(kData + "stored.npz:b"), kSmall);
  EXPECT_EQ(*ReadTensorFile(kData + "deflated.npz:b"), kSmall);
  EXPECT_EQ(*ReadTensorFile(kData + "deflated.npz:a"), Tensor(DType::kI16, {100, 100}));
  const auto all = ReadNpz(kData + "stored.npz");
  ASSERT_TRUE(all.ok());
  ASSERT_EQ(all->size(), 2u);
  EXPECT_EQ((*all)[0].name, "a");
  EXPECT_EQ((*all)[0].tensor.shape(), Shape({2, 3, 4}));
  EXPECT_EQ((*all)[1].name, "b");
}

TEST(TensorFile, AsksWhichArrayOfAnArchive) {
  const std::string path = kData + "stored.npz";
  EXPECT_EQ(Problem(ReadTensorFile(path)), path +
                                               ": the archive holds 2 arrays: a, b (choose one, "
                                               "as in " +
                                               path + ":a)\n");
  EXPECT_EQ(Problem(ReadTensorFile(path + ":c")),
            path + ": c: no such array; the archive holds a, b\n");
  EXPECT_EQ(Problem(ReadTensorFile(kData + "empty.npz")),
            kData + "empty.npz: the archive holds no array\n");
}

TEST(TensorFile, ReadsRawValues) {
  const std::string folder = Folder();
  Write(folder + "/x.s8", "\x80\x7f");
  EXPECT_EQ(*ReadTensorFile(folder + "/x.s8:1x2"), Tensor::From<int8_t>({1, 2}, {-128, 127}));
  Write(folder + "/x.u8", "\x80\x7f");
  EXPECT_EQ(*ReadTensorFile(folder + "/x.u8:2"), Tensor::From<uint8_t>({2}, {128, 127}));
  Write(folder + "/x.s16", std::string("\xfe\xff\x01\x02", 4));
  EXPECT_EQ(*ReadTensorFile(folder + "/x.s16:2x1"), Tensor::From<int16_t>({2, 1}, {-2, 513}));
  Write(folder + "/x.s32", std::string("\x00\x00\x00\x80", 4));
  EXPECT_EQ(*ReadTensorFile(folder + "/x.s32:1"), Tensor::From<int32_t>({1}, {INT32_MIN}));
  Write(folder + "/x.f32", std::string("\x00\x00\x80\xbf", 4));
  EXPECT_EQ(*ReadTensorFile(folder + "/x.f32:1"), Tensor::From<float>({1}, {-1.0f}));
}

TEST(TensorFile, RawValuesNeedASoundShape) {
  const std::string path = Folder() + "/x.s16";
  Write(path, "abcd");
  const std::string hint = " (give the extents, as in " + path + ":1x32x32x3)\n";
  EXPECT_EQ(Problem(ReadTensorFile(path)), path + ": raw values need a shape" + hint);
  EXPECT_EQ(Problem(ReadTensorFile(path + ":")), path + ": raw values need a shape" + hint);
  for (const std::string shape : {"x", "2x", "x2", "0", "-1", "1,2", "1x2 ", "2xx2",
                                  "99999999999999999999", "9000000000x9000000000"}) {
    EXPECT_EQ(Problem(ReadTensorFile(path + ":" + shape)),
              path + ": '" + shape + "' is not a shape" + hint);
  }
  EXPECT_EQ(Problem(ReadTensorFile(path + ":3")),
            path + ": shape 3 of int16 has 3 elements of 2 bytes; the file has 4 bytes\n");
  EXPECT_EQ(Problem(ReadTensorFile(path + ":1000000000x1000")),
            path +
                ": shape 1000000000x1000 of int16 has 1000000000000 elements of 2 bytes; the "
                "file has 4 bytes\n");
  Write(path, "abcde");
  EXPECT_EQ(Problem(ReadTensorFile(path + ":2")),
            path + ": shape 2 of int16 has 2 elements of 2 bytes; the file has 5 bytes\n");
}

TEST(TensorFile, ReadsImages) {
  const Tensor grey = Tensor::From<uint8_t>({1, 1, 2, 3}, {0, 10, 20, 30, 40, 255});
  EXPECT_EQ(*ReadTensorFile(kData + "grey.png"), grey);
  EXPECT_EQ(*ReadTensorFile(kData + "grey.pgm"), grey);
  EXPECT_EQ(ReadTensorFile(kData + "rgb.ppm")->shape(), Shape({1, 3, 1, 2}));
}

TEST(TensorFile, OnlyRawFilesTakeAShape) {
  EXPECT_EQ(Problem(ReadTensorFile("a.npy:1x2")),
            "a.npy: ':1x2' is not for .npy, which has its own shape (leave it out)\n");
}

TEST(TensorFile, KnowsItsTypes) {
  const std::string allowed =
      "allowed .npy, .npz, .png, .pgm, .ppm, or raw .s8, .u8, .s16, .s32, .f32 with a shape\n";
  EXPECT_EQ(Problem(ReadTensorFile("a.jpg")), "a.jpg: file type '.jpg' is unknown; " + allowed);
  EXPECT_EQ(Problem(ReadTensorFile("a:b")), "a:b: file type '' is unknown; " + allowed);
}

TEST(TensorFile, SaysWhichFileIsAbsent) {
  for (const std::string path :
       {"/nonexistent/x.npy", "/nonexistent/x.npz", "/nonexistent/x.png"}) {
    EXPECT_EQ(Problem(ReadTensorFile(path)), path + ": cannot open: No such file or directory\n");
    EXPECT_EQ(Problem(ReadTensorInput(path)), path + ": cannot open: No such file or directory\n");
  }
  EXPECT_EQ(Problem(ReadTensorFile("/nonexistent/x.s8:4")),
            "/nonexistent/x.s8: cannot open: No such file or directory\n");
}

TEST(TensorFile, NamesTheBrokenMemberOfAnArchive) {
  const std::string path = Folder() + "/x.npz";
  std::string archive = *ReadFile(kData + "single.npz");
  archive[archive.find("\x80\x00\x7f", 0, 3)] ^= 1;
  Write(path, archive);
  EXPECT_THAT(Problem(ReadTensorFile(path)),
              ::testing::StartsWith(path + ": only.npy: checksum is "));
}

TEST(TensorInput, StacksADirectoryInOrderOfNames) {
  const std::string folder = Folder();
  for (int i = 0; i < 3; ++i) {
    const auto value = static_cast<int8_t>(i);
    // written in the reverse order of their names
    Write(folder + "/" + std::string(1, static_cast<char>('c' - i)) + ".npy",
          NpyBytes(Tensor::From<int8_t>({2}, {value, -1})));
  }
  Write(folder + "/.hidden", "no tensor");
  fs::create_directory(folder + "/sub");
  EXPECT_EQ(*ReadTensorInput(folder), Tensor::From<int8_t>({3, 2}, {2, -1, 1, -1, 0, -1}));
}

TEST(TensorInput, SampleAxisReplacesALeadingOne) {
  const std::string folder = Folder();
  fs::copy_file(kData + "grey.png", folder + "/a.png");
  fs::copy_file(kData + "grey.pgm", folder + "/b.pgm");
  const auto images = ReadTensorInput(folder);
  ASSERT_TRUE(images.ok()) << ToString(images.errors());
  EXPECT_EQ(*images,
            Tensor::From<uint8_t>({2, 1, 2, 3}, {0, 10, 20, 30, 40, 255, 0, 10, 20, 30, 40, 255}));
}

TEST(TensorInput, ScalarsStackToo) {
  const std::string folder = Folder();
  fs::copy_file(kData + "scalar.npy", folder + "/a.npy");
  EXPECT_EQ(*ReadTensorInput(folder), Tensor::From<int64_t>({1}, {-5}));
}

TEST(TensorInput, RefusesMixedAndEmptyDirectories) {
  const std::string folder = Folder();
  EXPECT_EQ(Problem(ReadTensorInput(folder)), folder + ": the directory holds no file\n");
  Write(folder + "/a.npy", NpyBytes(Tensor(DType::kI8, {2})));
  Write(folder + "/b.npy", NpyBytes(Tensor(DType::kI8, {3})));
  EXPECT_EQ(Problem(ReadTensorInput(folder)),
            folder + "/b.npy: is 3 of int8, but " + folder +
                "/a.npy is 2 of int8 (all files of an input directory must have one shape and "
                "type)\n");
  Write(folder + "/b.npy", NpyBytes(Tensor(DType::kU8, {2})));
  EXPECT_EQ(Problem(ReadTensorInput(folder)),
            folder + "/b.npy: is 2 of uint8, but " + folder +
                "/a.npy is 2 of int8 (all files of an input directory must have one shape and "
                "type)\n");
  Write(folder + "/b.npy", "x");
  EXPECT_EQ(Problem(ReadTensorInput(folder)), folder + "/b.npy: not a .npy array: wrong magic\n");
}

TEST(TensorInput, ReadsSingleFilesAsTensorFileDoes) {
  EXPECT_EQ(*ReadTensorInput(kData + "single.npz"), kSmall);
}

}  // namespace
}  // namespace bw::tensor
