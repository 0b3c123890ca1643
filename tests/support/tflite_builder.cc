#include "tests/support/tflite_builder.h"

#include <flatbuffers/flatbuffers.h>

#include <algorithm>
#include <utility>

namespace bw::testing {
namespace {

using Builder = flatbuffers::FlatBufferBuilder;
using Offset = flatbuffers::Offset<void>;
using Table = flatbuffers::Offset<flatbuffers::Table>;

constexpr flatbuffers::voffset_t Slot(int field) {
  return static_cast<flatbuffers::voffset_t>(4 + 2 * field);
}

constexpr int32_t kFirstGreaterCode = 127;

// BuiltinOptions.
enum : int {
  kConv2dOptions = 1,
  kDepthwiseOptions = 2,
  kPoolOptions = 5,
  kFullyConnectedOptions = 8,
  kSoftmaxOptions = 9,
  kConcatenationOptions = 10,
  kAddOptions = 11,
  kMulOptions = 21,
  kReducerOptions = 27,
  kSubOptions = 28,
  kStridedSliceOptions = 32,
  kSplitOptions = 35,
  kResizeNearestOptions = 74,
  kLeakyReluOptions = 75,
};

}  // namespace

class TfliteWriter {
 public:
  explicit TfliteWriter(const TfliteBuilder& model) : model_(model) {}

  std::string Write() {
    const auto codes = OperatorCodes();
    std::vector<Table> subgraphs = {Subgraph()};
    if (model_.second_subgraph) subgraphs.push_back(EmptySubgraph());
    const auto subgraph_list = fb_.CreateVector(subgraphs);
    const auto description = fb_.CreateString("made by a test");
    if (model_.metadata) AddBuffer("1.5.0");
    const auto buffers = fb_.CreateVector(buffers_);
    flatbuffers::Offset<flatbuffers::Vector<Table>> metadata;
    if (model_.metadata) metadata = fb_.CreateVector(std::vector<Table>{Metadata()});
    const auto start = fb_.StartTable();
    fb_.AddElement<uint32_t>(Slot(0), model_.version, 0);
    fb_.AddOffset(Slot(1), codes);
    fb_.AddOffset(Slot(2), subgraph_list);
    fb_.AddOffset(Slot(3), description);
    fb_.AddOffset(Slot(4), buffers);
    if (model_.metadata) fb_.AddOffset(Slot(6), metadata);
    fb_.Finish(Table(fb_.EndTable(start)), "TFL3");
    return {reinterpret_cast<const char*>(fb_.GetBufferPointer()), fb_.GetSize()};
  }

 private:
  Table AddBuffer(const std::string& data) {
    flatbuffers::Offset<flatbuffers::Vector<uint8_t>> vector;
    if (!data.empty()) {
      fb_.ForceVectorAlignment(data.size(), 1, 16);
      vector = fb_.CreateVector(reinterpret_cast<const uint8_t*>(data.data()), data.size());
    }
    const auto start = fb_.StartTable();
    if (!data.empty()) fb_.AddOffset(Slot(0), vector);
    buffers_.emplace_back(fb_.EndTable(start));
    return buffers_.back();
  }

  // One code an operator: that codes are shared is no duty.
  flatbuffers::Offset<flatbuffers::Vector<Table>> OperatorCodes() {
    AddBuffer("");  // buffer 0 is empty by convention
    std::vector<Table> tables;
    for (const TfliteBuilder::Operation& op : model_.operations_) {
      flatbuffers::Offset<flatbuffers::String> custom;
      if (op.code == TfliteOp::kCustom) custom = fb_.CreateString(model_.custom_code);
      const auto start = fb_.StartTable();
      fb_.AddElement<int8_t>(Slot(0), static_cast<int8_t>(std::min(op.code, kFirstGreaterCode)), 0);
      if (op.code == TfliteOp::kCustom) fb_.AddOffset(Slot(1), custom);
      fb_.AddElement<int32_t>(Slot(2), 1, 0);
      if (!model_.old_codes) fb_.AddElement<int32_t>(Slot(3), op.code, 0);
      tables.emplace_back(fb_.EndTable(start));
    }
    return fb_.CreateVector(tables);
  }

  Table Quantization(const TfliteTensor& tensor) {
    const auto scales = fb_.CreateVector(tensor.scales);
    const auto zero_points = fb_.CreateVector(tensor.zero_points);
    const auto start = fb_.StartTable();
    if (!tensor.scales.empty()) fb_.AddOffset(Slot(2), scales);
    if (!tensor.zero_points.empty()) fb_.AddOffset(Slot(3), zero_points);
    fb_.AddElement<int32_t>(Slot(6), tensor.axis, 0);
    return Table(fb_.EndTable(start));
  }

  Table Tensor(const TfliteTensor& tensor) {
    uint32_t buffer = 0;
    if (!tensor.data.empty()) {
      buffer = static_cast<uint32_t>(buffers_.size());
      AddBuffer(tensor.data);
    }
    const auto name = fb_.CreateString(tensor.name);
    const auto shape = fb_.CreateVector(tensor.shape);
    const auto signature = fb_.CreateVector(tensor.signature);
    const Table quantization = Quantization(tensor);
    const auto start = fb_.StartTable();
    fb_.AddOffset(Slot(0), shape);
    fb_.AddElement<int8_t>(Slot(1), tensor.type, 0);
    fb_.AddElement<uint32_t>(Slot(2), buffer, 0);
    if (!tensor.name.empty()) fb_.AddOffset(Slot(3), name);
    fb_.AddOffset(Slot(4), quantization);
    fb_.AddElement<uint8_t>(Slot(5), tensor.is_variable ? 1 : 0, 0);
    if (!tensor.signature.empty()) fb_.AddOffset(Slot(7), signature);
    return Table(fb_.EndTable(start));
  }

  Table Options(const TfliteFields& fields) {
    std::map<int, flatbuffers::Offset<flatbuffers::Vector<int32_t>>> vectors;
    for (const auto& [slot, field] : fields) {
      const auto* list = std::get_if<std::vector<int32_t>>(&field);
      if (list != nullptr) vectors[slot] = fb_.CreateVector(*list);
    }
    const auto start = fb_.StartTable();
    for (const auto& [slot, field] : fields) {
      const flatbuffers::voffset_t at = Slot(slot);
      if (const auto* byte = std::get_if<int8_t>(&field)) fb_.AddElement<int8_t>(at, *byte);
      if (const auto* number = std::get_if<int32_t>(&field)) fb_.AddElement<int32_t>(at, *number);
      if (const auto* real = std::get_if<float>(&field)) fb_.AddElement<float>(at, *real);
      if (const auto* flag = std::get_if<bool>(&field)) fb_.AddElement<uint8_t>(at, *flag ? 1 : 0);
      if (vectors.count(slot) != 0) fb_.AddOffset(at, vectors[slot]);
    }
    return Table(fb_.EndTable(start));
  }

  Table Operation(const TfliteBuilder::Operation& op, uint32_t code) {
    const auto inputs = fb_.CreateVector(op.inputs);
    const auto outputs = fb_.CreateVector(op.outputs);
    Table options;
    if (op.options != 0) options = Options(op.fields);
    const auto start = fb_.StartTable();
    fb_.AddElement<uint32_t>(Slot(0), code, 0);
    fb_.AddOffset(Slot(1), inputs);
    fb_.AddOffset(Slot(2), outputs);
    if (op.options != 0) {
      fb_.AddElement<uint8_t>(Slot(3), static_cast<uint8_t>(op.options), 0);
      fb_.AddOffset(Slot(4), options);
    }
    return Table(fb_.EndTable(start));
  }

  Table Subgraph() {
    std::vector<Table> tensors, operators;
    for (const TfliteTensor& tensor : model_.tensors_) tensors.push_back(Tensor(tensor));
    for (const TfliteBuilder::Operation& op : model_.operations_) {
      operators.push_back(Operation(op, static_cast<uint32_t>(operators.size())));
    }
    const auto tensor_list = fb_.CreateVector(tensors);
    const auto operator_list = fb_.CreateVector(operators);
    const auto inputs = fb_.CreateVector(model_.inputs_);
    const auto outputs = fb_.CreateVector(model_.outputs_);
    const auto name = fb_.CreateString("main");
    const auto start = fb_.StartTable();
    fb_.AddOffset(Slot(0), tensor_list);
    fb_.AddOffset(Slot(1), inputs);
    fb_.AddOffset(Slot(2), outputs);
    fb_.AddOffset(Slot(3), operator_list);
    fb_.AddOffset(Slot(4), name);
    return Table(fb_.EndTable(start));
  }

  Table EmptySubgraph() { return Table(fb_.EndTable(fb_.StartTable())); }

  // Of the last buffer.
  Table Metadata() {
    const auto name = fb_.CreateString("min_runtime_version");
    const auto start = fb_.StartTable();
    fb_.AddOffset(Slot(0), name);
    fb_.AddElement<uint32_t>(Slot(1), static_cast<uint32_t>(buffers_.size() - 1), 0);
    return Table(fb_.EndTable(start));
  }

  const TfliteBuilder& model_;
  Builder fb_;
  std::vector<Table> buffers_;
};

std::string TfliteBuilder::Finish() const { return TfliteWriter(*this).Write(); }

int TfliteBuilder::Add(TfliteTensor tensor) {
  tensors_.push_back(std::move(tensor));
  return static_cast<int>(tensors_.size()) - 1;
}

int TfliteBuilder::Int8(const std::string& name, std::vector<int32_t> shape, float scale,
                        int64_t zero_point) {
  return Add({name, std::move(shape), TfliteType::kInt8, {scale}, {zero_point}});
}

int TfliteBuilder::Float(const std::string& name, std::vector<int32_t> shape) {
  return Add({name, std::move(shape), TfliteType::kFloat32});
}

int TfliteBuilder::Weights(const std::string& name, std::vector<int32_t> shape,
                           const std::vector<int8_t>& data, std::vector<float> scales,
                           int32_t axis) {
  const std::vector<int64_t> zero_points(scales.size(), 0);
  return Add({name, std::move(shape), TfliteType::kInt8, std::move(scales), zero_points, axis,
              BytesOf(data)});
}

int TfliteBuilder::Bias(const std::string& name, const std::vector<int32_t>& data,
                        std::vector<float> scales) {
  const std::vector<int64_t> zero_points(scales.size(), 0);
  return Add({name,
              {static_cast<int32_t>(data.size())},
              TfliteType::kInt32,
              std::move(scales),
              zero_points,
              0,
              BytesOf(data)});
}

int TfliteBuilder::Indices(const std::string& name, const std::vector<int32_t>& data) {
  return Add(
      {name, {static_cast<int32_t>(data.size())}, TfliteType::kInt32, {}, {}, 0, BytesOf(data)});
}

int TfliteBuilder::Int8Constant(const std::string& name, std::vector<int32_t> shape,
                                const std::vector<int8_t>& data, float scale, int64_t zero_point) {
  return Add({name, std::move(shape), TfliteType::kInt8, {scale}, {zero_point}, 0, BytesOf(data)});
}

int TfliteBuilder::FloatConstant(const std::string& name, std::vector<int32_t> shape,
                                 const std::vector<float>& data) {
  return Add({name, std::move(shape), TfliteType::kFloat32, {}, {}, 0, BytesOf(data)});
}

int TfliteBuilder::Input(int tensor) {
  inputs_.push_back(tensor);
  return tensor;
}

int TfliteBuilder::Output(int tensor) {
  outputs_.push_back(tensor);
  return tensor;
}

void TfliteBuilder::Operator(int32_t code, std::vector<int32_t> inputs,
                             std::vector<int32_t> outputs, int options, TfliteFields fields) {
  operations_.push_back({code, std::move(inputs), std::move(outputs), options, std::move(fields)});
}

void TfliteBuilder::Conv2d(int x, int w, int bias, int y, const TfliteWindow& window) {
  Operator(TfliteOp::kConv2d, {x, w, bias}, {y}, kConv2dOptions,
           {{0, window.padding},
            {1, window.stride_w},
            {2, window.stride_h},
            {3, window.activation},
            {4, window.dilation_w},
            {5, window.dilation_h}});
}

void TfliteBuilder::DepthwiseConv2d(int x, int w, int bias, int y, int32_t multiplier,
                                    const TfliteWindow& window) {
  Operator(TfliteOp::kDepthwiseConv2d, {x, w, bias}, {y}, kDepthwiseOptions,
           {{0, window.padding},
            {1, window.stride_w},
            {2, window.stride_h},
            {3, multiplier},
            {4, window.activation},
            {5, window.dilation_w},
            {6, window.dilation_h}});
}

namespace {

TfliteFields PoolFields(int32_t rows, int32_t columns, const TfliteWindow& window) {
  return {{0, window.padding}, {1, window.stride_w},  {2, window.stride_h}, {3, columns},
          {4, rows},           {5, window.activation}};
}

}  // namespace

void TfliteBuilder::AveragePool(int x, int y, int32_t rows, int32_t columns,
                                const TfliteWindow& window) {
  Operator(TfliteOp::kAveragePool2d, {x}, {y}, kPoolOptions, PoolFields(rows, columns, window));
}

void TfliteBuilder::MaxPool(int x, int y, int32_t rows, int32_t columns,
                            const TfliteWindow& window) {
  Operator(TfliteOp::kMaxPool2d, {x}, {y}, kPoolOptions, PoolFields(rows, columns, window));
}

void TfliteBuilder::FullyConnected(int x, int w, int bias, int y, int8_t activation,
                                   bool keep_num_dims) {
  Operator(TfliteOp::kFullyConnected, {x, w, bias}, {y}, kFullyConnectedOptions,
           {{0, activation}, {1, int8_t{0}}, {2, keep_num_dims}});
}

void TfliteBuilder::Binary(int32_t code, int a, int b, int y, int8_t activation) {
  const int options = code == TfliteOp::kAdd   ? kAddOptions
                      : code == TfliteOp::kMul ? kMulOptions
                                               : kSubOptions;
  Operator(code, {a, b}, {y}, options, {{0, activation}});
}

void TfliteBuilder::Softmax(int x, int y, float beta) {
  Operator(TfliteOp::kSoftmax, {x}, {y}, kSoftmaxOptions, {{0, beta}});
}

void TfliteBuilder::Reshape(int x, int y, const std::vector<int32_t>& shape) {
  Operator(TfliteOp::kReshape, {x, Indices(tensor(y).name + "_shape", shape)}, {y});
}

void TfliteBuilder::Pad(int x, int y, const std::vector<int32_t>& paddings) {
  const int list = Indices(tensor(y).name + "_paddings", paddings);
  tensor(list).shape = {static_cast<int32_t>(paddings.size() / 2), 2};
  Operator(TfliteOp::kPad, {x, list}, {y});
}

void TfliteBuilder::Mean(int x, int y, const std::vector<int32_t>& axes, bool keep_dims) {
  Operator(TfliteOp::kMean, {x, Indices(tensor(y).name + "_axes", axes)}, {y}, kReducerOptions,
           {{0, keep_dims}});
}

void TfliteBuilder::Concatenation(std::vector<int32_t> inputs, int y, int32_t axis,
                                  int8_t activation) {
  Operator(TfliteOp::kConcatenation, std::move(inputs), {y}, kConcatenationOptions,
           {{0, axis}, {1, activation}});
}

void TfliteBuilder::Transpose(int x, int y, const std::vector<int32_t>& perm) {
  Operator(TfliteOp::kTranspose, {x, Indices(tensor(y).name + "_perm", perm)}, {y});
}

void TfliteBuilder::StridedSlice(int x, int y, const std::vector<int32_t>& begin,
                                 const std::vector<int32_t>& end,
                                 const std::vector<int32_t>& strides,
                                 const std::vector<int32_t>& masks) {
  const std::string name = tensor(y).name;
  TfliteFields fields;
  for (size_t i = 0; i < masks.size(); ++i) fields[static_cast<int>(i)] = masks[i];
  Operator(TfliteOp::kStridedSlice,
           {x, Indices(name + "_begin", begin), Indices(name + "_end", end),
            Indices(name + "_strides", strides)},
           {y}, kStridedSliceOptions, std::move(fields));
}

void TfliteBuilder::Split(int x, const std::vector<int32_t>& outputs, int32_t axis) {
  const int list = Indices(tensor(outputs.at(0)).name + "_axis", {axis});
  tensor(list).shape = {};
  Operator(TfliteOp::kSplit, {list, x}, outputs, kSplitOptions,
           {{0, static_cast<int32_t>(outputs.size())}});
}

void TfliteBuilder::ResizeNearest(int x, int y, int32_t rows, int32_t columns, bool align_corners,
                                  bool half_pixel_centers) {
  Operator(TfliteOp::kResizeNearestNeighbor,
           {x, Indices(tensor(y).name + "_size", {rows, columns})}, {y}, kResizeNearestOptions,
           {{0, align_corners}, {1, half_pixel_centers}});
}

void TfliteBuilder::LeakyRelu(int x, int y, float alpha) {
  Operator(TfliteOp::kLeakyRelu, {x}, {y}, kLeakyReluOptions, {{0, alpha}});
}

}  // namespace bw::testing
