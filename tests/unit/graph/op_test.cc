#include "compiler/graph/op.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace bw::graph {
namespace {

TEST(Ops, EveryRowIsFoundByItsNameAndEnumerator) {
  ASSERT_GT(AllOps().size(), 30u);
  std::set<std::string_view> names;
  for (const OpInfo& info : AllOps()) {
    EXPECT_EQ(FindOp(info.name), info.op);
    EXPECT_EQ(Info(info.op).name, info.name);
    EXPECT_TRUE(names.insert(info.name).second) << info.name << " is listed twice";
    EXPECT_TRUE(info.max_inputs < 0 || info.max_inputs >= info.min_inputs) << info.name;
    EXPECT_FALSE(info.doc.empty()) << info.name;
  }
}

TEST(Ops, UnknownNamesAreNotFound) {
  EXPECT_EQ(FindOp("LSTM"), std::nullopt);
  EXPECT_EQ(FindOp("conv"), std::nullopt);
  EXPECT_EQ(FindOp(""), std::nullopt);
}

TEST(Ops, RowsCarryArityClassAndRule) {
  const OpInfo& conv = Info(Op::kConv);
  EXPECT_EQ(conv.min_inputs, 2);
  EXPECT_EQ(conv.max_inputs, 3);
  EXPECT_EQ(conv.op_class, OpClass::kA);
  EXPECT_EQ(conv.qdq, QdqRule::kFirst);
  EXPECT_EQ(Info(Op::kConcat).max_inputs, -1);
  EXPECT_EQ(Info(Op::kSigmoid).qdq, QdqRule::kSecond);
  EXPECT_EQ(ClassLetter(Info(Op::kSoftmax).op_class), 'H');
}

TEST(Ops, TheDescriptionHasOneLineAnOperator) {
  const std::string text = DescribeOps();
  EXPECT_THAT(text, testing::HasSubstr("| Conv | A | 2 to 3 | first | strides:is pads:is"));
  EXPECT_THAT(text, testing::HasSubstr("| Concat | L | 1 or more | first | axis:i |"));
  EXPECT_EQ(static_cast<size_t>(std::count(text.begin(), text.end(), '\n')), AllOps().size() + 2);
}

}  // namespace
}  // namespace bw::graph
