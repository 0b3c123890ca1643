#include "models/tensor/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "models/status/file.h"

namespace bw::tensor {
namespace {

using ::testing::ElementsAre;

const std::string kData = std::string(BW_SOURCE_DIR) + "/tests/unit/tensor/data/";

Result<Tensor> Load(const std::string& name) {
  const Result<std::string> bytes = ReadFile(kData + name);
  EXPECT_TRUE(bytes.ok());
  return ParseNpy(*bytes, name);
}

// A version 1 file with this header text and data.
std::string Npy(const std::string& header, const std::string& data) {
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  return bytes + header + data;
}

std::string Problem(const std::string& bytes) {
  const Result<Tensor> result = ParseNpy(bytes, "x.npy");
  return result.ok() ? "" : ToString(result.errors());
}

TEST(Npy, ReadsWhatNumpyWrites) {
  const auto version2 = Load("version2.npy");
  ASSERT_TRUE(version2.ok()) << ToString(version2.errors());
  EXPECT_EQ(*version2, Tensor::From<double>({2}, {1.5, -2.5}));
  EXPECT_EQ(*Load("scalar.npy"), Tensor::From<int64_t>({}, {-5}));
  EXPECT_EQ(*Load("flags.npy"), Tensor::From<bool>({3}, {true, false, true}));
  EXPECT_EQ(*Load("empty.npy"), Tensor(DType::kU16, {0, 3}));
}

TEST(Npy, TurnsFortranOrderIntoRowMajor) {
  const auto fortran = Load("fortran.npy");
  ASSERT_TRUE(fortran.ok());
  std::vector<float> values;
  for (int i = 0; i < 24; ++i) values.push_back(static_cast<float>(i));
  EXPECT_EQ(*fortran, Tensor::From<float>({2, 3, 4}, values));
}

TEST(Npy, WritesByteForByteAsNumpy) {
  EXPECT_EQ(NpyBytes(Tensor::From<int64_t>({}, {-5})), *ReadFile(kData + "scalar.npy"));
  EXPECT_EQ(NpyBytes(Tensor::From<bool>({3}, {true, false, true})), *ReadFile(kData + "flags.npy"));
  EXPECT_EQ(NpyBytes(Tensor(DType::kU16, {0, 3})), *ReadFile(kData + "empty.npy"));
}

TEST(Npy, EveryTypeRoundTrips) {
  const DType types[] = {DType::kF32, DType::kF64, DType::kI8,  DType::kU8,  DType::kI16,
                         DType::kU16, DType::kI32, DType::kI64, DType::kBool};
  for (const DType type : types) {
    Tensor tensor(type, {2, 3});
    for (size_t i = 0; i < tensor.byte_size(); ++i) {
      tensor.bytes()[i] = static_cast<uint8_t>(type == DType::kBool ? i % 2 : i * 37);
    }
    const Result<Tensor> back = ParseNpy(NpyBytes(tensor), "x.npy");
    ASSERT_TRUE(back.ok()) << ToString(back.errors());
    EXPECT_EQ(*back, tensor) << DTypeName(type);
  }
}

TEST(Npy, FilesRoundTrip) {
  const std::string path = ::testing::TempDir() + "bw_npy_roundtrip.npy";
  const Tensor tensor = Tensor::From<float>({1, 2}, {0.5f, -1.0f});
  ASSERT_TRUE(WriteNpy(path, tensor).ok());
  EXPECT_EQ(*ParseNpy(*ReadFile(path), path), tensor);
  EXPECT_EQ(ToString(WriteNpy("/nonexistent/x.npy", tensor).errors()),
            "/nonexistent/x.npy: cannot write: No such file or directory\n");
}

TEST(Npy, ForeignTrueBytesBecomeOne) {
  const auto flags =
      ParseNpy(Npy("{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }", "\x02\xff"), "x");
  ASSERT_TRUE(flags.ok());
  EXPECT_THAT(flags->ToI64(), ElementsAre(1, 1));
}

TEST(Npy, TakesHeadersOfOtherWriters) {
  const auto tensor =
      ParseNpy(Npy("{\"shape\":(1,2),\"descr\":\"<i1\",\"fortran_order\":False}\n", "ab"), "x");
  ASSERT_TRUE(tensor.ok()) << ToString(tensor.errors());
  EXPECT_EQ(*tensor, Tensor::From<int8_t>({1, 2}, {'a', 'b'}));
}

TEST(Npy, RefusesOtherTypes) {
  EXPECT_EQ(ToString(Load("big_endian.npy").errors()),
            "big_endian.npy: element type '>f4' is not supported; allowed float32, float64, int8, "
            "uint8, int16, uint16, int32, int64, bool (big-endian: save as little-endian, as in "
            "a.astype('<f4'))\n");
  EXPECT_EQ(ToString(Load("half.npy").errors()),
            "half.npy: element type '<f2' is not supported; allowed float32, float64, int8, "
            "uint8, int16, uint16, int32, int64, bool (convert with numpy's astype)\n");
}

TEST(Npy, RefusesBrokenHeaders) {
  EXPECT_EQ(Problem(""), "x.npy: not a .npy array: wrong magic\n");
  EXPECT_EQ(Problem("PK\x03\x04"), "x.npy: not a .npy array: wrong magic\n");
  EXPECT_EQ(Problem("\x93NUMPY"), "x.npy: truncated in the .npy header\n");
  EXPECT_EQ(Problem(std::string("\x93NUMPY\x01\x00\xff\xff{", 11)),
            "x.npy: truncated in the .npy header\n");
  EXPECT_EQ(Problem(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff{", 13)),
            "x.npy: truncated in the .npy header\n");
  EXPECT_EQ(Problem(std::string("\x93NUMPY\x03\x00\x00\x00\x00\x00", 12)),
            "x.npy: .npy version 3 is not supported; allowed 1, 2\n");
  const std::string order = "'fortran_order': False, ";
  const std::vector<std::string> broken = {
      "",
      "{}",
      "{'descr': '<f4', " + order + "}",
      "{'descr': '<f4', " + order + "'shape': (2,)",
      "{'descr': '<f4', " + order + "'shape': 2}",
      "{'descr': '<f4', " + order + "'shape': (-2,)}",
      "{'descr': '<f4', " + order + "'shape': (2 3)}",
      "{'descr': '<f4', " + order + "'shape': (99999999999999999999,)}",
      "{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}",
      "{'descr': [('a', '<f4')], " + order + "'shape': (2,)}",
      "{'descr': '<f4', 'descr': '<f4', " + order + "'shape': (2,)}",
      "{'descr': '<f4', " + order + "'shape': (2,), 'more': 1}",
      "{'descr': '<f4', " + order + "'shape': (2,)} x",
      "{'descr"};
  for (const std::string& header : broken) {
    EXPECT_EQ(Problem(Npy(header, std::string(8, '\0'))), "x.npy: the .npy header is broken\n")
        << header;
  }
  std::string deep = "{'descr': '<f4', " + order + "'shape': (";
  for (int i = 0; i < 33; ++i) deep += "1,";
  EXPECT_EQ(Problem(Npy(deep + ")}", std::string(4, '\0'))), "x.npy: the .npy header is broken\n");
}

TEST(Npy, RefusesShapesThatTheDataDoesNotFill) {
  const auto sized = [](const std::string& shape, size_t bytes) {
    return Problem(Npy("{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + "}",
                       std::string(bytes, 'x')));
  };
  EXPECT_EQ(sized("(2,)", 8), "");
  EXPECT_EQ(sized("(2,)", 7),
            "x.npy: truncated: shape 2 of float32 does not fit into 7 bytes of data\n");
  EXPECT_EQ(sized("(2,)", 9), "x.npy: 1 bytes follow the data of shape 2\n");
  EXPECT_EQ(sized("(0, 5)", 1), "x.npy: 1 bytes follow the data of shape 0x5\n");
  // Sizes that overflow, or would take exbibytes.
  EXPECT_EQ(sized("(4611686018427387904,)", 8),
            "x.npy: truncated: shape 4611686018427387904 of float32 does not fit into 8 bytes of "
            "data\n");
  EXPECT_EQ(sized("(4294967296, 4294967296)", 8),
            "x.npy: truncated: shape 4294967296x4294967296 of float32 does not fit into 8 bytes "
            "of data\n");
}

TEST(Npy, NamesTheMemberOfAnArchive) {
  EXPECT_EQ(ToString(ParseNpy("", "a.npz", "b.npy").errors()),
            "a.npz: b.npy: not a .npy array: wrong magic\n");
}

// Every truncation and every damaged byte gives a tensor or an error, never a crash.
TEST(Npy, SurvivesDamage) {
  std::mt19937 random(7);
  int tried = 0;
  for (const std::string name : {"fortran.npy", "version2.npy", "empty.npy"}) {
    const std::string whole = *ReadFile(kData + name);
    for (size_t size = 0; size < whole.size(); ++size, ++tried) {
      EXPECT_FALSE(ParseNpy(whole.substr(0, size), name).ok());
    }
    for (size_t at = 0; at < whole.size(); ++at, ++tried) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(random());
      (void)ParseNpy(damaged, name);
    }
  }
  EXPECT_GT(tried, 900);
}

}  // namespace
}  // namespace bw::tensor
