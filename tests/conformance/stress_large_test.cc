// Layers of the sizes that real networks have: weights and maps that do not fit on the chip.
#include "tests/conformance/stress_network.h"

namespace bw::conformance {
namespace {

// Two machines, one width: minutes otherwise.
const StressOptions kLarge = {{8}, {"tiny", "edge"}, Allow::kBudget};

TEST(StressLarge, ConvolutionOf512To512Channels) {
  StressNetwork net(100);
  net.Output(net.Relu(net.Conv(net.Input({1, 512, 7, 7}), {512})));
  ExpectIntPath(net, kLarge);
}

TEST(StressLarge, ClassifierOf1280To1000) {
  StressNetwork net(101);
  const ValueId pooled = net.Add(Op::kGlobalAveragePool, {net.Input({1, 1280, 7, 7})});
  net.Output(net.Softmax(net.Gemm(net.Reshape(pooled, {1, 1280}), 1000), 1));
  ExpectIntPath(net, kLarge);
}

TEST(StressLarge, ClassifierOfABatch) {
  StressNetwork net(102);
  net.Output(net.Gemm(net.Input({3, 1280}), 1000));
  ExpectIntPath(net, kLarge);
}

TEST(StressLarge, DepthwiseOf960Channels) {
  StressNetwork net(103);
  const ValueId x = net.Input({1, 960, 14, 14});
  net.Output(net.Clip(net.Depthwise(x, {2, 2}), 0, 6));
  net.Output(net.Depthwise(net.Input({1, 960, 7, 7})));
  ExpectIntPath(net, kLarge);
}

TEST(StressLarge, InvertedResidualOf960Channels) {
  StressNetwork net(104);
  const ValueId x = net.Input({1, 160, 7, 7});
  const ValueId wide = net.Clip(net.Pointwise(x, 960), 0, 6);
  const ValueId deep = net.Clip(net.Depthwise(wide), 0, 6);
  net.Output(net.Add(Op::kAdd, {x, net.Pointwise(deep, 160)}));
  ExpectIntPath(net, kLarge);
}

TEST(StressLarge, FirstLayersOfAnImageNetwork) {
  StressNetwork net(105);
  const ValueId x = net.Input({1, 3, 224, 224});
  const ValueId y = net.Clip(net.Conv(x, {32, {3, 3}, {2, 2}, {0, 0, 1, 1}}), 0, 6);
  const ValueId z = net.Pointwise(net.Clip(net.Depthwise(y), 0, 6), 16);
  net.Output(net.Add(Op::kMaxPool, {z},
                     {{"kernel_shape", Ints{3, 3}},
                      {"strides", Ints{2, 2}},
                      {"pads", Ints{1, 1, 1, 1}},
                      {"dilations", Ints{1, 1}},
                      {"ceil_mode", int64_t{0}}}));
  ExpectIntPath(net, kLarge);
}

TEST(StressLarge, ConcatAndShuffleOfLargeMaps) {
  StressNetwork net(106);
  const ValueId x = net.Input({1, 58, 28, 28}), y = net.Input({1, 58, 28, 28}, -1, 9);
  const ValueId both = net.Concat({x, net.Pointwise(y, 58)}, 1);
  const ValueId shuffled = net.Reshape(
      net.Transpose(net.Reshape(both, {1, 2, 58, 28, 28}), {0, 2, 1, 3, 4}), {1, 116, 28, 28});
  net.Output(net.Relu(shuffled));
  ExpectIntPath(net, kLarge);
}

TEST(StressLarge, AttentionOfTwelveHeads) {
  StressNetwork net(107);
  const ValueId x = net.Input({1, 64, 384});
  const auto heads = [&](const Ints& perm) {
    const ValueId made = net.Add(Op::kMatMul, {x, net.Constant({384, 384}, -0.05F, 0.05F)});
    return net.Transpose(net.Reshape(made, {1, 64, 12, 32}), perm);
  };
  const ValueId scores = net.Add(Op::kMatMul, {heads({0, 2, 1, 3}), heads({0, 2, 3, 1})});
  const ValueId mixed = net.Add(Op::kMatMul, {net.Softmax(scores, 3), heads({0, 2, 1, 3})});
  net.Output(net.Reshape(net.Transpose(mixed, {0, 2, 1, 3}), {1, 64, 384}));
  ExpectIntPath(net, kLarge);
}

// 12 bits: 16-bit containers, so twice the bytes.
TEST(StressLarge, TwelveBits) {
  StressNetwork net(108);
  const ValueId x = net.Conv(net.Input({1, 128, 14, 14}), {128});
  net.Output(net.Add(Op::kAdd, {x, net.Depthwise(x)}));
  ExpectIntPath(net, {{12}, {"tiny", "edge", "wide"}, Allow::kBudget});
}

}  // namespace
}  // namespace bw::conformance
