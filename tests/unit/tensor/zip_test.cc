#include "models/tensor/zip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "models/status/file.h"

namespace bw::tensor {
namespace {

const std::string kData = std::string(BW_SOURCE_DIR) + "/tests/unit/tensor/data/";

std::string Archive(const std::string& name) {
  const Result<std::string> bytes = ReadFile(kData + name);
  EXPECT_TRUE(bytes.ok());
  return *bytes;
}

std::vector<ZipEntry> Entries(const std::string& archive) {
  const auto entries = ListZip(archive, "a.npz");
  EXPECT_TRUE(entries.ok()) << ToString(entries.errors());
  return entries.ok() ? *entries : std::vector<ZipEntry>();
}

std::string ListProblem(const std::string& archive) {
  const auto entries = ListZip(archive, "a.npz");
  return entries.ok() ? "" : ToString(entries.errors());
}

std::string ExtractProblem(const std::string& archive, const ZipEntry& entry) {
  const auto contents = ExtractZip(archive, entry, "a.npz");
  return contents.ok() ? "" : ToString(contents.errors());
}

TEST(Zip, ListsAndExtractsStoredAndDeflatedMembers) {
  const std::string stored = Archive("stored.npz");
  ASSERT_EQ(Entries(stored).size(), 2u);
  EXPECT_EQ(Entries(stored)[0].name, "a.npy");
  EXPECT_EQ(Entries(stored)[0].method, 0);
  EXPECT_EQ(ExtractZip(stored, Entries(stored)[0], "a.npz")->size(), 128u + 96u);
  const std::string deflated = Archive("deflated.npz");
  EXPECT_EQ(Entries(deflated)[0].method, 8);
  EXPECT_EQ(ExtractZip(deflated, Entries(deflated)[0], "a.npz")->size(), 128u + 20000u);
  EXPECT_EQ(*ExtractZip(deflated, Entries(deflated)[1], "a.npz"),
            *ExtractZip(stored, Entries(stored)[1], "a.npz"));
}

TEST(Zip, FindsTheDirectoryBeforeAComment) {
  std::string archive = Archive("single.npz");
  archive[archive.size() - 2] = 5;  // length of the comment
  EXPECT_EQ(Entries(archive + "hello").size(), 1u);
}

TEST(Zip, RefusesWhatIsNoArchive) {
  const std::string message = "a.npz: not a zip archive, or truncated: no end record\n";
  EXPECT_EQ(ListProblem(""), message);
  EXPECT_EQ(ListProblem(std::string(100000, 'x')), message);
  const std::string archive = Archive("single.npz");
  EXPECT_EQ(ListProblem(archive.substr(0, archive.size() - 1)), message);
}

TEST(Zip, RefusesABrokenDirectory) {
  std::string archive = Archive("stored.npz");
  const size_t end = archive.size() - 22;
  std::string more = archive;
  more[end + 10] = 3;  // one entry more than there are
  EXPECT_EQ(ListProblem(more), "a.npz: the zip directory is broken at entry 3 of 3\n");
  std::string moved = archive;
  moved[end + 18] = 0x7f;  // directory far outside
  EXPECT_EQ(ListProblem(moved), "a.npz: the zip directory is broken at entry 1 of 2\n");
  std::string longer = archive;
  const size_t first = static_cast<uint8_t>(archive[end + 16]) +
                       256 * static_cast<size_t>(static_cast<uint8_t>(archive[end + 17]));
  longer[first + 29] = '\xff';  // a name that is longer than the file
  EXPECT_EQ(ListProblem(longer), "a.npz: the zip directory is broken at entry 1 of 2\n");
  std::string zip64 = archive;
  for (size_t i = 16; i < 20; ++i) zip64[end + i] = '\xff';
  EXPECT_EQ(ListProblem(zip64), "a.npz: zip64 archives are not supported\n");
}

TEST(Zip, RefusesMembersThatItCannotUnpack) {
  const std::string archive = Archive("deflated.npz");
  const ZipEntry good = Entries(archive)[0];
  ZipEntry entry = good;
  entry.flags |= 1;
  EXPECT_EQ(ExtractProblem(archive, entry), "a.npz: a.npy: is encrypted\n");
  entry = good;
  entry.method = 12;
  EXPECT_EQ(ExtractProblem(archive, entry),
            "a.npz: a.npy: zip method 12 is not supported; allowed 0 (stored), 8 (deflated)\n");
  entry = good;
  entry.size = 0xffffffff;
  EXPECT_EQ(ExtractProblem(archive, entry), "a.npz: a.npy: zip64 members are not supported\n");
  entry = good;
  entry.offset = 0xfffffff0;
  EXPECT_EQ(ExtractProblem(archive, entry),
            "a.npz: a.npy: truncated: its bytes are not all in the archive\n");
  entry = good;
  entry.offset += 1;  // no local header there
  EXPECT_EQ(ExtractProblem(archive, entry),
            "a.npz: a.npy: truncated: its bytes are not all in the archive\n");
  entry = good;
  entry.compressed_size = 0x7fffffff;
  EXPECT_EQ(ExtractProblem(archive, entry),
            "a.npz: a.npy: truncated: its bytes are not all in the archive\n");
}

TEST(Zip, RefusesSizesThatLie) {
  const std::string archive = Archive("deflated.npz");
  const ZipEntry good = Entries(archive)[0];
  for (const uint32_t size : {good.size - 1, good.size + 1, 4000000000u, 0u}) {
    ZipEntry entry = good;
    entry.size = size;
    EXPECT_EQ(ExtractProblem(archive, entry),
              "a.npz: a.npy: does not unpack to its " + std::to_string(size) + " bytes\n");
  }
  ZipEntry cut = good;
  cut.compressed_size -= 1;
  EXPECT_EQ(ExtractProblem(archive, cut), "a.npz: a.npy: does not unpack to its 20128 bytes\n");
  const std::string stored = Archive("stored.npz");
  ZipEntry entry = Entries(stored)[0];
  entry.size += 1;
  EXPECT_EQ(ExtractProblem(stored, entry), "a.npz: a.npy: does not unpack to its 225 bytes\n");
}

TEST(Zip, VerifiesChecksums) {
  std::string archive = Archive("single.npz");
  const ZipEntry entry = Entries(archive)[0];
  const size_t last = archive.find("\x80\x00\x7f", 0, 3) + 2;
  archive[last] ^= 1;
  EXPECT_THAT(ExtractProblem(archive, entry),
              ::testing::MatchesRegex("a.npz: only.npy: checksum is [0-9a-f]+, the archive says "
                                      "[0-9a-f]+\n"));
}

TEST(Zip, SurvivesDamage) {
  std::mt19937 random(11);
  const std::string whole = Archive("deflated.npz");
  int tried = 0;
  for (size_t at = 0; at < whole.size(); ++at) {
    for (int round = 0; round < 4; ++round, ++tried) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(random());
      const auto entries = ListZip(damaged, "a.npz");
      if (!entries.ok()) continue;
      for (const ZipEntry& entry : *entries) (void)ExtractZip(damaged, entry, "a.npz");
    }
  }
  EXPECT_GT(tried, 1000);
}

}  // namespace
}  // namespace bw::tensor
