// The ONNX project's own data through the integer path, at two widths and on every named machine.
#include "tests/conformance/int_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "compiler/frontend/onnx/onnx_import.h"
#include "tests/conformance/int_cases.h"

namespace bw::conformance {
namespace {

std::vector<OnnxCase> FloatCases() {
  std::vector<OnnxCase> cases;
  for (const OnnxCase& c : AllOnnxCases()) {
    if (FindUnsupported(c) == nullptr && !c.quantised) cases.push_back(c);
  }
  return cases;
}

// Inputs behind the first one that have an integer form as constants only.
bool WantsConstants(graph::Op op) {
  switch (op) {
    case graph::Op::kConv:
    case graph::Op::kGemm:
    case graph::Op::kBatchNormalization:
    case graph::Op::kPRelu:
    case graph::Op::kDiv:
      return true;
    default:
      return false;
  }
}

// The case with its weights, biases, slopes and divisors given as constants in place of inputs.
OnnxData WithConstantWeights(const graph::Graph& graph, OnnxData data) {
  std::set<std::string> weights;
  for (const graph::Node& node : graph.nodes) {
    if (!WantsConstants(node.op)) continue;
    for (size_t i = 1; i < node.inputs.size(); ++i) {
      if (node.inputs[i] != graph::kNoValue) weights.insert(graph.value(node.inputs[i]).name);
    }
  }
  std::vector<tensor::Tensor> activations;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const std::string& name = graph.value(graph.inputs[i]).name;
    if (weights.count(name) == 0) {
      activations.push_back(data.activations[i]);
      continue;
    }
    data.shapes.erase(name);
    data.constants.emplace(name, data.activations[i]);
  }
  data.activations = std::move(activations);
  return data;
}

// A budget beyond this says nothing about the result.
constexpr double kMostSteps = 16;
constexpr const char* kMachines[] = {"tiny", "edge", "wide"};

class IntPath : public ::testing::TestWithParam<OnnxCase> {
 protected:
  void SetUp() override {
    const OnnxCase& c = GetParam();
    gap_ = FindIntGap(c);
    auto data = LoadData(c);
    ASSERT_TRUE(data.has_value());
    at_run_time_ = *std::move(data);
    auto graph = Import(at_run_time_);
    ASSERT_TRUE(graph.ok()) << ToString(graph.errors());
    run_time_graph_ = *std::move(graph);
    data_ = WithConstantWeights(run_time_graph_, at_run_time_);
    graph = Import(data_);
    ASSERT_TRUE(graph.ok()) << ToString(graph.errors());
    graph_ = *std::move(graph);
  }
  static Result<graph::Graph> Import(const OnnxData& data) {
    return frontend::ImportOnnx(GetParam().directory + "/model.onnx",
                                {data.shapes, data.constants});
  }
  bool Has(Gap gap) const { return gap_ != nullptr && gap_->gap == gap; }

  void ExpectNearFloat(const Lowered& lowered, const OnnxData& data) {
    const Distance distance = FloatDistance(lowered, data.expected);
    EXPECT_GT(distance.elements, 0);
    EXPECT_LE(distance.excess, 1) << distance.where;
    EXPECT_EQ(distance.budget > kMostSteps, Has(Gap::kTooCoarse)) << distance.where;
  }

  void ExpectMachinesAgree(const Lowered& lowered, int bits) {
    int too_small = 0;
    for (const char* machine : kMachines) {
      SCOPED_TRACE(machine);
      int64_t elements = 0;
      const std::string problem = MachineProblem(lowered, Machine(machine, bits), &elements);
      if (Has(Gap::kDoesNotFit) && problem.find(gap_->message) != std::string::npos) {
        ++too_small;
        continue;
      }
      EXPECT_EQ(problem, "");
      EXPECT_GT(elements, 0);
    }
    EXPECT_EQ(too_small > 0, Has(Gap::kDoesNotFit));
    EXPECT_LT(too_small, static_cast<int>(std::size(kMachines)));
  }

  const IntGap* gap_ = nullptr;
  OnnxData at_run_time_;  // as the file has it
  graph::Graph run_time_graph_;
  OnnxData data_;  // with constant weights
  graph::Graph graph_;
};

TEST_P(IntPath, IsNearFloatAndTheMachinesAgree) {
  for (const int bits : {8, 12}) {
    SCOPED_TRACE(std::to_string(bits) + " bits");
    const auto lowered = LowerOn(graph_, data_.activations, SettingsOf(bits));
    if (Has(Gap::kNoForm)) {
      ASSERT_FALSE(lowered.ok()) << "listed as without integer form: " << gap_->reason;
      EXPECT_THAT(ToString(lowered.errors()), ::testing::HasSubstr(gap_->message));
      continue;
    }
    ASSERT_TRUE(lowered.ok()) << ToString(lowered.errors());
    ExpectNearFloat(*lowered, data_);
    ExpectMachinesAgree(*lowered, bits);
  }
}

// Weights that the file takes as inputs have an integer form for Gemm alone.
TEST_P(IntPath, WeightsAtRunTimeAreRefusedOrNearFloat) {
  if (at_run_time_.activations.size() == data_.activations.size()) return;
  const auto lowered = LowerOn(run_time_graph_, at_run_time_.activations, SettingsOf(8));
  if (lowered.ok()) {
    ExpectNearFloat(*lowered, at_run_time_);
    ExpectMachinesAgree(*lowered, 8);
    return;
  }
  EXPECT_THAT(ToString(lowered.errors()), ::testing::HasSubstr("constant"));
}

INSTANTIATE_TEST_SUITE_P(Data, IntPath, ::testing::ValuesIn(FloatCases()), [](const auto& info) {
  std::string name = info.param.group + "_" + info.param.name;
  for (char& ch : name) ch = std::isalnum(ch) != 0 ? ch : '_';
  return name;
});
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(IntPath);

class IntPathCases : public ::testing::Test {
 protected:
  void SetUp() override {
    if (AllOnnxCases().empty()) GTEST_SKIP() << "install libonnx-testdata to run the ONNX tests";
  }
};

TEST_F(IntPathCases, AreAllThere) { EXPECT_GE(FloatCases().size(), 252u); }

TEST_F(IntPathCases, HaveNoStaleGaps) {
  std::map<const IntGap*, int> uses;
  for (const OnnxCase& c : FloatCases()) ++uses[FindIntGap(c)];
  for (const IntGap& row : IntGaps()) EXPECT_GE(uses[&row], 1) << row.prefix;
}

// The budgets are narrow enough to notice a scale that is 4 % off.
TEST_F(IntPathCases, NoticeAWrongScale) {
  int noticed = 0, compared = 0;
  for (const OnnxCase& c : FloatCases()) {
    if (FindIntGap(c) != nullptr) continue;
    OnnxData data = *LoadData(c);
    const std::string path = c.directory + "/model.onnx";
    const auto graph = frontend::ImportOnnx(path, {data.shapes, data.constants});
    auto lowered = LowerOn(*graph, data.activations, SettingsOf(8));
    if (!lowered.ok()) continue;
    for (const graph::IntValueId id : lowered->graph.outputs)
      lowered->graph.value(id).scale *= 1.04;
    ++compared;
    noticed += FloatDistance(*lowered, data.expected).excess > 1;
  }
  EXPECT_GT(compared, 150);
  EXPECT_GE(noticed, compared * 9 / 10) << compared;
}

}  // namespace
}  // namespace bw::conformance
