#include "sim/cosim/folders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

#include "models/status/file.h"
#include "tests/unit/cosim/scratch_folder.h"

namespace bw::cosim {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

size_t EntriesIn(const std::string& path) {
  size_t n = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(path)) ++n;
  return n;
}

TEST(OutputFolder, AppearsOnlyWhenDone) {
  const ScratchFolder scratch;
  auto folder = OutputFolder::Create(scratch / "out", "--out");
  ASSERT_TRUE(folder.ok());
  ASSERT_TRUE(WriteFile(folder->temporary() + "/report.json", "{}").ok());
  EXPECT_FALSE(fs::exists(scratch / "out"));
  ASSERT_TRUE(folder->Commit().ok());
  EXPECT_TRUE(fs::exists(scratch / "out/report.json"));
  EXPECT_EQ(EntriesIn(scratch.path()), 1U);
}

TEST(OutputFolder, LeavesNothingWhenGivenUp) {
  const ScratchFolder scratch;
  {
    const auto folder = OutputFolder::Create(scratch / "a/b/out", "--out");
    ASSERT_TRUE(folder.ok());
    ASSERT_TRUE(WriteFile(folder->temporary() + "/x", "x").ok());
  }
  EXPECT_EQ(EntriesIn(scratch.path()), 0U) << "the parents that it made go too";
}

TEST(OutputFolder, ReplacesAnEarlierResultAsAWhole) {
  const ScratchFolder scratch;
  fs::create_directory(scratch / "out");
  ASSERT_TRUE(WriteFile(scratch / "out/report.json", "old").ok());
  ASSERT_TRUE(WriteFile(scratch / "out/left_over", "old").ok());
  auto folder = OutputFolder::Create(scratch / "out/", "--out");
  ASSERT_TRUE(folder.ok());
  ASSERT_TRUE(WriteFile(folder->temporary() + "/report.json", "new").ok());
  ASSERT_TRUE(folder->Commit().ok());
  EXPECT_EQ(ReadFile(scratch / "out/report.json").value(), "new");
  EXPECT_FALSE(fs::exists(scratch / "out/left_over"));
  EXPECT_EQ(EntriesIn(scratch.path()), 1U);
}

TEST(OutputFolder, DoesNotTakeAFolderWithOtherFiles) {
  const ScratchFolder scratch;
  ASSERT_TRUE(WriteFile(scratch / "thesis.tex", "years of work").ok());
  const auto folder = OutputFolder::Create(scratch.path(), "--out");
  ASSERT_FALSE(folder.ok());
  EXPECT_THAT(ToString(folder.errors()), HasSubstr("--out: holds other files"));
  EXPECT_TRUE(fs::exists(scratch / "thesis.tex"));
}

TEST(OutputFolder, DoesNotTakeAFile) {
  const ScratchFolder scratch;
  ASSERT_TRUE(WriteFile(scratch / "out", "x").ok());
  EXPECT_THAT(ToString(OutputFolder::Create(scratch / "out", "--out").errors()),
              HasSubstr("/out: --out: is a file (name a folder)"));
  EXPECT_THAT(ToString(OutputFolder::Create(scratch / "out/deeper", "--out").errors()),
              HasSubstr("--out: cannot write: Not a directory"));
}

}  // namespace
}  // namespace bw::cosim
