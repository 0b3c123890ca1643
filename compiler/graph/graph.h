// The float network after import: operators in canonical form on named values (see ops.def).
#ifndef COMPILER_GRAPH_GRAPH_H_
#define COMPILER_GRAPH_GRAPH_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/graph/op.h"
#include "models/status/result.h"
#include "models/tensor/shape.h"
#include "models/tensor/tensor.h"

namespace bw::graph {

using ValueId = int32_t;
inline constexpr ValueId kNoValue = -1;  // an optional input that is absent

// A tensor that flows along an edge, or a constant.
struct Value {
  std::string name;
  tensor::DType dtype = tensor::DType::kF32;
  tensor::Shape shape;                     // every extent known and >= 0 after import
  std::optional<tensor::Tensor> constant;  // set for weights and folded results
};

using Attribute = std::variant<int64_t, double, std::string, std::vector<int64_t>,
                               std::vector<double>>;

struct Node {
  Op op{};
  std::string name;  // unique in the graph; made from the output's name when ONNX gives none
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  std::map<std::string, Attribute> attributes;

  // Attribute access; a missing attribute or another type is a broken invariant (the verifier has
  // checked canonical form before).
  int64_t Int(const std::string& name) const;
  double Float(const std::string& name) const;
  const std::string& String(const std::string& name) const;
  const std::vector<int64_t>& Ints(const std::string& name) const;
  bool Has(const std::string& name) const { return attributes.count(name) != 0; }
};

// Nodes are in topological order. Values are never removed from `values` (ids stay valid); dead ones
// are simply not referenced.
class Graph {
 public:
  std::string name;
  std::string file;  // where it came from, for messages
  std::vector<Value> values;
  std::vector<Node> nodes;
  std::vector<ValueId> inputs;   // activations only, never constants
  std::vector<ValueId> outputs;

  ValueId AddValue(Value value);
  const Value& value(ValueId id) const { return values.at(static_cast<size_t>(id)); }
  Value& value(ValueId id) { return values.at(static_cast<size_t>(id)); }
  // Index of the node that produces `id`, or -1 for inputs and constants.
  int Producer(ValueId id) const;
  // Indices of the nodes that read `id`, in order, each once.
  std::vector<int> Consumers(ValueId id) const;
  bool IsOutput(ValueId id) const;
};

// Output shapes and types of one node from its inputs (and attributes). Errors name the node.
// One function per operator, in compiler/graph/shape_inference*.cc; dispatched from ops.def.
Status InferShapes(Graph& graph, Node& node);

// Checks topological order, arity and attributes against ops.def, unique names, shapes against
// inference, constants against their shapes. All problems at once.
Status Verify(const Graph& graph);

}  // namespace bw::graph

#endif  // COMPILER_GRAPH_GRAPH_H_
