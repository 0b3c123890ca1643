// Lowering and golden under profile tflite_double against TFLite's kernels written again: exactly.
#include "tests/conformance/tflite_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "models/golden/executor.h"
#include "tests/conformance/quantised_network.h"

namespace bw::conformance {
namespace {

using golden::IntTensor;
using tflite::Fused;
using tflite::Plain;
using tflite::Seen;

constexpr uint32_t kSeeds = 60;

lower::Settings TfliteSettings() {
  lower::Settings settings;
  settings.profile = arith::FindProfile("tflite_double");
  settings.rounding = settings.profile->rounding;
  settings.mult_bits = settings.profile->mult_bits;
  settings.limits.shift_max = settings.profile->shift_max;
  return settings;
}

tflite::Format FormatOf(const Quantisation& from) {
  return {static_cast<float>(from.scales[0]), static_cast<int32_t>(from.zero_points[0]),
          from.is_signed};
}

Plain Blank(const tensor::Shape& shape, const Quantisation& format) {
  Plain plain;
  const size_t ones = 4 - static_cast<size_t>(shape.rank());
  std::copy(shape.dims.begin(), shape.dims.end(), plain.shape.begin() + static_cast<long>(ones));
  plain.format = FormatOf(format);
  return plain;
}

// One operator at a time, and what the loops say about it.
class TfliteKernels : public ::testing::TestWithParam<bool> {
 protected:
  bool is_signed() const { return GetParam(); }

  // Adds the activation behind `id`, if any; its result, or that of `id`, gets the format.
  static ValueId Finish(QuantisedNetwork& net, Op op, std::vector<ValueId> inputs,
                        Attributes attributes, Fused fused, const Quantisation& format) {
    if (fused == Fused::kNone) {
      return net.Add(op, std::move(inputs), std::move(attributes), format);
    }
    const ValueId inner = net.Add(op, std::move(inputs), std::move(attributes));
    if (fused == Fused::kRelu) return net.Add(Op::kRelu, {inner}, {}, format);
    const double low = fused == Fused::kRelu6 ? 0 : -1, high = fused == Fused::kRelu6 ? 6 : 1;
    return net.Add(Op::kClip, {inner}, {{"min", low}, {"max", high}}, format);
  }

  static Fused AnyActivation(QuantisedNetwork& net) {
    return static_cast<Fused>(net.Uniform(0, 3));
  }

  // The one layer of the last network.
  const graph::IntNode& Layer() const { return lowered_.nodes.at(0); }

  static void ExpectFactors(const graph::RequantSet& got, const std::vector<tflite::Factor>& want) {
    ASSERT_EQ(got.entries.size(), want.size());
    for (size_t i = 0; i < want.size(); ++i) {
      EXPECT_EQ(got.entries[i].m, want[i].m) << "channel " << i;
      EXPECT_EQ(got.entries[i].s, 31 - want[i].shift) << "channel " << i;
    }
  }

  // The network's results on a random sample; `inputs` are its operands as the loops take them.
  void Run(QuantisedNetwork& net, ValueId out, std::vector<Plain*> inputs, IntTensor* result) {
    net.Output(out);
    auto lowered = LowerQuantised(net.graph(), TfliteSettings());
    ASSERT_TRUE(lowered.ok()) << ToString(lowered.errors());
    lowered_ = *std::move(lowered);
    EXPECT_TRUE(lowered_.warnings.empty()) << lowered_.warnings[0];
    const std::vector<IntTensor> sample = net.RandomInputs();
    const auto run = golden::GoldenExecutor(lowered_).Run(sample);
    ASSERT_TRUE(run.ok()) << ToString(run.errors());
    *result = run->outputs[0];
    for (size_t i = 0; i < inputs.size(); ++i) {
      const ValueId id = net.graph().inputs[i];
      *inputs[i] = Blank(net.shape(id), net.format(id));
      inputs[i]->q = sample[i].data;
    }
  }

  void Compare(const IntTensor& got, const Plain& want) {
    ASSERT_EQ(got.data.size(), want.q.size());
    for (size_t i = 0; i < want.q.size(); ++i) {
      ASSERT_EQ(got.data[i], want.q[i]) << "element " << i;
      ++compared_;
    }
  }

  void TearDown() override {
    if (HasFailure()) return;
    EXPECT_GT(compared_, 1000);
    EXPECT_GT(seen_.clipped, 0);
    EXPECT_LT(seen_.clipped, compared_);
    if (two_roundings_) {
      EXPECT_GT(seen_.rounded_once, 0);
    }
  }

  graph::IntGraph lowered_;
  Seen seen_;
  bool two_roundings_ = true;  // of results, somewhere
  int64_t compared_ = 0;
};

tflite::Filter PlainFilter(const QuantisedNetwork& net, const QuantisedNetwork::Filter& filter) {
  const graph::Value& weights = net.value(filter.weights);
  tflite::Filter plain;
  std::copy(weights.shape.dims.begin(), weights.shape.dims.end(), plain.shape.begin());
  plain.q = weights.quantisation->integers;
  for (const double scale : weights.quantisation->scales) {
    plain.scales.push_back(static_cast<float>(scale));
  }
  plain.zero_point = static_cast<int32_t>(weights.quantisation->zero_points[0]);
  plain.bias = net.format(filter.bias).integers;
  return plain;
}

struct ConvCase {
  tflite::Window window;
  Attributes attributes;
};

// Kernel, strides, dilations and padding with at least one position of the result.
ConvCase AnyWindow(QuantisedNetwork& net, int64_t height, int64_t width, bool dilated) {
  tflite::Window w;
  w.kernel_h = net.Uniform(1, 4), w.kernel_w = net.Uniform(1, 4);
  w.stride_h = net.Uniform(1, 3), w.stride_w = net.Uniform(1, 3);
  const auto fit = [&](int64_t kernel, int64_t extent) {
    const int64_t most = kernel == 1 ? 1 : (extent - 1) / (kernel - 1);
    return dilated ? net.Uniform(1, std::clamp<int64_t>(most, 1, 2)) : 1;
  };
  w.dilation_h = fit(w.kernel_h, height), w.dilation_w = fit(w.kernel_w, width);
  w.top = net.Uniform(0, w.kernel_h - 1), w.left = net.Uniform(0, w.kernel_w - 1);
  const int64_t bottom = net.Uniform(0, w.kernel_h - 1), right = net.Uniform(0, w.kernel_w - 1);
  ConvCase made{w, {}};
  made.attributes = {{"strides", Ints{w.stride_h, w.stride_w}},
                     {"pads", Ints{w.top, w.left, bottom, right}}};
  return made;
}

class TfliteConv : public TfliteKernels {
 protected:
  void ExpectConv(uint32_t seed, bool depthwise) {
    QuantisedNetwork net(seed, is_signed());
    const int64_t group = depthwise ? net.Uniform(1, 9) : 1;
    const int64_t channels = depthwise ? group : net.Uniform(1, 9);
    const int64_t outs = depthwise ? group * net.Uniform(1, 2) : net.Uniform(1, 12);
    const int64_t height = net.Uniform(4, 9), width = net.Uniform(4, 9);
    const Quantisation in = net.Format(net.Scale(0.005, 0.2));
    const ValueId x = net.Input({net.Uniform(1, 2), channels, height, width}, in);
    ConvCase c = AnyWindow(net, height, width, true);
    c.attributes["dilations"] = Ints{c.window.dilation_h, c.window.dilation_w};
    c.attributes["group"] = group;
    const auto filter =
        net.MakeFilter(in, {outs, channels / group, c.window.kernel_h, c.window.kernel_w},
                       is_signed() && !net.OneIn(4));
    std::vector<ValueId> inputs = {x, filter.weights};
    const bool biased = !net.OneIn(4);
    if (biased) inputs.push_back(filter.bias);
    const Fused fused = AnyActivation(net);
    const Quantisation format = net.FormatFor(filter.spread);
    const ValueId y = Finish(net, Op::kConv, inputs, c.attributes, fused, format);
    Plain operand, want = Blank(net.shape(y), format);
    IntTensor got;
    ASSERT_NO_FATAL_FAILURE(Run(net, y, {&operand}, &got));
    tflite::Filter plain = PlainFilter(net, filter);
    if (!biased) plain.bias.clear();
    ExpectFactors(std::get<graph::IntConv>(Layer().params).requant,
                  tflite::ConvFactors(operand.format, plain, want.format));
    tflite::Conv(operand, plain, group, c.window, fused, &want, &seen_);
    Compare(got, want);
  }
};

TEST_P(TfliteConv, Dense) {
  for (uint32_t seed = 1; seed <= kSeeds && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ExpectConv(seed, false);
  }
}

TEST_P(TfliteConv, Depthwise) {
  for (uint32_t seed = 1; seed <= kSeeds && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ExpectConv(seed, true);
  }
}

TEST_P(TfliteKernels, FullyConnected) {
  for (uint32_t seed = 1; seed <= kSeeds && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    QuantisedNetwork net(seed, is_signed());
    const int64_t m = net.Uniform(1, 5), k = net.Uniform(1, 40), n = net.Uniform(1, 20);
    const Quantisation in = net.Format(net.Scale(0.005, 0.2));
    const ValueId x = net.Input({m, k}, in);
    const auto filter = net.MakeFilter(in, {n, k}, is_signed() && net.OneIn(3));
    const Fused fused = AnyActivation(net);
    const Quantisation format = net.FormatFor(filter.spread);
    const ValueId y =
        Finish(net, Op::kGemm, {x, filter.weights, filter.bias},
               {{"alpha", 1.0}, {"beta", 1.0}, {"transA", int64_t{0}}, {"transB", int64_t{1}}},
               fused, format);
    Plain operand, want = Blank(net.shape(y), format);
    IntTensor got;
    ASSERT_NO_FATAL_FAILURE(Run(net, y, {&operand}, &got));
    const tflite::Filter plain = PlainFilter(net, filter);
    ExpectFactors(std::get<graph::IntMatMul>(Layer().params).requant,
                  tflite::FullyConnectedFactors(operand.format, plain, want.format));
    tflite::FullyConnected(operand, plain, fused, &want, &seen_);
    Compare(got, want);
  }
}

class TfliteElementwise : public TfliteKernels {
 protected:
  void ExpectElementwiseFactors(const tflite::Format& a, const tflite::Format& b,
                                const tflite::Format& out) const {
    if (const auto* mul = std::get_if<graph::IntMul>(&Layer().params)) {
      ExpectFactors(mul->requant, {tflite::MulFactor(a, b, out)});
      return;
    }
    const auto& add = std::get<graph::IntAdd>(Layer().params);
    const tflite::AddFactors want = tflite::MakeAddFactors(a, b, out);
    ExpectFactors(add.requant, {want.sum});
    EXPECT_EQ(add.add.a.m, want.a.m);
    EXPECT_EQ(add.add.a.s, 31 - want.a.shift);
    EXPECT_EQ(add.add.b.m, want.b.m);
    EXPECT_EQ(add.add.b.s, 31 - want.b.shift);
  }

  // a op b with one or both broadcast along some axes.
  template <typename Kernel>
  void Expect(Op op, Kernel kernel) {
    two_roundings_ = op == Op::kMul;  // sums are shifted too far for it to matter
    for (uint32_t seed = 1; seed <= kSeeds && !HasFailure(); ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      QuantisedNetwork net(seed, is_signed());
      tensor::Shape left{net.Uniform(1, 2), net.Uniform(1, 6), net.Uniform(1, 7),
                         net.Uniform(2, 7)};
      tensor::Shape right = left;
      const int64_t spared = net.OneIn(3) ? net.Uniform(0, 15) : 0;
      for (int axis = 0; axis < 4; ++axis) {
        if ((spared >> axis) % 2 == 1) (net.OneIn(2) ? left : right)[axis] = 1;
      }
      const float scale = net.Scale(0.005, 0.2);
      const Quantisation a = net.Format(scale);
      const Quantisation b = net.OneIn(4) ? a : net.Format(scale * net.Scale(0.1, 10));
      const ValueId x = net.Input(left, a), y = net.Input(right, b);
      const double spread = op == Op::kMul ? 74 * 74 * a.scales[0] * b.scales[0]
                                           : 74 * std::max(a.scales[0], b.scales[0]);
      const Fused fused = AnyActivation(net);
      const Quantisation format = net.FormatFor(spread);
      const ValueId z = Finish(net, op, {x, y}, {}, fused, format);
      Plain of_x, of_y, want = Blank(net.shape(z), format);
      IntTensor got;
      ASSERT_NO_FATAL_FAILURE(Run(net, z, {&of_x, &of_y}, &got));
      ExpectElementwiseFactors(of_x.format, of_y.format, want.format);
      kernel(of_x, of_y, fused, &want, &seen_);
      Compare(got, want);
    }
  }
};

TEST_P(TfliteElementwise, Add) {
  Expect(Op::kAdd, [](const Plain& a, const Plain& b, Fused fused, Plain* out, Seen* seen) {
    tflite::Add(a, b, false, fused, out, seen);
  });
}

TEST_P(TfliteElementwise, Sub) {
  Expect(Op::kSub, [](const Plain& a, const Plain& b, Fused fused, Plain* out, Seen* seen) {
    tflite::Add(a, b, true, fused, out, seen);
  });
}

TEST_P(TfliteElementwise, Mul) { Expect(Op::kMul, tflite::Mul); }

class TflitePool : public TfliteKernels {
 protected:
  template <typename Kernel>
  void Expect(Op op, Kernel kernel) {
    two_roundings_ = false;
    for (uint32_t seed = 1; seed <= kSeeds && !HasFailure(); ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      QuantisedNetwork net(seed, is_signed());
      const int64_t height = net.Uniform(4, 9), width = net.Uniform(4, 9);
      const Quantisation format = net.Format(net.Scale(0.01, 0.1));
      const ValueId x = net.Input({net.Uniform(1, 2), net.Uniform(1, 5), height, width}, format);
      ConvCase c = AnyWindow(net, height, width, false);
      c.attributes["kernel_shape"] = Ints{c.window.kernel_h, c.window.kernel_w};
      c.attributes["ceil_mode"] = int64_t{0};
      if (op == Op::kMaxPool) c.attributes["dilations"] = Ints{1, 1};
      if (op == Op::kAveragePool) c.attributes["count_include_pad"] = int64_t{0};
      const Fused fused = AnyActivation(net);
      const ValueId y = Finish(net, op, {x}, c.attributes, fused, format);
      Plain operand, want = Blank(net.shape(y), format);
      IntTensor got;
      ASSERT_NO_FATAL_FAILURE(Run(net, y, {&operand}, &got));
      kernel(operand, c.window, fused, &want, &seen_);
      Compare(got, want);
    }
  }
};

TEST_P(TflitePool, Average) { Expect(Op::kAveragePool, tflite::AveragePool); }
TEST_P(TflitePool, Maximum) { Expect(Op::kMaxPool, tflite::MaxPool); }

TEST_P(TflitePool, AveragesOfEverySize) {
  two_roundings_ = false;
  for (int64_t n = 1; n <= 130 && !HasFailure(); n += n < 70 ? 1 : 7) {
    SCOPED_TRACE(std::to_string(n) + " elements");
    QuantisedNetwork net(static_cast<uint32_t>(n), is_signed());
    const Quantisation format = net.Format(net.Scale(0.01, 0.1));
    const ValueId x = net.Input({1, 13, n, 1}, format);
    const ValueId y = net.Add(Op::kAveragePool, {x},
                              {{"kernel_shape", Ints{n, 1}},
                               {"strides", Ints{1, 1}},
                               {"pads", Ints{0, 0, 0, 0}},
                               {"ceil_mode", int64_t{0}},
                               {"count_include_pad", int64_t{0}}},
                              format);
    Plain operand, want = Blank(net.shape(y), format);
    IntTensor got;
    ASSERT_NO_FATAL_FAILURE(Run(net, y, {&operand}, &got));
    tflite::Window window;
    window.kernel_h = n;
    tflite::AveragePool(operand, window, Fused::kNone, &want, &seen_);
    Compare(got, want);
  }
}

TEST_P(TfliteKernels, Mean) {
  for (uint32_t seed = 1; seed <= 4 * kSeeds && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    QuantisedNetwork net(seed, is_signed());
    const float scale = net.Scale(0.01, 0.1);
    const Quantisation from = net.Format(scale);
    const Quantisation to = net.OneIn(4) ? from : net.Format(scale * net.Scale(0.2, 2));
    const ValueId x = net.Input({1, 13, net.Uniform(1, 9), net.Uniform(1, 9)}, from);
    const ValueId y = net.OneIn(2) ? net.Add(Op::kGlobalAveragePool, {x}, {}, to)
                                   : net.Add(Op::kReduceMean, {x},
                                             {{"axes", Ints{2, 3}}, {"keepdims", int64_t{1}}}, to);
    Plain operand, want = Blank(net.shape(y), to);
    IntTensor got;
    ASSERT_NO_FATAL_FAILURE(Run(net, y, {&operand}, &got));
    tflite::Mean(operand, &want, &seen_);
    Compare(got, want);
  }
}

TEST_P(TfliteKernels, ChangesOfFormat) {
  for (uint32_t seed = 1; seed <= kSeeds && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    QuantisedNetwork net(seed, is_signed());
    const float scale = net.Scale(0.005, 0.2);
    const Quantisation from = net.Format(scale), to = net.Format(scale * net.Scale(0.3, 4));
    const ValueId x = net.Input({1, 3, 9, 8}, from);
    const ValueId y = net.Add(Op::kIdentity, {x}, {}, to);
    Plain operand, want = Blank(net.shape(y), to);
    IntTensor got;
    ASSERT_NO_FATAL_FAILURE(Run(net, y, {&operand}, &got));
    tflite::Requantize(operand, &want, &seen_);
    Compare(got, want);
  }
}

TEST_P(TfliteKernels, LeakyRelu) {
  for (uint32_t seed = 1; seed <= kSeeds && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    QuantisedNetwork net(seed, is_signed());
    const float scale = net.Scale(0.005, 0.2), alpha = net.Scale(0.01, 0.9);
    const Quantisation from = net.Format(scale), to = net.Format(scale * net.Scale(0.3, 3));
    const ValueId x = net.Input({1, 3, 9, 8}, from);
    const ValueId y = net.Add(Op::kLeakyRelu, {x}, {{"alpha", static_cast<double>(alpha)}}, to);
    Plain operand, want = Blank(net.shape(y), to);
    IntTensor got;
    ASSERT_NO_FATAL_FAILURE(Run(net, y, {&operand}, &got));
    tflite::LeakyRelu(operand, alpha, &want, &seen_);
    Compare(got, want);
  }
}

std::string TypeName(const ::testing::TestParamInfo<bool>& info) {
  return info.param ? "int8" : "uint8";
}
INSTANTIATE_TEST_SUITE_P(Of, TfliteKernels, ::testing::Bool(), TypeName);
INSTANTIATE_TEST_SUITE_P(Of, TfliteConv, ::testing::Bool(), TypeName);
INSTANTIATE_TEST_SUITE_P(Of, TfliteElementwise, ::testing::Bool(), TypeName);
INSTANTIATE_TEST_SUITE_P(Of, TflitePool, ::testing::Bool(), TypeName);

}  // namespace
}  // namespace bw::conformance
