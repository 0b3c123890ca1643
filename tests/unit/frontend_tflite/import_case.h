// Imports networks that a TfliteBuilder holds, and runs them in float32 on tensors that are in the
// file's order of axes, as their users have them.
#ifndef TESTS_UNIT_FRONTEND_TFLITE_IMPORT_CASE_H_
#define TESTS_UNIT_FRONTEND_TFLITE_IMPORT_CASE_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "compiler/frontend/tflite/tflite_import.h"
#include "models/float_ref/executor.h"
#include "tests/support/tflite_builder.h"

namespace bw::frontend {

using Floats = std::vector<float>;
using graph::Graph;
using graph::Op;
using tensor::Shape;
using tensor::Tensor;
using testing::TfliteAct;
using testing::TfliteBuilder;
using testing::TfliteOp;
using testing::TflitePadding;
using testing::TfliteTensor;
using testing::TfliteType;
using testing::TfliteWindow;

// All errors, or "" after success.
inline std::string Problems(const TfliteBuilder& b) {
  const auto graph = ImportTfliteBuffer(b.Finish(), "m.tflite");
  return graph.ok() ? "" : ToString(graph.errors());
}

inline Graph Import(const TfliteBuilder& b, const TfliteImportOptions& options = {}) {
  auto graph = ImportTfliteBuffer(b.Finish(), "m.tflite", options);
  if (graph.ok()) return std::move(graph).value();
  ADD_FAILURE() << ToString(graph.errors());
  return {};
}

inline const graph::Node& NodeOf(const Graph& graph, Op op) {
  for (const graph::Node& node : graph.nodes) {
    if (node.op == op) return node;
  }
  ADD_FAILURE() << "no " << ToString(op);
  static const graph::Node& none = *new graph::Node;
  return none;
}

inline const graph::Value& OutputOf(const Graph& graph, size_t i = 0) {
  return graph.value(graph.outputs.at(i));
}

// 0, 1, 2, ...: every element tells where it came from.
inline Floats Counting(int64_t elements, float first = 0) {
  Floats values(static_cast<size_t>(elements));
  std::iota(values.begin(), values.end(), first);
  return values;
}

// A tensor whose axis i is axis axes[i] of the given one.
inline Tensor Transposed(const Tensor& from, const std::vector<int>& axes) {
  Shape shape;
  for (const int axis : axes) shape.dims.push_back(from.shape()[axis]);
  Tensor to(tensor::DType::kF32, shape);
  const std::vector<int64_t> strides = from.shape().Strides();
  std::vector<int64_t> index(axes.size());
  for (int64_t n = 0; n < to.elements(); ++n) {
    int64_t offset = 0;
    for (size_t i = 0; i < axes.size(); ++i) {
      offset += index[i] * strides[static_cast<size_t>(axes[i])];
    }
    to.data<float>()[n] = from.data<float>()[offset];
    for (size_t i = axes.size(); i-- > 0;) {
      if (++index[i] < shape.dims[i]) break;
      index[i] = 0;
    }
  }
  return to;
}

// Elements of the outputs, inputs and outputs in the file's order of axes.
inline std::vector<Floats> RunFile(const Graph& graph, const std::vector<Floats>& inputs) {
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const graph::Value& value = graph.value(graph.inputs.at(i));
    if (value.file_axes.empty()) {
      tensors.push_back(Tensor::From(value.shape, inputs[i]));
      continue;
    }
    EXPECT_EQ(value.file_axes, (std::vector<int>{0, 2, 3, 1}));
    const Shape file({value.shape[0], value.shape[2], value.shape[3], value.shape[1]});
    tensors.push_back(Transposed(Tensor::From(file, inputs[i]), {0, 3, 1, 2}));
  }
  const auto results = float_ref::FloatExecutor(graph).Run(tensors);
  EXPECT_TRUE(results.ok()) << (results.ok() ? "" : ToString(results.errors()));
  std::vector<Floats> outputs;
  for (size_t i = 0; results.ok() && i < results->size(); ++i) {
    const graph::Value& value = OutputOf(graph, i);
    const Tensor out =
        value.file_axes.empty() ? (*results)[i] : Transposed((*results)[i], value.file_axes);
    outputs.emplace_back(out.data<float>(), out.data<float>() + out.elements());
  }
  return outputs;
}

// Of a network with one input that counts from 0, and one output.
inline Floats RunCounting(const TfliteBuilder& b) {
  const Graph graph = Import(b);
  if (graph.inputs.empty()) return {};
  const std::vector<Floats> outputs =
      RunFile(graph, {Counting(graph.value(graph.inputs[0]).shape.Elements())});
  return outputs.empty() ? Floats() : outputs[0];
}

// A network of float32 with one input and one output.
struct FloatCase {
  FloatCase(const std::vector<int32_t>& from, const std::vector<int32_t>& to) {
    x = b.Input(b.Float("x", from));
    y = b.Output(b.Float("y", to));
  }
  TfliteBuilder b;
  int x = 0, y = 0;
};

}  // namespace bw::frontend

#endif  // TESTS_UNIT_FRONTEND_TFLITE_IMPORT_CASE_H_
