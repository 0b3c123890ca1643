#include "tests/conformance/random_network.h"

#include <algorithm>
#include <numeric>

namespace bw::conformance {
namespace {

class Generator {
 public:
  explicit Generator(uint32_t seed) : rng_(seed), net_(seed) {}

  StressNetwork Make() {
    values_.push_back(net_.Input({1 + Below(2), 1 + Below(8), 1 + Below(9), 1 + Below(9)}));
    for (int64_t n = 3 + Below(8); n > 0; --n) {
      // Mostly a chain; now and then an earlier value is read again.
      const ValueId x =
          Below(4) == 0 ? values_[static_cast<size_t>(Below(Count()))] : values_.back();
      values_.push_back(Step(x));
      if (Below(5) == 0) net_.Output(values_.back());
    }
    net_.Output(values_.back());
    return std::move(net_);
  }

 private:
  int64_t Below(int64_t n) { return static_cast<int64_t>(rng_() % static_cast<uint64_t>(n)); }
  int64_t Count() const { return static_cast<int64_t>(values_.size()); }
  int Rank(ValueId x) const { return net_.shape(x).rank(); }
  bool Coin(int64_t one_in) { return Below(one_in) == 0; }

  ValueId Step(ValueId x) {
    switch (Below(8)) {
      case 0:
      case 1:
        return Layer(x);
      case 2:
      case 3:
        return Binary(x);
      case 4:
        return Unary(x);
      case 5:
        return Move(x);
      case 6:
        return Rank(x) == 4 ? Window(x) : Mean(x);
      default:
        return Reorder(x);
    }
  }

  // ---- sums of products
  ValueId Layer(ValueId x) {
    if (Rank(x) == 4 && !Coin(6)) return Conv(x);
    const int64_t depth = net_.Extent(x, Rank(x) - 1);
    if (Rank(x) == 2 && Coin(2)) return net_.Gemm(x, 1 + Below(9));
    if (Rank(x) >= 2 && Coin(3)) {
      Ints swap(static_cast<size_t>(Rank(x)));
      std::iota(swap.begin(), swap.end(), 0);
      std::swap(swap[swap.size() - 1], swap[swap.size() - 2]);
      return net_.Add(Op::kMatMul, {x, net_.Transpose(x, swap)});
    }
    return net_.Add(Op::kMatMul, {x, net_.Constant({depth, 1 + Below(9)})});
  }
  ValueId Conv(ValueId x) {
    StressNetwork::ConvSpec spec;
    spec.out = 1 + Below(12);
    spec.kernel = {1 + Below(3), 1 + Below(3)};
    spec.strides = {1 + Below(2), 1 + Below(2)};
    spec.dilations = {1 + Below(4) / 3, 1 + Below(4) / 3};
    const int64_t channels = net_.Extent(x, 1);
    if (Coin(3)) spec.out = spec.group = channels;
    if (Coin(6)) spec.group = channels, spec.out = channels * 2;
    for (int64_t& pad : spec.pads) pad = Below(3);
    for (size_t i = 0; i < 2; ++i) {
      const int64_t reach = (spec.kernel[i] - 1) * spec.dilations[i] + 1;
      const int64_t lack =
          reach - net_.Extent(x, static_cast<int>(2 + i)) - spec.pads[i] - spec.pads[i + 2];
      spec.pads[i] += std::max<int64_t>(lack, 0);
    }
    spec.bias = !Coin(3);
    return net_.Conv(x, spec);
  }

  // ---- elementwise
  // A shape that broadcasts to x's, maybe of lower rank.
  tensor::Shape Part(ValueId x) {
    tensor::Shape shape = net_.shape(x);
    for (int64_t& extent : shape.dims) {
      if (Coin(2)) extent = 1;
    }
    while (shape.rank() > 0 && shape[0] == 1 && Coin(2)) shape.dims.erase(shape.dims.begin());
    return shape;
  }
  ValueId Operand(ValueId x) {
    if (Coin(3)) return net_.Constant(Part(x), Coin(2) ? 0.25F : -1.0F, 1.5F);
    if (Coin(3)) return net_.Input(Part(x), -1, 1);
    for (const ValueId other : values_) {
      if (net_.shape(other) == net_.shape(x) && Coin(2)) return other;
    }
    return x;
  }
  ValueId Binary(ValueId x) {
    constexpr Op kOps[] = {Op::kAdd, Op::kSub, Op::kMul};
    const Op op = kOps[Below(3)];
    if (Coin(8)) return net_.Add(Op::kDiv, {x, net_.Constant(Part(x), 0.5F, 2.0F)});
    const ValueId other = Operand(x);
    return Coin(2) ? net_.Add(op, {x, other}) : net_.Add(op, {other, x});
  }
  ValueId Unary(ValueId x) {
    switch (Below(8)) {
      case 0:
        return net_.Clip(x, -0.5, 1.5);
      case 1:
        return net_.Add(Op::kLeakyRelu, {x},
                        {{"alpha", 0.125 * static_cast<double>(Below(9) - 1)}});
      case 2:
        return net_.Add(Op::kPRelu, {x, net_.Constant(Part(x), Coin(3) ? -0.5F : 0.0F, 0.5F)});
      case 3:
        return net_.Add(Op::kSigmoid, {x});
      case 4:
        return net_.Add(Op::kTanh, {x});
      case 5:
        return Coin(2) ? net_.Softmax(x, Below(Rank(x))) : net_.Add(Op::kHardSwish, {x});
      default:
        return net_.Relu(x);
    }
  }

  // ---- windows and means
  ValueId Window(ValueId x) {
    const int64_t h = net_.Extent(x, 2), w = net_.Extent(x, 3);
    if (Coin(6)) return net_.Add(Coin(2) ? Op::kGlobalAveragePool : Op::kGlobalMaxPool, {x});
    if (Coin(4)) return Mean(x);
    const Ints kernel = {1 + Below(std::min<int64_t>(h, 3)), 1 + Below(std::min<int64_t>(w, 3))};
    Attributes pool = {
        {"kernel_shape", kernel},
        {"strides", Ints{1 + Below(2), 1 + Below(2)}},
        {"pads", Ints{Below(kernel[0]), Below(kernel[1]), Below(kernel[0]), Below(kernel[1])}},
        {"ceil_mode", Below(2)}};
    if (Coin(2)) {
      pool["dilations"] = Ints{1, 1};
      return net_.Add(Op::kMaxPool, {x}, pool);
    }
    pool["count_include_pad"] = int64_t{0};
    return net_.Add(Op::kAveragePool, {x}, pool);
  }
  ValueId Mean(ValueId x) {
    Ints axes;
    for (int axis = 0; axis < Rank(x); ++axis) {
      if (Coin(3)) axes.push_back(axis);
    }
    if (axes.empty()) axes.push_back(Rank(x) - 1);
    return net_.Add(Op::kReduceMean, {x}, {{"axes", axes}, {"keepdims", int64_t{1}}});
  }

  // ---- data movement
  ValueId Move(ValueId x) {
    const int axis = static_cast<int>(Below(Rank(x)));
    const int64_t extent = net_.Extent(x, axis);
    switch (Below(3)) {
      case 0: {
        std::vector<ValueId> parts = {x};
        for (int64_t n = 1 + Below(2); n > 0; --n) {
          tensor::Shape shape = net_.shape(x);
          shape[axis] = 1 + Below(3);
          parts.push_back(Coin(3) ? x : net_.Input(shape, -4, 4));
        }
        std::reverse(parts.begin(), parts.end());
        return net_.Concat(parts, axis);
      }
      case 1: {
        Ints pads(static_cast<size_t>(2 * Rank(x)), 0);
        for (int64_t& pad : pads) pad = Below(4) / 2;
        return net_.Add(Op::kPad, {x},
                        {{"pads", pads},
                         {"mode", std::string("constant")},
                         {"value", static_cast<double>(Below(3) - 1)}});
      }
      default: {
        const int64_t start = Below(extent);
        const bool back = Coin(2);
        const int64_t end = back ? start - 1 - Below(start + 1) : start + 1 + Below(extent - start);
        const int64_t step = (1 + Below(2)) * (back ? -1 : 1);
        return net_.Add(Op::kSlice, {x},
                        {{"starts", Ints{start}},
                         {"ends", Ints{end}},
                         {"axes", Ints{axis}},
                         {"steps", Ints{step}}});
      }
    }
  }
  ValueId Reorder(ValueId x) {
    if (Coin(2)) {
      Ints perm(static_cast<size_t>(Rank(x)));
      std::iota(perm.begin(), perm.end(), 0);
      std::shuffle(perm.begin(), perm.end(), rng_);
      return net_.Transpose(x, perm);
    }
    Ints dims = net_.shape(x).dims;
    if (Rank(x) < 5 && Coin(2)) {
      dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(Below(Rank(x) + 1)), 1);
    } else if (Rank(x) > 2) {
      const auto at = static_cast<size_t>(Below(Rank(x) - 1));
      dims[at] *= dims[at + 1];
      dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    } else {
      std::reverse(dims.begin(), dims.end());
    }
    return net_.Reshape(x, dims);
  }

  std::mt19937 rng_;
  StressNetwork net_;
  std::vector<ValueId> values_;
};

}  // namespace

StressNetwork RandomNetwork(uint32_t seed) { return Generator(seed).Make(); }

}  // namespace bw::conformance
