#include "tests/support/onnx_samples.h"

#include "tests/unit/frontend_onnx/model_builder.h"

namespace bw::testing {
namespace {

using frontend::Ints;
using frontend::ModelBuilder;
using frontend::Set;
using onnx::TensorProto;

std::vector<float> Ramp(int count) {
  std::vector<float> values;
  for (int i = 0; i < count; ++i) values.push_back(static_cast<float>(i % 7 - 3) / 4);
  return values;
}

// Convolutions, batch normalisation, activations, pools, a fully connected layer, softmax.
std::string Classifier() {
  ModelBuilder m(13);
  m.Input("x", {1, 3, 8, 8});
  m.Floats("w1", {4, 3, 3, 3}, Ramp(108));
  m.Floats("b1", {4}, Ramp(4));
  for (const char* name : {"scale", "shift", "mean"}) m.Floats(name, {4}, Ramp(4));
  m.Floats("variance", {4}, {1, 2, 3, 4});
  m.Floats("w2", {4, 1, 3, 3}, Ramp(36));
  m.Floats("slope", {4, 1, 1}, {0.25f, 0.5f, 0.125f, 1});
  m.Floats("w3", {4, 10}, Ramp(40));
  m.Floats("b3", {10}, Ramp(10));
  Set(m.Node("Conv", {"x", "w1", "b1"}, "conv"), "pads", Ints{1, 1, 1, 1});
  Set(m.Node("BatchNormalization", {"conv", "scale", "shift", "mean", "variance"}, "norm"),
      "epsilon", 0.001f);
  m.Node("Relu", {"norm"}, "relu");
  onnx::NodeProto* depthwise = m.Node("Conv", {"relu", "w2"}, "depthwise");
  Set(depthwise, "group", int64_t{4});
  Set(depthwise, "auto_pad", std::string("SAME_UPPER"));
  Set(depthwise, "strides", Ints{2, 2});
  m.Node("PRelu", {"depthwise", "slope"}, "prelu");
  onnx::NodeProto* pool = m.Node("MaxPool", {"prelu"}, "pooled");
  Set(pool, "kernel_shape", Ints{2, 2});
  Set(pool, "ceil_mode", int64_t{1});
  Set(m.Node("AveragePool", {"pooled"}, "averaged"), "kernel_shape", Ints{2, 2});
  m.Node("GlobalAveragePool", {"averaged"}, "global");
  m.Node("Flatten", {"global"}, "flat");
  m.Node("Gemm", {"flat", "w3", "b3"}, "logits");
  m.Node("Softmax", {"logits"}, "y");
  m.Output("y");
  return m.Bytes();
}

// Lookups and elementwise operators, hard swish spelled out.
std::string Elementwise() {
  ModelBuilder m(14);
  m.Input("a", {1, 4, 4});
  m.Input("b", {4, 1});
  m.Floats("three", {}, {3});
  m.Floats("zero", {}, {0});
  m.Floats("six", {}, {6});
  m.Node("Add", {"a", "b"}, "sum");
  m.Node("Add", {"sum", "three"}, "plus");
  m.Node("Clip", {"plus", "zero", "six"}, "clip");
  m.Node("Mul", {"sum", "clip"}, "product");
  m.Node("Div", {"product", "six"}, "swish");
  m.Node("HardSwish", {"swish"}, "h");
  Set(m.Node("HardSigmoid", {"h"}, "gate"), "alpha", 0.25f);
  m.Node("Sigmoid", {"gate"}, "s");
  m.Node("Tanh", {"s"}, "t");
  Set(m.Node("LeakyRelu", {"t"}, "l"), "alpha", 0.125f);
  m.Node("Sub", {"l", "a"}, "difference");
  m.Node("MatMul", {"difference", "a"}, "matrix");
  onnx::NodeProto* mean = m.Node("ReduceMean", {"matrix"}, "y");
  Set(mean, "axes", Ints{-1});
  Set(mean, "keepdims", int64_t{0});
  m.Output("y");
  return m.Bytes();
}

// Layout operators, and arithmetic on shapes that folds away.
std::string Shapes() {
  ModelBuilder m(13);
  m.Input("x", {2, 3, 4, 5});
  m.List("two", {2});
  m.List("minus", {-1});
  m.List("zero", {0});
  m.List("pads", {0, 0, 1, -1, 0, 0, 0, 2});
  m.List("starts", {0, 3});
  m.List("ends", {2, -9});
  m.List("axes", {1, 2});
  m.List("steps", {1, -2});
  m.List("axis", {0});
  m.List("parts", {1, 1});
  m.Floats("scales", {4}, {1, 1, 2, 1.5f});
  m.Node("Shape", {"x"}, "shape");
  m.Node("Gather", {"shape", "zero"}, "batch");
  m.Node("Mul", {"batch", "two"}, "twice");
  Set(m.Node("Concat", {"twice", "minus"}, "target"), "axis", int64_t{0});
  Set(m.Node("Cast", {"target"}, "as_float"), "to", int64_t{TensorProto::FLOAT});
  Set(m.Node("Cast", {"as_float"}, "as_int"), "to", int64_t{TensorProto::INT64});
  m.Node("Reshape", {"x", "as_int"}, "flat");
  m.Node("Unsqueeze", {"flat", "axis"}, "wide");
  m.Node("Squeeze", {"wide", "axis"}, "narrow");
  m.Node("Pad", {"x", "pads"}, "padded");
  m.Node("Slice", {"padded", "starts", "ends", "axes", "steps"}, "part");
  Set(m.Node("Transpose", {"part"}, "turned"), "perm", Ints{0, 2, 3, 1});
  m.Node("Identity", {"turned"}, "same");
  m.Node("Dropout", {"same"}, "kept");
  onnx::NodeProto* resize = m.Node("Resize", {"x", "", "scales"}, "large");
  Set(resize, "mode", std::string("nearest"));
  onnx::NodeProto* split = m.Node("Split", {"narrow", "parts"}, "first");
  Set(split, "axis", int64_t{0});
  m.List("parts4", {1, 3});
  split->set_input(1, "parts4");
  split->add_output("second");
  for (const char* name : {"kept", "large", "first", "second"}) m.Output(name);
  return m.Bytes();
}

// Integer operators with scales for all and for each filter.
std::string Integers() {
  ModelBuilder m(13);
  m.Input("x", {1, 2, 5}, TensorProto::UINT8);
  m.Floats("s", {}, {0.5f});
  m.Integers("z", TensorProto::UINT8, {}, {3});
  m.Integers("w", TensorProto::INT8, {2, 2, 3}, {1, -2, 3, -4, 5, -6, 7, 8, 9, -10, 11, 12});
  m.Floats("ws", {2}, {0.25f, 0.125f});
  m.Integers("wz", TensorProto::INT8, {2}, {0, 1});
  m.Integers("b", TensorProto::INT32, {2}, {100, -50});
  m.Integers("m", TensorProto::INT8, {3, 2}, {1, 2, 3, -4, -5, 6});
  m.Integers("mz", TensorProto::INT8, {}, {0});
  m.Node("QLinearConv", {"x", "s", "z", "w", "ws", "wz", "s", "z", "b"}, "c");
  m.Node("QLinearMatMul", {"c", "s", "z", "m", "s", "mz", "s", "z"}, "p");
  m.Node("MatMulInteger", {"p", "p2", "z"}, "sums");
  m.Integers("p2", TensorProto::INT8, {2, 2}, {1, 2, 3, 4});
  Set(m.Node("Cast", {"sums"}, "reals"), "to", int64_t{TensorProto::FLOAT});
  m.Node("Mul", {"reals", "s"}, "y");
  m.Node("ConvInteger", {"x", "w", "z", "wz"}, "i");
  m.Node("DequantizeLinear", {"p", "s", "z"}, "d");
  for (const char* name : {"y", "i", "d", "p"}) m.Output(name);
  return m.Bytes();
}

// QuantizeLinear and DequantizeLinear around float operators; dynamic quantisation of a constant.
std::string Qdq() {
  ModelBuilder m(17);
  m.Input("x", {1, 1, 4, 4});
  m.Floats("s", {}, {0.25f});
  m.Integers("z", TensorProto::UINT8, {}, {128});
  m.Floats("w", {2, 1, 1, 2}, {3, -5, 7, 11});
  m.Floats("ws", {2}, {0.5f, 0.25f});
  m.Integers("wz", TensorProto::INT8, {2}, {0, 0});
  m.Integers("b", TensorProto::INT32, {2}, {40, -8});
  m.Floats("bs", {2}, {0.125f, 0.0625f});
  m.Node("QuantizeLinear", {"x", "s", "z"}, "x_q");
  m.Node("DequantizeLinear", {"x_q", "s", "z"}, "x_d");
  Set(m.Node("QuantizeLinear", {"w", "ws", "wz"}, "w_q"), "axis", int64_t{0});
  Set(m.Node("DequantizeLinear", {"w_q", "ws", "wz"}, "w_d"), "axis", int64_t{0});
  Set(m.Node("DequantizeLinear", {"b", "bs"}, "b_d"), "axis", int64_t{0});
  m.Node("Conv", {"x_d", "w_d", "b_d"}, "c");
  m.Node("Relu", {"c"}, "r");
  m.Node("QuantizeLinear", {"r", "s", "z"}, "r_q");
  Set(m.Node("MaxPool", {"r_q"}, "pooled"), "kernel_shape", Ints{2, 2});
  m.Node("DequantizeLinear", {"pooled", "s", "z"}, "r_d");
  onnx::NodeProto* dynamic = m.Node("DynamicQuantizeLinear", {"w"}, "dq");
  dynamic->add_output("dq_scale");
  dynamic->add_output("dq_zero");
  m.Node("DequantizeLinear", {"dq", "dq_scale", "dq_zero"}, "dq_reals");
  m.List("one", {1, 2, 2, 1});
  m.Node("Reshape", {"dq_reals", "one"}, "added");
  m.Output("r_d");
  m.Output("added");
  return m.Bytes();
}

}  // namespace

std::map<std::string, std::string> OnnxSamples() {
  return {{"classifier", Classifier()},
          {"elementwise", Elementwise()},
          {"integers", Integers()},
          {"qdq", Qdq()},
          {"shapes", Shapes()}};
}

}  // namespace bw::testing
