#include "models/tensor/image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "models/status/file.h"

namespace bw::tensor {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kData = std::string(BW_SOURCE_DIR) + "/tests/unit/tensor/data/";

std::string Bytes(const std::string& name) {
  const Result<std::string> bytes = ReadFile(kData + name);
  EXPECT_TRUE(bytes.ok());
  return *bytes;
}

Tensor Png(const std::string& name) {
  const auto image = ParsePng(Bytes(name), name);
  EXPECT_TRUE(image.ok()) << ToString(image.errors());
  return image.ok() ? *image : Tensor();
}

std::string PngProblem(const std::string& bytes) {
  const auto image = ParsePng(bytes, "x.png");
  return image.ok() ? "" : ToString(image.errors());
}

std::string PnmProblem(const std::string& bytes) {
  const auto image = ParsePnm(bytes, "x.pgm");
  return image.ok() ? "" : ToString(image.errors());
}

const Tensor kGrey = Tensor::From<uint8_t>({1, 1, 2, 3}, {0, 10, 20, 30, 40, 255});
const Tensor kRgb = Tensor::From<uint8_t>({1, 3, 1, 2}, {255, 1, 0, 2, 0, 3});  // planes

TEST(Png, KeepsSamplesAsStored) {
  EXPECT_EQ(Png("grey.png"), kGrey);  // in spite of its gamma chunk
  EXPECT_EQ(Png("rgb.png"), kRgb);
}

TEST(Png, ReadsPalettesNarrowGreyAndInterlacing) {
  EXPECT_EQ(Png("palette.png"), Tensor::From<uint8_t>({1, 3, 1, 3}, {255, 1, 9, 0, 2, 8, 0, 3, 7}));
  EXPECT_EQ(Png("bits.png"), Tensor::From<uint8_t>({1, 1, 1, 3}, {255, 0, 255}));
  EXPECT_EQ(Png("nibbles.png"), Tensor::From<uint8_t>({1, 1, 1, 2}, {0, 255}));
  EXPECT_EQ(Png("interlaced.png"), kGrey);
}

TEST(Png, RefusesWhatEightBitsCannotSay) {
  EXPECT_EQ(PngProblem(Bytes("alpha.png")),
            "x.png: the image has transparency, which is not supported (flatten it onto a "
            "background)\n");
  EXPECT_EQ(PngProblem(Bytes("keyed.png")), PngProblem(Bytes("alpha.png")));
  EXPECT_EQ(PngProblem(Bytes("deep.png")),
            "x.png: 16 bits a channel are not supported; allowed 1 to 8 (convert to 8 bits)\n");
}

TEST(Png, RefusesBrokenFiles) {
  EXPECT_EQ(PngProblem(""), "x.png: not a sound PNG image: truncated\n");
  EXPECT_EQ(PngProblem("P5 1 1 255\nx"), "x.png: not a sound PNG image: Not a PNG file\n");
  EXPECT_EQ(PngProblem(Bytes("lying.png")), "x.png: 60000 x 60000 pixels cannot be in " +
                                                std::to_string(Bytes("lying.png").size()) +
                                                " bytes\n");
  const std::string whole = Bytes("palette.png");
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THAT(PngProblem(whole.substr(0, size)), StartsWith("x.png: not a sound PNG image: "));
  }
}

TEST(Png, SurvivesDamage) {
  std::mt19937 random(3);
  int tried = 0;
  for (const std::string name : {"interlaced.png", "palette.png", "grey.png", "lying.png"}) {
    const std::string whole = Bytes(name);
    for (size_t at = 0; at < whole.size(); ++at, ++tried) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(random());
      (void)ParsePng(damaged, name);
    }
  }
  EXPECT_GT(tried, 250);
}

TEST(Pnm, ReadsGreyAndColour) {
  EXPECT_EQ(*ParsePnm(Bytes("grey.pgm"), "x"), kGrey);
  EXPECT_EQ(*ParsePnm(Bytes("rgb.ppm"), "x"), kRgb);
}

TEST(Pnm, RefusesOtherForms) {
  const std::string magic = "x.pgm: not a binary PGM or PPM image: magic is not P5 or P6\n";
  EXPECT_EQ(PnmProblem(Bytes("text.pgm")), magic);
  EXPECT_EQ(PnmProblem(""), magic);
  EXPECT_EQ(PnmProblem(Bytes("deep.pgm")),
            "x.pgm: maximum sample 65535 is not supported; allowed 255 (convert to 8 bits a "
            "channel)\n");
}

TEST(Pnm, RefusesBrokenHeaders) {
  for (const std::string text :
       {"P5", "P5 1", "P5 1 1", "P5 1 1 255", "P5 0 1 255\n", "P5 -1 1 255\n", "P5 x 1 255\n",
        "P5 1 1 255#\n", "P5 # 1 1 255\n", "P5 99999999999999999999 1 255\n"}) {
    EXPECT_EQ(PnmProblem(text), "x.pgm: the image header is broken\n") << text;
  }
}

TEST(Pnm, RefusesSizesThatTheDataDoesNotFill) {
  EXPECT_EQ(PnmProblem("P5 2 2 255\nabc"),
            "x.pgm: 2 x 2 pixels of 1 bytes do not fit 3 bytes of data\n");
  EXPECT_EQ(PnmProblem("P6 1 1 255\nabcd"),
            "x.pgm: 1 x 1 pixels of 3 bytes do not fit 4 bytes of data\n");
  EXPECT_EQ(PnmProblem("P5 9000000000000000000 9000000000000000000 255\nabc"),
            "x.pgm: 9000000000000000000 x 9000000000000000000 pixels of 1 bytes do not fit 3 "
            "bytes of data\n");
}

}  // namespace
}  // namespace bw::tensor
