#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "compiler/isa/asm_text.h"
#include "compiler/isa/program.h"

namespace bw::isa {
namespace {

using Text = std::back_insert_iterator<std::string>;

template <typename T>
std::string Joined(const std::vector<T>& values) {
  return fmt::format("{}", fmt::join(values, ","));
}

std::string PlacementText(const Placement& p) {
  return fmt::format("base={} strides={} width={} width_signed={:d}", p.base_bit, Joined(p.strides),
                     p.bits, p.is_signed);
}

std::string IoText(const IoTensor& io) {
  return fmt::format(
      "{} shape={} bits={} signed={:d} scale={:a} zero_point={} file_axes={} ties_to_even={:d} "
      "file_integers={:d} {}",
      Quote(io.name), io.shape.ToString(), io.bits, io.is_signed, io.scale, io.zero_point,
      Joined(io.file_axes), io.ties_to_even, io.file_integers, PlacementText(io.placement));
}

// The text between .config and .end, each line indented.
void WriteConfig(const hwconfig::HwConfig& config, Text out) {
  fmt::format_to(out, ".config\n");
  std::string_view rest;
  const std::string yaml = hwconfig::ToYaml(config);
  for (rest = yaml; !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    fmt::format_to(out, "  {}\n", rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  fmt::format_to(out, ".end\n");
}

void WriteConstants(const Constants& block, Text out) {
  constexpr size_t kBytesInLine = 32;
  fmt::format_to(out, ".constants {}\n", block.dram_byte);
  for (size_t at = 0; at < block.bytes.size(); at += kBytesInLine) {
    const size_t end = std::min(at + kBytesInLine, block.bytes.size());
    fmt::format_to(out, "  ");
    for (size_t i = at; i < end; ++i) fmt::format_to(out, "{:02x}", block.bytes[i]);
    fmt::format_to(out, "\n");
  }
  fmt::format_to(out, ".end\n");
}

void WriteTokens(const char* key, int mask, Text out) {
  if (mask == 0) return;
  std::string names;
  for (const QueueInfo& queue : QueueTable()) {
    if ((mask >> static_cast<int>(queue.queue) & 1) == 0) continue;
    names += (names.empty() ? "" : ",") + queue.name;
  }
  fmt::format_to(out, " {}={}", key, names);
}

void WriteInstruction(const Word& word, Text out) {
  const Result<Instruction> decoded = Decode(word);
  if (!decoded.ok()) {
    fmt::format_to(out, "  .word {:#018x} {:#018x}\n", word.hi, word.lo);
    return;
  }
  const OpcodeInfo& info = *FindInstruction(static_cast<int64_t>(decoded->opcode));
  fmt::format_to(out, "  {}", info.mnemonic);
  if (info.any_queue) fmt::format_to(out, " {}", QueueName(decoded->queue));
  if (decoded->opcode == Opcode::kCfg) {
    for (int i = 0; i < decoded->cfg.count; ++i) {
      const std::string name = RegisterName(decoded->queue, decoded->cfg.first + i);
      fmt::format_to(out, " {}={}", name.substr(name.find('.') + 1),
                     decoded->cfg.v[static_cast<size_t>(i)]);
    }
  } else {
    for (const FieldInfo* field : info.fields) {
      const int64_t value = field->get(*decoded);
      if (value == 0) continue;
      const std::string name = FieldValueName(*field, value);
      fmt::format_to(out, " {}={}", field->name, name.empty() ? std::to_string(value) : name);
    }
  }
  WriteTokens("wait", decoded->wait, out);
  WriteTokens("post", decoded->post, out);
  fmt::format_to(out, "\n");
}

void WriteHostOp(const HostOp& op, Text out) {
  fmt::format_to(out, ".host {} layer={} one={} lo={} hi={} table={}\n", Quote(op.kind), op.layer,
                 op.one, op.lo, op.hi, Joined(op.table));
  fmt::format_to(out, ".host_input {}\n", IoText(op.input));
  fmt::format_to(out, ".host_output {}\n", IoText(op.output));
}

void WriteCode(const Program& p, Text out) {
  uint32_t layer = 0, tile = 0;
  for (const Segment& segment : p.segments) {
    fmt::format_to(out, "\n.segment\n");
    for (uint32_t i = segment.first; i < segment.first + segment.count; ++i) {
      const InstructionInfo& info = p.info.at(i);
      if (info.layer != layer || info.tile != tile) {
        layer = info.layer;
        tile = info.tile;
        fmt::format_to(out, ".tile {} {}\n", layer, tile);
      }
      WriteInstruction(p.code.at(i), out);
    }
    for (const HostOp& op : segment.host_ops) WriteHostOp(op, out);
  }
}

std::string_view MemoryWord(Memory memory) { return memory == Memory::kDram ? "dram" : "spm"; }

}  // namespace

std::string DisassembleInstruction(const Word& word) {
  std::string line;
  WriteInstruction(word, Text(line));
  return line.substr(2, line.size() - 3);
}

std::string Disassemble(const Program& p) {
  std::string text;
  const Text out(text);
  fmt::format_to(out, ".network {}\n", Quote(p.network));
  WriteConfig(p.config, out);
  fmt::format_to(out, ".dram_bytes_used {}\n", p.dram_bytes_used);
  for (const std::string& warning : p.warnings) {
    fmt::format_to(out, ".warning {}\n", Quote(warning));
  }
  for (const IoTensor& io : p.inputs) fmt::format_to(out, ".input {}\n", IoText(io));
  for (const IoTensor& io : p.outputs) fmt::format_to(out, ".output {}\n", IoText(io));
  for (const LayerInfo& layer : p.layers) {
    fmt::format_to(out, ".layer {} op={} shape={} bits={} macs={}\n", Quote(layer.name),
                   Quote(layer.op), layer.shape.ToString(), layer.bits, layer.macs);
  }
  WriteCode(p, out);
  fmt::format_to(out, "\n");
  for (const Probe& probe : p.probes) {
    fmt::format_to(out, ".probe instruction={} layer={} memory={} first={} extent={} {}\n",
                   probe.instruction, probe.layer, MemoryWord(probe.memory), Joined(probe.first),
                   Joined(probe.extent), PlacementText(probe.placement));
  }
  for (const Constants& block : p.constants) WriteConstants(block, out);
  return text;
}

}  // namespace bw::isa
