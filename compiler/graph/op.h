// Operator enumeration and table, made from ops.def.
#ifndef COMPILER_GRAPH_OP_H_
#define COMPILER_GRAPH_OP_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bw::graph {

enum class Op : uint8_t {
#define BW_OP(name, inputs, op_class, qdq, attributes, doc) k##name,
#include "compiler/graph/ops.def"
#undef BW_OP
};

enum class OpClass : uint8_t { kA, kB, kC, kL, kH };
enum class QdqRule : uint8_t { kFirst, kSecond, kBoth, kNone };

struct OpInfo {
  Op op{};
  std::string_view name;
  int min_inputs = 0;
  int max_inputs = 0;  // -1: any number
  OpClass op_class{};
  QdqRule qdq{};
  std::string_view attributes;
  std::string_view doc;
};

const std::vector<OpInfo>& AllOps();
const OpInfo& Info(Op op);
std::optional<Op> FindOp(std::string_view onnx_name);
std::string_view ToString(Op op);
char ClassLetter(OpClass op_class);

// The supported operators as a Markdown table, one row per row of ops.def.
std::string DescribeOps();

}  // namespace bw::graph

#endif  // COMPILER_GRAPH_OP_H_
