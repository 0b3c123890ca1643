// Every arithmetic node against the same operator on reals: with the inputs already on the integer
// grid, the result may differ from the real one by half a step of rounding and the error of the
// 16-bit multiplier.
#include <gtest/gtest.h>

#include <cmath>

#include "models/arith/quantise.h"
#include "models/arith/scale.h"
#include "models/float_ref/executor.h"
#include "tests/unit/golden/builder.h"

namespace bw::golden {
namespace {

using graph::Op;
using tensor::Tensor;
using Ints = std::vector<int64_t>;
using Attributes = std::map<std::string, graph::Attribute>;

// An integer tensor and what it stands for.
struct Operand {
  IntTensor q;
  Type type;
  double scale;

  Tensor Real() const {
    std::vector<double> real;
    for (const int32_t v : q.data) real.push_back(arith::Dequantise(v, scale, type.zero_point));
    return Tensor::From<double>(q.shape, real);
  }
};

Tensor Reference(Op op, Attributes attributes, const std::vector<Operand>& operands,
                 const Shape& out) {
  graph::Graph g;
  graph::Node node;
  node.op = op;
  node.attributes = std::move(attributes);
  std::vector<Tensor> reals;
  for (const Operand& operand : operands) {
    graph::Value value;
    value.dtype = tensor::DType::kF64;
    value.shape = operand.q.shape;
    node.inputs.push_back(g.AddValue(value));
    reals.push_back(operand.Real());
  }
  g.inputs = node.inputs;
  graph::Value value;
  value.dtype = tensor::DType::kF64;
  value.shape = out;
  node.outputs = g.outputs = {g.AddValue(value)};
  g.nodes = {node};
  return float_ref::FloatExecutor(g).Run(reals).value().at(0);
}

// Greatest distance in output steps between integer results and clipped real ones.
double WorstSteps(const IntTensor& q, const Tensor& real, double scale, const Type& type) {
  EXPECT_EQ(q.elements(), real.elements());
  EXPECT_GT(q.elements(), 0);
  double worst = 0;
  for (size_t i = 0; i < q.data.size(); ++i) {
    const double steps = real.data<double>()[i] / scale + static_cast<double>(type.zero_point);
    const double clipped =
        std::clamp(steps, static_cast<double>(type.low()), static_cast<double>(type.high()));
    worst = std::max(worst, std::abs(q.data[i] - clipped));
  }
  return worst;
}

RequantSet SetFor(double real_scale, const Type& out) {
  const auto scale = arith::Decompose(real_scale, 16, arith::ScaleRule::kNearest);
  return {{arith::MakeRequant(scale, out.zero_point, out.low(), out.high())}, {}};
}

Operand RandomOperand(std::mt19937& rng, const Shape& shape, Type type, double scale) {
  return {RandomTensor(rng, shape, type), type, scale};
}

IntTensor RunNode(const graph::IntParams& params, const std::vector<Operand>& activations,
                  const std::vector<Operand>& constants, const Shape& out, const Type& type) {
  IntGraph g;
  std::vector<IntValueId> ids;
  std::vector<IntTensor> inputs;
  for (const Operand& a : activations) {
    ids.push_back(AddInput(g, a.q.shape, a.type));
    inputs.push_back(a.q);
  }
  for (const Operand& c : constants) {
    ids.push_back(AddValue(g, "c" + std::to_string(ids.size()), c.q.shape, c.type, c.q.data));
  }
  AddNode(g, params, ids, out, type);
  return RunGraph(g, inputs).outputs[0];
}

constexpr double kBudget = 0.51;  // half a step, and 2^-16 of up to 255 steps
const Type kOut{8, true, 11};

TEST(FloatBudget, Conv) {
  std::mt19937 rng(4);
  const Operand x = RandomOperand(rng, {1, 6, 7, 7}, {8, false, 90}, 0.02);
  const Operand w = RandomOperand(rng, {4, 3, 3, 3}, {}, 0.01);
  const Operand b = {IntTensor({4}, {1000, -2000, 0, 3}), kWide, 0.02 * 0.01};
  const double so = 0.09;
  graph::IntConv conv;
  conv.stride_h = 2, conv.group = 2, conv.pad_top = 1, conv.pad_right = 2;
  conv.requant = SetFor(x.scale * w.scale / so, kOut);
  const Shape out({1, 4, 3, 7});
  const Tensor real = Reference(Op::kConv,
                                {{"strides", Ints{2, 1}},
                                 {"pads", Ints{1, 0, 0, 2}},
                                 {"dilations", Ints{1, 1}},
                                 {"group", int64_t{2}}},
                                {x, w, b}, out);
  EXPECT_LE(WorstSteps(RunNode(conv, {x}, {w, b}, out, kOut), real, so, kOut), kBudget);
}

TEST(FloatBudget, MatMul) {
  std::mt19937 rng(5);
  const Operand a = RandomOperand(rng, {2, 5, 9}, {8, true, -4}, 0.02);
  const Operand b = RandomOperand(rng, {2, 9, 3}, {8, true, 2}, 0.03);
  const double so = 0.2;
  const graph::IntMatMul product{SetFor(a.scale * b.scale / so, kOut)};
  const Tensor real = Reference(Op::kMatMul, {}, {a, b}, {2, 5, 3});
  EXPECT_LE(WorstSteps(RunNode(product, {a, b}, {}, {2, 5, 3}, kOut), real, so, kOut), kBudget);
}

TEST(FloatBudget, AddAndSub) {
  std::mt19937 rng(6);
  const Operand a = RandomOperand(rng, {3, 50}, {8, true, 9}, 0.013);
  const Operand b = RandomOperand(rng, {1, 50}, {8, true, -30}, 0.031);
  const double so = 0.04;
  for (const bool two_stage : {false, true}) {
    for (const bool subtract : {false, true}) {
      const auto plan = arith::MakeEltwiseAdd(a.scale, b.scale, so, 8, 15, two_stage, 16, 16,
                                              arith::ScaleRule::kNearest);
      graph::IntAdd add;
      add.add = plan.add;
      add.add.a.zp = a.type.zero_point;
      add.add.b.zp = b.type.zero_point;
      add.add.subtract = subtract;
      add.requant = {{arith::MakeRequant(plan.out.scale, 11, -128, 127)}, {}};
      const Tensor real = Reference(subtract ? Op::kSub : Op::kAdd, {}, {a, b}, {3, 50});
      EXPECT_LE(WorstSteps(RunNode(add, {a, b}, {}, {3, 50}, kOut), real, so, kOut), kBudget);
    }
  }
}

TEST(FloatBudget, Mul) {
  std::mt19937 rng(7);
  const Operand a = RandomOperand(rng, {1, 4, 3, 3}, {8, true, 1}, 0.02);
  const Operand b = RandomOperand(rng, {1, 4, 1, 1}, {8, false, 0}, 1.0 / 255);
  const double so = 0.019;
  const graph::IntMul product{SetFor(a.scale * b.scale / so, kOut)};
  const Tensor real = Reference(Op::kMul, {}, {a, b}, {1, 4, 3, 3});
  EXPECT_LE(WorstSteps(RunNode(product, {a, b}, {}, {1, 4, 3, 3}, kOut), real, so, kOut), kBudget);
}

TEST(FloatBudget, ReluAndLeakyReluByRequant) {
  std::mt19937 rng(8);
  const Operand x = RandomOperand(rng, {200}, {8, true, -20}, 0.05);
  const double so = 0.03;
  graph::IntRequant relu{SetFor(x.scale / so, kOut)};
  relu.requant.entries[0].lo = kOut.zero_point;
  EXPECT_LE(WorstSteps(RunNode(relu, {x}, {}, {200}, kOut), Reference(Op::kRelu, {}, {x}, {200}),
                       so, kOut),
            kBudget);
  graph::IntRequant leaky{SetFor(x.scale / so, kOut)};
  leaky.requant.negative = SetFor(0.1 * x.scale / so, kOut).entries;
  EXPECT_LE(WorstSteps(RunNode(leaky, {x}, {}, {200}, kOut),
                       Reference(Op::kLeakyRelu, {{"alpha", 0.1}}, {x}, {200}), so, kOut),
            kBudget);
}

TEST(FloatBudget, AveragePool) {
  std::mt19937 rng(9);
  const Operand x = RandomOperand(rng, {1, 2, 7, 7}, {8, true, 5}, 0.05);
  graph::IntPool pool;
  pool.is_max = false;
  pool.kernel_h = pool.kernel_w = 3;
  pool.stride_h = pool.stride_w = 2;
  pool.pad_top = pool.pad_left = pool.pad_bottom = pool.pad_right = 1;
  for (const int64_t n : {4, 6, 9}) {
    pool.by_count[n] = SetFor(1.0 / static_cast<double>(n), {8, true, 5}).entries[0];
  }
  const Tensor real = Reference(Op::kAveragePool,
                                {{"kernel_shape", Ints{3, 3}},
                                 {"strides", Ints{2, 2}},
                                 {"pads", Ints{1, 1, 1, 1}},
                                 {"ceil_mode", int64_t{0}},
                                 {"count_include_pad", int64_t{0}}},
                                {x}, {1, 2, 4, 4});
  EXPECT_LE(WorstSteps(RunNode(pool, {x}, {}, {1, 2, 4, 4}, {8, true, 5}), real, x.scale, x.type),
            kBudget);
}

TEST(FloatBudget, ItNoticesAWrongScale) {
  std::mt19937 rng(10);
  const Operand x = RandomOperand(rng, {200}, {}, 0.05);
  const graph::IntRequant wrong{SetFor(1.02, {})};
  EXPECT_GT(WorstSteps(RunNode(wrong, {x}, {}, {200}, {}), Reference(Op::kIdentity, {}, {x}, {200}),
                       0.05, {}),
            kBudget);
}

}  // namespace
}  // namespace bw::golden
