#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "compiler/graph/quant_operands.h"
#include "compiler/passes/integer_meaning.h"
#include "compiler/passes/passes.h"
#include "compiler/passes/rewrite.h"

namespace bw::passes {
namespace {

using graph::Graph;
using graph::Node;
using graph::Op;
using graph::Quantisation;
using graph::QuantRole;
using graph::Value;
using graph::ValueId;
using tensor::DType;
using tensor::Tensor;

// Rewrites the nodes in order, once it is known what every integer stands for.
class Resolver {
 public:
  Resolver(Graph& graph, std::vector<std::optional<Quantisation>> meaning)
      : graph_(graph), meaning_(std::move(meaning)), reals_(graph.values.size()) {
    for (size_t i = 0; i < reals_.size(); ++i) reals_[i] = static_cast<ValueId>(i);
  }

  Status Run() {
    annotated_readers_ = SoleQuantisers();
    for (size_t i = 0; i < meaning_.size(); ++i) {
      if (meaning_[i]) graph_.values[i].quantisation = meaning_[i];
    }
    for (const Node& node : graph_.nodes) BW_RETURN_IF_ERROR(Rewrite(node));
    // Last, since the types say how many bits the integers have.
    for (size_t i = 0; i < meaning_.size(); ++i) {
      if (meaning_[i]) graph_.values[i].dtype = DType::kF32;
    }
    graph_.nodes = std::move(nodes_);
    for (const ValueId id : graph_.outputs) AnnotateConstantOutput(id);
    return OkStatus();
  }

 private:
  // Float values that nothing but QuantizeLinear nodes of one meaning read: these take it over.
  std::vector<std::optional<Quantisation>> SoleQuantisers() const {
    std::vector<std::optional<Quantisation>> found(graph_.values.size());
    std::vector<bool> mixed(graph_.values.size());
    for (const ValueId id : graph_.outputs) mixed[static_cast<size_t>(id)] = true;
    for (const Node& node : graph_.nodes) {
      for (const ValueId id : node.inputs) {
        if (id == graph::kNoValue) continue;
        const auto at = static_cast<size_t>(id);
        const auto& meaning = meaning_[static_cast<size_t>(node.outputs[0])];
        if (node.op != Op::kQuantizeLinear || !meaning ||
            (found[at] && !SameNumbers(*found[at], *meaning))) {
          mixed[at] = true;
        } else {
          found[at] = meaning;
        }
      }
    }
    for (size_t i = 0; i < mixed.size(); ++i) {
      if (mixed[i] || graph_.values[i].dtype != DType::kF32) found[i].reset();
    }
    return found;
  }

  void AnnotateConstantOutput(ValueId id) {
    Value& value = graph_.value(id);
    if (!value.constant || value.dtype == DType::kF32 || !graph::IsActivationType(value.dtype)) {
      return;
    }
    SetIntegers(value.constant->ToI64(), UnitMeaning(value.dtype), &value);
  }

  // A constant's integers as reals, made once for every meaning that it is read with.
  ValueId Constant(ValueId id, const Quantisation& meaning) {
    for (const auto& [from, to] : constants_) {
      if (from == id && SameNumbers(*graph_.value(to).quantisation, meaning)) return to;
    }
    Value made;
    made.name = FreshValueName(graph_, graph_.value(id).name + "/quantised");
    made.shape = graph_.value(id).shape;
    SetIntegers(graph_.value(id).constant->ToI64(), meaning, &made);
    constants_.emplace_back(id, graph_.AddValue(std::move(made)));
    return constants_.back().second;
  }

  // The reals of integers `id` as a reader takes them. Where another meaning made them, they are
  // multiplied by the quotient of the scales, which leaves every integer as it is.
  Result<ValueId> Read(const Node& node, ValueId id, const Quantisation& meaning) {
    if (IsConstant(graph_, id)) return Constant(id, meaning);
    const Quantisation& made = *meaning_[static_cast<size_t>(id)];
    const ValueId reals = reals_[static_cast<size_t>(id)];
    if (SameNumbers(made, meaning)) return reals;
    if (made.zero_points != meaning.zero_points || made.axis >= 0 || meaning.axis >= 0 ||
        made.bits != meaning.bits || made.is_signed != meaning.is_signed) {
      return Fail(node, fmt::format("reads {} with another zero point, or other scales along an "
                                    "axis, than it was made with",
                                    graph_.value(id).name));
    }
    const std::string base = graph_.value(id).name + "/rescaled";
    const ValueId factor = AddFloats(graph_, base + "/factor", tensor::Shape({}),
                                     {meaning.scales[0] / made.scales[0]});
    const ValueId result = graph_.AddValue(
        {FreshValueName(graph_, base), DType::kF32, graph_.value(id).shape, std::nullopt, meaning});
    Emit(Op::kMul, FreshName(base), {reals, factor}, result, {});
    return result;
  }

  std::string FreshName(const std::string& base) const {
    const auto taken = [&](const std::string& name) {
      const auto is = [&](const Node& node) { return node.name == name; };
      return std::any_of(nodes_.begin(), nodes_.end(), is) ||
             std::any_of(graph_.nodes.begin(), graph_.nodes.end(), is);
    };
    std::string name = base;
    for (int i = 2; taken(name); ++i) name = fmt::format("{}_{}", base, i);
    return name;
  }

  void Emit(Op op, const std::string& name, std::vector<ValueId> inputs, ValueId output,
            std::map<std::string, graph::Attribute> attributes) {
    nodes_.push_back({op, name, std::move(inputs), {output}, std::move(attributes)});
  }

  Error Fail(const Node& node, std::string message, std::string hint = "") const {
    return Error{graph_.file,
                 0,
                 0,
                 fmt::format("{} {}", ToString(node.op), node.name),
                 std::move(message),
                 std::move(hint)};
  }

  Status Rewrite(const Node& node);
  Status Quantize(const Node& node);
  Status Dequantize(const Node& node, const Quantisation& meaning);
  Status Product(const Node& node, Op op);
  Result<std::vector<ValueId>> ProductOperands(const Node& node);
  bool TakesWeightsFor(const Node& node, ValueId x, const Quantisation& meaning) const;
  bool IsPlainSum(ValueId id) const;
  Result<ValueId> Bias(const Node& node, ValueId x, ValueId w);

  Graph& graph_;
  const std::vector<std::optional<Quantisation>> meaning_;      // of integers, by value
  std::vector<std::optional<Quantisation>> annotated_readers_;  // of reals, by value
  std::vector<ValueId> reals_;  // by value: what its readers read now
  std::vector<std::pair<ValueId, ValueId>> constants_;
  std::vector<Node> nodes_;
};

// Only the value keeps its integers: the node's operand is quantised as the result is, or, where
// others read the operand too, an Identity quantises it.
Status Resolver::Quantize(const Node& node) {
  const ValueId x = node.inputs[0], y = node.outputs[0];
  ValueId reals = reals_[static_cast<size_t>(x)];
  if (graph_.value(x).dtype != DType::kF32 || meaning_[static_cast<size_t>(x)]) {
    BW_ASSIGN_OR_RETURN(reals, Read(node, x, UnitMeaning(DType::kI32)));
  }
  const bool takes_over =
      annotated_readers_[static_cast<size_t>(x)] && reals == x && !IsConstant(graph_, x) &&
      (!graph_.value(x).quantisation ||
       SameNumbers(*graph_.value(x).quantisation, *graph_.value(y).quantisation));
  if (takes_over) {
    graph_.value(x).quantisation = graph_.value(y).quantisation;
    reals_[static_cast<size_t>(y)] = x;
    if (!graph_.IsOutput(y)) return OkStatus();
  }
  Emit(Op::kIdentity, node.name, {reals}, y, {});
  return OkStatus();
}

Status Resolver::Dequantize(const Node& node, const Quantisation& meaning) {
  const ValueId y = node.outputs[0];
  BW_ASSIGN_OR_RETURN(const ValueId reals, Read(node, node.inputs[0], meaning));
  reals_[static_cast<size_t>(y)] = reals;
  if (!graph_.IsOutput(y)) return OkStatus();
  graph_.value(y).quantisation = graph_.value(reals).quantisation;
  if (graph_.value(y).quantisation) graph_.value(y).quantisation->integers.clear();
  Emit(Op::kIdentity, node.name, {reals}, y, {});
  return OkStatus();
}

// The bias of QLinearConv stands for reals of scale s_x * s_w.
Result<ValueId> Resolver::Bias(const Node& node, ValueId x, ValueId w) {
  const ValueId bias = node.inputs[8];
  if (!IsConstant(graph_, bias)) {
    return Fail(node, fmt::format("bias ({}) must be constant", graph_.value(bias).name));
  }
  Quantisation meaning = UnitMeaning(DType::kI32);
  meaning.scales.clear();
  const Quantisation& weights = *graph_.value(w).quantisation;
  for (const double scale : weights.scales) {
    meaning.scales.push_back(graph_.value(x).quantisation->scales[0] * scale);
  }
  meaning.zero_points.assign(meaning.scales.size(), 0);
  if (weights.axis >= 0) meaning.axis = 0;
  return Constant(bias, meaning);
}

// Whether the sums of integers in `node` can have the scale of x, made with another one than the
// node takes it for, compensated in constant weights.
bool Resolver::TakesWeightsFor(const Node& node, ValueId x, const Quantisation& meaning) const {
  if (node.op != Op::kConvInteger && node.op != Op::kMatMulInteger) return false;
  if (IsConstant(graph_, x) || !IsConstant(graph_, node.inputs[1])) return false;
  Quantisation unit = *meaning_[static_cast<size_t>(x)];
  if (unit.axis >= 0) return false;
  unit.scales = meaning.scales;
  return SameNumbers(unit, meaning);
}

// The values that stand for the integer operands, in order. Where ConvInteger takes an x of scale s
// for plain integers, its weights get scale 1 / s, so that the sums are what they were.
Result<std::vector<ValueId>> Resolver::ProductOperands(const Node& node) {
  std::vector<ValueId> inputs;
  double compensation = 1;
  for (const QuantRole& role : QuantRoles(graph_, node)) {
    if (role.data == graph::kNoOperand) continue;
    const ValueId id = node.inputs[static_cast<size_t>(role.data)];
    BW_ASSIGN_OR_RETURN(Quantisation meaning, ReadQuantisation(graph_, node, role));
    if (inputs.empty() && TakesWeightsFor(node, id, meaning)) {
      compensation = 1 / meaning_[static_cast<size_t>(id)]->scales[0];
      meaning.scales = meaning_[static_cast<size_t>(id)]->scales;
    } else {
      for (double& scale : meaning.scales) scale *= compensation;
    }
    BW_ASSIGN_OR_RETURN(const ValueId read, Read(node, id, meaning));
    inputs.push_back(read);
  }
  return inputs;
}

Status Resolver::Product(const Node& node, Op op) {
  BW_ASSIGN_OR_RETURN(std::vector<ValueId> inputs, ProductOperands(node));
  if (node.op == Op::kQLinearConv && node.inputs.size() > 8) {
    BW_ASSIGN_OR_RETURN(const ValueId bias, Bias(node, inputs[0], inputs[1]));
    inputs.push_back(bias);
  }
  Emit(op, node.name, std::move(inputs), node.outputs[0], node.attributes);
  return OkStatus();
}

// Sums that nothing but casts to reals read need no type of their own: no product of integers is
// rounded on the way to its first requantisation.
bool Resolver::IsPlainSum(ValueId id) const {
  if (graph_.IsOutput(id) || IsConstant(graph_, id)) return false;
  const Node& producer = graph_.nodes[static_cast<size_t>(std::max(graph_.Producer(id), 0))];
  if (producer.outputs[0] != id) return false;
  if (producer.op != Op::kConvInteger && producer.op != Op::kMatMulInteger) return false;
  const std::vector<int> readers = graph_.Consumers(id);
  return std::all_of(readers.begin(), readers.end(),
                     [&](int i) { return graph_.nodes[static_cast<size_t>(i)].op == Op::kCast; });
}

// Bounds that a Clip or Relu puts on integers, as those of the reals that they stand for.
std::map<std::string, graph::Attribute> RealBounds(const Node& node, const Quantisation& meaning) {
  const bool relu = node.op == Op::kRelu;
  const double low = relu ? 0.0 : node.Float("min");
  const double high = relu ? std::numeric_limits<double>::infinity() : node.Float("max");
  const auto real = [&](double integer) {
    return (integer - static_cast<double>(meaning.zero_points[0])) * meaning.scales[0];
  };
  return {{"min", real(low)}, {"max", real(high)}};
}

Status Resolver::Rewrite(const Node& node) {
  const auto& result = meaning_[static_cast<size_t>(node.outputs[0])];
  switch (node.op) {
    case Op::kQuantizeLinear:
      return Quantize(node);
    case Op::kDequantizeLinear: {
      BW_ASSIGN_OR_RETURN(const Quantisation meaning,
                          ReadQuantisation(graph_, node, QuantRoles(graph_, node)[0]));
      return Dequantize(node, meaning);
    }
    case Op::kQLinearConv:
    case Op::kConvInteger:
      return Product(node, Op::kConv);
    case Op::kQLinearMatMul:
    case Op::kMatMulInteger:
      return Product(node, Op::kMatMul);
    case Op::kCast:
      if (const auto& from = meaning_[static_cast<size_t>(node.inputs[0])]) {
        Quantisation meaning = UnitMeaning(DType::kI32);
        meaning.bits = from->bits;
        meaning.is_signed = from->is_signed;
        BW_RETURN_IF_ERROR(Dequantize(node, meaning));
        if (IsPlainSum(node.inputs[0])) {
          graph_.value(node.inputs[0]).quantisation.reset();
          graph_.value(node.outputs[0]).quantisation.reset();
        }
        return OkStatus();
      }
      break;
    default:
      break;
  }
  std::vector<ValueId> inputs;
  for (const ValueId id : node.inputs) {
    ValueId read = id == graph::kNoValue ? id : reals_[static_cast<size_t>(id)];
    if (result && id != graph::kNoValue) {
      BW_ASSIGN_OR_RETURN(read, Read(node, id, *result));
    }
    inputs.push_back(read);
  }
  if (result && (node.op == Op::kClip || node.op == Op::kRelu)) {
    Emit(Op::kClip, node.name, std::move(inputs), node.outputs[0], RealBounds(node, *result));
    return OkStatus();
  }
  Emit(node.op, node.name, std::move(inputs), node.outputs[0], node.attributes);
  return OkStatus();
}

}  // namespace

Status ResolveQuantised(Graph& graph) {
  BW_ASSIGN_OR_RETURN(auto meaning, FindMeanings(graph));
  return Resolver(graph, std::move(meaning)).Run();
}

}  // namespace bw::passes
