#include "models/status/result.h"

#include <gtest/gtest.h>

namespace bw {
namespace {

Result<int> Half(int x) {
  if (x % 2 != 0) return Error{"in.yaml", 3, 7, "x", "5 is odd", "give an even number"};
  return x / 2;
}

Result<int> Quarter(int x) {
  BW_ASSIGN_OR_RETURN(int half, Half(x));
  BW_ASSIGN_OR_RETURN(int quarter, Half(half));
  return quarter;
}

TEST(Result, CarriesTheValue) { EXPECT_EQ(Quarter(8).value(), 2); }

TEST(Result, CarriesTheErrorThroughCallers) {
  Result<int> result = Quarter(10);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(ToString(result.errors()), "in.yaml:3:7: x: 5 is odd (give an even number)\n");
}

TEST(Error, LeavesOutWhatIsUnknown) {
  EXPECT_EQ((Error{"a.onnx", 0, 4, "", "empty file", ""}.ToString()), "a.onnx: empty file");
  EXPECT_EQ((Error{"", 0, 0, "--npu", "missing", ""}.ToString()), "--npu: missing");
}

TEST(ResultDeathTest, ValueOfAFailureStopsWithTheMessage) {
  EXPECT_DEATH((void)Half(5).value(), "5 is odd");
}

}  // namespace
}  // namespace bw
