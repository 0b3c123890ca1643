#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "compiler/isa/descriptor.h"
#include "compiler/isa/program.h"
#include "compiler/isa/tables.h"
#include "models/arith/rounding.h"

namespace bw::isa {
namespace {

constexpr const char* kIntro = R"(# The instruction set

Made from compiler/isa/isa.def by `scripts/regen.sh`; change it there.

An instruction has 128 bits, the low half first in files. Bits 0..15 are the same for all. Each of
the four queues has 64 registers of 32 bits, signed, which `cfg` writes through that queue, so that
configuration takes effect in order. Strides and bases in registers are in bits where it says so,
bases inside instructions in bytes (DRAM, scratchpad) or entries. In the scratchpad a value sits in
a container of 4, 8, 16 or 32 bits; 4-bit containers start on nibbles, the others on bytes.

Queues run at once. A token is a counter for an ordered pair of queues: `post` adds one at
retirement, `wait` takes one before the start, and the k-th wait belongs to the k-th post. In every
segment posts and waits of a pair are equal in number and posts come first in program order. Halt
ends a segment, after everything before it, and carries no tokens.

Checked before a program runs: counts are 1..2^24 (as is r0 * r1; n * k0 * k1 * k2 is at most twice
spm.bytes), every address that a nest can touch lies inside
its memory (positions outside a window touch nothing), no two results of an instruction fall on one
place, and values that enter the last multiplier of the PPU have at most 62 bits (64 for products).
Registers without effect are not looked at: the stride of a counter that counts to 1, operand B of
an operation with one operand, r0 and r1 of one without a window.
)";

std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string FieldRow(const FieldInfo& field) {
  return fmt::format("| `{}` | {}..{} | {}{} | {} |\n", field.name, field.lsb,
                     field.lsb + field.width - 1, field.width, field.is_signed ? ", signed" : "",
                     Escaped(field.doc));
}

std::string FieldHead() { return "\n| field | bits | width | |\n|---|---|---|---|\n"; }

std::string InstructionSection(const OpcodeInfo& info) {
  std::string text = fmt::format(
      "\n### {}\n\nOpcode {}, {}. {}\n", info.mnemonic, static_cast<int>(info.opcode),
      info.any_queue ? "any queue" : fmt::format("queue {}", QueueName(info.queue)), info.doc);
  if (info.fields.empty()) return text;
  text += FieldHead();
  for (const FieldInfo* field : info.fields) text += FieldRow(*field);
  return text;
}

// ---- SystemVerilog

std::string Camel(std::string_view name) {
  std::string out;
  bool upper = true;
  for (const char c : name) {
    if (c == '_') {
      upper = true;
      continue;
    }
    out += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = false;
  }
  return out;
}

std::string Constant(int width, const std::string& name, int64_t value) {
  return fmt::format("  localparam logic [{}:0] {} = {}'d{};\n", width - 1, name, width, value);
}

// Bits that hold every code of an enumeration.
int CodeWidth(std::string_view type) {
  int width = 1;
  for (const EnumeratorInfo& row : EnumeratorTable()) {
    if (row.type != type) continue;
    while (row.code >> width != 0) ++width;
  }
  return width;
}

std::string IntConstant(const std::string& name, int64_t value) {
  return fmt::format("  localparam int {} = {};\n", name, value);
}

}  // namespace

std::string DescribeIsa() {
  std::string text = kIntro;
  text += "\n## Queues\n\n| queue | code | |\n|---|---|---|\n";
  for (const QueueInfo& queue : QueueTable()) {
    text += fmt::format("| {} | {} | {} |\n", queue.name, static_cast<int>(queue.queue),
                        Escaped(queue.doc));
  }
  text += "\n## Codes in fields\n\n| type | name | code | |\n|---|---|---|---|\n";
  for (const EnumeratorInfo& row : EnumeratorTable()) {
    text += fmt::format("| {} | {} | {} | {} |\n", row.type, row.name, row.code, Escaped(row.doc));
  }
  text += "\n## Fields of every instruction\n" + FieldHead();
  for (const FieldInfo* field : CommonFields()) text += FieldRow(*field);
  text += "\n## Instructions\n";
  for (const OpcodeInfo& info : InstructionTable()) text += InstructionSection(info);
  text += "\n## Registers\n";
  for (const QueueInfo& queue : QueueTable()) {
    text += fmt::format("\n### Queue {}\n\n| index | register | |\n|---|---|---|\n", queue.name);
    for (const RegisterInfo& row : RegisterTable()) {
      if (row.queue != queue.queue) continue;
      text += fmt::format("| {} | `{}` | {} |\n", row.index, row.name, Escaped(row.doc));
    }
  }
  text += fmt::format(
      "\n## Entries of the PPU parameter memory\n\n{} bytes in DRAM, little endian: m u32, m2 u32, "
      "zp s32, lo s32, hi s32, s s8, s2 s8, two zero bytes.\nm and m2 are below 2^31, s and s2 in "
      "-32..63 (negative is to the left), lo <= hi.\n",
      kPpuParamBytes);
  return text;
}

std::string SystemVerilogPackage() {
  const FieldInfo& opcode = *CommonFields()[0];
  std::string text =
      "// Codes and field positions of the instruction set. Made from compiler/isa/isa.def by\n"
      "// scripts/regen.sh; change it there.\n"
      "package bw_isa_pkg;\n\n"
      "  // No module uses all of them.\n"
      "  /* verilator lint_off UNUSEDPARAM */\n\n";
  text += IntConstant("WordBits", kWordBits);
  text += IntConstant("Registers", kRegisters);
  text += "\n  // Opcodes.\n";
  for (const OpcodeInfo& info : InstructionTable()) {
    text += Constant(opcode.width, fmt::format("Op{}", info.name), static_cast<int>(info.opcode));
  }
  text += "\n  // Queues.\n";
  for (const QueueInfo& queue : QueueTable()) {
    text += Constant(2, "Queue" + Camel(queue.name), static_cast<int>(queue.queue));
  }
  text += "\n  // Codes in fields.\n";
  for (const EnumeratorInfo& row : EnumeratorTable()) {
    text += Constant(CodeWidth(row.type), fmt::format("{}{}", row.type, row.name), row.code);
  }
  text += "\n  // Rounding modes (models/arith/rounding.def).\n";
  for (const arith::Rounding mode : arith::kAllRoundings) {
    text += Constant(3, "Rounding" + Camel(arith::ToString(mode)), static_cast<int>(mode));
  }
  text += "\n  // Lowest bit and width of each field.\n";
  for (const FieldInfo& field : FieldTable()) {
    const std::string name = fmt::format("{}{}", field.group, Camel(field.name));
    text += IntConstant(name + "Lsb", field.lsb);
    text += IntConstant(name + "Width", field.width);
  }
  text += "\n  // Registers of each queue.\n";
  for (const RegisterInfo& row : RegisterTable()) {
    text += Constant(6, fmt::format("Reg{}{}", Camel(QueueName(row.queue)), Camel(row.name)),
                     row.index);
  }
  return text + "\n  /* verilator lint_on UNUSEDPARAM */\nendpackage\n";
}

}  // namespace bw::isa
