// Data movement: joins, pads, slices, permutations, reshapes, of values with different scales.
#include <algorithm>
#include <numeric>

#include "tests/conformance/stress_network.h"

namespace bw::conformance {
namespace {

tensor::Shape ShapeOfRank(int rank) {
  constexpr int64_t kExtents[] = {2, 3, 5, 4, 3};
  return tensor::Shape(std::vector<int64_t>(kExtents, kExtents + rank));
}

TEST(StressLayout, ConcatOfThreeScalesOnEveryAxis) {
  for (int rank = 1; rank <= 5; ++rank) {
    for (int axis = 0; axis < rank; ++axis) {
      SCOPED_TRACE("rank " + std::to_string(rank) + ", axis " + std::to_string(axis));
      StressNetwork net(20);
      std::vector<ValueId> parts;
      float reach = 0.2F;
      for (const int64_t extent : {1, 3, 2}) {
        tensor::Shape shape = ShapeOfRank(rank);
        shape[axis] = extent;
        parts.push_back(net.Input(shape, -reach, reach));
        reach *= 4;
      }
      net.Output(net.Concat(parts, axis));
      // One part is made by an operator that takes the result's scale, one has another reader.
      const ValueId sum = net.Add(Op::kAdd, {parts[1], parts[1]});
      net.Output(net.Concat({parts[0], sum, parts[2]}, axis));
      net.Output(net.Relu(parts[2]));
      ExpectIntPath(net);
    }
  }
}

TEST(StressLayout, ConcatOfOneValueTwice) {
  StressNetwork net(21);
  const ValueId x = net.Conv(net.Input({2, 3, 4, 4}), {});
  const ValueId both = net.Concat({x, x}, 1);
  net.Output(both);
  net.Output(net.Concat({both, net.Relu(x), both}, 1));
  ExpectIntPath(net);
}

TEST(StressLayout, PadOfEveryAxisAndValue) {
  for (int rank = 1; rank <= 5; ++rank) {
    for (const double value : {0.0, -1.5, 40.0}) {
      SCOPED_TRACE("rank " + std::to_string(rank) + ", value " + std::to_string(value));
      StressNetwork net(22);
      const ValueId x = net.Input(ShapeOfRank(rank));
      for (int axis = 0; axis <= rank; ++axis) {  // the last one: all axes
        Ints pads(static_cast<size_t>(2 * rank), 0);
        for (int i = 0; i < rank; ++i) {
          if (axis == rank || axis == i) pads[static_cast<size_t>(i)] = 1 + i % 2;
          if (axis == rank || axis == i) pads[static_cast<size_t>(rank + i)] = 2 - i % 2;
        }
        net.Output(net.Add(Op::kPad, {x},
                           {{"pads", pads}, {"mode", std::string("constant")}, {"value", value}}));
      }
      ExpectIntPath(net);
    }
  }
}

TEST(StressLayout, SlicesWithEverySignOfStep) {
  struct Part {
    int64_t start, end, step;
  };
  // Of extent 7; a negative step may end before the first element.
  const Part parts[] = {{0, 7, 1},   {2, 6, 1},  {1, 7, 2}, {0, 7, 3},
                        {6, -1, -1}, {5, 0, -2}, {3, 2, -3}};
  for (int rank = 1; rank <= 5; ++rank) {
    for (int axis = 0; axis < rank; ++axis) {
      SCOPED_TRACE("rank " + std::to_string(rank) + ", axis " + std::to_string(axis));
      StressNetwork net(23);
      tensor::Shape shape = ShapeOfRank(rank);
      shape[axis] = 7;
      const ValueId x = net.Input(shape);
      const ValueId y = net.Add(Op::kMul, {x, x});
      for (const Part& part : parts) {
        const Attributes slice = {{"starts", Ints{part.start}},
                                  {"ends", Ints{part.end}},
                                  {"axes", Ints{axis}},
                                  {"steps", Ints{part.step}}};
        net.Output(net.Add(Op::kSlice, {x}, slice));
        net.Output(net.Relu(net.Add(Op::kSlice, {y}, slice)));
      }
      ExpectIntPath(net, {{8}, {"tiny", "edge"}, Allow::kBudget});
    }
  }
}

TEST(StressLayout, SlicesOfSeveralAxes) {
  StressNetwork net(24);
  const ValueId x = net.Conv(net.Input({2, 3, 9, 8}), {});
  net.Output(net.Add(Op::kSlice, {x},
                     {{"starts", Ints{7, 1, 6}},
                      {"ends", Ints{0, 9, -1}},
                      {"axes", Ints{1, 2, 3}},
                      {"steps", Ints{-2, 2, -3}}}));
  ExpectIntPath(net);
}

// All of `out` positions of an axis of 5, by a ratio; the other axes keep theirs.
Ints SourcesOf(const tensor::Shape& shape, int axis, const Ints& along) {
  Ints sources;
  for (int i = 0; i < shape.rank(); ++i) {
    for (int64_t k = 0; i != axis && k < shape[i]; ++k) sources.push_back(k);
    if (i == axis) sources.insert(sources.end(), along.begin(), along.end());
  }
  return sources;
}

TEST(StressLayout, ResizesOfEveryAxisAndRatio) {
  const Ints ratios[] = {{0, 0, 1, 1, 2, 2, 3, 3, 4, 4}, {0, 0, 0, 2, 2, 2, 4, 4, 4}, {0, 2, 4},
                         {0, 0, 1, 2, 2, 3, 4},          {0, 0, 0, 1, 1, 2, 3},       {3}};
  for (int rank = 1; rank <= 5; ++rank) {
    for (int axis = 0; axis < rank; ++axis) {
      SCOPED_TRACE("rank " + std::to_string(rank) + ", axis " + std::to_string(axis));
      StressNetwork net(26);
      tensor::Shape shape = ShapeOfRank(rank);
      shape[axis] = 5;
      const ValueId x = net.Input(shape);
      const ValueId y = net.Add(Op::kMul, {x, x});
      for (const Ints& along : ratios) {
        tensor::Shape sizes = shape;
        sizes[axis] = static_cast<int64_t>(along.size());
        const Attributes resize = {{"sizes", sizes.dims},
                                   {"sources", SourcesOf(shape, axis, along)}};
        net.Output(net.Add(Op::kResize, {x}, resize));
        net.Output(net.Relu(net.Add(Op::kResize, {y}, resize)));
      }
      ExpectIntPath(net, {{8}, {"tiny", "edge"}, Allow::kBudget});
    }
  }
}

TEST(StressLayout, UpsamplingBetweenConvolutionsAtEveryWidth) {
  for (const int64_t factor : {2, 3}) {
    SCOPED_TRACE(factor);
    StressNetwork net(27);
    const ValueId x = net.Conv(net.Input({2, 3, 5, 4}), {});
    Ints sources = {0, 1, 0, 1, 2, 3, 4, 5, 6, 7};
    for (const int64_t extent : {5, 4}) {
      for (int64_t i = 0; i < extent * factor; ++i) sources.push_back(i / factor);
    }
    const ValueId up = net.Add(
        Op::kResize, {x}, {{"sizes", Ints{2, 8, 5 * factor, 4 * factor}}, {"sources", sources}});
    net.Output(net.Concat({net.Conv(up, {}), up}, 1));
    ExpectIntPath(net);
  }
}

TEST(StressLayout, EveryPermutationOfRanksTwoToFive) {
  for (int rank = 2; rank <= 5; ++rank) {
    SCOPED_TRACE(rank);
    Ints perm(static_cast<size_t>(rank));
    std::iota(perm.begin(), perm.end(), 0);
    StressNetwork net(25);
    const ValueId x = net.Input(ShapeOfRank(rank));
    do {
      net.Output(net.Relu(net.Transpose(x, perm)));
    } while (std::next_permutation(perm.begin(), perm.end()));
    ExpectIntPath(net, {{8}, {"tiny", "edge"}, Allow::kBudget});
  }
}

TEST(StressLayout, PermutationsOfComputedMaps) {
  Ints perm = {0, 1, 2, 3};
  StressNetwork net(26);
  const ValueId x = net.Conv(net.Input({2, 3, 5, 4}), {});
  do {
    const ValueId y = net.Transpose(x, perm);
    net.Output(net.Add(Op::kAdd, {y, y}));
  } while (std::next_permutation(perm.begin(), perm.end()));
  ExpectIntPath(net, {{8}, {"tiny", "edge"}, Allow::kBudget});
}

TEST(StressLayout, ReshapesThatMixAllAxes) {
  for (const Ints& to : {Ints{120}, Ints{5, 24}, Ints{24, 5}, Ints{1, 8, 15, 1}, Ints{15, 8, 1, 1},
                         Ints{3, 2, 5, 4}, Ints{2, 2, 2, 3, 5}}) {
    StressNetwork net(27);
    const ValueId in = net.Input({2, 3, 5, 4});
    net.Output(net.Reshape(in, to));
    const ValueId y = net.Reshape(net.Conv(in, {3, {1, 1}, {1, 1}, {0, 0, 0, 0}}), to);
    net.Output(net.Add(Op::kMul, {y, y}));
    ExpectIntPath(net);
  }
}

TEST(StressLayout, ChainsOfMovements) {
  StressNetwork net(28);
  const ValueId x = net.Input({2, 6, 4, 4});
  // Channel shuffle, space to depth, depth to space.
  const ValueId shuffled = net.Reshape(
      net.Transpose(net.Reshape(net.Conv(x, {6}), {2, 2, 3, 4, 4}), {0, 2, 1, 3, 4}), {2, 6, 4, 4});
  const ValueId deep = net.Reshape(
      net.Transpose(net.Reshape(shuffled, {2, 6, 2, 2, 2, 2}), {0, 3, 5, 1, 2, 4}), {2, 24, 2, 2});
  net.Output(net.Conv(deep, {}));
  net.Output(net.Add(Op::kFlatten, {net.Transpose(deep, {0, 3, 2, 1})}, {{"axis", int64_t{2}}}));
  const ValueId squeezed =
      net.Add(Op::kSqueeze, {net.Add(Op::kGlobalMaxPool, {deep})}, {{"axes", Ints{2, 3}}});
  net.Output(net.Add(Op::kUnsqueeze, {squeezed}, {{"axes", Ints{0, 3}}}));
  ExpectIntPath(net);
}

}  // namespace
}  // namespace bw::conformance
