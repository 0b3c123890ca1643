// Quantised ONNX operators, exactly: the ONNX project's node tests, and random models.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/frontend/onnx/onnx_import.h"
#include "models/float_ref/executor.h"
#include "tests/conformance/onnx_cases.h"
#include "tests/conformance/quantised_case.h"

namespace bw::conformance {
namespace {

using tensor::Tensor;

std::vector<OnnxCase> QuantisedNodeCases() {
  std::vector<OnnxCase> cases;
  for (const OnnxCase& c : AllOnnxCases()) {
    if (c.quantised) cases.push_back(c);
  }
  return cases;
}

// Imports the case with `constants` as constants; the others are run-time inputs.
void ExpectExact(const OnnxCase& c, const OnnxData& data,
                 const std::map<std::string, Tensor>& constants) {
  auto shapes = data.shapes;
  for (const auto& [name, tensor] : data.constants) {
    if (constants.count(name) == 0) shapes.emplace(name, tensor.shape().dims);
  }
  const auto graph = frontend::ImportOnnx(c.directory + "/model.onnx", {shapes, constants});
  ASSERT_TRUE(graph.ok()) << ToString(graph.errors());
  std::vector<Tensor> inputs;
  size_t activation = 0;
  for (const graph::ValueId id : graph->inputs) {
    const auto parameter = data.constants.find(graph->value(id).name);
    inputs.push_back(parameter != data.constants.end() ? parameter->second
                                                       : data.activations.at(activation++));
  }
  const auto outputs = float_ref::FloatExecutor(*graph).Run(inputs);
  ASSERT_TRUE(outputs.ok()) << ToString(outputs.errors());
  ASSERT_EQ(outputs->size(), data.expected.size());
  for (size_t i = 0; i < outputs->size(); ++i) {
    ASSERT_GT(data.expected[i].elements(), 0);
    ASSERT_EQ((*outputs)[i].dtype(), data.expected[i].dtype());
    ASSERT_EQ((*outputs)[i].shape(), data.expected[i].shape());
    EXPECT_EQ((*outputs)[i].ToF64(), data.expected[i].ToF64()) << "output " << i;
  }
}

TEST(QuantisedNodes, GiveTheExpectedIntegersAndReals) {
  const auto cases = QuantisedNodeCases();
  if (cases.empty()) GTEST_SKIP() << "install libonnx-testdata to run the ONNX tests";
  EXPECT_GE(cases.size(), 15u);
  for (const OnnxCase& c : cases) {
    SCOPED_TRACE(c.name);
    const auto data = LoadData(c);
    ASSERT_TRUE(data.has_value());
    ExpectExact(c, *data, data->constants);
    ExpectExact(c, *data, {});  // scales and weights at run time too
  }
}

class QuantisedModels : public ::testing::TestWithParam<int> {
 protected:
  static constexpr uint32_t kSeeds = 150;
  QuantisedKind kind() const { return static_cast<QuantisedKind>(GetParam()); }
};

TEST_P(QuantisedModels, IntegerOperatorsGiveTheIntegersOfTheDefinition) {
  int64_t compared = 0, ties = 0, saturated = 0;
  for (uint32_t seed = 1; seed <= kSeeds && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const QuantisedCase c = MakeQuantisedCase(kind(), seed);
    const bool float_products =
        kind() == QuantisedKind::kQdqConv || kind() == QuantisedKind::kQdqGemm;
    if (float_products && !c.exact_reals) continue;
    const auto graph = frontend::ImportOnnxBytes(c.bytes, "case.onnx");
    ASSERT_TRUE(graph.ok()) << ToString(graph.errors());
    const auto outputs = float_ref::FloatExecutor(*graph).Run({c.input});
    ASSERT_TRUE(outputs.ok()) << ToString(outputs.errors());
    ASSERT_EQ((*outputs)[0].dtype(), c.expected.dtype());
    ASSERT_EQ((*outputs)[0].shape(), c.expected.shape());
    EXPECT_EQ((*outputs)[0].ToI64(), c.expected.ToI64());
    compared += c.expected.elements(), ties += c.ties, saturated += c.saturated;
  }
  EXPECT_GT(compared, 500);
  if (kind() == QuantisedKind::kConvInteger || kind() == QuantisedKind::kMatMulInteger) return;
  EXPECT_GT(ties, 20);
  EXPECT_GT(saturated, 20);
}

INSTANTIATE_TEST_SUITE_P(Random, QuantisedModels, ::testing::Range(0, kQuantisedKinds),
                         [](const auto& info) {
                           std::string name = ToString(static_cast<QuantisedKind>(info.param));
                           name.erase(std::remove(name.begin(), name.end(), ' '), name.end());
                           return name;
                         });

}  // namespace
}  // namespace bw::conformance
