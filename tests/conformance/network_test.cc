// A trained network from file to classes.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "compiler/frontend/onnx/onnx_import.h"
#include "models/float_ref/executor.h"

namespace bw::conformance {
namespace {

// The bytes of a uint8 .npy file: they end the file.
std::vector<uint8_t> LastBytes(const std::string& path, size_t count) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> all{std::istreambuf_iterator<char>(file), {}};
  if (all.size() < count) return {};
  return {all.end() - static_cast<std::ptrdiff_t>(count), all.end()};
}

TEST(Network, FashionSeClassifiesItsTestImages) {
  constexpr size_t kImages = 64, kPixels = 28 * 28;
  const std::string zoo = BW_SOURCE_DIR "/models/zoo/";
  const auto pixels = LastBytes(zoo + "fashion_se_images.npy", kImages * kPixels);
  const auto labels = LastBytes(zoo + "fashion_se_labels.npy", kImages);
  ASSERT_EQ(pixels.size() + labels.size(), kImages * (kPixels + 1));
  const auto graph = frontend::ImportOnnx(zoo + "fashion_se.onnx");
  ASSERT_TRUE(graph.ok()) << ToString(graph.errors());
  const float_ref::FloatExecutor executor(*graph);
  int right = 0;
  for (size_t i = 0; i < kImages; ++i) {
    tensor::Tensor image(tensor::DType::kF32, {1, 1, 28, 28});
    for (size_t p = 0; p < kPixels; ++p) {
      image.data<float>()[p] = static_cast<float>(pixels[i * kPixels + p]) / 255;
    }
    const auto logits = executor.Run({image}).value().at(0);
    const float* first = logits.data<float>();
    right += std::max_element(first, first + logits.elements()) - first == labels[i];
  }
  // 58 of these, 92.5 % of the whole test set; a retrained network may differ a little.
  EXPECT_GE(right, 54);
  RecordProperty("right", right);
}

}  // namespace
}  // namespace bw::conformance
