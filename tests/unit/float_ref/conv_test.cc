#include <gtest/gtest.h>

#include <random>

#include "tests/unit/float_ref/one_node.h"

namespace bw::float_ref {
namespace {

using tensor::Shape;
using tensor::Tensor;

struct Case {
  const char* what;
  Shape x, w;
  Ints strides, pads, dilations;
  int64_t group;
};

Tensor Random(std::mt19937& rng, const Shape& shape) {
  std::uniform_real_distribution<float> real(-1, 1);
  Tensor made(tensor::DType::kF32, shape);
  for (int64_t i = 0; i < made.elements(); ++i) made.data<float>()[i] = real(rng);
  return made;
}

int64_t Outputs(const Case& c, int axis) {
  const auto i = static_cast<size_t>(axis);
  const int64_t reach = (c.w[2 + axis] - 1) * c.dilations[i] + 1;
  return (c.x[2 + axis] + c.pads[i] + c.pads[i + 2] - reach) / c.strides[i] + 1;
}

// The definition: for every result, every tap whose position is inside.
double Definition(const Case& c, const Tensor& x, const Tensor& w, int64_t n, int64_t o, int64_t oh,
                  int64_t ow) {
  double sum = 0;
  const int64_t first = o / (c.w[0] / c.group) * c.w[1];
  for (int64_t i = 0; i < c.w[1]; ++i) {
    for (int64_t kh = 0; kh < c.w[2]; ++kh) {
      for (int64_t kw = 0; kw < c.w[3]; ++kw) {
        const int64_t ih = oh * c.strides[0] - c.pads[0] + kh * c.dilations[0];
        const int64_t iw = ow * c.strides[1] - c.pads[1] + kw * c.dilations[1];
        if (ih < 0 || ih >= c.x[2] || iw < 0 || iw >= c.x[3]) continue;
        sum += static_cast<double>(
                   x.data<float>()[((n * c.x[1] + first + i) * c.x[2] + ih) * c.x[3] + iw]) *
               static_cast<double>(w.data<float>()[((o * c.w[1] + i) * c.w[2] + kh) * c.w[3] + kw]);
      }
    }
  }
  return sum;
}

class ConvTest : public ::testing::TestWithParam<Case> {};

TEST_P(ConvTest, EqualsTheDefinition) {
  const Case& c = GetParam();
  std::mt19937 rng(7);
  const Tensor x = Random(rng, c.x), w = Random(rng, c.w), b = Random(rng, {c.w[0]});
  const Shape out({c.x[0], c.w[0], Outputs(c, 0), Outputs(c, 1)});
  const Tensor y = Evaluate(
      graph::Op::kConv,
      {{"strides", c.strides}, {"pads", c.pads}, {"dilations", c.dilations}, {"group", c.group}},
      {x, w, b}, out);
  ASSERT_GT(y.elements(), 0);
  const float* result = y.data<float>();
  for (int64_t n = 0; n < out[0]; ++n) {
    for (int64_t o = 0; o < out[1]; ++o) {
      for (int64_t oh = 0; oh < out[2]; ++oh) {
        for (int64_t ow = 0; ow < out[3]; ++ow) {
          const double expected =
              Definition(c, x, w, n, o, oh, ow) + static_cast<double>(b.data<float>()[o]);
          ASSERT_NEAR(*result++, expected, 1e-5) << n << "," << o << "," << oh << "," << ow;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Geometries, ConvTest,
    ::testing::Values(
        Case{"plain", {2, 3, 6, 5}, {4, 3, 3, 3}, {1, 1}, {0, 0, 0, 0}, {1, 1}, 1},
        Case{"pointwise", {2, 5, 4, 3}, {7, 5, 1, 1}, {1, 1}, {0, 0, 0, 0}, {1, 1}, 1},
        Case{"pointwise strided", {1, 5, 5, 5}, {2, 5, 1, 1}, {2, 2}, {0, 0, 0, 0}, {1, 1}, 1},
        Case{"pointwise padded", {1, 2, 3, 3}, {2, 2, 1, 1}, {1, 1}, {1, 0, 0, 1}, {1, 1}, 1},
        Case{"asymmetric", {1, 2, 7, 6}, {3, 2, 3, 2}, {2, 1}, {2, 0, 1, 3}, {1, 1}, 1},
        Case{"dilated", {1, 2, 9, 9}, {3, 2, 3, 3}, {1, 2}, {2, 2, 2, 2}, {2, 3}, 1},
        Case{"grouped", {2, 6, 5, 5}, {4, 3, 3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}, 2},
        Case{"depthwise", {2, 4, 6, 7}, {4, 1, 3, 3}, {2, 2}, {1, 1, 1, 1}, {1, 1}, 4},
        Case{"multiplier", {1, 3, 5, 5}, {6, 1, 3, 3}, {1, 1}, {0, 1, 2, 0}, {1, 1}, 3},
        Case{"padding beyond kernel", {1, 1, 2, 2}, {1, 1, 2, 2}, {1, 1}, {3, 3, 3, 3}, {1, 1}, 1}),
    [](const auto& info) {
      std::string name = info.param.what;
      for (char& c : name) c = c == ' ' ? '_' : c;
      return name;
    });

}  // namespace
}  // namespace bw::float_ref
