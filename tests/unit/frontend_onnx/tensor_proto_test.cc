#include "compiler/frontend/onnx/tensor_proto.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bw::frontend {
namespace {

using onnx::TensorProto;
using tensor::DType;
using testing::ElementsAre;

TensorProto Proto(TensorProto::DataType type, int64_t extent) {
  TensorProto proto;
  proto.set_data_type(type);
  proto.add_dims(extent);
  return proto;
}

tensor::Tensor Read(const TensorProto& proto) {
  const auto tensor = ToTensor(proto, "m.onnx", "w");
  EXPECT_TRUE(tensor.ok()) << ToString(tensor.errors());
  return tensor.ok() ? *tensor : tensor::Tensor();
}

TEST(TensorProto, NarrowIntegersComeFromTheInt32Field) {
  const std::vector<std::pair<TensorProto::DataType, DType>> types = {
      {TensorProto::INT8, DType::kI8},   {TensorProto::UINT8, DType::kU8},
      {TensorProto::INT16, DType::kI16}, {TensorProto::UINT16, DType::kU16},
      {TensorProto::INT32, DType::kI32}, {TensorProto::BOOL, DType::kBool}};
  for (const auto& [type, dtype] : types) {
    TensorProto proto = Proto(type, 2);
    proto.add_int32_data(1);
    proto.add_int32_data(0);
    const tensor::Tensor tensor = Read(proto);
    EXPECT_EQ(tensor.dtype(), dtype);
    EXPECT_THAT(tensor.ToI64(), ElementsAre(1, 0));
  }
}

TEST(TensorProto, WideTypesHaveTheirOwnFields) {
  TensorProto ints = Proto(TensorProto::INT64, 1);
  ints.add_int64_data(INT64_MIN);
  EXPECT_THAT(Read(ints).ToI64(), ElementsAre(INT64_MIN));
  TensorProto doubles = Proto(TensorProto::DOUBLE, 1);
  doubles.add_double_data(0.1);
  EXPECT_THAT(Read(doubles).ToF64(), ElementsAre(0.1));
}

TEST(TensorProto, RawDataIsTakenBitForBit) {
  TensorProto proto = Proto(TensorProto::FLOAT, 2);
  const uint32_t bits[] = {0x3de786ba, 0x80000000};
  proto.set_raw_data(bits, sizeof bits);
  const tensor::Tensor tensor = Read(proto);
  EXPECT_EQ(std::memcmp(tensor.bytes(), bits, sizeof bits), 0);
}

TEST(TensorProto, RawBooleansBecomeZeroOrOne) {
  TensorProto proto = Proto(TensorProto::BOOL, 2);
  proto.set_raw_data(std::string("\x02\x00", 2));
  EXPECT_THAT(Read(proto).ToI64(), ElementsAre(1, 0));
}

TEST(TensorProto, ScalarsAndEmptyTensors) {
  TensorProto scalar;
  scalar.set_data_type(TensorProto::FLOAT);
  scalar.add_float_data(4);
  EXPECT_EQ(Read(scalar).shape().ToString(), "scalar");
  EXPECT_EQ(Read(Proto(TensorProto::INT64, 0)).elements(), 0);
}

}  // namespace
}  // namespace bw::frontend
