// The pieces of the text form that assembler and disassembler share: words of a line, quoted
// strings, lists, and the names of enumerators in fields.
#ifndef COMPILER_ISA_ASM_TEXT_H_
#define COMPILER_ISA_ASM_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/isa/tables.h"

namespace bw::isa {

// `key=value`, or a value alone. Quotes are taken off and escapes replaced.
struct AsmWord {
  int column = 0;  // 1-based, of the first character
  std::string key;
  std::string value;
  bool quoted = false;
};

// Words of one line without its comment (# outside quotes). On a syntax error sets `problem` and
// its column.
struct AsmLine {
  std::vector<AsmWord> words;
  std::string problem;
  int problem_column = 0;
};
AsmLine SplitLine(std::string_view line);

std::string Quote(std::string_view text);

// Decimal or 0x hexadecimal, with an optional minus; the whole text.
std::optional<int64_t> ParseInteger(std::string_view text);
std::optional<uint64_t> ParseUnsigned(std::string_view text);
std::optional<double> ParseReal(std::string_view text);
// Values with commas between; nothing between no commas is an empty list.
std::optional<std::vector<int64_t>> ParseIntegers(std::string_view text);
// "1x3x48x192" or "scalar".
std::optional<std::vector<int64_t>> ParseShape(std::string_view text);

// Name of a field's value: "bias", "acc", "half_up"; nothing where numbers are used.
std::string FieldValueName(const FieldInfo& field, int64_t value);
// By name or number.
std::optional<int64_t> ParseFieldValue(const FieldInfo& field, std::string_view text);
// What ParseFieldValue takes, for messages.
std::string FieldValueChoices(const FieldInfo& field);

}  // namespace bw::isa

#endif  // COMPILER_ISA_ASM_TEXT_H_
