#include "compiler/isa/asm_text.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cstdlib>

#include "models/arith/rounding.h"
#include "models/tensor/shape.h"

namespace bw::isa {
namespace {

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r'; }

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

// Reads the quoted text that starts at line[at] == '"'; `at` ends behind the closing quote.
bool ReadQuoted(std::string_view line, size_t& at, std::string& out) {
  for (++at; at < line.size(); ++at) {
    const char c = line[at];
    if (c == '"') {
      ++at;
      return true;
    }
    if (c != '\\') {
      out += c;
      continue;
    }
    if (at + 1 >= line.size()) return false;
    const char escaped = line[++at];
    if (escaped == '"' || escaped == '\\') {
      out += escaped;
      continue;
    }
    if (escaped != 'x' || at + 2 >= line.size()) return false;
    const int high = HexDigit(line[at + 1]), low = HexDigit(line[at + 2]);
    if (high < 0 || low < 0) return false;
    out += static_cast<char>(high * 16 + low);
    at += 2;
  }
  return false;
}

// Enumerators that a field's values are named by; empty for plain numbers.
std::vector<std::pair<std::string, int64_t>> Names(const FieldInfo& field) {
  std::vector<std::pair<std::string, int64_t>> names;
  if (field.name == "mode") {
    for (const arith::Rounding mode : arith::kAllRoundings) {
      names.emplace_back(arith::ToString(mode), static_cast<int64_t>(mode));
    }
    return names;
  }
  const std::string_view type = field.name == "init"                             ? "AccInit"
                                : field.name == "a_mem" || field.name == "b_mem" ? "Memory"
                                                                                 : "";
  for (const EnumeratorInfo& row : EnumeratorTable()) {
    if (row.type != type || row.code < field.min || row.code > field.max) continue;
    std::string name;
    for (const char c : row.name) name += static_cast<char>(std::tolower(c));
    names.emplace_back(std::move(name), row.code);
  }
  return names;
}

template <typename T>
std::optional<T> ParseWhole(std::string_view text, int base) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

AsmLine SplitLine(std::string_view line) {
  AsmLine out;
  size_t at = 0;
  while (at < line.size()) {
    if (IsSpace(line[at])) {
      ++at;
      continue;
    }
    if (line[at] == '#') break;
    AsmWord word;
    word.column = static_cast<int>(at) + 1;
    while (at < line.size() && !IsSpace(line[at]) && line[at] != '#') {
      if (line[at] == '"') {
        const size_t quote = at;
        word.quoted = true;
        if (ReadQuoted(line, at, word.value)) continue;
        out.problem =
            "the quoted text does not end, or holds an escape other than \\\\, \\\" and "
            "\\xNN";
        out.problem_column = static_cast<int>(quote) + 1;
        return out;
      }
      if (line[at] == '=' && word.key.empty() && !word.quoted) {
        word.key.swap(word.value);
      } else {
        word.value += line[at];
      }
      ++at;
    }
    out.words.push_back(std::move(word));
  }
  return out;
}

std::string Quote(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::optional<uint64_t> ParseUnsigned(std::string_view text) {
  if (text.substr(0, 2) == "0x") return ParseWhole<uint64_t>(text.substr(2), 16);
  return ParseWhole<uint64_t>(text, 10);
}

std::optional<int64_t> ParseInteger(std::string_view text) {
  if (text.substr(0, 2) != "0x" && text.substr(0, 3) != "-0x") return ParseWhole<int64_t>(text, 10);
  const bool negative = text[0] == '-';
  const std::optional<uint64_t> magnitude = ParseUnsigned(text.substr(negative ? 1 : 0));
  if (!magnitude || *magnitude > static_cast<uint64_t>(INT64_MAX)) return std::nullopt;
  const auto value = static_cast<int64_t>(*magnitude);
  return negative ? -value : value;
}

std::optional<double> ParseReal(std::string_view text) {
  const std::string copy(text);
  if (copy.empty() || IsSpace(copy[0])) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (end != copy.c_str() + copy.size()) return std::nullopt;
  return value;
}

namespace {

std::optional<std::vector<int64_t>> ParseList(std::string_view text, char separator) {
  std::vector<int64_t> values;
  if (text.empty()) return values;
  for (;;) {
    const size_t end = text.find(separator);
    const std::optional<int64_t> value = ParseInteger(text.substr(0, end));
    if (!value) return std::nullopt;
    values.push_back(*value);
    if (end == std::string_view::npos) return values;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

std::optional<std::vector<int64_t>> ParseIntegers(std::string_view text) {
  return ParseList(text, ',');
}

std::optional<std::vector<int64_t>> ParseShape(std::string_view text) {
  if (text == "scalar") return std::vector<int64_t>{};
  return text.empty() ? std::nullopt : ParseList(text, 'x');
}

std::string FieldValueName(const FieldInfo& field, int64_t value) {
  for (const auto& [name, code] : Names(field)) {
    if (code == value) return name;
  }
  return {};
}

std::optional<int64_t> ParseFieldValue(const FieldInfo& field, std::string_view text) {
  for (const auto& [name, code] : Names(field)) {
    if (name == text) return code;
  }
  const std::optional<int64_t> value = ParseInteger(text);
  if (!value || *value < field.min || *value > field.max) return std::nullopt;
  return value;
}

std::string FieldValueChoices(const FieldInfo& field) {
  std::string text;
  for (const auto& [name, code] : Names(field)) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? fmt::format("{}..{}", field.min, field.max) : text;
}

}  // namespace bw::isa
