// Operators that move data, on tensors of float32 whose elements tell where they came from. What is
// expected is written in the file's order of axes: N, H, W, C.
#include <gmock/gmock.h>

#include <numeric>

#include "tests/unit/frontend_tflite/import_case.h"

namespace bw::frontend {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

int CountOf(const Graph& graph, Op op) {
  int count = 0;
  for (const graph::Node& node : graph.nodes) count += node.op == op ? 1 : 0;
  return count;
}

TEST(TfliteReshape, KeepsTheFilesElementOrder) {
  for (const auto& [from, to] : std::vector<std::pair<std::vector<int32_t>, std::vector<int32_t>>>{
           {{1, 2, 3, 4}, {1, 24}},
           {{1, 24}, {1, 2, 3, 4}},
           {{1, 2, 3, 4}, {1, 4, 3, 2}},
           {{2, 3, 2, 5}, {6, 10}},
           {{1, 2, 3, 4}, {24}},
           {{2, 3}, {3, 2}}}) {
    FloatCase c(from, to);
    c.b.Reshape(c.x, c.y, to);
    EXPECT_EQ(RunCounting(c.b),
              Counting(std::accumulate(from.begin(), from.end(), 1, std::multiplies<int>())));
  }
}

TEST(TfliteReshape, MovesNoDataWhenTheOrdersAgree) {
  for (const auto& from : std::vector<std::vector<int32_t>>{{1, 1, 1, 8}, {2, 3, 4, 1}}) {
    const int32_t elements = from[0] * from[1] * from[2] * from[3];
    FloatCase c(from, {elements});
    c.b.Reshape(c.x, c.y, {-1});
    EXPECT_EQ(CountOf(Import(c.b), Op::kTranspose), 0);
    EXPECT_EQ(RunCounting(c.b), Counting(elements));
  }
}

TEST(TfliteReshape, TakesTheShapeFromOptionsOrResult) {
  FloatCase options({2, 3}, {3, 2});
  options.b.Operator(TfliteOp::kReshape, {options.x}, {options.y}, 17,
                     {{0, std::vector<int32_t>{3, -1}}});
  EXPECT_EQ(OutputOf(Import(options.b)).shape, Shape({3, 2}));

  // SHAPE, STRIDED_SLICE and PACK before a RESHAPE, as Keras writes them.
  FloatCase computed({1, 2, 3, 4}, {1, 24});
  TfliteBuilder& b = computed.b;
  const int shape = b.Add({"shape", {4}, TfliteType::kInt32});
  const int batch = b.Add({"batch", {}, TfliteType::kInt32});
  const int packed = b.Add({"packed", {2}, TfliteType::kInt32});
  b.Unary(TfliteOp::kShape, computed.x, shape);
  b.StridedSlice(shape, batch, {0}, {1}, {1}, {0, 0, 0, 0, 1});
  b.Operator(TfliteOp::kPack, {batch, b.Indices("rest", {24})}, {packed});
  b.Operator(TfliteOp::kReshape, {computed.x, packed}, {computed.y});
  EXPECT_EQ(RunCounting(b), Counting(24));
}

TEST(TfliteReshape, SaysWhatDoesNotFit) {
  FloatCase c({2, 3}, {4, 2});
  c.b.Reshape(c.x, c.y, {4, -1});
  EXPECT_EQ(Problems(c.b),
            "m.tflite: subgraph 0, operator 0 RESHAPE (y): the 6 elements of 2x3 do not fill a "
            "multiple of 4\n");
  FloatCase five({2, 3}, {1, 1, 1, 2, 3});
  five.b.Reshape(five.x, five.y, {1, 1, 1, 2, 3});
  EXPECT_THAT(Problems(five.b), HasSubstr("rank 5; supported are up to 4"));
}

TEST(TfliteSqueeze, DropsAxesAndExpandDimsAddsThem) {
  FloatCase squeeze({1, 2, 1, 3}, {2, 3});
  squeeze.b.Operator(TfliteOp::kSqueeze, {squeeze.x}, {squeeze.y}, 30);
  EXPECT_EQ(RunCounting(squeeze.b), Counting(6));
  FloatCase listed({1, 2, 1, 3}, {1, 2, 3});
  listed.b.Operator(TfliteOp::kSqueeze, {listed.x}, {listed.y}, 30,
                    {{0, std::vector<int32_t>{-2}}});
  EXPECT_EQ(RunCounting(listed.b), Counting(6));
  FloatCase expand({2, 2, 3}, {2, 2, 1, 3});
  expand.b.Operator(TfliteOp::kExpandDims, {expand.x, expand.b.Indices("axis", {2})}, {expand.y});
  EXPECT_EQ(RunCounting(expand.b), Counting(12));
}

TEST(TfliteTranspose, PermutesTheFilesAxes) {
  FloatCase c({1, 2, 3, 4}, {1, 3, 4, 2});
  c.b.Transpose(c.x, c.y, {0, 2, 3, 1});
  Floats expected;
  for (int w = 0; w < 3; ++w) {
    for (int ch = 0; ch < 4; ++ch) {
      for (int h = 0; h < 2; ++h) expected.push_back(static_cast<float>((h * 3 + w) * 4 + ch));
    }
  }
  EXPECT_EQ(RunCounting(c.b), expected);
  FloatCase matrix({2, 3}, {3, 2});
  matrix.b.Transpose(matrix.x, matrix.y, {1, -2});
  EXPECT_THAT(RunCounting(matrix.b), ElementsAre(0, 3, 1, 4, 2, 5));
}

TEST(TfliteConcatenation, JoinsAlongTheFilesAxes) {
  // Axis 3 is the channels: pixels interleave.
  FloatCase channels({1, 2, 1, 2}, {1, 2, 1, 3});
  const int k = channels.b.FloatConstant("k", {1, 2, 1, 1}, {100, 200});
  channels.b.Concatenation({channels.x, k}, channels.y, -1);
  EXPECT_THAT(RunCounting(channels.b), ElementsAre(0, 1, 100, 2, 3, 200));
  // Axis 1 is the rows.
  FloatCase rows({1, 1, 2, 2}, {1, 2, 2, 2});
  const int row = rows.b.FloatConstant("row", {1, 1, 2, 2}, {10, 11, 12, 13});
  rows.b.Concatenation({rows.x, row}, rows.y, 1, TfliteAct::kRelu);
  EXPECT_THAT(RunCounting(rows.b), ElementsAre(0, 1, 2, 3, 10, 11, 12, 13));
}

TEST(TflitePad, PadsTheFilesAxes) {
  FloatCase c({1, 1, 2, 2}, {1, 2, 2, 3});
  c.b.Pad(c.x, c.y, {0, 0, 1, 0, 0, 0, 0, 1});
  EXPECT_THAT(RunCounting(c.b), ElementsAre(0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 3, 0));
  FloatCase v2({2}, {4});
  v2.b.Operator(TfliteOp::kPadV2,
                {v2.x, v2.b.Indices("p", {1, 1}), v2.b.FloatConstant("v", {}, {7})}, {v2.y}, 43);
  EXPECT_THAT(RunCounting(v2.b), ElementsAre(7, 0, 1, 7));
}

TEST(TflitePad, PadsQuantisedTensorsWithRealZeroOrTheGivenInteger) {
  for (const bool v2 : {false, true}) {
    TfliteBuilder b;
    const int x = b.Input(b.Int8("x", {1, 2}, 0.5f, 10));
    const int y = b.Output(b.Int8("y", {1, 4}, 0.5f, 10));
    const int paddings = b.Indices("p", {0, 0, 1, 1});
    if (v2) {
      const int value = b.Int8Constant("v", {1}, {16}, 0.5f, 10);
      b.Operator(TfliteOp::kPadV2, {x, paddings, value}, {y}, 43);
    } else {
      b.Operator(TfliteOp::kPad, {x, paddings}, {y}, 22);
    }
    EXPECT_EQ(NodeOf(Import(b), Op::kPad).Float("value"), v2 ? 3.0 : 0.0);
  }
}

// Result of a strided slice of x[1,3,4,2] that counts from 0.
Floats Sliced(const std::vector<int32_t>& shape, const std::vector<int32_t>& begin,
              const std::vector<int32_t>& end, const std::vector<int32_t>& strides,
              const std::vector<int32_t>& masks) {
  FloatCase c({1, 3, 4, 2}, shape);
  c.b.StridedSlice(c.x, c.y, begin, end, strides, masks);
  return RunCounting(c.b);
}

TEST(TfliteStridedSlice, BoundsAndNegativeStrides) {
  EXPECT_THAT(Sliced({1, 1, 2, 2}, {0, 1, 0, 0}, {1, 2, 4, 2}, {1, 1, 3, 1}, {0, 0, 0, 0, 0}),
              ElementsAre(8, 9, 14, 15));
  EXPECT_THAT(Sliced({1, 3, 1, 1}, {0, -1, 3, 1}, {1, -9, 4, 2}, {1, -1, 1, 1}, {0, 0, 0, 0, 0}),
              ElementsAre(23, 15, 7));
}

TEST(TfliteStridedSlice, Masks) {
  // begin and end masks: all of the axis.
  EXPECT_THAT(Sliced({1, 3, 1, 1}, {0, 2, 1, 0}, {1, 2, 2, 1}, {1, 1, 1, 1}, {2, 2, 0, 0, 0}),
              ElementsAre(2, 10, 18));
  // shrink: the axis goes.
  EXPECT_THAT(Sliced({1, 4, 2}, {0, 1, 0, 0}, {1, 2, 4, 2}, {1, 1, 1, 1}, {0, 0, 0, 0, 2}),
              ElementsAre(8, 9, 10, 11, 12, 13, 14, 15));
  // ellipsis: all axes that nothing names.
  EXPECT_THAT(Sliced({1, 3, 4, 1}, {0, 1}, {0, 2}, {1, 1}, {0, 0, 1, 0, 0}),
              ElementsAre(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23));
  // new axis, where the batch is shrunk away.
  EXPECT_THAT(Sliced({1, 1, 4, 2}, {0, 0, 2}, {0, 0, 3}, {1, 1, 1}, {0, 0, 0, 1, 2}),
              ElementsAre(16, 17, 18, 19, 20, 21, 22, 23));
}

TEST(TfliteStridedSlice, SaysWhatIsWrong) {
  FloatCase zero({4}, {4});
  zero.b.StridedSlice(zero.x, zero.y, {0}, {4}, {0});
  EXPECT_THAT(Problems(zero.b), HasSubstr("operator 0 STRIDED_SLICE (y): a stride is 0"));
  FloatCase many({4}, {4});
  many.b.StridedSlice(many.x, many.y, {0, 0}, {4, 1}, {1, 1});
  EXPECT_THAT(Problems(many.b), HasSubstr("has bounds of 2 axes; the input is 4"));
  FloatCase outside({4}, {});
  outside.b.StridedSlice(outside.x, outside.y, {4}, {5}, {1}, {0, 0, 0, 0, 1});
  EXPECT_THAT(Problems(outside.b), HasSubstr("begin 4 is outside of 4 elements"));
}

TEST(TfliteSlice, TakesTheRestOnMinusOne) {
  FloatCase c({1, 2, 2, 3}, {1, 1, 2, 2});
  c.b.Operator(TfliteOp::kSlice,
               {c.x, c.b.Indices("b", {0, 1, 0, 1}), c.b.Indices("s", {1, 1, -1, 2})}, {c.y}, 48);
  EXPECT_THAT(RunCounting(c.b), ElementsAre(7, 8, 10, 11));
  FloatCase bad({4}, {4});
  bad.b.Operator(TfliteOp::kSlice, {bad.x, bad.b.Indices("b", {2}), bad.b.Indices("s", {3})},
                 {bad.y}, 48);
  EXPECT_THAT(Problems(bad.b), HasSubstr("begin 2 and size 3 leave axis 0 of 4"));
}

TEST(TfliteSplit, MakesOneSliceAResult) {
  TfliteBuilder b;
  const int x = b.Input(b.Float("x", {1, 1, 2, 4}));
  const int first = b.Output(b.Float("first", {1, 1, 2, 2}));
  const int second = b.Output(b.Float("second", {1, 1, 2, 2}));
  b.Split(x, {first, second}, -1);
  const std::vector<Floats> results = RunFile(Import(b), {Counting(8)});
  EXPECT_THAT(results.at(0), ElementsAre(0, 1, 4, 5));
  EXPECT_THAT(results.at(1), ElementsAre(2, 3, 6, 7));
}

TEST(TfliteSplit, ByListedSizes) {
  TfliteBuilder b;
  const int x = b.Input(b.Float("x", {5}));
  const int first = b.Output(b.Float("first", {1}));
  const int second = b.Output(b.Float("second", {4}));
  b.Operator(TfliteOp::kSplitV, {x, b.Indices("sizes", {1, -1}), b.Indices("axis", {0})},
             {first, second}, 79, {{0, int32_t{2}}});
  const std::vector<Floats> results = RunFile(Import(b), {Counting(5)});
  EXPECT_THAT(results.at(0), ElementsAre(0));
  EXPECT_THAT(results.at(1), ElementsAre(1, 2, 3, 4));
}

TEST(TfliteSplit, ThatDoesNotDivideIsAnError) {
  TfliteBuilder b;
  const int x = b.Input(b.Float("x", {5}));
  const int first = b.Output(b.Float("first", {2}));
  const int second = b.Output(b.Float("second", {2}));
  b.Split(x, {first, second}, 0);
  EXPECT_THAT(Problems(b), HasSubstr("num_splits 2 with 2 results does not divide axis 0 of 5"));
}

TEST(TfliteMean, OverTheFilesAxes) {
  // Over H and W, without and with their axes.
  for (const bool keep : {false, true}) {
    FloatCase c({1, 2, 2, 2}, keep ? std::vector<int32_t>{1, 1, 1, 2} : std::vector<int32_t>{1, 2});
    c.b.Mean(c.x, c.y, {1, 2}, keep);
    EXPECT_THAT(RunCounting(c.b), ElementsAre(3, 4));
  }
  // Over the rows alone: what is left is W, C in the file and C, W in the graph.
  FloatCase rows({1, 2, 2, 3}, {1, 2, 3});
  rows.b.Mean(rows.x, rows.y, {1, 1, -3}, false);
  EXPECT_THAT(RunCounting(rows.b), ElementsAre(3, 4, 5, 6, 7, 8));
  FloatCase outside({2, 2}, {2});
  outside.b.Mean(outside.x, outside.y, {2}, false);
  EXPECT_THAT(Problems(outside.b), HasSubstr("axis 2 is out of range; allowed are -2 to 1"));
}

TEST(TfliteResize, TakesTheNearestOfTheFilesRowsAndColumns) {
  FloatCase c({1, 2, 1, 2}, {1, 3, 2, 2});
  c.b.ResizeNearest(c.x, c.y, 3, 2);
  EXPECT_THAT(RunCounting(c.b), ElementsAre(0, 1, 0, 1, 0, 1, 0, 1, 2, 3, 2, 3));
  // (1 + 0.5) * 3 / 5 = 0.9 is floored; align_corners rounds 1 * 2 / 4 = 0.5 up.
  for (const bool corners : {false, true}) {
    FloatCase modes({1, 1, 3, 1}, {1, 1, 5, 1});
    modes.b.ResizeNearest(modes.x, modes.y, 1, 5, corners, !corners);
    EXPECT_THAT(RunCounting(modes.b),
                corners ? ElementsAre(0, 1, 1, 2, 2) : ElementsAre(0, 0, 1, 2, 2));
  }
}

TEST(TfliteResize, RefusesSizesThatWouldFillTheMemory) {
  FloatCase c({1, 2, 1, 2}, {});
  c.b.ResizeNearest(c.x, c.y, 1 << 30, 1);
  EXPECT_EQ(Problems(c.b),
            "m.tflite: subgraph 0, operator 0 RESIZE_NEAREST_NEIGHBOR (y): input 1x2x1x2 and size "
            "1073741824 x 1: extents must be 1 to 1048576\n");
}

TEST(TfliteLayout, ParametersMustBeConstant) {
  TfliteBuilder b;
  const int x = b.Input(b.Float("x", {2, 3}));
  const int perm = b.Add({"perm", {2}, TfliteType::kInt32});
  const int y = b.Output(b.Float("y", {3, 2}));
  b.Unary(TfliteOp::kShape, x, perm);
  b.Operator(TfliteOp::kTranspose, {x, perm}, {y});
  EXPECT_EQ(Problems(b),
            "m.tflite: subgraph 0, operator 1 TRANSPOSE (y): the permutation (perm) must be "
            "constant\n");
}

TEST(TfliteLayout, MovedTensorsKeepTheirQuantisation) {
  TfliteBuilder b;
  const int x = b.Input(b.Int8("x", {1, 2, 2, 3}, 0.5f, -7));
  const int y = b.Output(b.Int8("y", {1, 12}, 0.5f, -7));
  b.Reshape(x, y, {1, 12});
  const Graph graph = Import(b);
  ASSERT_EQ(graph.nodes.size(), 2U);
  for (const graph::Node& node : graph.nodes) {
    const auto& q = graph.value(node.outputs[0]).quantisation;
    ASSERT_TRUE(q.has_value());
    EXPECT_EQ(q->scales, (std::vector<double>{0.5}));
    EXPECT_EQ(q->zero_points, (std::vector<int64_t>{-7}));
  }
}

}  // namespace
}  // namespace bw::frontend
