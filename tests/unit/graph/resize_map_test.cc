#include "compiler/graph/resize_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace bw::graph {
namespace {

using ::testing::ElementsAre;
using C = ResizeCoordinates;
using M = NearestMode;

TEST(ResizeMap, OnnxModesGiveTheirPositions) {
  EXPECT_THAT(OnnxNearestSources(2, 4, 2, C::kAsymmetric, M::kFloor), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(OnnxNearestSources(2, 4, 2, C::kAsymmetric, M::kCeil), ElementsAre(0, 1, 1, 1));
  EXPECT_THAT(OnnxNearestSources(4, 2, 0.6F, C::kHalfPixel, M::kRoundPreferFloor),
              ElementsAre(0, 2));
  EXPECT_THAT(OnnxNearestSources(4, 3, 0.75F, C::kTfHalfPixelForNn, M::kFloor),
              ElementsAre(0, 2, 3));
  EXPECT_THAT(OnnxNearestSources(4, 8, 2, C::kAlignCorners, M::kFloor),
              ElementsAre(0, 0, 0, 1, 1, 2, 2, 3));
  EXPECT_THAT(OnnxNearestSources(5, 1, 0.2F, C::kAlignCorners, M::kCeil), ElementsAre(0));
  EXPECT_THAT(OnnxNearestSources(5, 1, 0.2F, C::kPytorchHalfPixel, M::kCeil), ElementsAre(0));
  EXPECT_THAT(OnnxNearestSources(5, 1, 0.2F, C::kHalfPixel, M::kCeil), ElementsAre(2));
}

TEST(ResizeMap, TiesGoAsTheModeSays) {
  // Positions 0, 0.5, 1, 1.5, 2, 2.5.
  EXPECT_THAT(OnnxNearestSources(3, 6, 2, C::kAsymmetric, M::kRoundPreferFloor),
              ElementsAre(0, 0, 1, 1, 2, 2));
  EXPECT_THAT(OnnxNearestSources(3, 6, 2, C::kAsymmetric, M::kRoundPreferCeil),
              ElementsAre(0, 1, 1, 2, 2, 2));
}

TEST(ResizeMap, BeforeElevenFloorsUpAndCeilsDown) {
  EXPECT_THAT(OnnxNearestSources(3, 5, 1.7F, C::kAsymmetric, M::kSimple),
              ElementsAre(0, 0, 1, 1, 2));
  EXPECT_THAT(OnnxNearestSources(5, 3, 0.6F, C::kAsymmetric, M::kSimple), ElementsAre(0, 2, 4));
}

TEST(ResizeMap, NamesAreOnnxs) {
  EXPECT_EQ(ParseResizeCoordinates("tf_half_pixel_for_nn"), C::kTfHalfPixelForNn);
  EXPECT_EQ(ParseResizeCoordinates("tf_crop_and_resize"), std::nullopt);
  EXPECT_EQ(ParseNearestMode("round_prefer_ceil"), M::kRoundPreferCeil);
  EXPECT_EQ(ParseNearestMode("simple"), std::nullopt);  // no name of the standard's
}

TEST(ResizeMap, TfliteFloorsOrRoundsAtCorners) {
  EXPECT_THAT(TfliteNearestSources(2, 4, false, false), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(TfliteNearestSources(4, 3, false, false), ElementsAre(0, 1, 2));
  EXPECT_THAT(TfliteNearestSources(4, 3, false, true), ElementsAre(0, 2, 3));
  EXPECT_THAT(TfliteNearestSources(3, 5, true, false), ElementsAre(0, 1, 1, 2, 2));
  EXPECT_THAT(TfliteNearestSources(4, 1, true, false), ElementsAre(0));
}

// The scale is a float32, and so is its product: some positions are not those of exact ratios.
TEST(ResizeMap, TfliteComputesInFloat32) {
  int differs = 0;
  for (int64_t in = 1; in <= 64; ++in) {
    for (int64_t out = 1; out <= 64; ++out) {
      const auto sources = TfliteNearestSources(in, out, false, false);
      for (int64_t i = 0; i < out; ++i) {
        const float scale = static_cast<float>(in) / static_cast<float>(out);
        const auto wanted = static_cast<int64_t>(std::floor(static_cast<float>(i) * scale));
        EXPECT_EQ(sources[static_cast<size_t>(i)], std::min(wanted, in - 1));
        differs += static_cast<int>(wanted != i * in / out);
      }
    }
  }
  EXPECT_GT(differs, 0);  // so exact rationals would be another operator
}

}  // namespace
}  // namespace bw::graph
