#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "compiler/graph/window.h"
#include "tests/unit/golden/builder.h"

namespace bw::golden {
namespace {

using graph::IntConv;
using ::testing::ElementsAre;

// A 1x1 input plane against one 1x1 filter a channel: y_o = requantise(x * w_o + b_o).
IntGraph Pointwise(std::vector<int32_t> w, std::vector<int32_t> bias, RequantSet requant,
                   Type out = {}) {
  IntGraph g;
  const auto filters = static_cast<int64_t>(w.size());
  const auto x = AddInput(g, {1, 1, 1, 1});
  IntConv conv;
  conv.requant = std::move(requant);
  AddNode(g, conv,
          {x, AddValue(g, "w", {filters, 1, 1, 1}, {}, std::move(w)), AddBias(g, std::move(bias))},
          {1, filters, 1, 1}, out);
  return g;
}

TEST(Conv, AddsTheBiasBeforeTheRequantisation) {
  const IntGraph g = Pointwise({3, -3}, {100, 100}, Scaled(1, 1));
  EXPECT_THAT(Results(g, {{{1, 1, 1, 1}, {5}}}), ElementsAre(58, 43));  // 115 / 2, 85 / 2, up
}

TEST(Conv, RoundsTiesOfBothSignsByTheMode) {
  IntGraph g = Pointwise({1, -1, 3, -3, 5, -5}, {0, 0, 0, 0, 0, 0}, Scaled(1, 1));
  const auto with = [&](arith::Rounding mode) {
    g.nodes[0].rounding = mode;
    return Results(g, {{{1, 1, 1, 1}, {1}}});
  };
  EXPECT_THAT(with(arith::Rounding::kHalfUp), ElementsAre(1, 0, 2, -1, 3, -2));
  EXPECT_THAT(with(arith::Rounding::kHalfAway), ElementsAre(1, -1, 2, -2, 3, -3));
  EXPECT_THAT(with(arith::Rounding::kHalfEven), ElementsAre(0, 0, 2, -2, 2, -2));
  EXPECT_THAT(with(arith::Rounding::kFloor), ElementsAre(0, -1, 1, -2, 2, -3));
  EXPECT_THAT(with(arith::Rounding::kTruncate), ElementsAre(0, 0, 1, -1, 2, -2));
  EXPECT_THAT(with(arith::Rounding::kDouble), ElementsAre(1, 0, 2, -1, 3, -2));
}

TEST(Conv, RequantisesEachChannelWithItsOwnEntry) {
  const RequantSet set{{{1, 0, 10, -128, 127}, {1, 1, 0, 0, 6}, {3, 0, -5, -20, 127}}, {}};
  const IntGraph g = Pointwise({4, 4, -4}, {0, 0, 0}, set);
  const GoldenRun run = RunGraph(g, {{{1, 1, 1, 1}, {5}}});
  EXPECT_THAT(run.outputs[0].data, ElementsAre(30, 6, -20));
  EXPECT_EQ(run.counts[0].saturations, 2);
}

TEST(Conv, UsesTheNegativeSetBelowZero) {
  RequantSet set = Scaled(1, 0);
  set.negative = {{1, 3, -1, -128, 127}};
  const IntGraph g = Pointwise({8, -8, 0}, {0, 0, 0}, set);
  EXPECT_THAT(Results(g, {{{1, 1, 1, 1}, {4}}}), ElementsAre(32, -5, 0));
}

TEST(Conv, ProfileFp32EvenScalesInFloat32) {
  // 0.1f is 13421773 * 2^-27, a little above 0.1.
  IntGraph g = Pointwise({1, -1, 127}, {4, -4, 16777217}, Scaled(13421773, 27, kWide), kWide);
  g.profile = "fp32_even";
  const auto y = Results(g, {{{1, 1, 1, 1}, {1}}});
  // 5 * 0.1f rounds to 0.5 in float32, which goes to even; exactly it is above 0.5. The third sum
  // leaves float32's 24 bits.
  const float third = static_cast<float>(127 + 16777217) * 0.1F;
  EXPECT_THAT(y, ElementsAre(0, 0, static_cast<int32_t>(std::nearbyint(third))));
  g.profile = "tosa32";
  EXPECT_EQ(Results(g, {{{1, 1, 1, 1}, {1}}})[0], 1);
}

TEST(Conv, AccumulatorsWrapAndAreCounted) {
  IntGraph g = Pointwise({127, 127, -127}, {16639, 16638, -16640}, Raw(), kWide);
  g.acc_bits = 16;
  const GoldenRun run = RunGraph(g, {{{1, 1, 1, 1}, {127}}});
  EXPECT_THAT(run.outputs[0].data, ElementsAre(-32768, 32767, 32767));
  EXPECT_EQ(run.counts[0].overflows, 2);
}

TEST(Conv, PaddingContributesTheZeroPoint) {
  IntGraph g;
  const auto x = AddInput(g, {1, 1, 1, 2}, {8, false, 100});
  IntConv conv;
  conv.pad_left = 1;
  conv.pad_right = 2;
  conv.requant = Raw();
  AddNode(g, conv, {x, AddValue(g, "w", {1, 1, 1, 2}, {8, true, 3}, {4, 13})}, {1, 1, 1, 4}, kWide);
  // x - 100 = 1, -2 and w - 3 = 1, 10 with zeros around.
  EXPECT_THAT(Results(g, {{{1, 1, 1, 2}, {101, 98}}}), ElementsAre(10, -19, -2, 0));
}

struct Case {
  const char* what;
  Shape x, w;
  int64_t stride_h, stride_w, dilation_h, dilation_w, group;
  std::vector<int64_t> pads;  // top, left, bottom, right
};

const Case kCases[] = {
    {"plain", {2, 3, 6, 5}, {4, 3, 3, 3}, 1, 1, 1, 1, 1, {0, 0, 0, 0}},
    {"pointwise", {1, 5, 9, 7}, {7, 5, 1, 1}, 1, 1, 1, 1, 1, {0, 0, 0, 0}},
    {"strided", {1, 4, 9, 8}, {5, 4, 3, 2}, 2, 3, 1, 1, 1, {0, 0, 0, 0}},
    {"asymmetric", {1, 2, 7, 6}, {3, 2, 3, 2}, 2, 1, 1, 1, 1, {2, 0, 1, 3}},
    {"dilated", {1, 2, 9, 9}, {3, 2, 3, 3}, 1, 2, 2, 3, 1, {2, 2, 2, 2}},
    {"dilated_rows", {1, 3, 9, 9}, {3, 3, 3, 3}, 1, 1, 2, 1, 1, {2, 1, 2, 1}},
    {"grouped", {2, 6, 5, 5}, {4, 3, 3, 3}, 1, 1, 1, 1, 2, {1, 1, 1, 1}},
    {"depthwise", {2, 4, 6, 7}, {4, 1, 3, 3}, 2, 1, 1, 2, 4, {1, 1, 1, 1}},
    {"multiplier", {1, 3, 5, 5}, {6, 1, 3, 3}, 1, 1, 1, 1, 3, {0, 1, 2, 0}},
    {"one_channel", {1, 1, 12, 12}, {8, 1, 5, 5}, 1, 1, 1, 1, 1, {2, 2, 2, 2}},
    {"whole_plane", {1, 3, 4, 4}, {5, 3, 4, 4}, 1, 1, 1, 1, 1, {0, 0, 0, 0}},
    {"mostly_padding", {1, 2, 2, 2}, {3, 2, 2, 2}, 1, 1, 1, 1, 1, {3, 3, 3, 3}},
};

IntGraph GraphOf(const Case& c, std::mt19937& rng, Type x, Type w, int acc_bits, RequantSet set,
                 Type out) {
  IntGraph g;
  g.acc_bits = acc_bits;
  IntConv conv;
  conv.stride_h = c.stride_h, conv.stride_w = c.stride_w;
  conv.dilation_h = c.dilation_h, conv.dilation_w = c.dilation_w;
  conv.group = c.group;
  conv.pad_top = c.pads[0], conv.pad_left = c.pads[1];
  conv.pad_bottom = c.pads[2], conv.pad_right = c.pads[3];
  conv.requant = std::move(set);
  const auto rows =
      graph::WindowCount(c.x[2], {c.w[2], c.stride_h, c.dilation_h, c.pads[0], c.pads[2]}, false);
  const auto columns =
      graph::WindowCount(c.x[3], {c.w[3], c.stride_w, c.dilation_w, c.pads[1], c.pads[3]}, false);
  const auto in = AddInput(g, c.x, x);
  const auto weights = AddValue(g, "w", c.w, w, RandomValues(rng, c.w.Elements(), w));
  const auto bias = AddBias(g, RandomValues(rng, c.w[0], {14}));
  AddNode(g, conv, {in, weights, bias}, {c.x[0], c.w[0], rows.value(), columns.value()}, out);
  return g;
}

// The types that decide which fast kernel runs: 8-bit, wider than int16 after the zero point, sums
// beyond int32, and the narrowest.
const std::pair<Type, Type> kTypes[] = {
    {{8, true, 0}, {8, true, 0}},        {{8, false, 113}, {8, true, -7}},
    {{16, true, 0}, {8, true, 0}},       {{16, true, -32768}, {8, true, 0}},
    {{16, false, 65535}, {16, true, 1}}, {{16, true, 0}, {16, true, 0}},
    {{2, true, 0}, {2, true, 1}},        {{4, false, 15}, {3, true, 0}},
};

TEST(Conv, FastKernelsEqualTheDefinition) {
  std::mt19937 rng(1);
  int64_t compared = 0, overflows = 0, saturations = 0;
  for (const Case& c : kCases) {
    for (const auto& [x, w] : kTypes) {
      for (const int acc_bits : {16, 32, 48}) {
        RequantSet set;
        for (int64_t o = 0; o < c.w[0]; ++o) set.entries.push_back({33000 + o, 22, -3, -100, 120});
        const IntGraph g = GraphOf(c, rng, x, w, acc_bits, set, {});
        const IntTensor in = RandomTensor(rng, c.x, x);
        const GoldenRun fast = RunGraph(g, {in}), direct = RunGraph(g, {in}, Kernels::kDirect);
        ASSERT_EQ(fast.outputs[0], direct.outputs[0]) << c.what << " at " << x.bits << " bits";
        ASSERT_EQ(fast.counts[0].overflows, direct.counts[0].overflows) << c.what;
        ASSERT_EQ(fast.counts[0].saturations, direct.counts[0].saturations) << c.what;
        compared += fast.outputs[0].elements();
        overflows += fast.counts[0].overflows;
        saturations += fast.counts[0].saturations;
      }
    }
  }
  EXPECT_GT(compared, 10000);
  EXPECT_GT(overflows, 1000);
  EXPECT_GT(saturations, 1000);
}

TEST(Conv, FastKernelsAreExactAtTheEdgeOfInt32) {
  // 131,071 products of -128 * -128 make 2^31 - 2^14; one more makes 2^31 and needs 64 bits.
  for (const int64_t channels : {131071, 131072}) {
    IntGraph g;
    g.acc_bits = 48;
    const auto n = static_cast<size_t>(channels);
    const auto x = AddInput(g, {1, channels, 1, 1});
    IntConv conv;
    conv.requant = Scaled(1, 1, kWide);
    AddNode(g, conv, {x, AddValue(g, "w", {1, channels, 1, 1}, {}, std::vector<int32_t>(n, -128))},
            {1, 1, 1, 1}, kWide);
    EXPECT_THAT(Results(g, {{{1, channels, 1, 1}, std::vector<int32_t>(n, -128)}}),
                ElementsAre(channels << 13));
  }
}

}  // namespace
}  // namespace bw::golden
