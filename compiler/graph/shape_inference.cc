// Dispatch of shape inference, and the checks that all operators share.
#include <algorithm>
#include <array>

#include "compiler/graph/infer.h"

namespace bw::graph {
namespace {

constexpr int64_t kMostElements = int64_t{1} << 31;

struct AttributeRow {
  std::string name;
  std::string type;  // i, f, s, is, fs
};

// "strides:is group:i" of ops.def.
std::vector<AttributeRow> ParseAttributes(std::string_view text) {
  std::vector<AttributeRow> rows;
  while (!text.empty()) {
    const size_t space = std::min(text.find(' '), text.size());
    const std::string_view item = text.substr(0, space);
    const size_t colon = item.find(':');
    rows.push_back({std::string(item.substr(0, colon)), std::string(item.substr(colon + 1))});
    text.remove_prefix(std::min(space + 1, text.size()));
  }
  return rows;
}

bool HasType(const Attribute& attribute, const std::string& type) {
  constexpr std::array<std::string_view, 5> kTypes = {"i", "f", "s", "is", "fs"};
  return kTypes.at(attribute.index()) == type;
}

Status CheckArity(const Graph& graph, const Node& node) {
  const OpInfo& info = Info(node.op);
  const InferContext context(graph, node);
  const auto n = static_cast<int>(node.inputs.size());
  if (n < info.min_inputs || (info.max_inputs >= 0 && n > info.max_inputs)) {
    const std::string most = info.max_inputs < 0 ? "any number" : std::to_string(info.max_inputs);
    return context.Fail("{} inputs; allowed are {} to {}", n, info.min_inputs, most);
  }
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const ValueId id = node.inputs[i];
    if (id == kNoValue) {
      if (static_cast<int>(i) >= info.min_inputs && info.max_inputs >= 0) continue;
      return context.Fail("input {} is absent and is not optional", i);
    }
    if (id < 0 || static_cast<size_t>(id) >= graph.values.size()) {
      return context.Fail("input {} is value {}, which does not exist", i, id);
    }
  }
  if (node.outputs.size() != 1) return context.Fail("{} outputs, must be 1", node.outputs.size());
  return OkStatus();
}

Result<TensorType> Dispatch(const InferContext& context) {
  switch (context.node().op) {
#define BW_OP(name, inputs, op_class, qdq, attributes, doc) \
  case Op::k##name:                                         \
    return Infer##name(context);
#include "compiler/graph/ops.def"
#undef BW_OP
  }
  BW_CHECK(false, "op = {}", static_cast<int>(context.node().op));
  return Error{};
}

}  // namespace

Error InferContext::Make(std::string message, std::string hint) const {
  return Error{graph_.file,
               0,
               0,
               fmt::format("{} {}", ToString(node_.op), node_.name),
               std::move(message),
               std::move(hint)};
}

Status InferContext::CheckInts(const std::string& name, size_t count, int64_t least) const {
  const std::vector<int64_t>& values = node_.Ints(name);
  if (values.size() != count) {
    return Fail("{} has {} numbers, must have {}", name, values.size(), count);
  }
  constexpr int64_t kMost = (int64_t{1} << 31) - 1;
  for (const int64_t value : values) {
    if (value < least || value > kMost) {
      return Fail("{} has the number {}; allowed are {} to {}", name, value, least, kMost);
    }
  }
  return OkStatus();
}

Status InferContext::CheckAxis(int64_t axis, int64_t limit) const {
  if (axis >= 0 && axis < limit) return OkStatus();
  return Fail("axis {}; allowed are 0 to {}", axis, limit - 1);
}

Status InferContext::CheckAxes(const std::vector<int64_t>& axes, int rank) const {
  int64_t last = -1;
  for (const int64_t axis : axes) {
    BW_RETURN_IF_ERROR(CheckAxis(axis, rank));
    if (axis <= last) return Fail("axes must rise, {} comes after {}", axis, last);
    last = axis;
  }
  return OkStatus();
}

Status InferContext::CheckFloat(size_t i) const {
  if (In(i).dtype == tensor::DType::kF32) return OkStatus();
  return Fail("input {} has type {}, must be float32", In(i).name, tensor::DTypeName(In(i).dtype));
}

Status InferContext::CheckRank(size_t i, int least, int most) const {
  const int rank = ShapeOf(i).rank();
  if (rank >= least && rank <= most) return OkStatus();
  const std::string allowed =
      least == most ? std::to_string(least) : fmt::format("{} to {}", least, most);
  return Fail("input {} has shape {} of rank {}; the rank must be {}", In(i).name,
              ShapeOf(i).ToString(), rank, allowed);
}

Status InferContext::CheckSameType() const {
  for (size_t i = 1; i < inputs(); ++i) {
    if (!Has(i) || In(i).dtype == In(0).dtype) continue;
    return Fail("inputs {} and {} have types {} and {}", In(0).name, In(i).name,
                tensor::DTypeName(In(0).dtype), tensor::DTypeName(In(i).dtype));
  }
  return OkStatus();
}

bool IsSound(const tensor::Shape& shape) {
  int64_t product = 1;
  for (const int64_t extent : shape.dims) {
    if (extent < 0 || extent > kMostElements) return false;
    product *= std::max<int64_t>(extent, 1);
    if (product > kMostElements) return false;
  }
  return true;
}

std::optional<tensor::Shape> Broadcast(const tensor::Shape& a, const tensor::Shape& b) {
  const tensor::Shape& longer = a.rank() >= b.rank() ? a : b;
  const tensor::Shape& shorter = a.rank() >= b.rank() ? b : a;
  tensor::Shape result = longer;
  const int offset = longer.rank() - shorter.rank();
  for (int i = 0; i < shorter.rank(); ++i) {
    int64_t& extent = result[offset + i];
    if (extent != shorter[i] && extent != 1 && shorter[i] != 1) return std::nullopt;
    if (extent == 1) extent = shorter[i];
  }
  return result;
}

Status CheckForm(const Graph& graph, const Node& node) {
  BW_RETURN_IF_ERROR(CheckArity(graph, node));
  const InferContext context(graph, node);
  const std::vector<AttributeRow> rows = ParseAttributes(Info(node.op).attributes);
  for (const AttributeRow& row : rows) {
    const auto it = node.attributes.find(row.name);
    if (it == node.attributes.end()) return context.Fail("attribute {} is missing", row.name);
    if (!HasType(it->second, row.type)) {
      return context.Fail("attribute {} is not of type {}", row.name, row.type);
    }
  }
  if (node.attributes.size() > rows.size()) {
    for (const auto& [name, value] : node.attributes) {
      bool known = false;
      for (const AttributeRow& row : rows) known = known || row.name == name;
      if (!known) return context.Fail("attribute {} does not belong here", name);
    }
  }
  return OkStatus();
}

Result<TensorType> InferOutput(const Graph& graph, const Node& node) {
  BW_RETURN_IF_ERROR(CheckForm(graph, node));
  const InferContext context(graph, node);
  BW_ASSIGN_OR_RETURN(TensorType type, Dispatch(context));
  if (!IsSound(type.shape)) {
    return context.Fail("the result has shape {}; more than {} elements are refused",
                        type.shape.ToString(), kMostElements);
  }
  return type;
}

Status InferShapes(Graph& graph, Node& node) {
  BW_ASSIGN_OR_RETURN(const TensorType type, InferOutput(graph, node));
  Value& output = graph.value(node.outputs[0]);
  output.dtype = type.dtype;
  output.shape = type.shape;
  return OkStatus();
}

}  // namespace bw::graph
