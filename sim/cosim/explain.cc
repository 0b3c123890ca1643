#include "sim/cosim/explain.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/arith/accumulate.h"

namespace bw::cosim {
namespace {

using graph::IntGraph;
using graph::IntNode;
using Coords = std::vector<int64_t>;
using Json = Explanation;

constexpr size_t kOperandsShown = 16;

int64_t FlatIndex(const tensor::Shape& shape, const Coords& at) {
  int64_t flat = 0;
  for (size_t axis = 0; axis < at.size(); ++axis) flat = flat * shape.dims[axis] + at[axis];
  return flat;
}

// Broadcasting: axes of extent 1 stay at 0.
Coords Within(const tensor::Shape& shape, Coords at) {
  for (size_t axis = 0; axis < at.size(); ++axis) {
    if (shape.dims[axis] == 1) at[axis] = 0;
  }
  return at;
}

// One element of one node; a member function for each kind of parameters.
class Explainer {
 public:
  Explainer(const IntGraph& graph, const IntNode& node,
            const std::vector<const golden::IntTensor*>& inputs, int64_t at)
      : graph_(graph),
        node_(node),
        inputs_(inputs),
        shape_(graph.value(node.output).shape),
        at_(Coordinates(shape_, at)),
        flat_(at) {
    json_["kind"] = std::string(graph::KindName(node.params));
  }

  Json Run() {
    std::visit([this](const auto& params) { Of(params); }, node_.params);
    return std::move(json_);
  }

 private:
  const graph::IntValue& In(size_t i) const { return graph_.value(node_.inputs.at(i)); }
  int64_t ValueAt(size_t input, const Coords& at) const {
    return inputs_.at(input)->data.at(static_cast<size_t>(FlatIndex(In(input).shape, at)));
  }
  int64_t Channel() const {
    if (shape_.rank() == 0) return 0;
    return shape_.rank() == 4 ? at_[1] : at_.back();
  }

  void AddOperand(size_t input, const Coords& at, int64_t value) {
    json_["operands"].push_back({{"tensor", In(input).name}, {"at", at}, {"value", value}});
  }

  // One product of an accumulation; shown when it is not 0 and there is room.
  void AddProduct(const Coords& a_at, const Coords& b_at) {
    const int64_t a = ValueAt(0, a_at), b = ValueAt(1, b_at);
    const int64_t product = (a - In(0).zero_point) * (b - In(1).zero_point);
    ++terms_;
    sum_ = arith::WrappingAdd(sum_, product);
    if (product == 0 || json_["operands"].size() >= kOperandsShown) return;
    json_["operands"].push_back(
        {{"tensor", In(0).name}, {"at", a_at}, {"value", a}, {"weight", b}, {"weight_at", b_at}});
  }

  void FinishAccumulator(const graph::RequantSet& set, int64_t bias_channel) {
    json_["terms"] = terms_;
    if (inputs_.size() > 2) {
      const int64_t bias = ValueAt(2, {bias_channel});
      json_["bias"] = bias;
      sum_ = arith::WrappingAdd(sum_, bias);
    }
    const int64_t wrapped = arith::WrapToBits(sum_, graph_.acc_bits);
    json_["accumulator"] = wrapped;
    if (wrapped != sum_) json_["before_wrap"] = sum_;
    Requantise(set, wrapped);
  }

  void Requantise(const graph::RequantSet& set, int64_t value) {
    const auto channel = static_cast<size_t>(Channel());
    const bool negative = value < 0 && !set.negative.empty();
    const auto& entries = negative ? set.negative : set.entries;
    json_["channel"] = channel;
    if (negative) json_["negative_set"] = true;
    Requantise(entries[entries.size() == 1 ? 0 : channel], value);
  }

  void Requantise(const arith::Requant& r, int64_t value) {
    json_["m"] = r.m, json_["s"] = r.s, json_["zp"] = r.zp;
    json_["lo"] = r.lo, json_["hi"] = r.hi;
    json_["rounding"] = std::string(arith::ToString(node_.rounding));
    json_["result"] = arith::Requantise(value, r, node_.rounding);
  }

  void Moved(const Coords& from) {
    AddOperand(0, from, ValueAt(0, from));
    json_["result"] = ValueAt(0, from);
  }

  void Of(const graph::IntConv& conv) {
    const tensor::Shape& x = In(0).shape;
    const tensor::Shape& w = In(1).shape;
    const int64_t group = at_[1] / (shape_[1] / conv.group);
    for (int64_t c = 0; c < w[1]; ++c) {
      for (int64_t kh = 0; kh < w[2]; ++kh) {
        for (int64_t kw = 0; kw < w[3]; ++kw) {
          const int64_t h = at_[2] * conv.stride_h - conv.pad_top + kh * conv.dilation_h;
          const int64_t v = at_[3] * conv.stride_w - conv.pad_left + kw * conv.dilation_w;
          if (h < 0 || h >= x[2] || v < 0 || v >= x[3]) continue;
          AddProduct({at_[0], group * w[1] + c, h, v}, {at_[1], c, kh, kw});
        }
      }
    }
    FinishAccumulator(conv.requant, at_[1]);
  }

  void Of(const graph::IntMatMul& matmul) {
    const tensor::Shape& b = In(1).shape;
    Coords a_at = at_, b_at = b.rank() == 2 ? Coords(2) : at_;
    b_at.back() = at_.back();
    for (int64_t k = 0; k < b[b.rank() - 2]; ++k) {
      a_at.back() = k;
      b_at[b_at.size() - 2] = k;
      AddProduct(a_at, b_at);
    }
    FinishAccumulator(matmul.requant, at_.back());
  }

  // Both operands of an elementwise node.
  std::pair<int64_t, int64_t> Pair() {
    const Coords a_at = Within(In(0).shape, at_), b_at = Within(In(1).shape, at_);
    const int64_t a = ValueAt(0, a_at), b = ValueAt(1, b_at);
    AddOperand(0, a_at, a);
    AddOperand(1, b_at, b);
    return {a, b};
  }

  void Of(const graph::IntAdd& node) {
    const auto [a, b] = Pair();
    json_["aligned_a"] = arith::Align(a, node.add.a, node_.rounding);
    json_["aligned_b"] = arith::Align(b, node.add.b, node_.rounding);
    json_["subtract"] = node.add.subtract;
    json_["stage1_shift"] = node.add.stage1_shift;
    json_["stage1_bits"] = node.add.stage1_bits;
    const int64_t sum = arith::AddAligned(a, b, node.add, node_.rounding);
    json_["sum"] = sum;
    Requantise(node.requant, sum);
  }

  void Of(const graph::IntMul& node) {
    const auto [a, b] = Pair();
    const int64_t product = arith::MulOperands(a, b, In(0).zero_point, In(1).zero_point);
    json_["product"] = product;
    Requantise(node.requant, product);
  }

  void Of(const graph::IntRequant& node) {
    const int64_t value = ValueAt(0, at_);
    AddOperand(0, at_, value);
    json_["zero_point_in"] = In(0).zero_point;
    Requantise(node.requant, value - In(0).zero_point);
  }

  void Of(const graph::IntLut& node) {
    const int64_t key = ValueAt(0, at_);
    AddOperand(0, at_, key);
    json_["low"] = node.params.low, json_["high"] = node.params.high;
    json_["step_log2"] = node.params.k, json_["segments"] = node.params.segments;
    json_["interpolate"] = node.params.interpolate;
    json_["result"] = arith::LutLookup(key, node.params, node.table.data());
  }

  void Of(const graph::IntPool& pool) {
    const tensor::Shape& x = In(0).shape;
    int64_t most = INT64_MIN, sum = 0, count = 0;
    for (int64_t kh = 0; kh < pool.kernel_h; ++kh) {
      for (int64_t kw = 0; kw < pool.kernel_w; ++kw) {
        const int64_t h = at_[2] * pool.stride_h - pool.pad_top + kh * pool.dilation_h;
        const int64_t w = at_[3] * pool.stride_w - pool.pad_left + kw * pool.dilation_w;
        if (h < 0 || h >= x[2] || w < 0 || w >= x[3]) continue;
        const Coords at{at_[0], at_[1], h, w};
        const int64_t value = ValueAt(0, at);
        most = std::max(most, value), sum += value, ++count;
        if (json_["operands"].size() < kOperandsShown) AddOperand(0, at, value);
      }
    }
    json_["terms"] = count;
    if (pool.is_max) {
      json_["result"] = most;
      return;
    }
    json_["sum"] = sum - count * In(0).zero_point;
    Requantise(pool.by_count.at(count), sum - count * In(0).zero_point);
  }

  void Of(const graph::IntReshape&) { Moved(Coordinates(In(0).shape, flat_)); }

  void Of(const graph::IntTranspose& node) {
    Coords from(at_.size());
    for (size_t axis = 0; axis < at_.size(); ++axis) {
      from[static_cast<size_t>(node.perm[axis])] = at_[axis];
    }
    Moved(from);
  }

  void Of(const graph::IntPad& pad) {
    Coords from(at_);
    for (size_t axis = 0; axis < at_.size(); ++axis) {
      from[axis] -= pad.before[axis];
      if (from[axis] >= 0 && from[axis] < In(0).shape.dims[axis]) continue;
      json_["fill"] = json_["result"] = pad.value;
      return;
    }
    Moved(from);
  }

  void Of(const graph::IntSlice& slice) {
    Coords from(at_);
    for (size_t axis = 0; axis < at_.size(); ++axis) {
      from[axis] = slice.starts[axis] + at_[axis] * slice.steps[axis];
    }
    Moved(from);
  }

  void Of(const graph::IntResize& resize) {
    Coords from(at_);
    for (size_t axis = 0; axis < at_.size(); ++axis) from[axis] /= resize.factors[axis];
    Moved(from);
  }

  void Of(const graph::IntConcat& concat) {
    const auto axis = static_cast<size_t>(concat.axis);
    Coords from(at_);
    size_t part = 0;
    while (from[axis] >= In(part).shape.dims[axis]) from[axis] -= In(part++).shape.dims[axis];
    AddOperand(part, from, ValueAt(part, from));
    json_["result"] = ValueAt(part, from);
  }

  void Of(const graph::IntSoftmax&) { json_["host"] = true; }

  const IntGraph& graph_;
  const IntNode& node_;
  const std::vector<const golden::IntTensor*>& inputs_;
  const tensor::Shape& shape_;
  Coords at_;
  int64_t flat_;
  int64_t terms_ = 0, sum_ = 0;
  Json json_;
};

std::string FirstProduct(const Explanation& operand) {
  return fmt::format("first {}{} = {} by weight{} = {}", operand["tensor"].get<std::string>(),
                     operand["at"].dump(), operand["value"].dump(), operand["weight_at"].dump(),
                     operand["weight"].dump());
}

}  // namespace

std::vector<int64_t> Coordinates(const tensor::Shape& shape, int64_t at) {
  Coords coords(shape.dims.size());
  for (size_t axis = coords.size(); axis-- > 0;) {
    coords[axis] = at % shape.dims[axis];
    at /= shape.dims[axis];
  }
  return coords;
}

Explanation Explain(const IntGraph& graph, size_t node,
                    const std::vector<const golden::IntTensor*>& inputs, int64_t at) {
  return Explainer(graph, graph.nodes.at(node), inputs, at).Run();
}

std::string OneLine(const Explanation& e) {
  std::string text = e.at("kind").get<std::string>();
  std::string value;
  if (e.contains("accumulator")) {
    value = e["accumulator"].dump();
    text += fmt::format(": accumulator {} from {} products", value, e["terms"].dump());
    if (e.contains("bias")) text += fmt::format(" and bias {}", e["bias"].dump());
    if (e.contains("operands")) text += "; " + FirstProduct(e["operands"][0]);
  } else if (e.contains("operands")) {
    text += ":";
    for (size_t i = 0; i < std::min<size_t>(e["operands"].size(), 2); ++i) {
      const Explanation& operand = e["operands"][i];
      text += fmt::format("{} {}{} = {}", i == 0 ? "" : ",", operand["tensor"].get<std::string>(),
                          operand["at"].dump(), operand["value"].dump());
    }
    for (const char* name : {"sum", "product"}) {
      if (!e.contains(name)) continue;
      value = e[name].dump();
      text += fmt::format(", {} {}", name, value);
    }
  }
  if (e.contains("m")) {
    if (value.empty()) value = "(value - zero point)";
    text +=
        fmt::format("; {}({} * {} / 2^{}) + {} in {}..{}", e["rounding"].get<std::string>(), value,
                    e["m"].dump(), e["s"].dump(), e["zp"].dump(), e["lo"].dump(), e["hi"].dump());
  }
  if (e.contains("result")) text += " = " + e["result"].dump();
  return text;
}

}  // namespace bw::cosim
