#include "models/arith/softmax.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "models/arith/tflite_softmax.h"
#include "tests/support/tflite_oracle.h"
#include "tests/unit/golden/builder.h"

namespace bw::golden {
namespace {

using ::testing::ElementsAre;

TEST(Softmax, ReproducesTheWorkedExample) {
  const int32_t x[] = {7, 6, 5};
  int32_t y[3];
  arith::IntSoftmax(x, 3, 1, {4, 2, 1}, 100, -127, 127, y);
  EXPECT_THAT(y, ElementsAre(57, 29, 14));
}

TEST(Softmax, TiesGoUpAndDistancesBeyondTheTableAreItsLastEntry) {
  const int32_t x[] = {0, 0, -128};
  int32_t y[3];
  arith::IntSoftmax(x, 3, 1, {1, 0}, 127, -127, 127, y);
  EXPECT_THAT(y, ElementsAre(64, 64, 0));  // 63.5 goes up
}

TEST(Softmax, ClipsAndSteps) {
  const int32_t x[] = {9, 1, 9, 1};
  int32_t y[] = {0, -1, 0, -1};
  arith::IntSoftmax(x, 2, 2, {1, 1}, 1000, 0, 127, y);
  EXPECT_THAT(y, ElementsAre(127, -1, 127, -1));
}

TEST(Softmax, TableStartsAtOneAndEndsAtZero) {
  const auto table = arith::MakeExpTable(0.1, 256);
  EXPECT_EQ(table[0], 1 << 24);
  EXPECT_EQ(table[10], static_cast<int32_t>(std::lround(std::exp(-1.0) * (1 << 24))));
  EXPECT_EQ(table.back(), 0);
  EXPECT_EQ(arith::MakeExpTable(1e-6, 16).size(), 16u);
}

TEST(Softmax, RunsAlongTheLastAxisWithinOneStepOfReal) {
  const double scale = 0.05;
  IntGraph g;
  graph::IntSoftmax softmax;
  softmax.exp_table = arith::MakeExpTable(scale, 256);
  AddNode(g, softmax, {AddInput(g, {6, 10})}, {6, 10});
  std::mt19937 rng(3);
  const IntTensor x = RandomTensor(rng, {6, 10}, {});
  const std::vector<int32_t> y = Results(g, {x});
  for (size_t row = 0; row < 60; row += 10) {
    double sum = 0;
    for (size_t i = row; i < row + 10; ++i) sum += std::exp(x.data[i] * scale);
    for (size_t i = row; i < row + 10; ++i) {
      EXPECT_NEAR(y[i], std::exp(x.data[i] * scale) / sum * 127, 0.501) << i;
    }
  }
}

TEST(Softmax, TfliteFormIsTflitesAlongTheLastAxis) {
  IntGraph g;
  graph::IntSoftmax softmax;
  softmax.exp_table = *arith::MakeTfliteExpTable(double{0.05F});
  softmax.tflite = true;
  AddNode(g, softmax, {AddInput(g, {6, 10})}, {6, 10});
  g.values.back().zero_point = arith::kTfliteSoftmaxZeroPoint;
  std::mt19937 rng(4);
  const IntTensor x = RandomTensor(rng, {6, 10}, {});
  const std::vector<int32_t> y = Results(g, {x});
  for (size_t row = 0; row < 60; row += 10) {
    const auto at = [row](const std::vector<int32_t>& v) {
      return std::vector<int32_t>(v.begin() + static_cast<int64_t>(row),
                                  v.begin() + static_cast<int64_t>(row) + 10);
    };
    EXPECT_EQ(at(y), oracle_tflite::Softmax(at(x.data), 0.05F, 1)) << row;
  }
}

}  // namespace
}  // namespace bw::golden
