#include "compiler/isa/tables.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace bw::isa {
namespace {

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

// Where the fields of a group live in Instruction.
#define BW_MEMBER_Common(name) name
#define BW_MEMBER_Cfg(name) cfg.BW_CFG_##name
#define BW_CFG_first first
#define BW_CFG_count count
#define BW_CFG_v0 v[0]
#define BW_CFG_v1 v[1]
#define BW_CFG_v2 v[2]
#define BW_MEMBER_Ld(name) ld.name
#define BW_MEMBER_Ldp(name) ldp.name
#define BW_MEMBER_Ldt(name) ldp.name
#define BW_MEMBER_St(name) st.name
#define BW_MEMBER_Mac(name) mac.name
#define BW_MEMBER_Ppu(name) ppu.name

template <typename T>
void Assign(T& member, int64_t value) {
  member = static_cast<T>(value);
}

int64_t Least(int width, bool is_signed) { return is_signed ? -(int64_t{1} << (width - 1)) : 0; }
int64_t Greatest(int width, bool is_signed) {
  return (int64_t{1} << (is_signed ? width - 1 : width)) - 1;
}

std::vector<FieldInfo> MakeFieldTable() {
  std::vector<FieldInfo> table = {
#define BW_FIELD(instr, name, lsb, width, is_signed, doc)                                \
  {#instr,                                                                               \
   #name,                                                                                \
   lsb,                                                                                  \
   width,                                                                                \
   is_signed != 0,                                                                       \
   doc,                                                                                  \
   Least(width, is_signed != 0),                                                         \
   Greatest(width, is_signed != 0),                                                      \
   [](const Instruction& i) { return static_cast<int64_t>(i.BW_MEMBER_##instr(name)); }, \
   [](Instruction& i, int64_t value) { Assign(i.BW_MEMBER_##instr(name), value); }},
#include "compiler/isa/isa.def"
  };
  struct Limit {
    std::string_view group, name;
    int64_t min, max;
  };
  constexpr Limit kLimits[] = {
#define BW_LIMIT(instr, name, min, max) {#instr, #name, min, max},
#include "compiler/isa/isa.def"
  };
  for (const Limit& limit : kLimits) {
    const auto at = std::find_if(table.begin(), table.end(), [&](const FieldInfo& f) {
      return f.group == limit.group && f.name == limit.name;
    });
    BW_CHECK(at != table.end(), "limit of {}.{}, which is no field", limit.group, limit.name);
    at->min = limit.min;
    at->max = limit.max;
  }
  return table;
}

// A field belongs to the instruction that its group names, or to all of the queue it names.
std::vector<OpcodeInfo> MakeInstructionTable() {
  struct Row {
    std::string_view name;
    Opcode opcode;
    std::string_view queue, doc;
  };
  constexpr Row kRows[] = {
#define BW_INSTR(name, opcode, queue, doc) {#name, Opcode::k##name, #queue, doc},
#include "compiler/isa/isa.def"
  };
  std::vector<OpcodeInfo> table;
  for (const Row& row : kRows) {
    OpcodeInfo info;
    info.opcode = row.opcode;
    info.name = row.name;
    info.mnemonic = Lower(row.name);
    info.any_queue = row.queue == "Any";
    info.doc = row.doc;
    if (const QueueInfo* queue = FindQueue(Lower(row.queue))) info.queue = queue->queue;
    for (const FieldInfo& field : FieldTable()) {
      if (field.group == row.name || field.group == row.queue) info.fields.push_back(&field);
    }
    table.push_back(std::move(info));
  }
  return table;
}

std::vector<RegisterInfo> MakeRegisterTable() {
  std::vector<RegisterInfo> table = {
#define BW_REG(queue, name, index, doc) {Queue::k##queue, #name, index, doc},
#include "compiler/isa/isa.def"
  };
  std::sort(table.begin(), table.end(), [](const RegisterInfo& a, const RegisterInfo& b) {
    return a.queue != b.queue ? a.queue < b.queue : a.index < b.index;
  });
  return table;
}

using RegisterIndex = std::array<std::array<const RegisterInfo*, kRegisters>, kQueues>;

const RegisterIndex& RegistersByIndex() {
  static const RegisterIndex index = [] {
    RegisterIndex made{};
    for (const RegisterInfo& row : RegisterTable()) {
      made[static_cast<size_t>(row.queue)][static_cast<size_t>(row.index)] = &row;
    }
    return made;
  }();
  return index;
}

}  // namespace

const std::vector<FieldInfo>& FieldTable() {
  static const std::vector<FieldInfo> table = MakeFieldTable();
  return table;
}

const std::vector<const FieldInfo*>& CommonFields() {
  static const std::vector<const FieldInfo*> table = [] {
    std::vector<const FieldInfo*> made;
    for (const FieldInfo& field : FieldTable()) {
      if (field.group == "Common") made.push_back(&field);
    }
    return made;
  }();
  return table;
}

const std::vector<OpcodeInfo>& InstructionTable() {
  static const std::vector<OpcodeInfo> table = MakeInstructionTable();
  return table;
}

const OpcodeInfo* FindInstruction(int64_t opcode) {
  static const std::array<const OpcodeInfo*, 256> by_code = [] {
    std::array<const OpcodeInfo*, 256> made{};
    for (const OpcodeInfo& info : InstructionTable()) {
      made[static_cast<size_t>(info.opcode)] = &info;
    }
    return made;
  }();
  return opcode < 0 || opcode > 255 ? nullptr : by_code[static_cast<size_t>(opcode)];
}

const OpcodeInfo* FindInstruction(std::string_view mnemonic) {
  for (const OpcodeInfo& info : InstructionTable()) {
    if (info.mnemonic == mnemonic) return &info;
  }
  return nullptr;
}

const std::vector<RegisterInfo>& RegisterTable() {
  static const std::vector<RegisterInfo> table = MakeRegisterTable();
  return table;
}

const RegisterInfo* FindRegister(Queue queue, int index) {
  if (index < 0 || index >= kRegisters) return nullptr;
  return RegistersByIndex()[static_cast<size_t>(queue)][static_cast<size_t>(index)];
}

int FindRegisterIndex(Queue queue, std::string_view name) {
  for (const RegisterInfo& row : RegisterTable()) {
    if (row.queue == queue && row.name == name) return row.index;
  }
  if (name.size() < 2 || name[0] != 'r') return -1;
  int index = -1;
  const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), index);
  const bool whole = error == std::errc() && end == name.data() + name.size();
  return whole && index >= 0 && index < kRegisters ? index : -1;
}

const std::vector<QueueInfo>& QueueTable() {
  static const std::vector<QueueInfo> table = {
#define BW_QUEUE(name, code, doc) {Queue::k##name, Lower(#name), doc},
#include "compiler/isa/isa.def"
  };
  return table;
}

const QueueInfo* FindQueue(std::string_view name) {
  for (const QueueInfo& info : QueueTable()) {
    if (info.name == name) return &info;
  }
  return nullptr;
}

const std::vector<EnumeratorInfo>& EnumeratorTable() {
  static const std::vector<EnumeratorInfo> table = {
#define BW_ENUM(type, name, code, doc) {#type, #name, code, doc},
#include "compiler/isa/isa.def"
  };
  return table;
}

}  // namespace bw::isa
