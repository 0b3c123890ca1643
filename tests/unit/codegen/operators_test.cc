// Every operator, on memories where everything fits, where activations are spilled, and where
// little fits: equal to the golden in every layer, with every dependence ordered by tokens.
#include <gtest/gtest.h>

#include <functional>

#include "tests/unit/codegen/network.h"
#include "tests/unit/codegen/run_program.h"

namespace bw::codegen {
namespace {

hwconfig::HwConfig Edge() {
  hwconfig::HwConfig config;
  config.act_bits = 16;
  config.weight_bits = 16;
  return config;
}

// A little machine: odd sizes, so that nothing is aligned by luck.
hwconfig::HwConfig Little() {
  hwconfig::HwConfig config = Edge();
  config.array_rows = 3;
  config.array_cols = 5;
  config.ppu_lanes = 4;
  config.acc_entries = 192;
  config.spm_bytes = 6 * 1024;
  config.spm_banks = 2;
  config.spm_bank_bytes = 4;
  config.ppu_param_entries = 32;
  config.queue_depth = 4;
  return config;
}

void ExpectAgrees(const Network& network, bool little_must_fit = true) {
  CompileOptions spill;
  spill.keep_resident = false;
  CompileOptions plain;
  plain.software_pipeline = false;
  struct Case {
    const char* name;
    hwconfig::HwConfig config;
    CompileOptions options;
    bool must_fit;
  };
  const Case cases[] = {{"resident", Edge(), {}, true},
                        {"resident, in order", Edge(), plain, true},
                        {"spilled", Edge(), spill, true},
                        {"little", Little(), {}, little_must_fit},
                        {"little, spilled", Little(), spill, little_must_fit}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const RunReport report = RunAndCompare(network.graph(), c.config, c.options, 1);
    if (c.must_fit) {
      EXPECT_EQ(report.compile_error, "");
    }
    if (!report.compile_error.empty()) continue;
    EXPECT_EQ(report.problem, "");
    EXPECT_GT(report.elements, 0);
  }
}

TEST(Operators, Convolution3x3) {
  Network net(1);
  net.Output(net.Conv(net.Input({1, 5, 9, 7}), {}));
  ExpectAgrees(net);
}

TEST(Operators, ConvolutionChain) {
  Network net(2);
  const auto a = net.Conv(net.Input({1, 3, 14, 13}), {});
  net.Output(net.Conv(net.Conv(a, Pointwise(21)), {}));
  ExpectAgrees(net);
}

TEST(Operators, ConvolutionStrideDilationPads) {
  Network net(3);
  const auto x = net.Input({2, 4, 12, 11});
  ConvSpec spec;
  spec.stride = 2;
  spec.pad_top = 2, spec.pad_left = 0, spec.pad_bottom = 1, spec.pad_right = 3;
  spec.kernel_h = 5, spec.kernel_w = 2;
  const auto a = net.Conv(x, spec);
  ConvSpec dilated;
  dilated.dilation = 2;
  dilated.pad_top = dilated.pad_left = dilated.pad_bottom = dilated.pad_right = 2;
  dilated.bias = false;
  dilated.per_channel = false;
  net.Output(net.Conv(a, dilated));
  ExpectAgrees(net);
}

TEST(Operators, DepthwiseConvolution) {
  Network net(4);
  const auto a = net.Conv(net.Input({1, 3, 10, 9}), Pointwise(19));
  ConvSpec spec = Depthwise(19);
  spec.stride = 2;
  net.Output(net.Conv(net.Conv(a, Depthwise(19)), spec));
  ExpectAgrees(net);
}

TEST(Operators, GroupedConvolution) {
  Network net(5);
  ConvSpec spec;
  spec.group = 3;
  spec.out = 15;
  const auto a = net.Conv(net.Input({1, 6, 8, 7}), spec);
  spec.leaky = true;
  net.Output(net.Conv(a, spec));
  ExpectAgrees(net);
}

TEST(Operators, LeakyRequantisation) {
  Network net(6);
  ConvSpec spec;
  spec.leaky = true;
  const auto a = net.Conv(net.Input({1, 4, 6, 6}), spec);
  const auto b = net.Requant(a, true, true);
  net.Output(net.Requant(b, false, true));
  ExpectAgrees(net);
}

TEST(Operators, ResidualAddAndSqueezeExcite) {
  Network net(7);
  const auto x = net.Conv(net.Input({1, 3, 12, 10}), {});
  const auto gate = net.Lut(net.Conv(net.Conv(net.GlobalPool(x), Pointwise(3)), Pointwise(8)));
  const auto scaled = net.Mul(x, gate);
  const auto sum = net.Add(net.Conv(scaled, {}), x);
  net.Output(net.Add(sum, net.Constant({1, 8, 1, 1}), true, false));
  ExpectAgrees(net);
}

TEST(Operators, Pools) {
  Network net(8);
  const auto x = net.Conv(net.Input({1, 3, 13, 12}), {});
  PoolSpec max;
  max.kernel_h = max.kernel_w = 3;
  max.pad_top = max.pad_left = max.pad_bottom = max.pad_right = 1;
  const auto a = net.Pool(x, max);
  PoolSpec average = max;
  average.is_max = false;
  average.stride = 1;
  const auto b = net.Pool(a, average);
  net.Output(b);
  net.Output(net.GlobalPool(b, true));
  net.Output(net.GlobalPool(a, false));
  ExpectAgrees(net);
}

TEST(Operators, ZeroPointsAndUnsignedValues) {
  Network net(9);
  net.SetSigned(false);
  net.SetZeroPoints(true);
  const auto x = net.Conv(net.Input({1, 3, 8, 8}), {});
  const auto y = net.Conv(x, Depthwise(8));
  PoolSpec average;
  average.is_max = false;
  const auto z = net.Pool(net.Mul(x, y), average);
  net.Output(net.Add(z, net.Requant(z, true, false)));
  ExpectAgrees(net);
}

TEST(Operators, MatMulWithConstant) {
  Network net(10);
  const auto a = net.Input({7, 33});
  net.Output(net.MatMul(net.MatMul(a, 41), 10, false));
  ExpectAgrees(net);
}

TEST(Operators, Attention) {
  Network net(11);
  const auto x = net.Input({1, 9, 24});
  const auto q = net.Transpose(net.Reshape(net.MatMul(x, 24), {1, 9, 3, 8}), {0, 2, 1, 3});
  const auto k = net.Transpose(net.Reshape(net.MatMul(x, 24), {1, 9, 3, 8}), {0, 2, 3, 1});
  const auto v = net.Transpose(net.Reshape(net.MatMul(x, 24), {1, 9, 3, 8}), {0, 2, 1, 3});
  const auto scores = net.Softmax(net.MatMulOf(q, k));
  const auto mixed = net.Reshape(net.Transpose(net.MatMulOf(scores, v), {0, 2, 1, 3}), {1, 9, 24});
  net.Output(net.Add(net.MatMul(mixed, 24), x));
  ExpectAgrees(net);
}

TEST(Operators, FlattenToClassifier) {
  Network net(12);
  const auto x = net.Conv(net.Input({1, 3, 6, 5}), {});
  net.Output(net.MatMul(net.Reshape(x, {1, 240}), 10));
  net.Output(net.Reshape(net.GlobalPool(x), {1, 8}));
  ExpectAgrees(net);
}

TEST(Operators, ReshapeWithoutCommonAxes) {
  Network net(13);
  const auto x = net.Conv(net.Input({1, 3, 3, 3}), Pointwise(4));
  const auto y = net.Reshape(x, {1, 6, 6, 1});
  net.Output(net.Conv(y, {}));
  net.Output(y);
  ExpectAgrees(net);
}

TEST(Operators, SliceOfConvolution) {
  Network net(14);
  const auto x = net.Conv(net.Input({1, 3, 9, 8}), {});
  const auto odd = net.Slice(x, {0, 1, 8, 0}, {1, 2, -2, 1}, {1, 4, 5, 8});
  net.Output(net.Conv(odd, {}));
  net.Output(net.Requant(net.Slice(x, {0, 3, 2, 1}, {1, 1, 1, 3}, {1, 5, 7, 3}), true, false));
  ExpectAgrees(net);
}

TEST(Operators, ConcatOfChannels) {
  Network net(15);
  const auto in = net.Input({1, 3, 7, 6});
  const auto a = net.Conv(in, {});
  const auto b = net.Conv(a, Pointwise(5));
  net.mutable_graph().value(b).zero_point = net.mutable_graph().value(a).zero_point;
  const auto all = net.Concat({a, b}, 1);
  net.Output(net.Conv(all, {}));
  net.Output(net.Concat({in, in}, 2));
  net.Output(net.Concat({all, net.Concat({b, b}, 1)}, 1));
  ExpectAgrees(net);
}

TEST(Operators, PadThenConvolution) {
  Network net(16);
  const auto x = net.Conv(net.Input({1, 3, 6, 7}), {});
  const auto padded = net.Pad(x, {0, 1, 2, 0}, {0, 2, 1, 3});
  net.Output(net.Conv(padded, Pointwise(6)));
  net.Output(net.Pad(net.Input({5, 6}), {1, 0}, {0, 3}));
  ExpectAgrees(net);
}

TEST(Operators, ScalarsAndSmallRanks) {
  Network net(17);
  const auto x = net.Input({5});
  const auto y = net.Requant(net.Add(x, net.Constant({1})), true, false);
  net.Output(net.Lut(y, 64, true));
  net.Output(net.Requant(net.Input(tensor::Shape(std::vector<int64_t>{})), false, false));
  ExpectAgrees(net);
}

TEST(Operators, BroadcastOverManyAxes) {
  Network net(18);
  const auto a = net.Input({2, 1, 3, 1, 4, 2});
  const auto b = net.Input({1, 3, 1, 2, 1, 2});
  net.Output(net.Mul(net.Add(a, b), b));
  ExpectAgrees(net);
}

TEST(Operators, OutputsThatAreInputsOrViews) {
  Network net(19);
  const auto x = net.Input({1, 4, 3, 3});
  net.Output(net.Transpose(x, {0, 2, 3, 1}));
  net.Output(net.Reshape(net.Requant(x, true, false), {1, 4, 9}));
  net.Output(x);
  ExpectAgrees(net);
}

TEST(Operators, ViewNamedAfterTheLastReaderOfItsStorage) {
  Network net(20);
  const auto x = net.Pad(net.Input({1, 4, 3, 3}), {0, 0, 1, 1}, {0, 0, 0, 1});
  auto y = net.Requant(x, true, false);
  for (int i = 0; i < 12; ++i) y = net.Requant(y, true, false);
  net.Output(y);
  net.Output(net.Transpose(x, {0, 2, 3, 1}));
  ExpectAgrees(net);
}

TEST(Operators, ProductOfHeadsIntoAConvolution) {
  for (const int bits : {5, 8, 12}) {
    Network net(21, bits);
    const auto x = net.Input({1, 3, 5, 7});
    const auto heads = net.MatMulOf(x, net.Transpose(x, {0, 1, 3, 2}));
    net.Output(net.Conv(heads, {}));
    net.Output(heads);
    ExpectAgrees(net);
  }
}

class Widths : public testing::TestWithParam<int> {};

TEST_P(Widths, Network) {
  Network net(static_cast<uint32_t>(GetParam()), GetParam());
  const auto x = net.Conv(net.Input({1, 3, 9, 7}), {});
  ConvSpec spec = Depthwise(8);
  spec.weight_bits = GetParam();
  const auto y = net.Conv(x, spec);
  ConvSpec odd = Pointwise(13);
  odd.weight_bits = GetParam();
  const auto z = net.Conv(net.Add(x, y), odd);
  PoolSpec average;
  average.is_max = false;
  const auto pooled = net.Pool(z, average);
  const auto gate = net.Lut(net.Conv(net.GlobalPool(z), Pointwise(13)), 64, true);
  net.Output(net.Mul(pooled, gate));
  ConvSpec grouped;
  grouped.group = 13;
  grouped.out = 26;
  grouped.weight_bits = GetParam();
  const auto g = net.Conv(pooled, grouped);
  net.Output(net.MatMul(net.Reshape(g, {1, 26 * 12}), 10));
  net.Output(net.Concat({pooled, net.Conv(pooled, Pointwise(3))}, 1));
  ExpectAgrees(net);
}
INSTANTIATE_TEST_SUITE_P(Bits, Widths, testing::Values(2, 3, 4, 5, 6, 7, 8, 12, 16));

}  // namespace
}  // namespace bw::codegen
