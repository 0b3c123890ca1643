#include "models/status/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

namespace bw {
namespace {

std::string Scratch(const std::string& name) { return ::testing::TempDir() + "bw_file_" + name; }

TEST(File, ReadsBackWhatWasWritten) {
  const std::string path = Scratch("roundtrip");
  const std::string bytes("\0\xff\r\n abc", 8);
  ASSERT_TRUE(WriteFile(path, "older and longer contents").ok());
  ASSERT_TRUE(WriteFile(path, bytes).ok());
  const Result<std::string> back = ReadFile(path);
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(*back, bytes);
}

TEST(File, ReadsSeveralChunks) {
  const std::string path = Scratch("large");
  const std::string bytes(200001, 'x');
  ASSERT_TRUE(WriteFile(path, bytes).ok());
  EXPECT_EQ(*ReadFile(path), bytes);
}

TEST(File, SaysWhyItCannotRead) {
  EXPECT_EQ(ToString(ReadFile("/nonexistent/a").errors()),
            "/nonexistent/a: cannot open: No such file or directory\n");
  EXPECT_EQ(ToString(ReadFile("/tmp").errors()), "/tmp: cannot read: Is a directory\n");
  const std::string path = Scratch("limit");
  ASSERT_TRUE(WriteFile(path, "12345").ok());
  EXPECT_TRUE(ReadFile(path, 5).ok());
  EXPECT_EQ(ToString(ReadFile(path, 4).errors()),
            path + ": larger than 4 bytes, which is more than fits here\n");
  EXPECT_EQ(ToString(ReadFile("/dev/zero", 100000).errors()),
            "/dev/zero: larger than 100000 bytes, which is more than fits here\n");
}

TEST(File, SaysWhyItCannotWrite) {
  EXPECT_EQ(ToString(WriteFile("/nonexistent/a", "x").errors()),
            "/nonexistent/a: cannot write: No such file or directory\n");
  const std::string folder = Scratch("folder");
  ::mkdir(folder.c_str(), 0777);
  EXPECT_EQ(ToString(WriteFile(folder, "x").errors()), folder + ": cannot write: Is a directory\n");
}

}  // namespace
}  // namespace bw
