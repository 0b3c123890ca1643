#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/passes/passes.h"
#include "tests/unit/passes/equivalence.h"

namespace bw::passes {
namespace {

using graph::Builder;
using graph::Graph;
using graph::Op;
using graph::ValueId;

class Fuse : public testing::Test {
 protected:
  ValueId Number(float value) {
    return b_.Constant<float>("k" + std::to_string(b_.graph.values.size()), {}, {value});
  }
  ValueId Apply(Op op, ValueId a, ValueId c) {
    return b_.Add(op, "v" + std::to_string(b_.graph.values.size()), {a, c});
  }
  ValueId Clip(ValueId x, double low, double high) {
    return b_.Add(Op::kClip, "v" + std::to_string(b_.graph.values.size()), {x},
                  {{"min", low}, {"max", high}});
  }
  // clip(x + 3, 0, 6)
  ValueId ReluSix(ValueId x) { return Clip(Apply(Op::kAdd, x, Number(3)), 0, 6); }

  // Operators after the pass, which must keep soundness and function.
  std::string After(ValueId y) {
    b_.graph.outputs.insert(b_.graph.outputs.begin(), y);
    EXPECT_TRUE(b_.status.ok());
    after_ = b_.graph;
    EXPECT_TRUE(FuseActivations(after_).ok());
    const Status sound = Verify(after_);
    EXPECT_TRUE(sound.ok()) << ToString(sound.errors());
    EXPECT_LT(RelativeDifference(b_.graph, after_), kRounding);
    return Ops(after_);
  }

  Builder b_;
  ValueId x_ = b_.Input("x", {1, 3, 2, 50});
  Graph after_;
};

TEST_F(Fuse, ProductThenDivisionBySixIsHardSwish) {
  EXPECT_EQ(After(Apply(Op::kDiv, Apply(Op::kMul, x_, ReluSix(x_)), Number(6))), "HardSwish");
}

TEST_F(Fuse, ProductThenASixthIsHardSwish) {
  EXPECT_EQ(After(Apply(Op::kMul, Number(1.0f / 6), Apply(Op::kMul, ReluSix(x_), x_))),
            "HardSwish");
}

TEST_F(Fuse, DivisionBeforeTheProductIsHardSwish) {
  EXPECT_EQ(After(Apply(Op::kMul, Apply(Op::kDiv, ReluSix(x_), Number(6)), x_)), "HardSwish");
}

TEST_F(Fuse, OtherNumbersAreNotHardSwish) {
  EXPECT_EQ(After(Apply(Op::kDiv, Apply(Op::kMul, x_, ReluSix(x_)), Number(5))),
            "Add Clip Mul Div");
}

TEST_F(Fuse, AnotherOperandIsNotHardSwish) {
  const ValueId z = b_.Input("z", {1, 3, 2, 50});
  EXPECT_EQ(After(Apply(Op::kDiv, Apply(Op::kMul, z, ReluSix(x_)), Number(6))), "Add Clip Mul Div");
}

TEST_F(Fuse, AnInnerResultThatOthersReadStays) {
  const ValueId inner = ReluSix(x_);
  b_.graph.outputs = {inner};
  EXPECT_EQ(After(Apply(Op::kDiv, Apply(Op::kMul, x_, inner), Number(6))), "Add Clip Mul Div");
}

TEST_F(Fuse, AnInnerResultWithASecondReaderStays) {
  const ValueId inner = ReluSix(x_);
  b_.graph.outputs = {b_.Add(Op::kRelu, "second", {inner})};
  EXPECT_EQ(After(Apply(Op::kDiv, Apply(Op::kMul, x_, inner), Number(6))), "Add Clip Relu Mul Div");
}

TEST_F(Fuse, ClippedLineIsHardSigmoid) {
  const ValueId line = Apply(Op::kAdd, Apply(Op::kMul, x_, Number(0.2f)), Number(0.5f));
  EXPECT_EQ(After(Clip(line, 0, 1)), "HardSigmoid");
  EXPECT_EQ(after_.nodes[0].Float("alpha"), static_cast<double>(0.2f));
  EXPECT_EQ(after_.nodes[0].Float("beta"), 0.5);
}

TEST_F(Fuse, ReluSixOverSixIsHardSigmoid) {
  EXPECT_EQ(After(Apply(Op::kDiv, ReluSix(x_), Number(6))), "HardSigmoid");
  EXPECT_NEAR(after_.nodes[0].Float("alpha"), 1.0 / 6, 1e-12);
  EXPECT_EQ(after_.nodes[0].Float("beta"), 0.5);
}

TEST_F(Fuse, SubtractionAndDivisionAreLinesToo) {
  const ValueId line = Apply(Op::kSub, Apply(Op::kDiv, x_, Number(4)), Number(0.25f));
  EXPECT_EQ(After(Clip(line, 0, 1)), "HardSigmoid");
}

TEST_F(Fuse, AFactorThatOthersReadStaysOutside) {
  const ValueId scaled = Apply(Op::kMul, x_, Number(0.2f));
  b_.graph.outputs = {scaled};
  EXPECT_EQ(After(Clip(Apply(Op::kAdd, scaled, Number(0.5f)), 0, 1)), "Mul HardSigmoid");
}

TEST_F(Fuse, ClipsThatDoNotEndAtOneStay) {
  EXPECT_EQ(After(ReluSix(x_)), "Add Clip");
  EXPECT_EQ(After(Clip(Apply(Op::kAdd, x_, Number(3)), -1, 1)), "Add Clip Add Clip");
}

TEST_F(Fuse, AConstantMinusTheLineIsNoLine) {
  EXPECT_EQ(After(Clip(Apply(Op::kSub, Number(3), x_), 0, 1)), "Sub Clip");
}

TEST_F(Fuse, HardSigmoidTimesItsOperandStays) {
  const ValueId gate = b_.Add(Op::kHardSigmoid, "gate", {x_}, {{"alpha", 1.0 / 6}, {"beta", 0.5}});
  EXPECT_EQ(After(Apply(Op::kMul, x_, gate)), "HardSigmoid Mul");
}

TEST_F(Fuse, NumbersThatEnlargeTheResultAreNoScalars) {
  const ValueId wide = b_.Constant<float>("wide", {1, 1, 1, 1, 1}, {3});
  EXPECT_EQ(After(Clip(Apply(Op::kAdd, x_, wide), 0, 1)), "Add Clip");
}

}  // namespace
}  // namespace bw::passes
