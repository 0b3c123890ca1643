#include "models/tensor/tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bw::tensor {
namespace {

using ::testing::ElementsAre;

TEST(Tensor, StartsAtZero) {
  const Tensor tensor(DType::kI32, {2, 2});
  EXPECT_EQ(tensor.byte_size(), 16u);
  EXPECT_THAT(tensor.ToI64(), ElementsAre(0, 0, 0, 0));
}

TEST(Tensor, DefaultHoldsNothing) {
  const Tensor tensor;
  EXPECT_EQ(tensor.elements(), 0);
  EXPECT_EQ(tensor.byte_size(), 0u);
}

TEST(Tensor, KeepsGivenValuesInOrder) {
  const Tensor tensor = Tensor::From<int8_t>({3}, {-128, 0, 127});
  EXPECT_EQ(tensor.dtype(), DType::kI8);
  EXPECT_THAT(tensor.ToI64(), ElementsAre(-128, 0, 127));
  EXPECT_THAT(tensor.ToF64(), ElementsAre(-128.0, 0.0, 127.0));
  EXPECT_THAT(Tensor::From<bool>({2}, {true, false}).ToI64(), ElementsAre(1, 0));
}

TEST(Tensor, StopsOnTheWrongType) {
  Tensor tensor(DType::kI32, {1});
  EXPECT_DEATH(tensor.data<float>(), "asked float32, tensor has int32");
  EXPECT_DEATH(Tensor(DType::kF32, {1}).ToI64(), "integers asked, tensor has float32");
}

TEST(Tensor, StopsOnTheWrongNumberOfValues) {
  EXPECT_DEATH(Tensor::From<float>({2, 2}, {1.0f}), "shape 2x2, 1 values");
}

TEST(Tensor, ReshapeKeepsValuesAndChecksTheirNumber) {
  const Tensor tensor = Tensor::From<int16_t>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor column = tensor.Reshaped({6, 1});
  EXPECT_EQ(column.shape(), Shape({6, 1}));
  EXPECT_EQ(column.ToI64(), tensor.ToI64());
  EXPECT_NE(column, tensor);
  EXPECT_DEATH(tensor.Reshaped({5}), "5 from 2x3");
}

}  // namespace
}  // namespace bw::tensor
