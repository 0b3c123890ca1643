// Matrix products and softmax.
#include "tests/conformance/stress_network.h"

namespace bw::conformance {
namespace {

TEST(StressMatMul, ConstantsOnTheRight) {
  for (const tensor::Shape& shape :
       {tensor::Shape{7}, tensor::Shape{1, 7}, tensor::Shape{5, 7}, tensor::Shape{3, 5, 7},
        tensor::Shape{2, 3, 5, 7}, tensor::Shape{2, 2, 3, 5, 7}}) {
    for (const int64_t n : {1, 3, 17}) {
      SCOPED_TRACE(shape.ToString() + " to " + std::to_string(n));
      StressNetwork net(60);
      const ValueId x = net.Input(shape);
      net.Output(net.Add(Op::kMatMul, {x, net.Constant({7, n})}));
      net.Output(net.Relu(net.Add(Op::kMatMul, {x, net.Constant({7, n})})));
      ExpectIntPath(net);
    }
  }
}

TEST(StressMatMul, BiasSlopesAndFactorsBehindAProduct) {
  for (const tensor::Shape& shape :
       {tensor::Shape{5, 7}, tensor::Shape{3, 5, 7}, tensor::Shape{2, 3, 5, 7}}) {
    SCOPED_TRACE(shape.ToString());
    StressNetwork net(61);
    const ValueId x = net.Input(shape);
    const ValueId y = net.Add(Op::kMatMul, {x, net.Constant({7, 3})});
    const ValueId z = net.Add(Op::kAdd, {y, net.Constant({3})});
    net.Output(net.Add(Op::kPRelu, {z, net.Constant({3}, 0, 1)}));
    const ValueId v = net.Add(Op::kMatMul, {x, net.Constant({7, 3})});
    net.Output(net.Add(Op::kPRelu, {v, net.Constant({3}, 0, 1)}));
    ExpectIntPath(net);
  }
}

TEST(StressMatMul, TwoActivationsInBatches) {
  const std::pair<tensor::Shape, tensor::Shape> pairs[] = {
      {{5, 7}, {7, 3}},
      {{1, 7}, {7, 1}},
      {{2, 5, 7}, {2, 7, 3}},
      {{3, 2, 5, 7}, {3, 2, 7, 4}},
      {{2, 1, 3, 4, 5}, {2, 1, 3, 5, 2}},
      {{2, 5, 7}, {7, 3}},
      {{2, 3, 5, 7}, {7, 3}},
      {{7}, {7, 3}},
      {{5, 7}, {7}},
      {{7}, {7}},
      {{2, 5, 7}, {7}},
      {{9, 33}, {33, 17}},
  };
  for (const auto& [a, b] : pairs) {
    SCOPED_TRACE(a.ToString() + " times " + b.ToString());
    StressNetwork net(62);
    const ValueId x = net.Input(a), y = net.Input(b, -1, 1);
    net.Output(net.Add(Op::kMatMul, {x, y}));
    net.Output(net.Add(Op::kLeakyRelu, {net.Add(Op::kMatMul, {x, y})}, {{"alpha", 0.25}}));
    ExpectIntPath(net);
  }
}

TEST(StressMatMul, ConstantsInBatchesAndOnTheLeft) {
  StressNetwork net(63);
  const ValueId x = net.Input({2, 5, 7}), m = net.Input({7, 3});
  net.Output(net.Add(Op::kMatMul, {x, net.Constant({2, 7, 4})}));
  net.Output(net.Add(Op::kMatMul, {net.Constant({2, 3, 5}), x}));
  net.Output(net.Add(Op::kMatMul, {net.Constant({6, 7}), m}));
  ExpectIntPath(net);
}

TEST(StressMatMul, GemmOfEveryForm) {
  for (const int64_t trans_a : {0, 1}) {
    for (const int64_t trans_b : {0, 1}) {
      for (const tensor::Shape& c : {tensor::Shape{}, tensor::Shape{3}, tensor::Shape{1, 3},
                                     tensor::Shape{5, 1}, tensor::Shape{5, 3}}) {
        SCOPED_TRACE(c.ToString());
        StressNetwork net(64);
        const ValueId a = net.Input(trans_a != 0 ? tensor::Shape{7, 5} : tensor::Shape{5, 7});
        const tensor::Shape b_shape = trans_b != 0 ? tensor::Shape{3, 7} : tensor::Shape{7, 3};
        const Attributes attributes = {
            {"alpha", 0.75}, {"beta", -1.25}, {"transA", trans_a}, {"transB", trans_b}};
        const ValueId weights = net.Constant(b_shape);
        net.Output(net.Relu(net.Add(Op::kGemm, {a, weights, net.Constant(c)}, attributes)));
        net.Output(net.Add(Op::kGemm, {a, weights}, attributes));
        net.Output(net.Add(Op::kGemm, {a, weights, net.Input(c)}, attributes));
        net.Output(net.Add(Op::kGemm, {a, net.Input(b_shape), net.Constant(c)}, attributes));
        ExpectIntPath(net, {{8}, {"tiny", "edge"}, Allow::kBudget});
      }
    }
  }
}

TEST(StressMatMul, SoftmaxOnEveryAxis) {
  for (int rank = 1; rank <= 5; ++rank) {
    constexpr int64_t kExtents[] = {2, 3, 5, 4, 3};
    const tensor::Shape shape(std::vector<int64_t>(kExtents, kExtents + rank));
    StressNetwork net(65);
    const ValueId x = net.Input(shape);
    for (int axis = 0; axis < rank; ++axis) {
      net.Output(net.Softmax(x, axis));
      net.Output(net.Add(Op::kMul, {x, net.Softmax(net.Add(Op::kAdd, {x, x}), axis)}));
    }
    SCOPED_TRACE(shape.ToString());
    ExpectIntPath(net);
  }
}

TEST(StressMatMul, AttentionOfTwoHeads) {
  StressNetwork net(66);
  const ValueId x = net.Input({2, 6, 8});
  const auto heads = [&](const Ints& perm) {
    const ValueId projected = net.Add(Op::kMatMul, {x, net.Constant({8, 8}, -0.5F, 0.5F)});
    return net.Transpose(net.Reshape(projected, {2, 6, 2, 4}), perm);
  };
  const ValueId scores = net.Add(Op::kMatMul, {heads({0, 2, 1, 3}), heads({0, 2, 3, 1})});
  const ValueId scaled = net.Add(Op::kMul, {scores, net.Values({}, {0.5F})});
  const ValueId mixed = net.Add(Op::kMatMul, {net.Softmax(scaled, 3), heads({0, 2, 1, 3})});
  const ValueId joined = net.Reshape(net.Transpose(mixed, {0, 2, 1, 3}), {2, 6, 8});
  net.Output(net.Add(Op::kAdd, {x, net.Add(Op::kMatMul, {joined, net.Constant({8, 8})})}));
  ExpectIntPath(net);
}

}  // namespace
}  // namespace bw::conformance
