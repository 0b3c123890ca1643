// How values are connected: inputs, outputs, readers, shared weights.
#include "tests/conformance/stress_network.h"

namespace bw::conformance {
namespace {

TEST(StressStructure, AnInputIsAnOutput) {
  for (const tensor::Shape& shape :
       {tensor::Shape{}, tensor::Shape{5}, tensor::Shape{2, 3, 4, 5}}) {
    StressNetwork net(80);
    net.Output(net.Input(shape));
    ExpectIntPath(net);
  }
}

TEST(StressStructure, AnInputIsAnOutputBesideItsReaders) {
  StressNetwork net(81);
  const ValueId x = net.Input({2, 3, 4, 5});
  net.Output(x);
  net.Output(net.Conv(x, {}));
  net.Output(x);
  ExpectIntPath(net);
}

TEST(StressStructure, AnOutputIsRead) {
  StressNetwork net(82);
  const ValueId x = net.Conv(net.Input({2, 3, 4, 5}), {});
  net.Output(x);
  const ValueId y = net.Relu(x);
  net.Output(y);
  const ValueId z = net.Add(Op::kAdd, {y, x});
  net.Output(net.Concat({x, z}, 1));
  net.Output(z);
  net.Output(net.Reshape(z, {2, 160}));
  ExpectIntPath(net);
}

TEST(StressStructure, AnInputThatNobodyReads) {
  StressNetwork net(83);
  net.Input({3, 4});
  net.Output(net.Relu(net.Input({2, 5})));
  net.Input({2});
  ExpectIntPath(net);
}

TEST(StressStructure, SeveralInputsOfSeveralShapes) {
  StressNetwork net(84);
  const ValueId image = net.Input({2, 3, 6, 6}), mask = net.Input({2, 1, 6, 6}, 0, 1);
  const ValueId code = net.Input({2, 5}, -1, 1);
  const ValueId features = net.Add(Op::kMul, {net.Conv(image, {}), mask});
  const ValueId bias = net.Reshape(net.Gemm(code, 8), {2, 8, 1, 1});
  const ValueId sum = net.Relu(net.Add(Op::kAdd, {features, bias}));
  net.Output(net.Gemm(net.Reshape(net.Add(Op::kGlobalAveragePool, {sum}), {2, 8}), 4));
  net.Output(net.Conv(sum, {1}));
  net.Output(net.Add(Op::kSigmoid, {net.Gemm(code, 3)}));
  ExpectIntPath(net);
}

TEST(StressStructure, WeightsAndConstantsAreShared) {
  StressNetwork net(85);
  const ValueId weights = net.Constant({4, 4, 3, 3}, -0.3F, 0.3F), bias = net.Constant({4});
  const Attributes attributes = graph::ConvAttributes({1, 1}, {1, 1, 1, 1});
  ValueId x = net.Input({2, 4, 5, 5});
  for (int i = 0; i < 3; ++i) {
    x = net.Relu(net.Add(Op::kConv, {x, weights, bias}, attributes));
  }
  net.Output(x);
  const ValueId c = net.Constant({4, 1, 1});
  net.Output(net.Add(Op::kAdd, {net.Add(Op::kMaxPool, {x},
                                        {{"kernel_shape", Ints{2, 2}},
                                         {"strides", Ints{1, 1}},
                                         {"pads", Ints{0, 0, 0, 0}},
                                         {"dilations", Ints{1, 1}},
                                         {"ceil_mode", int64_t{0}}}),
                                c}));
  net.Output(net.Add(Op::kMul, {net.Add(Op::kSub, {c, x}), c}));
  ExpectIntPath(net);
}

TEST(StressStructure, OneValueIsBothOperands) {
  StressNetwork net(86);
  const ValueId x = net.Input({2, 3, 4, 5});
  net.Output(net.Add(Op::kAdd, {x, x}));
  net.Output(net.Add(Op::kSub, {x, x}));
  net.Output(net.Add(Op::kMul, {x, x}));
  const ValueId square = net.Input({2, 4, 4});
  net.Output(net.Add(Op::kMatMul, {square, square}));
  ExpectIntPath(net);
}

TEST(StressStructure, ManyReadersAtDifferentDistances) {
  StressNetwork net(87);
  const ValueId x = net.Conv(net.Input({1, 5, 6, 6}), {6});
  ValueId y = x;
  for (int i = 0; i < 4; ++i) {
    y = net.Add(Op::kAdd, {net.Relu(net.Depthwise(y)), x});
  }
  net.Output(net.Concat({x, y, net.Relu(x)}, 1));
  ExpectIntPath(net);
}

TEST(StressStructure, BatchesOfTwoAndThree) {
  for (const int64_t batch : {2, 3}) {
    SCOPED_TRACE(batch);
    StressNetwork net(88);
    const ValueId x = net.Input({batch, 3, 8, 8});
    const ValueId a = net.Relu(net.Conv(x, {16, {3, 3}, {2, 2}}));
    const ValueId b = net.Pointwise(net.Clip(net.Depthwise(net.Pointwise(a, 24)), 0, 6), 16);
    const ValueId sum = net.Add(Op::kAdd, {a, b});
    const ValueId pooled = net.Add(Op::kGlobalAveragePool, {sum});
    net.Output(net.Softmax(net.Gemm(net.Reshape(pooled, {batch, 16}), 10), 1));
    ExpectIntPath(net);
  }
}

TEST(StressStructure, AConstantIsAnOutput) {
  StressNetwork net(89);
  net.Output(net.Relu(net.Input({2, 3})));
  net.Output(net.Constant({2, 2}));
  ExpectIntPath(net);
}

}  // namespace
}  // namespace bw::conformance
