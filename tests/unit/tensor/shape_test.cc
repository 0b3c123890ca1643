#include "models/tensor/shape.h"

#include <gtest/gtest.h>

namespace bw::tensor {
namespace {

TEST(Shape, CountsElements) {
  EXPECT_EQ(Shape({2, 3, 4}).Elements(), 24);
  EXPECT_EQ(Shape().Elements(), 1);
  EXPECT_EQ(Shape({5, 0}).Elements(), 0);
}

TEST(Shape, RefusesToOverflow) {
  const int64_t big = int64_t{1} << 32;
  EXPECT_FALSE(Shape({big, big}).CheckedElements().has_value());
  EXPECT_FALSE(Shape({-1, 2}).CheckedElements().has_value());
  EXPECT_FALSE(Shape({0, -1}).CheckedElements().has_value());
  EXPECT_EQ(Shape({big, big, 0}).CheckedElements(), 0);
  EXPECT_EQ(Shape({big, big / 4}).CheckedElements(), int64_t{1} << 62);
  EXPECT_DEATH(Shape({big, big}).Elements(), "elements of shape 4294967296x4294967296");
}

TEST(Shape, PrintsExtents) {
  EXPECT_EQ(Shape({1, 3, 48, 192}).ToString(), "1x3x48x192");
  EXPECT_EQ(Shape().ToString(), "scalar");
}

TEST(Shape, StridesAreRowMajor) {
  EXPECT_EQ(Shape({2, 3, 4}).Strides(), (std::vector<int64_t>{12, 4, 1}));
  EXPECT_EQ(Shape().Strides(), std::vector<int64_t>{});
}

TEST(DType, HasSizeAndName) {
  EXPECT_EQ(DTypeSize(DType::kBool), 1u);
  EXPECT_EQ(DTypeSize(DType::kU16), 2u);
  EXPECT_EQ(DTypeSize(DType::kF32), 4u);
  EXPECT_EQ(DTypeSize(DType::kI64), 8u);
  EXPECT_EQ(DTypeName(DType::kI8), "int8");
  EXPECT_EQ(DTypeName(DType::kF64), "float64");
}

}  // namespace
}  // namespace bw::tensor
