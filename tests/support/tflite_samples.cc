#include "tests/support/tflite_samples.h"

#include "tests/support/tflite_builder.h"

namespace bw::testing {
namespace {

std::vector<int8_t> Pattern(int count) {
  std::vector<int8_t> values;
  for (int i = 0; i < count; ++i) values.push_back(static_cast<int8_t>(i * 37 % 255 - 127));
  return values;
}

// Convolution, depthwise convolution, pool, flatten, fully connected, softmax.
TfliteBuilder Classifier() {
  TfliteBuilder b;
  const int x = b.Input(b.Int8("x", {1, 4, 4, 2}, 0.02f, -5));
  const int conv = b.Int8("conv", {1, 2, 2, 3}, 0.05f, -128);
  const int wise = b.Int8("wise", {1, 2, 2, 3}, 0.05f, 3);
  const int pool = b.Int8("pool", {1, 1, 1, 3}, 0.05f, 3);
  const int flat = b.Int8("flat", {1, 3}, 0.05f, 3);
  const int dense = b.Int8("dense", {1, 2}, 0.1f, 0);
  const int y = b.Output(b.Int8("y", {1, 2}, 1.0f / 256, -128));
  TfliteWindow window;
  window.stride_h = window.stride_w = 2;
  window.activation = TfliteAct::kRelu6;
  b.Conv2d(x, b.Weights("conv_w", {3, 3, 3, 2}, Pattern(54), {0.01f, 0.02f, 0.03f}),
           b.Bias("conv_b", {100, -100, 0}, {2e-4f, 4e-4f, 6e-4f}), conv, window);
  b.DepthwiseConv2d(conv, b.Weights("wise_w", {1, 3, 3, 3}, Pattern(27), {0.1f, 0.1f, 0.2f}, 3), -1,
                    wise, 1);
  TfliteWindow valid;
  valid.padding = TflitePadding::kValid;
  b.AveragePool(wise, pool, 2, 2, valid);
  b.Reshape(pool, flat, {-1, 3});
  b.FullyConnected(flat, b.Weights("dense_w", {2, 3}, Pattern(6), {0.02f}),
                   b.Bias("dense_b", {5, 6}), dense);
  b.Softmax(dense, y);
  b.metadata = b.second_subgraph = true;
  return b;
}

// Two branches that meet again, elementwise operators and activations.
TfliteBuilder Branches() {
  TfliteBuilder b;
  const std::vector<int32_t> shape = {1, 3, 2, 2};
  const int x = b.Input(b.Int8("x", shape, 0.02f, 1));
  int last = x;
  for (const int32_t code : {TfliteOp::kLogistic, TfliteOp::kTanh, TfliteOp::kHardSwish,
                             TfliteOp::kRelu, TfliteOp::kReluN1To1, TfliteOp::kRelu6}) {
    const int next = b.Int8("u" + std::to_string(code), shape, 0.03f, -2);
    b.Unary(code, last, next);
    last = next;
  }
  const int leaky = b.Int8("leaky", shape, 0.02f, 1);
  const int sum = b.Int8("sum", shape, 0.04f, 2);
  const int product = b.Int8("product", shape, 0.04f, 2);
  const int difference = b.Int8("difference", shape, 0.04f, 2);
  const int joined = b.Output(b.Int8("joined", {1, 3, 2, 4}, 0.04f, 2));
  const int largest = b.Output(b.Int8("largest", {1, 2, 1, 2}, 0.04f, 2));
  b.LeakyRelu(x, leaky, 0.1f);
  b.Binary(TfliteOp::kAdd, last, leaky, sum, TfliteAct::kRelu);
  b.Binary(TfliteOp::kMul, sum, b.Int8Constant("k", {2}, {3, -4}, 0.1f, 1), product);
  b.Binary(TfliteOp::kSub, product, x, difference);
  b.Concatenation({difference, sum}, joined, 3);
  TfliteWindow window;
  window.padding = TflitePadding::kValid;
  b.MaxPool(difference, largest, 2, 2, window);
  return b;
}

// Operators that move data.
TfliteBuilder Movers() {
  TfliteBuilder b;
  const auto tensor = [&b](const std::string& name, std::vector<int32_t> shape) {
    return b.Int8(name, std::move(shape), 0.5f, -1);
  };
  const int x = b.Input(tensor("x", {1, 2, 3, 4}));
  const int padded = tensor("padded", {1, 4, 3, 5});
  const int turned = tensor("turned", {1, 3, 5, 4});
  const int strided = tensor("strided", {1, 2, 4});
  const int split1 = tensor("split1", {1, 2, 2}), split2 = tensor("split2", {1, 2, 2});
  const int mean = b.Output(tensor("mean", {1, 2}));
  const int apart = tensor("apart", {1, 1, 2, 2});
  const int back = tensor("back", {2, 2});
  const int part = b.Output(tensor("part", {1, 2}));
  const int shaped = tensor("shaped", {4, 1, 3, 2});
  const int flat = b.Output(tensor("flat", {24}));
  b.Pad(x, padded, {0, 0, 1, 1, 0, 0, 1, 0});
  b.Transpose(padded, turned, {0, 2, 3, 1});
  b.StridedSlice(turned, strided, {0, 0, 4, 0}, {1, 3, 5, 4}, {1, 2, 1, 1}, {1, 8, 0, 0, 4});
  b.Split(strided, {split1, split2}, 2);
  b.Operator(TfliteOp::kSplitV, {strided, b.Indices("sizes", {-1, 3}), b.Indices("along", {2})},
             {b.Output(tensor("split3", {1, 2, 1})), b.Output(tensor("split4", {1, 2, 3}))}, 79);
  b.Mean(split1, mean, {1}, false);
  b.Operator(TfliteOp::kExpandDims, {split2, b.Indices("axis", {1})}, {apart}, 52);
  b.Operator(TfliteOp::kSqueeze, {apart}, {back}, 30, {{0, std::vector<int32_t>{0, 1}}});
  b.Operator(TfliteOp::kSlice, {back, b.Indices("begin", {1, 0}), b.Indices("size", {1, -1})},
             {part}, 48);
  b.Reshape(x, shaped, {4, 1, 3, 2});
  b.Reshape(shaped, flat, {-1});
  b.ResizeNearest(x, b.Output(tensor("resized", {1, 4, 2, 4})), 4, 2, true);
  return b;
}

// float32 ends, changes of scale, uint8, shape arithmetic, an open batch, no names.
TfliteBuilder Odd() {
  TfliteBuilder b;
  const int x = b.Input(b.Float("", {1, 2, 2, 1}));
  b.tensor(x).signature = {-1, 2, 2, 1};
  const int a = b.Add({"a", {1, 2, 2, 1}, TfliteType::kUint8, {0.1f}, {128}});
  const int q = b.Int8("a", {1, 2, 2, 1}, 0.1f, 0);
  const int soft = b.Int8("soft", {1, 2, 2, 1}, 1.0f / 256, -128);
  const int y = b.Float("y", {1, 2, 2, 1});
  const int shape = b.Add({"shape", {4}, TfliteType::kInt32});
  const int z = b.Output(b.Float("z", {1, 4}));
  b.Add({"unused", {-3, 7}, int8_t{77}, {0}, {9}});
  b.Unary(TfliteOp::kQuantize, x, a);
  b.Unary(TfliteOp::kQuantize, a, q);
  b.Softmax(q, soft, 0.5f);
  b.Unary(TfliteOp::kDequantize, soft, y);
  b.Unary(TfliteOp::kShape, y, shape);
  b.Operator(TfliteOp::kReshape, {y, shape}, {z}, 17);
  return b;
}

// Constants that reach operators through others.
TfliteBuilder Constants() {
  TfliteBuilder b;
  const int x = b.Input(b.Float("x", {1, 2, 2, 2}));
  const int stored = b.Weights("stored", {2, 1, 1, 2}, {1, 2, 3, 4}, {0.5f, 0.25f});
  const int w = b.Float("w", {2, 1, 1, 2});
  const int k = b.Float("k", {1, 3});
  const int c = b.Float("c", {1, 2, 2, 2});
  const int y = b.Output(b.Float("y", {1, 2, 2, 2}));
  const int u = b.Output(b.Float("u", {3, 1}));
  b.Unary(TfliteOp::kDequantize, stored, w);
  b.Conv2d(x, w, b.FloatConstant("bias", {2}, {0.5f, -0.5f}), c);
  b.Operator(TfliteOp::kPadV2,
             {b.FloatConstant("one", {1, 1}, {2}), b.Indices("p", {0, 0, 1, 1}),
              b.FloatConstant("v", {}, {7})},
             {k}, 43);
  b.Transpose(k, u, {1, 0});
  b.Binary(TfliteOp::kAdd, c, b.FloatConstant("s", {}, {1}), y);
  b.old_codes = true;
  return b;
}

}  // namespace

std::map<std::string, std::string> TfliteSamples() {
  return {{"classifier", Classifier().Finish()},
          {"branches", Branches().Finish()},
          {"movers", Movers().Finish()},
          {"odd", Odd().Finish()},
          {"constants", Constants().Finish()}};
}

}  // namespace bw::testing
