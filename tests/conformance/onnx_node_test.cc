// Import and float reference against the ONNX project's own data.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

#include "compiler/frontend/onnx/onnx_import.h"
#include "models/float_ref/executor.h"
#include "tests/conformance/onnx_cases.h"

namespace bw::conformance {
namespace {

using tensor::Tensor;

constexpr double kRelative = 1e-5, kAbsolute = 1e-6;

// Integers equal; reals within the tolerance, NaN equal to NaN.
void ExpectClose(const Tensor& actual, const Tensor& expected) {
  ASSERT_EQ(actual.dtype(), expected.dtype());
  ASSERT_EQ(actual.shape(), expected.shape());
  if (!tensor::IsFloat(expected.dtype())) {
    EXPECT_EQ(actual.ToI64(), expected.ToI64());
    return;
  }
  const std::vector<double> a = actual.ToF64(), e = expected.ToF64();
  for (size_t i = 0; i < e.size(); ++i) {
    const bool same = a[i] == e[i] || (std::isnan(a[i]) && std::isnan(e[i]));
    ASSERT_TRUE(same || std::abs(a[i] - e[i]) <= kAbsolute + kRelative * std::abs(e[i]))
        << "element " << i << ": " << a[i] << ", expected " << e[i];
  }
}

class OnnxNode : public ::testing::TestWithParam<OnnxCase> {};

TEST_P(OnnxNode, GivesTheExpectedOutputsOrIsRefusedWithAReason) {
  const OnnxCase& c = GetParam();
  const auto data = LoadData(c);
  frontend::OnnxImportOptions options;
  if (data) options = {data->shapes, data->constants};
  const auto graph = frontend::ImportOnnx(c.directory + "/model.onnx", options);
  if (const Unsupported* row = FindUnsupported(c)) {
    ASSERT_FALSE(graph.ok()) << "listed as unsupported: " << row->reason;
    EXPECT_THAT(ToString(graph.errors()), ::testing::HasSubstr(row->message));
    return;
  }
  ASSERT_TRUE(graph.ok()) << ToString(graph.errors());
  ASSERT_TRUE(data.has_value()) << "unreadable test data";
  const auto outputs = float_ref::FloatExecutor(*graph).Run(data->activations);
  ASSERT_TRUE(outputs.ok()) << ToString(outputs.errors());
  ASSERT_EQ(outputs->size(), data->expected.size());
  ASSERT_GT(outputs->size(), 0u);
  for (size_t i = 0; i < outputs->size(); ++i) {
    ExpectClose((*outputs)[i], data->expected[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(Data, OnnxNode, ::testing::ValuesIn(AllOnnxCases()), [](const auto& info) {
  std::string name = info.param.group + "_" + info.param.name;
  for (char& ch : name) ch = std::isalnum(ch) != 0 ? ch : '_';
  return name;
});
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(OnnxNode);

class OnnxCases : public ::testing::Test {
 protected:
  void SetUp() override {
    if (AllOnnxCases().empty()) GTEST_SKIP() << "install libonnx-testdata to run the ONNX tests";
  }
};

TEST_F(OnnxCases, AreAllThere) {
  const auto& all = AllOnnxCases();
  const auto refused =
      std::count_if(all.begin(), all.end(), [](const auto& c) { return FindUnsupported(c); });
  EXPECT_GE(all.size(), 354u);
  EXPECT_LE(refused, 70);
}

TEST_F(OnnxCases, CoverEveryOperatorOfTheTable) {
  std::map<graph::Op, int> supported;
  for (const OnnxCase& c : AllOnnxCases()) {
    if (FindUnsupported(c) != nullptr) continue;
    for (const graph::Op op : c.ops) ++supported[op];
  }
  for (const graph::OpInfo& info : graph::AllOps()) EXPECT_GE(supported[info.op], 1) << info.name;
}

TEST_F(OnnxCases, HaveNoStaleUnsupportedRows) {
  std::map<const Unsupported*, int> uses;
  for (const OnnxCase& c : AllOnnxCases()) ++uses[FindUnsupported(c)];
  for (const Unsupported& row : UnsupportedCases()) EXPECT_GE(uses[&row], 1) << row.prefix;
}

}  // namespace
}  // namespace bw::conformance
