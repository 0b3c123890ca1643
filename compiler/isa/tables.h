// The rows of isa.def as tables, for everything that treats instructions generically: encoder,
// decoder, assembler, disassembler and the generated texts.
#ifndef COMPILER_ISA_TABLES_H_
#define COMPILER_ISA_TABLES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/isa/instruction.h"

namespace bw::isa {

inline constexpr int kWordBits = 128;

struct FieldInfo {
  std::string_view group;  // "Common", an instruction ("Ld") or a queue ("Mac")
  std::string_view name;
  int lsb = 0, width = 0;
  bool is_signed = false;
  std::string_view doc;
  int64_t min = 0, max = 0;  // allowed values, from the width or narrower
  int64_t (*get)(const Instruction&) = nullptr;
  void (*set)(Instruction&, int64_t) = nullptr;
};

struct OpcodeInfo {
  Opcode opcode{};
  std::string_view name;  // as in isa.def: "Ld"
  std::string mnemonic;   // "ld"
  bool any_queue = false;
  Queue queue{};  // unless any_queue
  std::string_view doc;
  std::vector<const FieldInfo*> fields;  // without the common ones
};

struct RegisterInfo {
  Queue queue{};
  std::string_view name;
  int index = 0;
  std::string_view doc;
};

struct QueueInfo {
  Queue queue{};
  std::string name;  // "load"
  std::string_view doc;
};

struct EnumeratorInfo {
  std::string_view type, name;
  int code = 0;
  std::string_view doc;
};

const std::vector<FieldInfo>& FieldTable();
const std::vector<const FieldInfo*>& CommonFields();
const std::vector<OpcodeInfo>& InstructionTable();
const OpcodeInfo* FindInstruction(int64_t opcode);             // nullptr: no such opcode
const OpcodeInfo* FindInstruction(std::string_view mnemonic);  // nullptr: unknown
const std::vector<RegisterInfo>& RegisterTable();              // by queue, then index
const RegisterInfo* FindRegister(Queue queue, int index);      // nullptr: reserved
// Index of "cnt0" or "r57" in the registers of `queue`, or -1.
int FindRegisterIndex(Queue queue, std::string_view name);
const std::vector<QueueInfo>& QueueTable();
const QueueInfo* FindQueue(std::string_view name);
const std::vector<EnumeratorInfo>& EnumeratorTable();

}  // namespace bw::isa

#endif  // COMPILER_ISA_TABLES_H_
