// The integer network: what golden computes and what the back end compiles. Every scale is already
// a multiplier and a shift; `scale` of a value is a note for reports and for turning results back
// into reals, never used on the data path. `zero_point` is part of the arithmetic: Conv, MatMul,
// Mul, Requant and Pool (sums) subtract that of their operands, and padding of a convolution stands
// for it. Add has its operands' zero points in its own parameters, Lut in its table, and that of a
// result is in the requantisation.
#ifndef COMPILER_GRAPH_INT_GRAPH_H_
#define COMPILER_GRAPH_INT_GRAPH_H_

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "compiler/graph/op.h"
#include "models/arith/eltwise.h"
#include "models/arith/lut.h"
#include "models/arith/requantise.h"
#include "models/arith/rounding.h"
#include "models/status/result.h"
#include "models/tensor/shape.h"

namespace bw::graph {

using IntValueId = int32_t;

// An integer tensor. Logical (ONNX) axis order: [N,C,H,W] for rank 4; physical layout is the back
// end's business. The channel axis is 1 for rank 4, otherwise the last.
struct IntValue {
  std::string name;
  tensor::Shape shape;
  int bits = 8;  // 2..16 for activations and weights, 32 for biases
  bool is_signed = true;
  double scale = 1.0;
  int64_t zero_point = 0;
  std::vector<int32_t> constant;    // row-major, non-empty for constants only
  std::string float_value;          // the float graph's value that it stands for; empty when none
  bool ties_to_even = false;        // of inputs: how reals become integers (graph.h)
  bool file_integers = false;       // of inputs: quantised by the file (Value::quantisation), so
                                    // that integers of its type in sample files are its values
  std::vector<int> file_axes = {};  // of inputs and outputs: order of axes in files (graph.h)
};

// Requantisation of a result: one entry, or one a channel of the output. `negative` (same size, or
// empty) replaces m and s where the input of the requantisation is below 0 (leaky relu, PReLU).
struct RequantSet {
  std::vector<arith::Requant> entries;
  std::vector<arith::Requant> negative;
  const arith::Requant& For(int64_t channel) const {
    return entries[entries.size() == 1 ? 0 : static_cast<size_t>(channel)];
  }
};

// x[N,C,H,W] (*) w[O,C/group,kH,kW] + bias[O]. Out-of-range positions contribute 0 (that is: the
// zero point). Depthwise is group == C == O.
struct IntConv {
  int64_t stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1, group = 1;
  int64_t pad_top = 0, pad_left = 0, pad_bottom = 0, pad_right = 0;
  RequantSet requant;
};
// a[..., M, K] x b[..., K, N] + bias[N]; b is a constant of rank 2, or an activation whose leading
// axes equal a's.
struct IntMatMul {
  RequantSet requant;
};
// Elementwise add or subtract (NUMERICS.md 5) with broadcasting over axes of extent 1; both inputs
// have the output's rank.
struct IntAdd {
  arith::EltwiseAdd add;
  RequantSet requant;
};
// (a - zp_a) * (b - zp_b), requantised; broadcasting as IntAdd.
struct IntMul {
  RequantSet requant;
};
// Elementwise requantise(x - zp): rescale, relu, clip, leaky relu, PReLU, product with constants.
struct IntRequant {
  RequantSet requant;
};
// table[...] by arith::LutLookup on x (zero point included in the table).
struct IntLut {
  arith::LutParams params;
  std::vector<int32_t> table;  // params.segments + 1 entries
};
// Maximum or sum over windows. Padding never takes part. For a sum, requantise((sum - n * zp) with
// the entry of n, the number of valid elements of that window): `by_count[n]`.
struct IntPool {
  bool is_max = true;
  int64_t kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
  int64_t pad_top = 0, pad_left = 0, pad_bottom = 0, pad_right = 0;
  bool raw_sum = false;  // sum: the zero point is not subtracted (TFLite's average)
  std::map<int64_t, arith::Requant> by_count;  // sum: every count that occurs; max: empty (max
                                               // keeps scale; a rescale is an IntRequant after it)
};
struct IntReshape {};  // the output's shape says it all; row-major order is kept
struct IntTranspose {
  std::vector<int64_t> perm;
};
struct IntPad {
  std::vector<int64_t> before, after;  // one an axis, >= 0
  int64_t value = 0;
};
struct IntSlice {
  std::vector<int64_t> starts, steps;  // one an axis; steps != 0; the output's shape gives counts
};
// Every element, factors[axis] times along each axis: out[i] = x[i / factors] (nearest, upwards).
struct IntResize {
  std::vector<int64_t> factors;  // one an axis, >= 1
};
struct IntConcat {  // inputs already share scale and zero point
  int64_t axis = 0;
};
// Runs on the host: arith::IntSoftmax along the last axis; or arith::TfliteSoftmax, whose table
// MakeTfliteExpTable makes and whose result is int8 at scale 1/256 with zero point -128.
struct IntSoftmax {
  double scale_in = 1.0;  // only to make the table; the table is what is used
  std::vector<int32_t> exp_table;
  int64_t lo = -127, hi = 127, one = 127;  // `one` = 1.0 in output steps; not used by TFLite's form
  bool tflite = false;
};

using IntParams =
    std::variant<IntConv, IntMatMul, IntAdd, IntMul, IntRequant, IntLut, IntPool, IntReshape,
                 IntTranspose, IntPad, IntSlice, IntResize, IntConcat, IntSoftmax>;

// One layer: the unit of comparison and of the report.
struct IntNode {
  std::string name;                // unique
  Op op{};                         // the (main) float operator that it came from
  std::vector<std::string> fused;  // names of the float nodes that it stands for, in order
  std::vector<IntValueId> inputs;  // Conv, MatMul: x, w, bias (bias may be absent)
  IntValueId output = -1;
  arith::Rounding rounding = arith::Rounding::kHalfUp;
  IntParams params;
};

struct IntGraph {
  std::string name;
  std::string profile;
  int acc_bits = 32;
  std::vector<IntValue> values;
  std::vector<IntNode> nodes;  // topological order
  std::vector<IntValueId> inputs, outputs;
  std::vector<std::string> warnings;

  const IntValue& value(IntValueId id) const { return values.at(static_cast<size_t>(id)); }
  IntValue& value(IntValueId id) { return values.at(static_cast<size_t>(id)); }
};

// "Conv", "Add", ...: the kind of a node's parameters, for tables and messages.
std::string_view KindName(const IntParams& params);
// True for kinds that run on the host (listed under host_ops).
bool IsHostNode(const IntNode& node);
// Multiply-accumulates of a node (0 for all but Conv and MatMul).
int64_t CountMacs(const IntGraph& graph, const IntNode& node);

// Shapes, arities, widths, channel counts of requantisation sets, order. All problems at once.
Status Verify(const IntGraph& graph);

}  // namespace bw::graph

#endif  // COMPILER_GRAPH_INT_GRAPH_H_
