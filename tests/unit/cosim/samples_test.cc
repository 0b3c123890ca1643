#include "sim/cosim/samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/tensor/npy.h"
#include "tests/unit/cosim/scratch_folder.h"

namespace bw::cosim {
namespace {

using tensor::Tensor;
using testing::HasSubstr;

const std::vector<InputSpec> kImage = {{"image", {1, 1, 2, 3}}};

std::string Saved(const ScratchFolder& folder, const std::string& name, const Tensor& tensor) {
  EXPECT_TRUE(tensor::WriteNpy(folder / name, tensor).ok());
  return folder / name;
}

Tensor Bytes(tensor::Shape shape) {
  std::vector<uint8_t> values;
  for (int64_t i = 0; i < shape.Elements(); ++i) values.push_back(static_cast<uint8_t>(i));
  return Tensor::From<uint8_t>(std::move(shape), values);
}

TEST(Samples, TheFirstAxisIsTheSampleAndAxesOfOneNeedNotBeThere) {
  const ScratchFolder folder;
  for (const tensor::Shape& shape :
       {tensor::Shape{4, 1, 1, 2, 3}, tensor::Shape{4, 1, 2, 3}, tensor::Shape{4, 2, 3}}) {
    const auto store = LoadSamples(Saved(folder, "x.npy", Bytes(shape)), kImage, "--input");
    ASSERT_TRUE(store.ok()) << ToString(store.errors());
    EXPECT_EQ(store->size(), 4U);
    EXPECT_EQ(store->Real(3, 0).shape(), kImage[0].shape);
    EXPECT_EQ(store->Real(3, 0).data<float>()[0], 18.0F / 255.0F);
  }
}

TEST(Samples, TheNetworksOwnShapeIsOneSample) {
  const ScratchFolder folder;
  for (const tensor::Shape& shape : {tensor::Shape{1, 1, 2, 3}, tensor::Shape{2, 3}}) {
    const auto store = LoadSamples(Saved(folder, "x.npy", Bytes(shape)), kImage, "--input");
    ASSERT_TRUE(store.ok()) << ToString(store.errors());
    EXPECT_EQ(store->size(), 1U);
  }
}

TEST(Samples, OnlyBytesAreDividedBy255) {
  const ScratchFolder folder;
  const auto reals = Tensor::From<float>({1, 2, 3}, std::vector<float>{1, 2, 3, 4, 5, 255});
  const auto words = Tensor::From<int16_t>({1, 2, 3}, std::vector<int16_t>{1, 2, 3, 4, 5, 255});
  for (const Tensor& tensor : {reals, words}) {
    const auto store = LoadSamples(Saved(folder, "x.npy", tensor), kImage, "--input");
    ASSERT_TRUE(store.ok());
    EXPECT_EQ(store->Real(0, 0).data<float>()[5], 255.0F);
  }
}

TEST(Samples, AnotherShapeIsRefused) {
  const ScratchFolder folder;
  const auto store = LoadSamples(Saved(folder, "x.npy", Bytes({4, 3, 2})), kImage, "--input");
  ASSERT_FALSE(store.ok());
  EXPECT_THAT(ToString(store.errors()),
              HasSubstr("x.npy: --input: shape 4x3x2 does not fit input 'image', which takes "
                        "1x1x2x3"));
}

TEST(Samples, NoSamplesAreRefused) {
  const ScratchFolder folder;
  EXPECT_FALSE(LoadSamples(Saved(folder, "x.npy", Bytes({0, 2, 3})), kImage, "--input").ok());
}

TEST(Samples, SeveralInputsComeFromAFolderByName) {
  const ScratchFolder folder;
  const std::vector<InputSpec> two = {{"a", {1, 2}}, {"b", {1, 3}}};
  Saved(folder, "a.npy", Bytes({5, 2}));
  Saved(folder, "b.npy", Bytes({5, 3}));
  const auto store = LoadSamples(folder.path(), two, "--input");
  ASSERT_TRUE(store.ok()) << ToString(store.errors());
  EXPECT_EQ(store->size(), 5U);
  Saved(folder, "b.npy", Bytes({4, 3}));
  EXPECT_THAT(ToString(LoadSamples(folder.path(), two, "--input").errors()),
              HasSubstr("4 samples for input 'b', 5 for input 'a'"));
  EXPECT_THAT(ToString(LoadSamples(folder / "a.npy", two, "--input").errors()),
              HasSubstr("the network has 2 inputs"));
}

TEST(Samples, RandomOnesDependOnTheSeedAlone) {
  const SampleStore a = RandomSamples(kImage, 3, 1), b = RandomSamples(kImage, 3, 1);
  const SampleStore c = RandomSamples(kImage, 3, 2);
  EXPECT_TRUE(a.random());
  EXPECT_EQ(a.Real(2, 0), b.Real(2, 0));
  EXPECT_NE(a.Real(2, 0), c.Real(2, 0));
  EXPECT_NE(a.Real(1, 0), a.Real(2, 0));
  for (size_t s = 0; s < 3; ++s) {
    for (const double v : a.Real(s, 0).ToF64()) {
      EXPECT_GE(v, 0);
      EXPECT_LT(v, 1);
    }
  }
  EXPECT_EQ(a.Real(0, 0).data<float>()[0], 0x1.1396e4p-2F) << "the same on every machine";
}

TEST(Labels, OneForEachSampleWithinTheClasses) {
  const ScratchFolder folder;
  const std::string file = Saved(folder, "y.npy", Bytes({4}));
  EXPECT_EQ(LoadLabels(file, 4, 4).value(), (std::vector<int64_t>{0, 1, 2, 3}));
  EXPECT_THAT(ToString(LoadLabels(file, 5, 4).errors()), HasSubstr("4 labels for 5 samples"));
  EXPECT_THAT(ToString(LoadLabels(file, 4, 3).errors()),
              HasSubstr("label 3 of sample 3; allowed is 0..2"));
  const auto reals = Tensor::From<float>({1}, std::vector<float>{1});
  EXPECT_THAT(ToString(LoadLabels(Saved(folder, "r.npy", reals), 1, 3).errors()),
              HasSubstr("labels are float32"));
}

}  // namespace
}  // namespace bw::cosim
