#include "compiler/isa/instruction.h"

#include <fmt/format.h>

#include "compiler/isa/tables.h"

namespace bw::isa {
namespace {

uint64_t LowMask(int width) { return (uint64_t{1} << width) - 1; }

Error FieldError(std::string_view field, int64_t value, std::string_view allowed) {
  Error error;
  error.place = std::string(field);
  error.message = fmt::format("{} is not allowed here: {}", value, allowed);
  return error;
}

// Bits that no field of the instruction covers; they must be 0.
Word SpareBits(const OpcodeInfo& info) {
  Word used;
  const auto cover = [&used](const FieldInfo& field) {
    for (int bit = field.lsb; bit < field.lsb + field.width; ++bit) SetField(used, bit, 1, 1);
  };
  for (const FieldInfo* field : CommonFields()) cover(*field);
  for (const FieldInfo* field : info.fields) cover(*field);
  return {~used.lo, ~used.hi};
}

const Word& SpareBitsOf(const OpcodeInfo& info) {
  static const std::vector<Word> masks = [] {
    std::vector<Word> made;
    for (const OpcodeInfo& row : InstructionTable()) made.push_back(SpareBits(row));
    return made;
  }();
  return masks[static_cast<size_t>(&info - InstructionTable().data())];
}

void CheckTokens(const Instruction& instruction, Errors& errors) {
  const int own = 1 << static_cast<int>(instruction.queue);
  const auto check = [&](const char* field, int mask) {
    if ((mask & own) == 0) return;
    errors.push_back(
        FieldError(field, mask,
                   fmt::format("bit {} is the own queue, {}", static_cast<int>(instruction.queue),
                               QueueName(instruction.queue))));
  };
  check("wait", instruction.wait);
  check("post", instruction.post);
}

void CheckCfg(const Instruction& instruction, Errors& errors) {
  const auto& cfg = instruction.cfg;
  if (cfg.first + cfg.count > kRegisters) {
    errors.push_back(FieldError("first", cfg.first,
                                fmt::format("with count {} the last register is 63", cfg.count)));
  }
  for (size_t i = cfg.count; i < cfg.v.size(); ++i) {
    if (cfg.v[i] == 0) continue;
    errors.push_back(
        FieldError(fmt::format("v{}", i), cfg.v[i], fmt::format("0, as count is {}", cfg.count)));
  }
}

void ReadFields(const Word& word, const std::vector<const FieldInfo*>& fields, Instruction& into,
                Errors& errors) {
  for (const FieldInfo* field : fields) {
    const int64_t value = GetField(word, field->lsb, field->width, field->is_signed);
    if (value < field->min || value > field->max) {
      errors.push_back(
          FieldError(field->name, value, fmt::format("{}..{}", field->min, field->max)));
    }
    field->set(into, value);
  }
}

}  // namespace

int64_t GetField(const Word& word, int lsb, int width, bool is_signed) {
  BW_CHECK(width >= 1 && width <= 40 && lsb >= 0 && lsb + width <= kWordBits,
           "field at {} of {} bits", lsb, width);
  uint64_t raw = 0;
  if (lsb >= 64) {
    raw = word.hi >> (lsb - 64);
  } else {
    raw = word.lo >> lsb;
    if (lsb > 0) raw |= word.hi << (64 - lsb);
  }
  raw &= LowMask(width);
  const bool negative = is_signed && ((raw >> (width - 1)) & 1) != 0;
  return static_cast<int64_t>(negative ? raw | ~LowMask(width) : raw);
}

void SetField(Word& word, int lsb, int width, int64_t value) {
  BW_CHECK(width >= 1 && width <= 40 && lsb >= 0 && lsb + width <= kWordBits,
           "field at {} of {} bits", lsb, width);
  BW_CHECK(value >= -(int64_t{1} << (width - 1)) && value < int64_t{1} << width,
           "value {} in a field of {} bits at {}", value, width, lsb);
  const uint64_t mask = LowMask(width);
  const uint64_t raw = static_cast<uint64_t>(value) & mask;
  if (lsb >= 64) {
    word.hi = (word.hi & ~(mask << (lsb - 64))) | raw << (lsb - 64);
    return;
  }
  word.lo = (word.lo & ~(mask << lsb)) | raw << lsb;
  if (lsb + width > 64) {
    word.hi = (word.hi & ~(mask >> (64 - lsb))) | raw >> (64 - lsb);
  }
}

Word Encode(const Instruction& instruction) {
  const OpcodeInfo* info = FindInstruction(static_cast<int64_t>(instruction.opcode));
  BW_CHECK(info != nullptr, "opcode {}", static_cast<int>(instruction.opcode));
  Word word;
  const auto put = [&](const FieldInfo& field) {
    const int64_t value = field.get(instruction);
    BW_CHECK(value >= field.min && value <= field.max, "{}.{} = {}, allowed {}..{}", info->mnemonic,
             field.name, value, field.min, field.max);
    SetField(word, field.lsb, field.width, value);
  };
  for (const FieldInfo* field : CommonFields()) put(*field);
  for (const FieldInfo* field : info->fields) put(*field);
  return word;
}

Result<Instruction> Decode(const Word& word) {
  Errors errors;
  Instruction made;
  const int64_t opcode = GetField(word, CommonFields()[0]->lsb, CommonFields()[0]->width, false);
  const OpcodeInfo* info = FindInstruction(opcode);
  if (info == nullptr) return FieldError("opcode", opcode, "no instruction has this code");
  ReadFields(word, CommonFields(), made, errors);
  ReadFields(word, info->fields, made, errors);
  if (!info->any_queue && made.queue != info->queue) {
    errors.push_back(
        FieldError("queue", static_cast<int>(made.queue),
                   fmt::format("{} is of queue {} ({})", info->mnemonic, QueueName(info->queue),
                               static_cast<int>(info->queue))));
  }
  CheckTokens(made, errors);
  if (made.opcode == Opcode::kCfg) CheckCfg(made, errors);
  const Word& spare = SpareBitsOf(*info);
  if ((word.lo & spare.lo) != 0 || (word.hi & spare.hi) != 0) {
    Error error;
    error.place = "spare bits";
    error.message = fmt::format("bits of {:016x}_{:016x} that {} does not use are not 0",
                                word.hi & spare.hi, word.lo & spare.lo, info->mnemonic);
    errors.push_back(std::move(error));
  }
  if (!errors.empty()) return errors;
  return made;
}

std::string_view Mnemonic(Opcode opcode) {
  const OpcodeInfo* info = FindInstruction(static_cast<int64_t>(opcode));
  BW_CHECK(info != nullptr, "opcode {}", static_cast<int>(opcode));
  return info->mnemonic;
}

std::string_view QueueName(Queue queue) {
  for (const QueueInfo& info : QueueTable()) {
    if (info.queue == queue) return info.name;
  }
  BW_CHECK(false, "queue {}", static_cast<int>(queue));
  return {};
}

std::string RegisterName(Queue queue, int index) {
  const RegisterInfo* info = FindRegister(queue, index);
  if (info == nullptr) return fmt::format("{}.r{}", QueueName(queue), index);
  return fmt::format("{}.{}", QueueName(queue), info->name);
}

void ApplyCfg(const Instruction& instruction, Registers& registers) {
  const auto& cfg = instruction.cfg;
  BW_CHECK(instruction.opcode == Opcode::kCfg && cfg.first + cfg.count <= kRegisters,
           "opcode {}, registers {} to {}", static_cast<int>(instruction.opcode), cfg.first,
           cfg.first + cfg.count);
  for (size_t i = 0; i < cfg.count; ++i) registers[cfg.first + i] = cfg.v[i];
}

}  // namespace bw::isa
