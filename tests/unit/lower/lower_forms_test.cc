// Operators whose integer form depends on shapes, constants and attributes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/lower/lower.h"
#include "tests/unit/lower/float_graph.h"

namespace bw::lower {
namespace {

using graph::IntGraph;
using graph::Op;
using graph::ValueId;
using testing::ElementsAre;
using testing::HasSubstr;
using Ints = std::vector<int64_t>;

IntGraph Lowered(const FloatGraph& f) {
  auto lowered = Lower(f.graph, f.ranges, Settings{});
  EXPECT_TRUE(lowered.ok()) << ToString(lowered.errors());
  return lowered.ok() ? *std::move(lowered) : IntGraph{};
}

std::string ErrorOf(const FloatGraph& f) {
  const auto lowered = Lower(f.graph, f.ranges, Settings{});
  return lowered.ok() ? "" : ToString(lowered.errors());
}

std::vector<std::string> Kinds(const IntGraph& g) {
  std::vector<std::string> kinds;
  for (const graph::IntNode& node : g.nodes) kinds.emplace_back(graph::KindName(node.params));
  return kinds;
}

std::map<std::string, graph::Attribute> PoolAttributes(Ints kernel, Ints strides, Ints pads,
                                                       int64_t ceil, int64_t include_pad) {
  return {{"kernel_shape", std::move(kernel)},
          {"strides", std::move(strides)},
          {"pads", std::move(pads)},
          {"ceil_mode", ceil},
          {"count_include_pad", include_pad}};
}

TEST(LowerForms, CeilModeBecomesEndPadding) {
  FloatGraph f;
  const ValueId x = f.Input("x", {1, 1, 4, 4}, 127.0);
  f.Output(f.Node(Op::kAveragePool, "pool", {x}, {1, 1, 2, 2}, 127.0,
                  PoolAttributes({3, 3}, {2, 2}, {0, 0, 0, 0}, 1, 0)));
  const IntGraph g = Lowered(f);
  const auto& pool = std::get<graph::IntPool>(g.nodes.at(0).params);
  EXPECT_EQ(pool.pad_bottom, 1);
  EXPECT_EQ(pool.pad_right, 1);
  EXPECT_EQ(pool.by_count.size(), 3u) << "9, 6 and 4 valid elements";
}

TEST(LowerForms, PaddedWindowsAreDividedByWhatLiesInsideThePaddedExtent) {
  FloatGraph f;
  const ValueId x = f.Input("x", {1, 1, 4, 1}, 127.0);
  // Windows from -1, 1 and 3; the last leaves even the padding (extent 6) by one.
  f.Output(f.Node(Op::kAveragePool, "pool", {x}, {1, 1, 3, 1}, 127.0,
                  PoolAttributes({3, 1}, {2, 1}, {1, 0, 1, 0}, 1, 1)));
  const IntGraph g = Lowered(f);
  const auto& by_count = std::get<graph::IntPool>(g.nodes.at(0).params).by_count;
  const auto divide = [&](int64_t n, int64_t sum) {
    return arith::Requantise(sum, by_count.at(n), arith::Rounding::kHalfUp);
  };
  EXPECT_EQ(divide(3, 30), 10);
  EXPECT_EQ(divide(2, 30), 10) << "two elements and one of padding";
  EXPECT_EQ(divide(1, 30), 15) << "one element and one of padding";
}

TEST(LowerForms, WindowsThatDifferInTheDivisorAloneAreRefused) {
  FloatGraph f;
  const ValueId x = f.Input("x", {1, 1, 4, 1}, 127.0);
  // Windows from -1 (2 valid, 3 in the padded extent) and 2 (2 valid, 2 in it).
  f.Output(f.Node(Op::kAveragePool, "pool", {x}, {1, 1, 2, 1}, 127.0,
                  PoolAttributes({3, 1}, {3, 1}, {1, 0, 0, 0}, 1, 1)));
  EXPECT_THAT(ErrorOf(f), HasSubstr("AveragePool 'pool': windows of 2 elements are divided by 3 "
                                    "and by 2"));
}

TEST(LowerForms, FactorsAlongAnotherAxisRunUnderAShapeThatMakesItTheChannels) {
  FloatGraph f;
  const ValueId x = f.Input("x", {2, 3, 5}, 127.0);
  const ValueId c = f.Constant("c", {3, 1}, {1.0F, 0.0F, 0.5F});
  f.Output(f.Node(Op::kMul, "mul", {x, c}, {2, 3, 5}, 127.0));
  const IntGraph g = Lowered(f);
  EXPECT_THAT(Kinds(g), ElementsAre("Reshape", "Requant", "Reshape"));
  EXPECT_EQ(g.value(g.nodes[1].output).shape, (tensor::Shape{2, 3, 5, 1}));
  EXPECT_EQ(g.value(g.outputs[0]).name, "mul_out") << "the result keeps its name";
  EXPECT_EQ(g.value(g.outputs[0]).float_value, "mul_out");
}

TEST(LowerForms, SlopesThatAreNotOneAChannelDoNotFuse) {
  for (const tensor::Shape& slopes : {tensor::Shape{3, 1}, tensor::Shape{2, 1, 1, 1}}) {
    FloatGraph f;
    const ValueId x = f.Input("x", {2, 2, 3, 2}, 127.0);
    const ValueId y = f.Node(Op::kAdd, "add", {x, x}, {2, 2, 3, 2}, 127.0);
    const auto count = static_cast<size_t>(slopes.Elements());
    const ValueId s = f.Constant("s", slopes, std::vector<float>(count, 0.5F));
    f.Output(f.Node(Op::kPRelu, "prelu", {y, s}, {2, 2, 3, 2}, 127.0));
    EXPECT_THAT(Kinds(Lowered(f)), ElementsAre("Add", "Reshape", "Requant", "Reshape"));
  }
}

TEST(LowerForms, NegativeSlopesAreAProductBesideThePositivePart) {
  FloatGraph f;
  const ValueId x = f.Input("x", {1, 2}, 127.0);
  const ValueId s = f.Constant("s", {2}, {-0.5F, 2.0F});
  f.Output(f.Node(Op::kPRelu, "prelu", {x, s}, {1, 2}, 254.0));
  const IntGraph g = Lowered(f);
  EXPECT_THAT(Kinds(g), ElementsAre("Requant", "Requant", "Mul", "Add"));
  EXPECT_EQ(std::get<graph::IntRequant>(g.nodes[0].params).requant.entries[0].lo, 0);
  EXPECT_EQ(std::get<graph::IntRequant>(g.nodes[1].params).requant.entries[0].hi, 0);
}

TEST(LowerForms, StageOneReachesNegativeSumsThatASlopeShrinks) {
  FloatGraph f;
  const ValueId x = f.Input("x", {1}, 127.0), y = f.Input("y", {1}, 127.0);
  const ValueId sum = f.Node(Op::kAdd, "add", {x, y}, {1}, 254.0);
  f.Output(f.Node(Op::kLeakyRelu, "leaky", {sum}, {1}, 25.4, {{"alpha", 0.1}}));
  const IntGraph g = Lowered(f);
  ASSERT_THAT(Kinds(g), ElementsAre("Add"));
  const auto& add = std::get<graph::IntAdd>(g.nodes[0].params);
  const auto rounding = arith::Rounding::kHalfUp;
  const auto result = [&](int64_t q) {
    const int64_t stage1 = arith::AddAligned(q, q, add.add, rounding);
    const graph::RequantSet& set = add.requant;
    return arith::Requantise(stage1, stage1 < 0 ? set.negative[0] : set.entries[0], rounding);
  };
  EXPECT_EQ(result(-127), -127) << "-254 * 0.1 in steps of 0.2";
  EXPECT_EQ(result(-64), -64);
  EXPECT_EQ(result(5), 50);
}

TEST(LowerForms, DivisionByAnyConstantsIsAProductWithReciprocals) {
  FloatGraph f;
  const ValueId x = f.Input("x", {2, 2}, 127.0);
  const ValueId c = f.Constant("c", {2, 2}, {-1.0F, 2.0F, 4.0F, 8.0F});
  f.Output(f.Node(Op::kDiv, "div", {x, c}, {2, 2}, 127.0));
  const IntGraph g = Lowered(f);
  ASSERT_THAT(Kinds(g), ElementsAre("Mul"));
  EXPECT_THAT(g.value(g.nodes[0].inputs[1]).constant, ElementsAre(-127, 64, 32, 16));
}

TEST(LowerForms, DivisionByZeroIsRefused) {
  FloatGraph f;
  const ValueId x = f.Input("x", {2}, 127.0);
  const ValueId c = f.Constant("c", {2}, {1.0F, 0.0F});
  f.Output(f.Node(Op::kDiv, "div", {x, c}, {2}, 127.0));
  EXPECT_THAT(ErrorOf(f), HasSubstr("Div 'div': division by 0"));
}

TEST(LowerForms, PaddingBeyondTheInputsRangeRescalesTheInput) {
  for (const double value : {1.0, 10.0}) {
    FloatGraph f;
    const ValueId x = f.Input("x", {4}, 1.0);
    f.Output(f.Node(Op::kPad, "pad", {x}, {6}, std::max(value, 1.0),
                    {{"pads", Ints{1, 1}}, {"mode", std::string("constant")}, {"value", value}}));
    const IntGraph g = Lowered(f);
    EXPECT_EQ(g.nodes.size(), value > 1 ? 2u : 1u);
    EXPECT_EQ(std::get<graph::IntPad>(g.nodes.back().params).value, 127);
    EXPECT_DOUBLE_EQ(g.value(g.outputs[0]).scale, value / 127);
  }
}

TEST(LowerForms, PaddingOfZerosHasTheScaleOfThePadding) {
  FloatGraph f;
  const ValueId x = f.Input("x", {4}, 0.0);
  f.Output(f.Node(Op::kPad, "pad", {x}, {6}, 0.5,
                  {{"pads", Ints{1, 1}}, {"mode", std::string("constant")}, {"value", 0.5}}));
  EXPECT_DOUBLE_EQ(Lowered(f).value(Lowered(f).outputs[0]).scale, 0.5 / 127);
}

TEST(LowerForms, MatrixProductOfRankFourRunsOnRowsSoThatColumnsAreTheChannels) {
  FloatGraph f;
  const ValueId x = f.Input("x", {1, 3, 2, 2}, 127.0);  // as many channels as columns
  const ValueId w = f.Constant("w", {2, 3}, {1, 2, 3, 4, 5, 6});
  f.Output(f.Node(Op::kMatMul, "mm", {x, w}, {1, 3, 2, 3}, 127.0));
  const IntGraph g = Lowered(f);
  EXPECT_THAT(Kinds(g), ElementsAre("Reshape", "MatMul", "Reshape"));
  EXPECT_EQ(g.value(g.nodes[1].output).shape, (tensor::Shape{6, 3}));
}

TEST(LowerForms, MatrixProductTakesVectorsAndSharedActivations) {
  FloatGraph f;
  const ValueId a = f.Input("a", {2, 3, 4}, 1.0);
  const ValueId v = f.Input("v", {4}, 1.0);
  const ValueId m = f.Input("m", {4, 5}, 1.0);
  f.Output(f.Node(Op::kMatMul, "av", {a, v}, {2, 3}, 1.0));
  f.Output(f.Node(Op::kMatMul, "am", {a, m}, {2, 3, 5}, 1.0));
  f.Output(f.Node(Op::kMatMul, "vm", {v, m}, {5}, 1.0));
  const IntGraph g = Lowered(f);
  std::vector<tensor::Shape> products;
  for (const graph::IntNode& node : g.nodes) {
    if (std::holds_alternative<graph::IntMatMul>(node.params)) {
      products.push_back(g.value(node.output).shape);
    }
  }
  EXPECT_THAT(products, ElementsAre(tensor::Shape{6, 1}, tensor::Shape{6, 5}, tensor::Shape{1, 5}));
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(g.value(g.outputs[i]).shape, f.graph.value(f.graph.outputs[i]).shape);
  }
}

TEST(LowerForms, SoftmaxOnAMiddleAxisKeepsTheNameOfItsResult) {
  FloatGraph f;
  const ValueId x = f.Input("x", {2, 3, 5}, 1.0);
  f.Output(f.Node(Op::kSoftmax, "soft", {x}, {2, 3, 5}, 1.0, {{"axis", int64_t{1}}}));
  const IntGraph g = Lowered(f);
  EXPECT_THAT(Kinds(g), ElementsAre("Transpose", "Softmax", "Transpose"));
  EXPECT_EQ(g.value(g.outputs[0]).name, "soft_out");
}

// Resize of an axis by `sources`: the kinds that it becomes.
std::vector<std::string> ResizeKinds(std::vector<int64_t> first, std::vector<int64_t> second) {
  FloatGraph f;
  const ValueId x = f.Input("x", {8, 8}, 1.0);
  const tensor::Shape shape(
      {static_cast<int64_t>(first.size()), static_cast<int64_t>(second.size())});
  std::vector<int64_t> sources = std::move(first);
  sources.insert(sources.end(), second.begin(), second.end());
  f.Output(f.Node(Op::kResize, "resize", {x}, shape, 1.0,
                  {{"sizes", shape.dims}, {"sources", sources}}));
  const IntGraph g = Lowered(f);
  EXPECT_EQ(g.value(g.outputs[0]).name, "resize_out");
  EXPECT_EQ(g.value(g.outputs[0]).scale, g.value(g.inputs[0]).scale);
  EXPECT_EQ(g.nodes.back().name, "resize");
  std::vector<std::string> kinds;
  for (const auto& node : g.nodes) kinds.emplace_back(graph::KindName(node.params));
  return kinds;
}

TEST(LowerForms, ResizeIsTheFewestSlicesRepeatsAndJoins) {
  const std::vector<int64_t> all = {0, 1, 2, 3, 4, 5, 6, 7};
  const std::vector<int64_t> twice = {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7};
  EXPECT_THAT(ResizeKinds(all, all), ElementsAre("Reshape"));
  EXPECT_THAT(ResizeKinds(twice, twice), ElementsAre("Resize"));
  EXPECT_THAT(ResizeKinds(all, {1, 4, 7}), ElementsAre("Slice"));
  EXPECT_THAT(ResizeKinds({0, 2, 4, 6}, twice), ElementsAre("Slice", "Resize"));
  EXPECT_THAT(ResizeKinds(all, {0, 0, 0, 1, 1, 2, 2}),
              ElementsAre("Slice", "Resize", "Slice", "Resize", "Concat"));
  EXPECT_THAT(ResizeKinds(twice, {0, 1, 3, 4, 6, 7}),
              ElementsAre("Resize", "Slice", "Slice", "Slice", "Concat"));
}

TEST(LowerForms, ValuesWithoutElementsAreRefused) {
  FloatGraph f;
  const ValueId x = f.Input("x", {0, 4}, 1.0);
  f.Output(f.Node(Op::kRelu, "relu", {x}, {0, 4}, 1.0));
  EXPECT_THAT(ErrorOf(f), HasSubstr("x: shape 0x4 has no elements"));
}

}  // namespace
}  // namespace bw::lower
