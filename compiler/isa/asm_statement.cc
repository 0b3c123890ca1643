#include "compiler/isa/asm_statement.h"

namespace bw::isa {

const AsmWord* AsmStatement::Take(std::string_view key) {
  for (size_t i = 1; i < words_.size(); ++i) {
    if (words_[i].key != key) continue;
    ++taken_;
    return &words_[i];
  }
  Fail(fmt::format("{} needs {}=", name(), key));
  return nullptr;
}

void AsmStatement::Text(std::string_view key, std::string& into) {
  if (const AsmWord* word = Take(key)) into = word->value;
}

void AsmStatement::Real(std::string_view key, double& into) {
  Set(key, into, ParseReal, "real number");
}

void AsmStatement::Flag(std::string_view key, bool& into) {
  const auto parse = [](std::string_view text) -> std::optional<bool> {
    if (text != "0" && text != "1") return std::nullopt;
    return text == "1";
  };
  Set(key, into, parse, "flag (0 or 1)");
}

void AsmStatement::List(std::string_view key, std::vector<int64_t>& into) {
  Set(key, into, ParseIntegers, "list of numbers");
}

void AsmStatement::Shape(std::string_view key, tensor::Shape& into) {
  Set(key, into.dims, ParseShape, "shape such as 1x3x8x8 or scalar");
}

void AsmStatement::MemoryOf(std::string_view key, Memory& into) {
  const auto parse = [](std::string_view text) -> std::optional<Memory> {
    if (text == "spm") return Memory::kSpm;
    if (text == "dram") return Memory::kDram;
    return std::nullopt;
  };
  Set(key, into, parse, "memory (spm or dram)");
}

void AsmStatement::PlacementOf(Placement& into) {
  Integer("base", into.base_bit);
  List("strides", into.strides);
  Integer("width", into.bits);
  Flag("width_signed", into.is_signed);
}

IoTensor AsmStatement::Io() {
  IoTensor io;
  NameValue(io.name);
  Shape("shape", io.shape);
  Integer("bits", io.bits);
  Flag("signed", io.is_signed);
  Real("scale", io.scale);
  Integer("zero_point", io.zero_point);
  std::vector<int64_t> file_axes;
  List("file_axes", file_axes);
  // An axis that no int holds is no axis: -1 stays wrong for the verifier.
  for (const int64_t axis : file_axes) {
    io.file_axes.push_back(axis >= 0 && axis <= INT32_MAX ? static_cast<int>(axis) : -1);
  }
  Flag("ties_to_even", io.ties_to_even);
  Flag("file_integers", io.file_integers);
  PlacementOf(io.placement);
  return io;
}

std::vector<AsmWord> AsmStatement::Values(size_t count) {
  std::vector<AsmWord> values;
  for (size_t i = 1; i < words_.size(); ++i) {
    if (words_[i].key.empty()) values.push_back(words_[i]);
  }
  taken_ += values.size();
  if (values.size() == count) return values;
  Fail(fmt::format("{} takes {} value(s) without a key, not {}", name(), count, values.size()));
  return {};
}

void AsmStatement::NameValue(std::string& into) {
  const std::vector<AsmWord> values = Values(1);
  if (!values.empty()) into = values[0].value;
}

void AsmStatement::Finish() {
  if (taken_ == words_.size()) return;
  Fail(fmt::format("{} does not take some of these keys, or takes them once", name()));
}

}  // namespace bw::isa
