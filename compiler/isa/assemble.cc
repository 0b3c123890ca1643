#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "compiler/isa/asm_statement.h"
#include "compiler/isa/verify_program.h"

namespace bw::isa {
namespace {

constexpr size_t kMaxErrors = 20;

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

class Assembler {
 public:
  Assembler(const std::string& text, std::string file) : rest_(text), file_(std::move(file)) {}

  Result<Program> Run() {
    while (NextLine() && errors_.size() < kMaxErrors) ParseLine();
    if (errors_.empty() && !have_config_) {
      errors_.push_back({file_, 0, 0, "", "no .config: the hardware is not known", ""});
    }
    if (errors_.empty()) Verify();
    if (!errors_.empty()) return errors_;
    return std::move(program_);
  }

 private:
  bool NextLine() {
    if (rest_.empty()) return false;
    const size_t end = std::min(rest_.find('\n'), rest_.size());
    line_ = rest_.substr(0, end);
    if (!line_.empty() && line_.back() == '\r') line_.remove_suffix(1);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++number_;
    return true;
  }

  void ParseLine() {
    AsmLine line = SplitLine(line_);
    if (!line.problem.empty()) {
      errors_.push_back({file_, number_, line.problem_column, "", line.problem, ""});
      return;
    }
    if (line.words.empty()) return;
    AsmStatement statement(std::move(line.words), file_, number_, errors_);
    const AsmWord& first = statement.words()[0];
    if (first.key.empty() && !first.quoted) {
      if (Directive(statement)) return;
      if (const OpcodeInfo* info = FindInstruction(std::string_view(first.value))) {
        if (const auto in = ParseInstruction(*info, statement)) Append(Encode(*in), statement);
        return;
      }
    }
    statement.Fail(fmt::format("'{}' is neither an instruction nor a directive",
                               first.key.empty() ? first.value : first.key));
  }

  bool Directive(AsmStatement& s) {
    using Action = void (Assembler::*)(AsmStatement&);
    static const std::map<std::string, Action> actions = {
        {".network", &Assembler::Network},
        {".config", &Assembler::Config},
        {".dram_bytes_used", &Assembler::Used},
        {".warning", &Assembler::Warning},
        {".input", &Assembler::Input},
        {".output", &Assembler::Output},
        {".layer", &Assembler::Layer},
        {".segment", &Assembler::OpenSegment},
        {".tile", &Assembler::Tile},
        {".host", &Assembler::Host},
        {".host_input", &Assembler::HostInput},
        {".host_output", &Assembler::HostOutput},
        {".probe", &Assembler::ProbeLine},
        {".constants", &Assembler::ConstantBlock},
        {".word", &Assembler::RawWord},
    };
    const auto action = actions.find(s.name());
    if (action == actions.end()) return false;
    const size_t before = errors_.size();
    (this->*action->second)(s);
    if (errors_.size() == before) s.Finish();
    return true;
  }

  void Network(AsmStatement& s) { s.NameValue(program_.network); }
  void Warning(AsmStatement& s) { s.NameValue(program_.warnings.emplace_back()); }
  void Input(AsmStatement& s) { program_.inputs.push_back(s.Io()); }
  void Output(AsmStatement& s) { program_.outputs.push_back(s.Io()); }
  void Used(AsmStatement& s) {
    const std::vector<AsmWord> values = s.Values(1);
    if (!values.empty()) s.Number(values[0], program_.dram_bytes_used);
  }
  void OpenSegment(AsmStatement&) {
    program_.segments.push_back({static_cast<uint32_t>(program_.code.size()), 0, {}});
  }
  void Tile(AsmStatement& s) {
    const std::vector<AsmWord> values = s.Values(2);
    if (values.empty() || !s.Number(values[0], info_.layer)) return;
    s.Number(values[1], info_.tile);
  }

  void Layer(AsmStatement& s) {
    LayerInfo layer;
    s.NameValue(layer.name);
    s.Text("op", layer.op);
    s.Shape("shape", layer.shape);
    s.Integer("bits", layer.bits);
    s.Integer("macs", layer.macs);
    program_.layers.push_back(std::move(layer));
  }

  void ProbeLine(AsmStatement& s) {
    Probe probe;
    s.Integer("instruction", probe.instruction);
    s.Integer("layer", probe.layer);
    s.MemoryOf("memory", probe.memory);
    s.List("first", probe.first);
    s.List("extent", probe.extent);
    s.PlacementOf(probe.placement);
    program_.probes.push_back(std::move(probe));
  }

  void Host(AsmStatement& s) {
    HostOp op;
    s.NameValue(op.kind);
    s.Integer("layer", op.layer);
    s.Integer("one", op.one);
    s.Integer("lo", op.lo);
    s.Integer("hi", op.hi);
    std::vector<int64_t> table;
    s.List("table", table);
    for (const int64_t entry : table) {
      op.table.push_back(static_cast<int32_t>(entry));
      if (op.table.back() != entry) s.Fail(fmt::format("table entry {}", entry));
    }
    if (program_.segments.empty()) return s.Fail(".host before the first .segment");
    program_.segments.back().host_ops.push_back(std::move(op));
  }
  void HostInput(AsmStatement& s) { HostTensor(s, &HostOp::input); }
  void HostOutput(AsmStatement& s) { HostTensor(s, &HostOp::output); }
  void HostTensor(AsmStatement& s, IoTensor HostOp::*member) {
    IoTensor io = s.Io();
    if (program_.segments.empty() || program_.segments.back().host_ops.empty()) {
      return s.Fail(fmt::format("{} before .host", s.name()));
    }
    program_.segments.back().host_ops.back().*member = std::move(io);
  }

  // Lines up to .end, without the two blanks in front of each.
  std::string Block(AsmStatement& s) {
    std::string text;
    while (NextLine()) {
      if (line_ == ".end") return text;
      text += line_.substr(0, 2) == "  " ? line_.substr(2) : line_;
      text += '\n';
    }
    s.Fail(fmt::format("no .end follows {}", s.name()));
    return {};
  }

  void Config(AsmStatement& s) {
    const int first = number_;
    const size_t before = errors_.size();
    const std::string yaml = Block(s);
    if (errors_.size() != before) return;
    Result<hwconfig::HwConfig> config = hwconfig::ParseHwConfig(yaml, file_);
    have_config_ = true;
    if (config.ok()) {
      program_.config = std::move(config).value();
      return;
    }
    for (Error error : config.errors()) {
      if (error.line > 0) error.line += first;
      if (error.column > 0) error.column += 2;
      errors_.push_back(std::move(error));
    }
  }

  void ConstantBlock(AsmStatement& s) {
    const std::vector<AsmWord> values = s.Values(1);
    Constants block;
    if (values.empty() || !s.Number(values[0], block.dram_byte)) return;
    int high = -1;
    for (const char c : Block(s)) {
      if (c == ' ' || c == '\n') continue;
      const int digit = HexDigit(c);
      if (digit < 0) {
        return s.Fail(fmt::format("constants hold '{}', which is no hexadecimal digit", c));
      }
      if (high >= 0) block.bytes.push_back(static_cast<uint8_t>(high * 16 + digit));
      high = high >= 0 ? -1 : digit;
    }
    if (high >= 0) return s.Fail("constants end in half a byte");
    program_.constants.push_back(std::move(block));
  }

  void RawWord(AsmStatement& s) {
    const std::vector<AsmWord> values = s.Values(2);
    Word word;
    if (values.empty() || !s.Number(values[0], word.hi) || !s.Number(values[1], word.lo)) return;
    Append(word, s);
  }

  void Append(const Word& word, AsmStatement& s) {
    if (program_.segments.empty()) return s.Fail("instruction before the first .segment");
    program_.code.push_back(word);
    program_.info.push_back(info_);
    ++program_.segments.back().count;
    lines_.push_back(number_);
  }

  void Verify() {
    for (Problem& problem : FindProblems(program_)) {
      Error error;
      error.file = file_;
      if (problem.instruction && *problem.instruction < lines_.size()) {
        error.line = lines_[*problem.instruction];
      }
      error.place = std::move(problem.place);
      error.message = std::move(problem.message);
      errors_.push_back(std::move(error));
    }
  }

  std::string_view rest_, line_;
  std::string file_;
  int number_ = 0;  // of line_
  bool have_config_ = false;
  InstructionInfo info_;
  Program program_;
  std::vector<int> lines_;  // of each instruction
  Errors errors_;
};

}  // namespace

Result<Program> Assemble(const std::string& text, const std::string& file) {
  return Assembler(text, file).Run();
}

}  // namespace bw::isa
