// Activations, sums, products and divisions, with every kind of broadcasting.
#include "tests/conformance/stress_network.h"

namespace bw::conformance {
namespace {

TEST(StressElementwise, LeakyReluAloneAndFused) {
  for (const double alpha : {0.0, 0.01, 0.25, 1.0, 1.75, -0.3}) {
    SCOPED_TRACE(alpha);
    StressNetwork net(1);
    const ValueId x = net.Input({2, 3, 5, 4});
    net.Output(net.Add(Op::kLeakyRelu, {x}, {{"alpha", alpha}}));
    net.Output(net.Add(Op::kLeakyRelu, {net.Conv(x, {})}, {{"alpha", alpha}}));
    net.Output(net.Add(Op::kLeakyRelu, {net.Add(Op::kSub, {x, net.Input({1, 3, 1, 1})})},
                       {{"alpha", alpha}}));
    ExpectIntPath(net);
  }
}

TEST(StressElementwise, PReluOfEverySlopeShape) {
  for (const tensor::Shape& slope :
       {tensor::Shape{}, tensor::Shape{1}, tensor::Shape{3, 1, 1}, tensor::Shape{1, 3, 1, 1},
        tensor::Shape{4}, tensor::Shape{5, 1}, tensor::Shape{2, 1, 1, 1}, tensor::Shape{5, 4},
        tensor::Shape{2, 3, 5, 4}}) {
    for (const float low : {0.1F, -0.5F}) {
      SCOPED_TRACE(slope.ToString() + " from " + std::to_string(low));
      StressNetwork net(2);
      const ValueId x = net.Input({2, 3, 5, 4});
      const ValueId slopes = net.Constant(slope, low, 0.9F);
      net.Output(net.Add(Op::kPRelu, {x, slopes}));
      StressNetwork::ConvSpec same;
      same.out = 3;
      net.Output(net.Add(Op::kPRelu, {net.Conv(x, same), slopes}));
      net.Output(net.Add(Op::kPRelu, {net.Add(Op::kMul, {x, x}), slopes}));
      ExpectIntPath(net);
    }
  }
}

TEST(StressElementwise, PReluOfOtherRanks) {
  for (const tensor::Shape& x : {tensor::Shape{6}, tensor::Shape{4, 6}, tensor::Shape{2, 4, 6},
                                 tensor::Shape{2, 3, 2, 4, 6}}) {
    for (const tensor::Shape& slope : {tensor::Shape{6}, tensor::Shape{4, 1}}) {
      if (slope.rank() > x.rank()) continue;
      SCOPED_TRACE(x.ToString() + " " + slope.ToString());
      StressNetwork net(3);
      const ValueId in = net.Input(x);
      net.Output(net.Add(Op::kPRelu, {in, net.Constant(slope, 0.1F, 0.9F)}));
      net.Output(net.Add(Op::kPRelu, {net.Add(Op::kAdd, {in, in}), net.Constant(slope, 0, 1)}));
      ExpectIntPath(net);
    }
  }
}

TEST(StressElementwise, ClipChains) {
  StressNetwork net(4);
  const ValueId x = net.Input({1, 5, 4, 3});
  net.Output(net.Clip(net.Clip(x, -1, 2.5), 0, 1.5));
  net.Output(net.Clip(net.Relu(net.Clip(net.Conv(x, {}), -0.5, 3)), 0.25, 6));
  net.Output(net.Clip(net.Add(Op::kAdd, {x, x}), 1, 2));
  net.Output(net.Clip(net.Add(Op::kMul, {x, x}), -INFINITY, 4));
  net.Output(net.Clip(net.Clip(x, 2, 8), -8, INFINITY));
  net.Output(net.Relu(net.Add(Op::kLeakyRelu, {net.Conv(x, {})}, {{"alpha", 0.5}})));
  net.Output(net.Clip(net.Add(Op::kLeakyRelu, {net.Conv(x, {})}, {{"alpha", 0.5}}), -0.5, 1));
  ExpectIntPath(net);
}

TEST(StressElementwise, ConstantsOfEveryShapeOnBothSides) {
  for (const tensor::Shape& shape :
       {tensor::Shape{}, tensor::Shape{1}, tensor::Shape{1, 1, 1, 1}, tensor::Shape{3, 1, 1},
        tensor::Shape{4}, tensor::Shape{5, 1}, tensor::Shape{2, 1, 1, 1}, tensor::Shape{5, 4},
        tensor::Shape{2, 3, 5, 4}}) {
    for (const float low : {0.5F, -2.0F}) {
      SCOPED_TRACE(shape.ToString() + " from " + std::to_string(low));
      StressNetwork net(5);
      const ValueId x = net.Input({2, 3, 5, 4});
      const ValueId c = net.Constant(shape, low, low + 1);
      for (const Op op : {Op::kAdd, Op::kSub, Op::kMul}) {
        net.Output(net.Add(op, {x, c}));
        net.Output(net.Relu(net.Add(op, {c, x})));
      }
      net.Output(net.Add(Op::kDiv, {x, c}));
      net.Output(net.Add(Op::kLeakyRelu, {net.Add(Op::kDiv, {x, c})}, {{"alpha", 0.2}}));
      ExpectIntPath(net);
    }
  }
}

// The constant is the larger side.
TEST(StressElementwise, ConstantsThatWidenTheInput) {
  StressNetwork net(6);
  const ValueId x = net.Input({3, 1});
  const ValueId c = net.Constant({2, 3, 4}, 0.5F, 1.5F);
  for (const Op op : {Op::kAdd, Op::kSub, Op::kMul, Op::kDiv}) {
    net.Output(net.Add(op, {x, c}));
    if (op != Op::kDiv) net.Output(net.Add(op, {c, x}));
  }
  ExpectIntPath(net);
}

TEST(StressElementwise, BroadcastsOfTwoActivations) {
  const std::pair<tensor::Shape, tensor::Shape> pairs[] = {
      {{2, 3, 4, 5}, {2, 3, 4, 5}},
      {{2, 3, 4, 5}, {1}},
      {{2, 3, 4, 5}, {}},
      {{2, 3, 4, 5}, {5}},
      {{2, 3, 4, 5}, {4, 5}},
      {{2, 3, 4, 5}, {3, 1, 1}},
      {{2, 3, 4, 5}, {2, 1, 1, 5}},
      {{2, 3, 4, 5}, {1, 3, 4, 1}},
      {{2, 1, 4, 1}, {1, 3, 1, 5}},
      {{4, 1}, {2, 3, 1, 5}},
      {{1, 1, 1, 1}, {2, 3, 4, 5}},
      {{3, 4, 5}, {2, 1, 1, 5}},
      {{7}, {7}},
      {{6, 1}, {1, 7}},
      {{1, 3, 1, 2, 1}, {2, 1, 3}},
      {{2, 3, 4, 5, 2}, {4, 1, 1}},
  };
  for (const auto& [a, b] : pairs) {
    SCOPED_TRACE(a.ToString() + " and " + b.ToString());
    StressNetwork net(7);
    const ValueId x = net.Input(a), y = net.Input(b, -0.3F, 0.2F);
    for (const Op op : {Op::kAdd, Op::kSub, Op::kMul}) {
      net.Output(net.Add(op, {x, y}));
      net.Output(net.Relu(net.Add(op, {y, x})));
    }
    ExpectIntPath(net);
  }
}

TEST(StressElementwise, OperandsOfVeryDifferentScales) {
  for (const float reach : {1e-4F, 1e-2F, 1.0F, 50.0F}) {
    SCOPED_TRACE(reach);
    StressNetwork net(8);
    const ValueId x = net.Input({1, 3, 4, 4}), y = net.Input({1, 3, 4, 4}, -reach, reach);
    net.Output(net.Add(Op::kAdd, {x, y}));
    net.Output(net.Add(Op::kSub, {y, x}));
    net.Output(net.Add(Op::kMul, {y, x}));
    ExpectIntPath(net);
  }
}

TEST(StressElementwise, LookupsBetweenOtherOperators) {
  StressNetwork net(9);
  const ValueId x = net.Input({2, 5, 3, 3}, -6, 6);
  const ValueId gate = net.Add(Op::kSigmoid, {net.Pointwise(x, 5)});
  net.Output(net.Add(Op::kMul, {x, gate}));
  net.Output(net.Add(Op::kTanh, {net.Add(Op::kAdd, {x, x})}));
  net.Output(net.Add(Op::kHardSigmoid, {x}, {{"alpha", 0.2}, {"beta", 0.5}}));
  net.Output(net.Relu(net.Add(Op::kHardSwish, {x})));
  ExpectIntPath(net);
}

TEST(StressElementwise, LookupOfEveryRank) {
  for (const tensor::Shape& shape : {tensor::Shape{}, tensor::Shape{7}, tensor::Shape{3, 5},
                                     tensor::Shape{2, 3, 5}, tensor::Shape{2, 3, 1, 2, 5}}) {
    SCOPED_TRACE(shape.ToString());
    StressNetwork net(10);
    net.Output(net.Add(Op::kSigmoid, {net.Input(shape, -5, 5)}));
    ExpectIntPath(net);
  }
}

}  // namespace
}  // namespace bw::conformance
