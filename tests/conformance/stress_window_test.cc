// Convolutions and pools of every geometry, and means over every set of axes.
#include "tests/conformance/stress_network.h"

namespace bw::conformance {
namespace {

using Spec = StressNetwork::ConvSpec;

TEST(StressWindow, ConvolutionsOfEveryGeometry) {
  struct Case {
    const char* name;
    tensor::Shape x;
    Spec spec;
  };
  const Case cases[] = {
      {"strided", {1, 3, 9, 8}, {8, {3, 3}, {2, 3}, {1, 1, 1, 1}}},
      {"dilated", {1, 3, 9, 8}, {5, {3, 3}, {1, 1}, {2, 2, 2, 2}, {2, 2}}},
      {"dilated unevenly", {2, 5, 9, 8}, {5, {3, 2}, {2, 1}, {0, 1, 3, 2}, {2, 3}}},
      {"padded on one side", {1, 3, 6, 7}, {4, {3, 3}, {1, 1}, {2, 0, 0, 1}}},
      {"padded beyond the kernel", {1, 3, 3, 3}, {4, {3, 3}, {1, 1}, {4, 3, 2, 5}}},
      {"stride beyond the kernel", {1, 3, 9, 9}, {4, {2, 1}, {3, 4}, {0, 0, 0, 0}}},
      {"kernel of the whole map", {2, 3, 5, 4}, {7, {5, 4}, {1, 1}, {0, 0, 0, 0}}},
      {"two groups", {1, 6, 5, 5}, {4, {3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}, 2}},
      {"groups of unequal sides", {2, 9, 5, 4}, {6, {3, 2}, {2, 1}, {1, 0, 0, 1}, {1, 1}, 3}},
      {"depthwise", {1, 5, 7, 6}, {5, {3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}, 5}},
      {"depthwise, two each", {1, 5, 7, 6}, {10, {3, 3}, {2, 2}, {1, 1, 1, 1}, {1, 1}, 5}},
      {"depthwise, dilated", {3, 17, 7, 6}, {17, {3, 3}, {1, 2}, {2, 0, 1, 3}, {2, 1}, 17}},
      {"one pixel", {3, 17, 1, 1}, {5, {1, 1}, {1, 1}, {0, 0, 0, 0}}},
      {"one pixel, padded", {1, 5, 1, 1}, {3, {3, 3}, {1, 1}, {1, 1, 1, 1}}},
      {"one row", {1, 3, 1, 20}, {6, {1, 5}, {1, 2}, {0, 2, 0, 2}}},
      {"one column", {2, 3, 20, 1}, {6, {5, 1}, {3, 1}, {0, 0, 4, 0}}},
      {"no bias", {2, 3, 6, 6}, {6, {3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}, 1, false}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    StressNetwork net(40);
    net.Output(net.Conv(net.Input(c.x), c.spec));
    ExpectIntPath(net);
  }
}

TEST(StressWindow, OddChannelCountsInAndOut) {
  for (const int64_t in : {1, 3, 5, 17}) {
    for (const int64_t out : {1, 3, 5, 17}) {
      SCOPED_TRACE(std::to_string(in) + " to " + std::to_string(out));
      StressNetwork net(41);
      const ValueId x = net.Conv(net.Input({2, in, 4, 3}), {out});
      net.Output(net.Relu(net.Add(Op::kAdd, {net.Depthwise(x), net.Pointwise(x, out)})));
      ExpectIntPath(net);
    }
  }
}

TEST(StressWindow, OneDimensionalConvolutions) {
  struct Case {
    int64_t batch, channels, length;
    Spec spec;
  };
  const Case cases[] = {
      {1, 3, 20, {5, {1, 3}, {1, 1}, {0, 1, 0, 1}}},
      {2, 4, 17, {6, {1, 5}, {1, 2}, {0, 0, 0, 3}, {1, 2}}},
      {3, 6, 9, {6, {1, 3}, {1, 1}, {0, 2, 0, 0}, {1, 1}, 6}},
      {1, 4, 9, {8, {1, 1}, {1, 1}, {0, 0, 0, 0}, {1, 1}, 2}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.length);
    StressNetwork net(42);
    const ValueId x = net.Input({c.batch, c.channels, c.length});
    const ValueId wide = net.Add(Op::kUnsqueeze, {x}, {{"axes", Ints{2}}});
    const ValueId y = net.Add(Op::kSqueeze, {net.Conv(wide, c.spec)}, {{"axes", Ints{2}}});
    net.Output(net.Relu(y));
    ExpectIntPath(net);
  }
}

Attributes MaxPool(Ints kernel, Ints strides, Ints pads, Ints dilations, int64_t ceil) {
  return {{"kernel_shape", kernel},
          {"strides", strides},
          {"pads", pads},
          {"dilations", dilations},
          {"ceil_mode", ceil}};
}

TEST(StressWindow, MaxPoolsWithDilationAndCeil) {
  const Attributes cases[] = {
      MaxPool({3, 3}, {1, 1}, {0, 0, 0, 0}, {2, 2}, 0),
      MaxPool({2, 3}, {2, 2}, {1, 0, 1, 2}, {3, 2}, 0),
      MaxPool({3, 3}, {2, 2}, {0, 0, 0, 0}, {1, 1}, 1),
      MaxPool({3, 2}, {3, 3}, {1, 1, 1, 1}, {1, 1}, 1),
      MaxPool({2, 2}, {3, 2}, {0, 1, 0, 0}, {2, 3}, 1),
      MaxPool({8, 9}, {1, 1}, {0, 0, 0, 0}, {1, 1}, 0),
      MaxPool({1, 1}, {2, 3}, {0, 0, 0, 0}, {1, 1}, 0),
  };
  for (size_t i = 0; i < std::size(cases); ++i) {
    SCOPED_TRACE(i);
    for (const int64_t channels : {1, 5, 17}) {
      StressNetwork net(43);
      const ValueId x = net.Input({2, channels, 8, 9});
      net.Output(net.Add(Op::kMaxPool, {x}, cases[i]));
      net.Output(net.Relu(net.Add(Op::kMaxPool, {net.Pointwise(x, 3)}, cases[i])));
      ExpectIntPath(net);
    }
  }
}

TEST(StressWindow, AveragePoolsWithAndWithoutPadding) {
  const auto pool = [](Ints kernel, Ints strides, Ints pads, int64_t ceil, int64_t include) {
    return Attributes{{"kernel_shape", kernel},
                      {"strides", strides},
                      {"pads", pads},
                      {"ceil_mode", ceil},
                      {"count_include_pad", include}};
  };
  for (const int64_t include : {0, 1}) {
    const Attributes cases[] = {
        pool({3, 3}, {1, 1}, {1, 1, 1, 1}, 0, include),
        pool({3, 2}, {2, 3}, {2, 0, 1, 1}, 0, include),
        pool({5, 5}, {3, 2}, {2, 4, 3, 1}, 0, include),
        pool({8, 9}, {1, 1}, {0, 0, 0, 0}, 0, include),
        pool({2, 2}, {2, 2}, {0, 0, 0, 0}, 1, include),
        pool({3, 3}, {2, 2}, {1, 1, 1, 1}, 1, include),
    };
    for (size_t i = 0; i < std::size(cases); ++i) {
      SCOPED_TRACE(std::to_string(i) + (include != 0 ? " with padding" : ""));
      StressNetwork net(44);
      const ValueId x = net.Input({2, 5, 8, 9});
      net.Output(net.Add(Op::kAveragePool, {x}, cases[i]));
      net.Output(net.Relu(net.Add(Op::kAveragePool, {net.Conv(x, {})}, cases[i])));
      ExpectIntPath(net);
    }
  }
}

TEST(StressWindow, GlobalPools) {
  for (const tensor::Shape& shape :
       {tensor::Shape{1, 3, 1, 1}, tensor::Shape{3, 17, 7, 5}, tensor::Shape{2, 1, 1, 9}}) {
    SCOPED_TRACE(shape.ToString());
    StressNetwork net(45);
    const ValueId x = net.Input(shape);
    net.Output(net.Add(Op::kGlobalAveragePool, {x}));
    net.Output(net.Add(Op::kGlobalMaxPool, {x}));
    net.Output(
        net.Add(Op::kMul, {x, net.Add(Op::kSigmoid, {net.Add(Op::kGlobalAveragePool, {x})})}));
    ExpectIntPath(net);
  }
}

TEST(StressWindow, MeansOverEverySetOfAxes) {
  for (int rank = 1; rank <= 5; ++rank) {
    constexpr int64_t kExtents[] = {2, 3, 4, 5, 3};
    const tensor::Shape shape(std::vector<int64_t>(kExtents, kExtents + rank));
    StressNetwork net(46);
    const ValueId x = net.Input(shape);
    for (int set = 1; set < 1 << rank; ++set) {
      Ints axes;
      for (int axis = 0; axis < rank; ++axis) {
        if ((set >> axis & 1) != 0) axes.push_back(axis);
      }
      for (const int64_t keep : {0, 1}) {
        net.Output(net.Add(Op::kReduceMean, {x}, {{"axes", axes}, {"keepdims", keep}}));
      }
    }
    SCOPED_TRACE(shape.ToString());
    ExpectIntPath(net, {{8}, {"tiny", "edge"}, Allow::kBudget});
  }
}

}  // namespace
}  // namespace bw::conformance
