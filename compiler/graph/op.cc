#include "compiler/graph/op.h"

#include <fmt/format.h>

#include "models/status/check.h"

namespace bw::graph {
namespace {

struct InputRange {
  int least;
  int most;
};

OpInfo Row(Op op, std::string_view name, InputRange inputs, OpClass op_class, QdqRule qdq,
           std::string_view attributes, std::string_view doc) {
  return OpInfo{op, name, inputs.least, inputs.most, op_class, qdq, attributes, doc};
}

// Turns the pair of a row into InputRange{2, 3}.
#define BW_RANGE(least, most) \
  InputRange { least, most }

std::vector<OpInfo> MakeTable() {
  return {
#define BW_OP(name, inputs, op_class, qdq, attributes, doc) \
  Row(Op::k##name, #name, BW_RANGE inputs, OpClass::k##op_class, QdqRule::k##qdq, attributes, doc),
#include "compiler/graph/ops.def"
#undef BW_OP
  };
}
#undef BW_RANGE

std::string_view ToString(QdqRule rule) {
  switch (rule) {
    case QdqRule::kFirst:
      return "first";
    case QdqRule::kSecond:
      return "second";
    case QdqRule::kBoth:
      return "both";
    case QdqRule::kNone:
      return "none";
  }
  BW_CHECK(false, "rule = {}", static_cast<int>(rule));
  return "";
}

std::string InputText(const OpInfo& info) {
  if (info.max_inputs < 0) return fmt::format("{} or more", info.min_inputs);
  if (info.max_inputs == info.min_inputs) return fmt::format("{}", info.min_inputs);
  return fmt::format("{} to {}", info.min_inputs, info.max_inputs);
}

}  // namespace

const std::vector<OpInfo>& AllOps() {
  static const std::vector<OpInfo>& table = *new std::vector<OpInfo>(MakeTable());
  return table;
}

const OpInfo& Info(Op op) {
  const auto index = static_cast<size_t>(op);
  BW_CHECK(index < AllOps().size(), "op = {}, {} rows", index, AllOps().size());
  return AllOps()[index];
}

std::optional<Op> FindOp(std::string_view onnx_name) {
  for (const OpInfo& info : AllOps()) {
    if (info.name == onnx_name) return info.op;
  }
  return std::nullopt;
}

std::string_view ToString(Op op) { return Info(op).name; }

char ClassLetter(OpClass op_class) {
  switch (op_class) {
    case OpClass::kA:
      return 'A';
    case OpClass::kB:
      return 'B';
    case OpClass::kC:
      return 'C';
    case OpClass::kL:
      return 'L';
    case OpClass::kH:
      return 'H';
  }
  BW_CHECK(false, "op_class = {}", static_cast<int>(op_class));
  return '?';
}

std::string DescribeOps() {
  std::string text =
      "| operator | class | inputs | Q/DQ | attributes | meaning |\n|---|---|---|---|---|---|\n";
  for (const OpInfo& info : AllOps()) {
    text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", info.name, ClassLetter(info.op_class),
                        InputText(info), ToString(info.qdq), info.attributes, info.doc);
  }
  return text;
}

}  // namespace bw::graph
