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

// How a value that a file stores as integers stands for reals: real = (q - zero_point) * scale.
struct Quantisation {
  std::vector<double> scales;        // > 0; one, or one a position of `axis`
  std::vector<int64_t> zero_points;  // as many as scales
  int axis = -1;                     // of the value's shape; -1: one scale for all
  int bits = 8;                      // 2..16, or 32 for biases and raw accumulators
  bool is_signed = true;
  bool ties_to_even = false;      // reals become integers to even (ONNX), else half away from zero
  std::vector<int32_t> integers;  // row-major; non-empty for constants only
};

// Whether equal integers stand for equal reals, of one type; the integers are not compared.
bool SameNumbers(const Quantisation& a, const Quantisation& b);

// A tensor that flows along an edge, or a constant. A quantised value has the type and (for
// constants) the elements of its reals, (q - zero_point) * scale in float32, so that float
// evaluation needs to know nothing of it; lowering takes `quantisation` in place of a calibrated
// range, and `integers` in place of rounding the reals again. A node that only moves data between
// values of different quantisation (Identity above all) is a requantisation.
struct Value {
  std::string name;
  tensor::DType dtype = tensor::DType::kF32;
  tensor::Shape shape;                     // every extent known and >= 0 after import
  std::optional<tensor::Tensor> constant;  // set for weights and folded results
  std::optional<Quantisation> quantisation = std::nullopt;
  // Of graph inputs and outputs: axis i of the tensor in files is axis file_axes[i] of this value
  // (TFLite's N, H, W, C is {0, 2, 3, 1}); empty: the same axes.
  std::vector<int> file_axes = {};
};

using Attribute =
    std::variant<int64_t, double, std::string, std::vector<int64_t>, std::vector<double>>;

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

// Nodes are in topological order. Values are never removed from `values` (ids stay valid); dead
// ones are simply not referenced.
class Graph {
 public:
  std::string name;
  std::string file;  // where it came from, for messages
  std::vector<Value> values;
  std::vector<Node> nodes;
  std::vector<ValueId> inputs;  // activations only, never constants
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
