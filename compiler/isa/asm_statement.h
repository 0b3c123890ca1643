// One statement of the text form: takes its words apart and collects errors with their place.
#ifndef COMPILER_ISA_ASM_STATEMENT_H_
#define COMPILER_ISA_ASM_STATEMENT_H_

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "compiler/isa/asm_text.h"
#include "compiler/isa/instruction.h"
#include "compiler/isa/program.h"
#include "models/status/result.h"

namespace bw::isa {

class AsmStatement {
 public:
  AsmStatement(std::vector<AsmWord> words, const std::string& file, int line, Errors& errors)
      : words_(std::move(words)), file_(file), line_(line), errors_(errors) {}

  const std::vector<AsmWord>& words() const { return words_; }
  const std::string& name() const { return words_[0].value; }  // directive or mnemonic
  size_t errors() const { return errors_.size(); }
  void Fail(const AsmWord& at, std::string message, std::string hint = "") {
    errors_.push_back({file_, line_, at.column, "", std::move(message), std::move(hint)});
  }
  void Fail(std::string message) { Fail(words_[0], std::move(message)); }

  // key=VALUE; the key must be there.
  void Text(std::string_view key, std::string& into);
  void Real(std::string_view key, double& into);
  void Flag(std::string_view key, bool& into);
  void List(std::string_view key, std::vector<int64_t>& into);
  void Shape(std::string_view key, tensor::Shape& into);
  void MemoryOf(std::string_view key, Memory& into);
  template <typename T>
  void Integer(std::string_view key, T& into) {
    Set(key, into, ParseAs<T>, "number that fits");
  }
  void PlacementOf(Placement& into);
  IoTensor Io();

  // The values without a key: `count` of them, or an error and nothing.
  std::vector<AsmWord> Values(size_t count);
  void NameValue(std::string& into);
  template <typename T>
  bool Number(const AsmWord& word, T& into) {
    const std::optional<T> value = ParseAs<T>(word.value);
    if (value) into = *value;
    if (!value) Fail(word, fmt::format("'{}' is no number that fits", word.value));
    return value.has_value();
  }
  // After everything was taken: nothing may be left.
  void Finish();

 private:
  template <typename T>
  static std::optional<T> ParseAs(std::string_view text) {
    if constexpr (std::is_same_v<T, uint64_t>) {
      return ParseUnsigned(text);
    } else {
      const std::optional<int64_t> value = ParseInteger(text);
      if (!value || *value < static_cast<int64_t>(std::numeric_limits<T>::min()) ||
          *value > static_cast<int64_t>(std::numeric_limits<T>::max())) {
        return std::nullopt;
      }
      return static_cast<T>(*value);
    }
  }
  template <typename T, typename Parse>
  void Set(std::string_view key, T& into, Parse parse, const char* what) {
    const AsmWord* word = Take(key);
    if (word == nullptr) return;
    auto value = parse(word->value);
    if (value) {
      into = std::move(*value);
    } else {
      Fail(*word, fmt::format("{}={} is no {}", key, word->value, what));
    }
  }
  const AsmWord* Take(std::string_view key);

  std::vector<AsmWord> words_;
  const std::string& file_;
  int line_;
  Errors& errors_;
  size_t taken_ = 1;  // the name
};

// The instruction that the statement writes, or nothing and errors.
std::optional<Instruction> ParseInstruction(const OpcodeInfo& info, AsmStatement& statement);

}  // namespace bw::isa

#endif  // COMPILER_ISA_ASM_STATEMENT_H_
