// Small ONNX models for tests, built as protobuf messages.
#ifndef TESTS_UNIT_FRONTEND_ONNX_MODEL_BUILDER_H_
#define TESTS_UNIT_FRONTEND_ONNX_MODEL_BUILDER_H_

#include <onnx/onnx_pb.h>

#include <string>
#include <vector>

#include "compiler/frontend/onnx/onnx_import.h"

namespace bw::frontend {

using Ints = std::vector<int64_t>;

class ModelBuilder {
 public:
  explicit ModelBuilder(int64_t opset) {
    model.set_ir_version(7);
    onnx::OperatorSetIdProto* set = model.add_opset_import();
    set->set_domain("");
    set->set_version(opset);
    graph = model.mutable_graph();
    graph->set_name("test");
  }

  // An extent below 0 stays open; -2, -3, ... get the symbols 'N2', 'N3', ...
  onnx::ValueInfoProto* Input(const std::string& name, const Ints& extents,
                              onnx::TensorProto::DataType type = onnx::TensorProto::FLOAT) {
    onnx::ValueInfoProto* info = graph->add_input();
    info->set_name(name);
    auto* tensor = info->mutable_type()->mutable_tensor_type();
    tensor->set_elem_type(type);
    tensor->mutable_shape();
    for (const int64_t extent : extents) {
      auto* dim = tensor->mutable_shape()->add_dim();
      if (extent >= 0) dim->set_dim_value(extent);
      if (extent < -1) dim->set_dim_param("N" + std::to_string(-extent));
    }
    return info;
  }
  void Output(const std::string& name) { graph->add_output()->set_name(name); }
  onnx::TensorProto* Floats(const std::string& name, const Ints& shape,
                            const std::vector<float>& values) {
    onnx::TensorProto* tensor = graph->add_initializer();
    tensor->set_name(name);
    tensor->set_data_type(onnx::TensorProto::FLOAT);
    for (const int64_t extent : shape) tensor->add_dims(extent);
    for (const float value : values) tensor->add_float_data(value);
    return tensor;
  }
  onnx::TensorProto* Int64s(const std::string& name, const Ints& shape, const Ints& values) {
    onnx::TensorProto* tensor = graph->add_initializer();
    tensor->set_name(name);
    tensor->set_data_type(onnx::TensorProto::INT64);
    for (const int64_t extent : shape) tensor->add_dims(extent);
    for (const int64_t value : values) tensor->add_int64_data(value);
    return tensor;
  }
  // UINT8, INT8 or INT32; an empty shape is a scalar.
  onnx::TensorProto* Integers(const std::string& name, onnx::TensorProto::DataType type,
                              const Ints& shape, const Ints& values) {
    onnx::TensorProto* tensor = graph->add_initializer();
    tensor->set_name(name);
    tensor->set_data_type(type);
    for (const int64_t extent : shape) tensor->add_dims(extent);
    for (const int64_t value : values) tensor->add_int32_data(static_cast<int32_t>(value));
    return tensor;
  }
  // A list of `values` as an initializer.
  void List(const std::string& name, const Ints& values) {
    Int64s(name, {static_cast<int64_t>(values.size())}, values);
  }
  // A node named like its result.
  onnx::NodeProto* Node(const std::string& op, const std::vector<std::string>& inputs,
                        const std::string& output) {
    onnx::NodeProto* node = graph->add_node();
    node->set_op_type(op);
    node->set_name(output);
    for (const std::string& input : inputs) node->add_input(input);
    node->add_output(output);
    return node;
  }

  std::string Bytes() const { return model.SerializeAsString(); }
  Result<graph::Graph> Import(const OnnxImportOptions& options = {}) const {
    return ImportOnnxBytes(Bytes(), "m.onnx", options);
  }
  // All errors, or "" after success.
  std::string Problems(const OnnxImportOptions& options = {}) const {
    const auto imported = Import(options);
    return imported.ok() ? "" : ToString(imported.errors());
  }

  onnx::ModelProto model;
  onnx::GraphProto* graph;
};

inline void Set(onnx::NodeProto* node, const std::string& name, int64_t value) {
  onnx::AttributeProto* attribute = node->add_attribute();
  attribute->set_name(name);
  attribute->set_type(onnx::AttributeProto::INT);
  attribute->set_i(value);
}
inline void Set(onnx::NodeProto* node, const std::string& name, float value) {
  onnx::AttributeProto* attribute = node->add_attribute();
  attribute->set_name(name);
  attribute->set_type(onnx::AttributeProto::FLOAT);
  attribute->set_f(value);
}
inline void Set(onnx::NodeProto* node, const std::string& name, const std::string& value) {
  onnx::AttributeProto* attribute = node->add_attribute();
  attribute->set_name(name);
  attribute->set_type(onnx::AttributeProto::STRING);
  attribute->set_s(value);
}
inline void Set(onnx::NodeProto* node, const std::string& name, const Ints& values) {
  onnx::AttributeProto* attribute = node->add_attribute();
  attribute->set_name(name);
  attribute->set_type(onnx::AttributeProto::INTS);
  for (const int64_t value : values) attribute->add_ints(value);
}

}  // namespace bw::frontend

#endif  // TESTS_UNIT_FRONTEND_ONNX_MODEL_BUILDER_H_
