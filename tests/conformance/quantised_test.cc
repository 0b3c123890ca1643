// Quantised ONNX operators, exactly: the ONNX project's node tests, and random models.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>

#include "compiler/frontend/onnx/onnx_import.h"
#include "compiler/lower/lower.h"
#include "compiler/passes/passes.h"
#include "models/arith/profile.h"
#include "models/arith/quantise.h"
#include "models/float_ref/executor.h"
#include "models/golden/executor.h"
#include "tests/conformance/int_path.h"
#include "tests/conformance/onnx_cases.h"
#include "tests/conformance/quantised_case.h"
#include "tests/unit/frontend_onnx/model_builder.h"

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
  EXPECT_GE(cases.size(), 17u);
  for (const OnnxCase& c : cases) {
    SCOPED_TRACE(c.name);
    const auto data = LoadData(c);
    ASSERT_TRUE(data.has_value());
    ExpectExact(c, *data, data->constants);
    // Scales and weights at run time too; bounds are attributes.
    if (c.ops.count(graph::Op::kClip) == 0) ExpectExact(c, *data, {});
  }
}

lower::Settings Fp32Even() {
  lower::Settings settings;
  settings.profile = arith::FindProfile("fp32_even");
  settings.rounding = settings.profile->rounding;
  settings.mult_bits = settings.profile->mult_bits;
  return settings;
}

// A file's tensor as integers: its own, or what the input's format makes of reals.
golden::IntTensor ToIntegers(const Tensor& tensor, const graph::IntValue& value) {
  golden::IntTensor made(tensor.shape());
  if (!tensor::IsFloat(tensor.dtype())) {
    const std::vector<int64_t> q = tensor.ToI64();
    std::transform(q.begin(), q.end(), made.data.begin(),
                   [](int64_t v) { return static_cast<int32_t>(v); });
    return made;
  }
  EXPECT_TRUE(value.ties_to_even) << value.name;
  const auto range = arith::RangeOf(arith::ClipKind::kTypeRange, value.bits, value.is_signed);
  std::transform(tensor.data<float>(), tensor.data<float>() + tensor.elements(), made.data.begin(),
                 [&](float v) {
                   return static_cast<int32_t>(arith::QuantiseOnnx(
                       v, static_cast<float>(value.scale), value.zero_point, range.lo, range.hi));
                 });
  return made;
}

// A result as the file declares it: integers, or their reals in float32.
std::vector<double> AsDeclared(const golden::IntTensor& got, const graph::IntValue& value,
                               tensor::DType dtype) {
  std::vector<double> values(got.data.begin(), got.data.end());
  if (!tensor::IsFloat(dtype)) return values;
  for (double& v : values) {
    const auto steps = static_cast<float>(static_cast<int64_t>(v) - value.zero_point);
    v = static_cast<double>(steps * static_cast<float>(value.scale));
  }
  return values;
}

struct Integer {
  graph::IntGraph graph;
  std::vector<golden::IntTensor> inputs;
};

// Resolved and lowered. Every value has the file's format, so nothing is calibrated.
Result<Integer> LowerExact(graph::Graph graph, const std::vector<Tensor>& inputs,
                           const lower::Settings& settings) {
  BW_RETURN_IF_ERROR(passes::Canonicalise(graph));
  Integer made;
  BW_ASSIGN_OR_RETURN(made.graph, lower::Lower(graph, {}, settings));
  for (size_t i = 0; i < inputs.size(); ++i) {
    made.inputs.push_back(ToIntegers(inputs[i], made.graph.value(made.graph.inputs.at(i))));
  }
  return made;
}

void ExpectExactInteger(const graph::Graph& graph, const std::vector<Tensor>& inputs,
                        const std::vector<Tensor>& expected) {
  const auto lowered = LowerExact(graph, inputs, Fp32Even());
  ASSERT_TRUE(lowered.ok()) << ToString(lowered.errors());
  const auto run = golden::GoldenExecutor(lowered->graph).Run(lowered->inputs);
  ASSERT_TRUE(run.ok()) << ToString(run.errors());
  ASSERT_EQ(run->outputs.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    const graph::IntValue& value = lowered->graph.value(lowered->graph.outputs[i]);
    ASSERT_EQ(run->outputs[i].shape, expected[i].shape());
    EXPECT_EQ(AsDeclared(run->outputs[i], value, expected[i].dtype()), expected[i].ToF64());
  }
}

// One scale for all of an activation, or one that only the values themselves give: there is no
// integer form for these.
bool HasIntegerForm(const OnnxCase& c) {
  return c.name.find("_axis") == std::string::npos &&
         c.ops.count(graph::Op::kDynamicQuantizeLinear) == 0;
}

TEST(QuantisedNodes, GiveTheExpectedResultsThroughTheIntegerPath) {
  const auto cases = QuantisedNodeCases();
  if (cases.empty()) GTEST_SKIP() << "install libonnx-testdata to run the ONNX tests";
  int compared = 0;
  for (const OnnxCase& c : cases) {
    SCOPED_TRACE(c.name);
    const auto data = LoadData(c);
    ASSERT_TRUE(data.has_value());
    auto graph = frontend::ImportOnnx(c.directory + "/model.onnx", {data->shapes, data->constants});
    ASSERT_TRUE(graph.ok()) << ToString(graph.errors());
    if (!HasIntegerForm(c)) {
      const bool refused =
          !passes::Canonicalise(*graph).ok() || !lower::Lower(*graph, {}, Fp32Even()).ok();
      EXPECT_TRUE(refused);
      continue;
    }
    ExpectExactInteger(*graph, data->activations, data->expected);
    ++compared;
  }
  EXPECT_GE(compared, 13);
}

class QuantisedModels : public ::testing::TestWithParam<int> {
 protected:
  // BW_RANDOM_COUNT asks for more.
  static uint32_t Seeds() {
    const char* text = std::getenv("BW_RANDOM_COUNT");
    return text == nullptr ? 150 : static_cast<uint32_t>(std::atoll(text));
  }
  QuantisedKind kind() const { return static_cast<QuantisedKind>(GetParam()); }
};

TEST_P(QuantisedModels, IntegerOperatorsGiveTheIntegersOfTheDefinition) {
  int64_t compared = 0, ties = 0, saturated = 0;
  for (uint32_t seed = 1; seed <= Seeds() && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const QuantisedCase c = MakeQuantisedCase(kind(), seed);
    const bool float_products =
        kind() == QuantisedKind::kQdqConv || kind() == QuantisedKind::kQdqGemm;
    if (float_products && !c.exact_reals) continue;
    const auto graph = frontend::ImportOnnxBytes(c.bytes, "case.onnx");
    ASSERT_TRUE(graph.ok()) << ToString(graph.errors());
    const auto outputs = float_ref::FloatExecutor(*graph).Run(c.inputs);
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

TEST_P(QuantisedModels, TheIntegerPathGivesTheIntegersOfTheDefinition) {
  int64_t compared = 0, ties = 0, saturated = 0;
  for (uint32_t seed = 1; seed <= Seeds() && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const QuantisedCase c = MakeQuantisedCase(kind(), seed);
    const auto graph = frontend::ImportOnnxBytes(c.bytes, "case.onnx");
    ASSERT_TRUE(graph.ok()) << ToString(graph.errors());
    ExpectExactInteger(*graph, c.inputs, {c.expected});
    compared += c.expected.elements(), ties += c.ties, saturated += c.saturated;
  }
  EXPECT_GT(compared, 500);
  if (kind() == QuantisedKind::kConvInteger || kind() == QuantisedKind::kMatMulInteger) return;
  EXPECT_GT(ties, 20);
  EXPECT_GT(saturated, 20);
}

// The integer profiles of hardware round otherwise: a step away at the most, on every machine
// alike.
TEST_P(QuantisedModels, TheMachinesAgreeAndAreAStepFromTheDefinitionAtMost) {
  int64_t elements = 0, off = 0, compared = 0;
  for (uint32_t seed = 1; seed <= Seeds() / 10 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const QuantisedCase c = MakeQuantisedCase(kind(), seed);
    const auto graph = frontend::ImportOnnxBytes(c.bytes, "case.onnx");
    ASSERT_TRUE(graph.ok()) << ToString(graph.errors());
    auto lowered = LowerExact(*graph, c.inputs, SettingsOf(8));
    ASSERT_TRUE(lowered.ok()) << ToString(lowered.errors());
    const auto run = golden::GoldenExecutor(lowered->graph).Run(lowered->inputs);
    ASSERT_TRUE(run.ok()) << ToString(run.errors());
    const std::vector<int64_t> expected = c.expected.ToI64();
    for (size_t i = 0; i < expected.size(); ++i, ++compared) {
      const int64_t distance = std::abs(run->outputs[0].data[i] - expected[i]);
      ASSERT_LE(distance, 1) << "element " << i;
      off += distance;
    }
    // Zero points of single channels are subtracted beforehand, which takes a ninth bit.
    const int bits = c.zero_point_a_channel ? 9 : 8;
    const Lowered machine{std::move(lowered->graph), std::move(lowered->inputs)};
    const char* name = seed % 2 == 0 ? "tiny" : "edge";
    EXPECT_EQ(MachineProblem(machine, Machine(name, bits), &elements), "");
  }
  EXPECT_GT(compared, 0);
  EXPECT_GE(elements, compared);
  EXPECT_LT(off, compared / 4);
}

// A network of integer operators: convolutions of planes or rows, maxima, a limit, a product.
class IntegerNetwork {
 public:
  explicit IntegerNetwork(uint32_t seed) : random_(seed), m_(13), rows_(seed % 3 == 0) {
    const frontend::Ints shape = rows_ ? frontend::Ints{1, 3, 12} : frontend::Ints{1, 3, 8, 8};
    m_.Input("x", shape, onnx::TensorProto::UINT8);
    std::vector<uint8_t> bytes(static_cast<size_t>(tensor::Shape(shape).Elements()));
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(Pick(0, 255));
    input = Tensor::From<uint8_t>(tensor::Shape(shape), bytes);
    Format("x");
    Convolve("x", "c1", 3, 4, 1);
    if (!rows_)
      frontend::Set(m_.Node("MaxPool", {"c1"}, "p"), "kernel_shape", frontend::Ints{2, 2});
    m_.Integers("most", onnx::TensorProto::UINT8, {}, {Pick(150, 255)});
    m_.Node("Clip", {rows_ ? "c1" : "p", "", "most"}, "limited");
    for (const char* part : {"_scale", "_zero"})
      m_.Node("Identity", {std::string("c1") + part}, std::string("limited") + part);
    Convolve("limited", "c2", 4, 4, 4);
    m_.Node("Flatten", {"c2"}, "flat");
    Multiply(rows_ ? 4 * 12 : 4 * 49);
    m_.Output("y");
    bytes_ = m_.Bytes();
  }
  const std::string& bytes() const { return bytes_; }
  Tensor input;

 private:
  int64_t Pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random_);
  }
  float Real(float low, float high) {
    return std::uniform_real_distribution<float>(low, high)(random_);
  }
  void Format(const std::string& name) {
    m_.Floats(name + "_scale", {}, {Real(0.02f, 0.1f)});
    m_.Integers(name + "_zero", onnx::TensorProto::UINT8, {}, {Pick(90, 160)});
  }
  void Weights(const std::string& name, const frontend::Ints& shape, int64_t channels) {
    frontend::Ints q(static_cast<size_t>(tensor::Shape(shape).Elements()));
    for (int64_t& v : q) v = Pick(-127, 127);
    m_.Integers(name, onnx::TensorProto::INT8, shape, q);
    std::vector<float> scales(static_cast<size_t>(channels));
    for (float& scale : scales) scale = Real(0.001f, 0.01f);
    m_.Floats(name + "_scale", {channels}, scales);
    m_.Integers(name + "_zero", onnx::TensorProto::INT8, {}, {0});
  }
  void Convolve(const std::string& x, const std::string& y, int64_t in, int64_t out,
                int64_t group) {
    frontend::Ints shape = {out, in / group, 3};
    if (!rows_) shape.push_back(3);
    Weights(y + "_w", shape, out);
    Format(y);
    frontend::Ints bias(static_cast<size_t>(out));
    for (int64_t& v : bias) v = Pick(-2000, 2000);
    m_.Integers(y + "_b", onnx::TensorProto::INT32, {out}, bias);
    onnx::NodeProto* node = m_.Node("QLinearConv",
                                    {x, x + "_scale", x + "_zero", y + "_w", y + "_w_scale",
                                     y + "_w_zero", y + "_scale", y + "_zero", y + "_b"},
                                    y);
    frontend::Set(node, "pads", frontend::Ints(rows_ ? 2 : 4, 1));
    frontend::Set(node, "group", group);
  }
  void Multiply(int64_t inner) {
    Weights("m", {inner, 5}, 5);
    Format("y");
    m_.Node("QLinearMatMul",
            {"flat", "c2_scale", "c2_zero", "m", "m_scale", "m_zero", "y_scale", "y_zero"}, "y");
  }

  std::mt19937 random_;
  frontend::ModelBuilder m_;
  bool rows_;
  std::string bytes_;
};

TEST(QuantisedNetworks, GiveTheIntegersOfTheirOperatorsAndTheMachinesAgree) {
  int64_t elements = 0;
  for (uint32_t seed = 1; seed <= 12 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const IntegerNetwork network(seed);
    const auto graph = frontend::ImportOnnxBytes(network.bytes(), "network.onnx");
    ASSERT_TRUE(graph.ok()) << ToString(graph.errors());
    const auto expected = float_ref::FloatExecutor(*graph).Run({network.input});
    ASSERT_TRUE(expected.ok()) << ToString(expected.errors());
    ExpectExactInteger(*graph, {network.input}, *expected);
    auto lowered = LowerExact(*graph, {network.input}, SettingsOf(8));
    ASSERT_TRUE(lowered.ok()) << ToString(lowered.errors());
    const Lowered machine{std::move(lowered->graph), std::move(lowered->inputs)};
    EXPECT_EQ(MachineProblem(machine, Machine("tiny", 8), &elements), "");
  }
  EXPECT_GT(elements, 1000);
}

INSTANTIATE_TEST_SUITE_P(Random, QuantisedModels, ::testing::Range(0, kQuantisedKinds),
                         [](const auto& info) {
                           std::string name = ToString(static_cast<QuantisedKind>(info.param));
                           name.erase(std::remove(name.begin(), name.end(), ' '), name.end());
                           return name;
                         });

}  // namespace
}  // namespace bw::conformance
