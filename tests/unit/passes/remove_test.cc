// Nodes that do nothing, and nodes that nobody needs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "compiler/passes/passes.h"
#include "tests/unit/passes/equivalence.h"

namespace bw::passes {
namespace {

using graph::Attribute;
using graph::Builder;
using graph::Graph;
using graph::Ints;
using graph::Op;
using graph::ValueId;

class Remove : public testing::Test {
 protected:
  // Operators of relu(op(relu(x))) after the pass.
  std::string Between(Op op, std::map<std::string, Attribute> attributes) {
    Builder b;
    const ValueId x = b.Input("x", {2, 3, 4});
    const ValueId before = b.Add(Op::kRelu, "before", {x});
    const ValueId middle = b.Add(op, "middle", {before}, std::move(attributes));
    b.graph.outputs = {b.Add(Op::kRelu, "after", {middle})};
    return After(b);
  }
  std::string After(const Builder& b) {
    EXPECT_TRUE(b.status.ok()) << ToString(b.status.errors());
    graph_ = b.graph;
    EXPECT_TRUE(RemoveIdentities(graph_).ok());
    const Status sound = Verify(graph_);
    EXPECT_TRUE(sound.ok()) << ToString(sound.errors());
    EXPECT_EQ(RelativeDifference(b.graph, graph_), 0);
    EXPECT_EQ(graph_.value(graph_.outputs[0]).name, b.graph.value(b.graph.outputs[0]).name);
    return Ops(graph_);
  }
  Graph graph_;
};

std::map<std::string, Attribute> Pads(Ints pads) {
  return {{"pads", std::move(pads)}, {"mode", std::string("constant")}, {"value", 0.0}};
}

std::map<std::string, Attribute> Bounds(Ints starts, Ints ends, Ints steps) {
  return {{"axes", Ints{1}},
          {"starts", std::move(starts)},
          {"ends", std::move(ends)},
          {"steps", std::move(steps)}};
}

TEST_F(Remove, WhatChangesNothing) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(Between(Op::kIdentity, {}), "Relu Relu");
  EXPECT_EQ(Between(Op::kDropout, {}), "Relu Relu");
  EXPECT_EQ(Between(Op::kCast, {{"to", int64_t{1}}}), "Relu Relu");
  EXPECT_EQ(Between(Op::kReshape, {{"shape", Ints{2, 3, 4}}}), "Relu Relu");
  EXPECT_EQ(Between(Op::kSqueeze, {{"axes", Ints{}}}), "Relu Relu");
  EXPECT_EQ(Between(Op::kTranspose, {{"perm", Ints{0, 1, 2}}}), "Relu Relu");
  EXPECT_EQ(Between(Op::kPad, Pads({0, 0, 0, 0, 0, 0})), "Relu Relu");
  EXPECT_EQ(Between(Op::kSlice, Bounds({0}, {3}, {1})), "Relu Relu");
  EXPECT_EQ(Between(Op::kConcat, {{"axis", int64_t{0}}}), "Relu Relu");
  EXPECT_EQ(Between(Op::kClip, {{"min", -kInfinity}, {"max", kInfinity}}), "Relu Relu");
}

TEST_F(Remove, NothingThatChangesSomething) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(Between(Op::kReshape, {{"shape", Ints{2, 12}}}), "Relu Reshape Relu");
  EXPECT_EQ(Between(Op::kTranspose, {{"perm", Ints{0, 2, 1}}}), "Relu Transpose Relu");
  EXPECT_EQ(Between(Op::kPad, Pads({0, 0, 1, 0, 0, 0})), "Relu Pad Relu");
  EXPECT_EQ(Between(Op::kSlice, Bounds({1}, {3}, {1})), "Relu Slice Relu");
  EXPECT_EQ(Between(Op::kSlice, Bounds({2}, {-1}, {-1})), "Relu Slice Relu");
  EXPECT_EQ(Between(Op::kClip, {{"min", 0.5}, {"max", kInfinity}}), "Relu Clip Relu");
}

TEST_F(Remove, SquareTransposesAreNotMistakenForNothing) {
  Builder b;
  const ValueId x = b.Input("x", {3, 3});
  b.graph.outputs = {b.Add(Op::kTranspose, "y", {x}, {{"perm", Ints{1, 0}}})};
  EXPECT_EQ(After(b), "Transpose");
}

TEST_F(Remove, AnOutputKeepsItsName) {
  Builder b;
  const ValueId relu = b.Add(Op::kRelu, "relu", {b.Input("x", {2})});
  b.graph.outputs = {b.Add(Op::kIdentity, "y", {relu})};
  EXPECT_EQ(After(b), "Relu");
  EXPECT_EQ(graph_.value(graph_.nodes[0].outputs[0]).name, "y");
}

TEST_F(Remove, AnInputThatIsAnOutputStays) {
  Builder b;
  b.graph.outputs = {b.Add(Op::kIdentity, "y", {b.Input("x", {2})})};
  EXPECT_EQ(After(b), "Identity");
}

TEST_F(Remove, AnOutputUnderTwoNamesStays) {
  Builder b;
  const ValueId relu = b.Add(Op::kRelu, "relu", {b.Input("x", {2})});
  b.graph.outputs = {b.Add(Op::kIdentity, "y", {relu}), relu};
  EXPECT_EQ(After(b), "Relu Identity");
}

TEST_F(Remove, ChainsOfReshapesBecomeOne) {
  Builder b;
  const ValueId x = b.Input("x", {2, 3, 4});
  const ValueId flat = b.Add(Op::kFlatten, "flat", {x}, {{"axis", int64_t{1}}});
  const ValueId deep = b.Add(Op::kUnsqueeze, "deep", {flat}, {{"axes", Ints{1}}});
  b.graph.outputs = {b.Add(Op::kReshape, "y", {deep}, {{"shape", Ints{6, 4}}})};
  EXPECT_EQ(After(b), "Reshape");
}

TEST_F(Remove, ChainsOfReshapesMayVanish) {
  Builder b;
  const ValueId x = b.Add(Op::kRelu, "relu", {b.Input("x", {2, 3})});
  const ValueId deep = b.Add(Op::kUnsqueeze, "deep", {x}, {{"axes", Ints{1}}});
  const ValueId back = b.Add(Op::kSqueeze, "back", {deep}, {{"axes", Ints{1}}});
  b.graph.outputs = {b.Add(Op::kRelu, "y", {back})};
  EXPECT_EQ(After(b), "Relu Relu");
}

TEST_F(Remove, ChainsOfTransposesBecomeOne) {
  Builder b;
  const ValueId x = b.Input("x", {2, 3, 4});
  const ValueId one = b.Add(Op::kTranspose, "one", {x}, {{"perm", Ints{1, 2, 0}}});
  b.graph.outputs = {b.Add(Op::kTranspose, "y", {one}, {{"perm", Ints{0, 2, 1}}})};
  EXPECT_EQ(After(b), "Transpose");
  EXPECT_THAT(graph_.nodes[0].Ints("perm"), testing::ElementsAre(1, 0, 2));
}

TEST_F(Remove, AReshapeThatOthersReadStays) {
  Builder b;
  const ValueId x = b.Input("x", {2, 3});
  const ValueId flat = b.Add(Op::kReshape, "flat", {x}, {{"shape", Ints{6}}});
  const ValueId deep = b.Add(Op::kReshape, "deep", {flat}, {{"shape", Ints{3, 2}}});
  b.graph.outputs = {b.Add(Op::kRelu, "y", {deep}), b.Add(Op::kRelu, "z", {flat})};
  EXPECT_EQ(After(b), "Reshape Reshape Relu Relu");
}

TEST(RemoveDead, TakesAllThatNoOutputNeeds) {
  Builder b;
  const ValueId x = b.Input("x", {2});
  const ValueId unused = b.Add(Op::kRelu, "unused", {x});
  b.Add(Op::kSigmoid, "unused_too", {unused});
  b.graph.outputs = {b.Add(Op::kTanh, "y", {x})};
  EXPECT_TRUE(RemoveDead(b.graph).ok());
  EXPECT_EQ(Ops(b.graph), "Tanh");
}

}  // namespace
}  // namespace bw::passes
