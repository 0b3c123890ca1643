#include "tests/conformance/onnx_cases.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <tuple>
#include <utility>

#include "compiler/frontend/onnx/convert.h"
#include "compiler/frontend/onnx/tensor_proto.h"
#include "compiler/graph/quant_operands.h"

namespace bw::conformance {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGroups[] = {"node", "pytorch-converted", "pytorch-operator", "simple"};

template <typename Proto>
bool Parse(const fs::path& path, Proto* proto) {
  std::ifstream file(path, std::ios::binary);
  return file && proto->ParseFromIstream(&file);
}

// The operators of a model, or nothing when one is not in the table.
std::optional<std::set<graph::Op>> OpsOf(const onnx::ModelProto& model) {
  std::set<graph::Op> ops;
  for (const onnx::NodeProto& node : model.graph().node()) {
    const auto op = frontend::FindConversion(node.op_type());
    const bool standard = node.domain().empty() || node.domain() == "ai.onnx";
    if (!op || !standard) return std::nullopt;
    ops.insert(*op);
  }
  if (ops.empty()) return std::nullopt;
  return ops;
}

// Quantised operators, or maxima and limits of quantised integers.
bool WorksOnIntegers(const onnx::ModelProto& model, const std::set<graph::Op>& ops) {
  if (std::any_of(ops.begin(), ops.end(), graph::IsQuantised)) return true;
  if (model.graph().input_size() == 0) return false;
  const int type = model.graph().input(0).type().tensor_type().elem_type();
  return (ops.count(graph::Op::kMaxPool) != 0 || ops.count(graph::Op::kClip) != 0) &&
         (type == onnx::TensorProto::UINT8 || type == onnx::TensorProto::INT8);
}

std::vector<OnnxCase> Scan() {
  std::vector<OnnxCase> cases;
  const fs::path root = BW_ONNX_TESTDATA;
  for (const char* group : kGroups) {
    std::error_code missing;
    for (const auto& entry : fs::directory_iterator(root / group, missing)) {
      onnx::ModelProto model;
      if (!Parse(entry.path() / "model.onnx", &model)) continue;
      if (auto ops = OpsOf(model)) {
        const bool quantised = WorksOnIntegers(model, *ops);
        cases.push_back({group, entry.path().filename(), entry.path(), std::move(*ops), quantised});
      }
    }
  }
  std::sort(cases.begin(), cases.end(), [](const OnnxCase& a, const OnnxCase& b) {
    return std::tie(a.group, a.name) < std::tie(b.group, b.name);
  });
  return cases;
}

// The tensor in a file if it has the type that the model declares (bfloat16 is stored as uint16).
std::optional<tensor::Tensor> LoadTensor(const fs::path& path, const onnx::ValueInfoProto& info) {
  onnx::TensorProto proto;
  if (!Parse(path, &proto)) return std::nullopt;
  if (proto.data_type() != info.type().tensor_type().elem_type()) return std::nullopt;
  auto tensor = frontend::ToTensor(proto, path, proto.name());
  if (!tensor.ok()) return std::nullopt;
  return std::move(tensor).value();
}

// Whether some node reads `name` behind its data inputs.
bool IsParameter(const onnx::GraphProto& graph, const std::string& name) {
  for (const onnx::NodeProto& node : graph.node()) {
    const graph::OpInfo& info = graph::Info(*frontend::FindConversion(node.op_type()));
    for (int i = std::max(info.max_inputs, 0); info.max_inputs >= 0 && i < node.input_size(); ++i) {
      if (node.input(i) == name) return true;
    }
  }
  return false;
}

// Inputs of operators on quantised integers that are activations; weights, scales and zero points
// are not.
std::vector<int> QuantisedActivations(graph::Op op) {
  switch (op) {
    case graph::Op::kQuantizeLinear:
    case graph::Op::kDequantizeLinear:
    case graph::Op::kDynamicQuantizeLinear:
    case graph::Op::kQLinearConv:
    case graph::Op::kConvInteger:
    case graph::Op::kMaxPool:
    case graph::Op::kClip:
      return {0};
    case graph::Op::kMatMulInteger:
      return {0, 1};
    case graph::Op::kQLinearMatMul:
      return {0, 3};
    default:
      return {};
  }
}

bool IsQuantisedActivation(const onnx::GraphProto& graph, const std::string& name) {
  for (const onnx::NodeProto& node : graph.node()) {
    for (const int i : QuantisedActivations(*frontend::FindConversion(node.op_type()))) {
      if (i < node.input_size() && node.input(i) == name) return true;
    }
  }
  return false;
}

}  // namespace

const std::vector<OnnxCase>& AllOnnxCases() {
  static const std::vector<OnnxCase> cases = Scan();
  return cases;
}

std::optional<OnnxData> LoadData(const OnnxCase& c) {
  const fs::path directory = c.directory;
  const fs::path data_set = directory / "test_data_set_0";
  onnx::ModelProto model;
  if (!Parse(directory / "model.onnx", &model)) return std::nullopt;
  const onnx::GraphProto& graph = model.graph();
  // Gather computes on constants alone.
  const bool gathers = c.ops.count(graph::Op::kGather) != 0;
  OnnxData data;
  std::set<std::string> given;  // by an initializer, so not by a file
  for (const onnx::TensorProto& tensor : graph.initializer()) given.insert(tensor.name());
  int file = 0;
  for (const onnx::ValueInfoProto& input : graph.input()) {
    if (given.count(input.name()) != 0) continue;
    auto tensor = LoadTensor(data_set / ("input_" + std::to_string(file++) + ".pb"), input);
    if (!tensor) return std::nullopt;
    const bool constant = c.quantised ? !IsQuantisedActivation(graph, input.name())
                                      : gathers || tensor->dtype() != tensor::DType::kF32 ||
                                            IsParameter(graph, input.name());
    if (constant) {
      data.constants.emplace(input.name(), std::move(*tensor));
    } else {
      data.shapes.emplace(input.name(), tensor->shape().dims);
      data.activations.push_back(std::move(*tensor));
    }
  }
  for (int i = 0; i < graph.output_size(); ++i) {
    auto tensor = LoadTensor(data_set / ("output_" + std::to_string(i) + ".pb"), graph.output(i));
    if (!tensor) return std::nullopt;
    data.expected.push_back(std::move(*tensor));
  }
  return data;
}

}  // namespace bw::conformance
