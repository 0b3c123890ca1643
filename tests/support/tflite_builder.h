// Makes .tflite files in memory: tests say tensors and operators, Finish gives the bytes.
//
//   TfliteBuilder b;
//   const int x = b.Input(b.Int8("x", {1, 8, 8, 3}, 0.02f, -5));
//   const int y = b.Output(b.Int8("y", {1, 8, 8, 4}, 0.05f, 3));
//   b.Conv2d(x, b.Weights("w", {4, 3, 3, 3}, weights, scales), b.Bias("b", bias), y);
//   const std::string bytes = b.Finish();
//
// All shapes are in the file's order of axes: N, H, W, C, and O, H, W, I of weights. Nothing is
// checked: wrong files are what half of the tests need.
#ifndef TESTS_SUPPORT_TFLITE_BUILDER_H_
#define TESTS_SUPPORT_TFLITE_BUILDER_H_

#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace bw::testing {

// Numbers of the schema.
struct TfliteType {
  enum : int8_t {
    kFloat32 = 0,
    kFloat16 = 1,
    kInt32 = 2,
    kUint8 = 3,
    kInt64 = 4,
    kString = 5,
    kBool = 6,
    kInt16 = 7,
    kInt8 = 9,
    kInt4 = 17
  };
};
struct TfliteOp {
  enum : int32_t {
    kAdd = 0,
    kAveragePool2d = 1,
    kConcatenation = 2,
    kConv2d = 3,
    kDepthwiseConv2d = 4,
    kDequantize = 6,
    kFullyConnected = 9,
    kLogistic = 14,
    kMaxPool2d = 17,
    kMul = 18,
    kRelu = 19,
    kReluN1To1 = 20,
    kRelu6 = 21,
    kReshape = 22,
    kSoftmax = 25,
    kTanh = 28,
    kCustom = 32,
    kPad = 34,
    kTranspose = 39,
    kMean = 40,
    kSub = 41,
    kSqueeze = 43,
    kStridedSlice = 45,
    kSplit = 49,
    kPadV2 = 60,
    kSlice = 65,
    kExpandDims = 70,
    kShape = 77,
    kPack = 83,
    kResizeNearestNeighbor = 97,
    kLeakyRelu = 98,
    kSplitV = 102,
    kQuantize = 114,
    kHardSwish = 117,
    kBroadcastTo = 130
  };
};
struct TfliteAct {
  enum : int8_t { kNone = 0, kRelu = 1, kReluN1To1 = 2, kRelu6 = 3, kTanh = 4 };
};
struct TflitePadding {
  enum : int8_t { kSame = 0, kValid = 1 };
};

struct TfliteTensor {
  std::string name;
  std::vector<int32_t> shape = {};
  int8_t type = TfliteType::kInt8;
  std::vector<float> scales = {};
  std::vector<int64_t> zero_points = {};
  int32_t axis = 0;                     // quantized_dimension
  std::string data = {};                // raw bytes; empty: an activation
  std::vector<int32_t> signature = {};  // shape_signature; empty: absent
  bool is_variable = false;
};

// One field of an options table, by its number in the schema.
using TfliteField = std::variant<int8_t, int32_t, float, bool, std::vector<int32_t>>;
using TfliteFields = std::map<int, TfliteField>;

// Of CONV_2D, DEPTHWISE_CONV_2D and the pools (which have no dilation).
struct TfliteWindow {
  int32_t stride_h = 1, stride_w = 1;
  int8_t padding = TflitePadding::kSame;
  int8_t activation = TfliteAct::kNone;
  int32_t dilation_h = 1, dilation_w = 1;
};

class TfliteBuilder {
 public:
  // Tensors; each gives its index.
  int Add(TfliteTensor tensor);
  int Int8(const std::string& name, std::vector<int32_t> shape, float scale, int64_t zero_point);
  int Float(const std::string& name, std::vector<int32_t> shape);
  // Constants.
  int Weights(const std::string& name, std::vector<int32_t> shape, const std::vector<int8_t>& data,
              std::vector<float> scales, int32_t axis = 0);
  int Bias(const std::string& name, const std::vector<int32_t>& data,
           std::vector<float> scales = {});
  int Indices(const std::string& name, const std::vector<int32_t>& data);  // rank 1
  int Int8Constant(const std::string& name, std::vector<int32_t> shape,
                   const std::vector<int8_t>& data, float scale, int64_t zero_point);
  int FloatConstant(const std::string& name, std::vector<int32_t> shape,
                    const std::vector<float>& data);
  TfliteTensor& tensor(int index) { return tensors_.at(static_cast<size_t>(index)); }

  // Marks an end of the network; gives the tensor back.
  int Input(int tensor);
  int Output(int tensor);

  // Any operator. `options`: 0 for none, else the number of the table in the union BuiltinOptions.
  void Operator(int32_t code, std::vector<int32_t> inputs, std::vector<int32_t> outputs,
                int options = 0, TfliteFields fields = {});
  // The common ones; -1 is an absent bias.
  void Conv2d(int x, int w, int bias, int y, const TfliteWindow& window = {});
  void DepthwiseConv2d(int x, int w, int bias, int y, int32_t multiplier,
                       const TfliteWindow& window = {});
  void AveragePool(int x, int y, int32_t rows, int32_t columns, const TfliteWindow& window = {});
  void MaxPool(int x, int y, int32_t rows, int32_t columns, const TfliteWindow& window = {});
  void FullyConnected(int x, int w, int bias, int y, int8_t activation = TfliteAct::kNone,
                      bool keep_num_dims = false);
  void Binary(int32_t code, int a, int b, int y, int8_t activation = TfliteAct::kNone);
  void Softmax(int x, int y, float beta = 1.0f);
  void Reshape(int x, int y, const std::vector<int32_t>& shape);
  void Pad(int x, int y, const std::vector<int32_t>& paddings);
  void Mean(int x, int y, const std::vector<int32_t>& axes, bool keep_dims);
  void Concatenation(std::vector<int32_t> inputs, int y, int32_t axis,
                     int8_t activation = TfliteAct::kNone);
  void Transpose(int x, int y, const std::vector<int32_t>& perm);
  void StridedSlice(int x, int y, const std::vector<int32_t>& begin,
                    const std::vector<int32_t>& end, const std::vector<int32_t>& strides,
                    const std::vector<int32_t>& masks = {0, 0, 0, 0, 0});
  void Split(int x, const std::vector<int32_t>& outputs, int32_t axis);
  void ResizeNearest(int x, int y, int32_t rows, int32_t columns, bool align_corners = false,
                     bool half_pixel_centers = false);
  void LeakyRelu(int x, int y, float alpha);
  void Unary(int32_t code, int x, int y) { Operator(code, {x}, {y}); }

  // Oddities of files.
  bool old_codes = false;        // deprecated_builtin_code alone
  bool second_subgraph = false;  // an empty one behind the network
  bool metadata = false;         // a metadata table with its buffer, and a signature definition
  uint32_t version = 3;
  std::string custom_code;  // of every custom operator

  std::string Finish() const;

 private:
  struct Operation {
    int32_t code = 0;
    std::vector<int32_t> inputs, outputs;
    int options = 0;
    TfliteFields fields;
  };
  friend class TfliteWriter;

  std::vector<TfliteTensor> tensors_;
  std::vector<Operation> operations_;
  std::vector<int32_t> inputs_, outputs_;
};

// The bytes of numbers, as tensors hold them.
template <typename T>
std::string BytesOf(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

}  // namespace bw::testing

#endif  // TESTS_SUPPORT_TFLITE_BUILDER_H_
