#include <algorithm>

#include "compiler/isa/asm_statement.h"

namespace bw::isa {
namespace {

void ParseTokens(const AsmWord& word, AsmStatement& statement, uint8_t& mask) {
  std::string_view rest = word.value;
  for (;;) {
    const size_t end = rest.find(',');
    const QueueInfo* queue = FindQueue(rest.substr(0, end));
    if (queue == nullptr) {
      statement.Fail(word, fmt::format("'{}' is no queue", rest.substr(0, end)),
                     "queues are load, mac, ppu and store");
      return;
    }
    mask = static_cast<uint8_t>(mask | 1 << static_cast<int>(queue->queue));
    if (end == std::string_view::npos) return;
    rest.remove_prefix(end + 1);
  }
}

void ParseRegister(const AsmWord& word, AsmStatement& statement, Instruction& in) {
  const int index = FindRegisterIndex(in.queue, word.key);
  if (index < 0) {
    statement.Fail(word,
                   fmt::format("queue {} has no register '{}'", QueueName(in.queue), word.key));
    return;
  }
  int32_t value = 0;
  if (!statement.Number(word, value)) return;
  auto& cfg = in.cfg;
  if (cfg.count == 3 || (cfg.count > 0 && index != cfg.first + cfg.count)) {
    statement.Fail(word, fmt::format("{} does not follow the registers before it; cfg writes up to "
                                     "3 neighbours",
                                     word.key));
    return;
  }
  if (cfg.count == 0) cfg.first = static_cast<uint8_t>(index);
  cfg.v[cfg.count++] = value;
}

void ParseField(const OpcodeInfo& info, const AsmWord& word, AsmStatement& statement,
                Instruction& in) {
  const auto at = std::find_if(info.fields.begin(), info.fields.end(),
                               [&](const FieldInfo* field) { return field->name == word.key; });
  if (at == info.fields.end()) {
    statement.Fail(word, fmt::format("{} has no field '{}'", info.mnemonic, word.key));
    return;
  }
  const std::optional<int64_t> value = ParseFieldValue(**at, word.value);
  if (value) {
    (*at)->set(in, *value);
  } else {
    statement.Fail(word, fmt::format("{}={} is not allowed here: {}", word.key, word.value,
                                     FieldValueChoices(**at)));
  }
}

void ParseWord(const OpcodeInfo& info, const AsmWord& word, AsmStatement& statement,
               Instruction& in) {
  if (word.key.empty()) {
    statement.Fail(word, fmt::format("'{}' is no KEY=VALUE", word.value));
  } else if (word.key == "wait" || word.key == "post") {
    ParseTokens(word, statement, word.key == "wait" ? in.wait : in.post);
    const uint8_t mask = word.key == "wait" ? in.wait : in.post;
    if ((mask >> static_cast<int>(in.queue) & 1) != 0) {
      statement.Fail(word, fmt::format("{} is the own queue", QueueName(in.queue)));
    }
  } else if (in.opcode == Opcode::kCfg) {
    ParseRegister(word, statement, in);
  } else {
    ParseField(info, word, statement, in);
  }
}

}  // namespace

std::optional<Instruction> ParseInstruction(const OpcodeInfo& info, AsmStatement& statement) {
  const std::vector<AsmWord>& words = statement.words();
  const size_t before = statement.errors();
  Instruction in;
  in.opcode = info.opcode;
  in.queue = info.queue;
  if (info.any_queue) {
    const QueueInfo* queue =
        words.size() < 2 || !words[1].key.empty() ? nullptr : FindQueue(words[1].value);
    if (queue == nullptr) {
      statement.Fail(words[0], fmt::format("{} needs its queue", info.mnemonic),
                     fmt::format("for example: {} mac", info.mnemonic));
      return std::nullopt;
    }
    in.queue = queue->queue;
  }
  for (size_t i = info.any_queue ? 2 : 1; i < words.size(); ++i) {
    const bool repeated = !words[i].key.empty() &&
                          std::any_of(words.begin(), words.begin() + static_cast<long>(i),
                                      [&](const AsmWord& w) { return w.key == words[i].key; });
    if (repeated) statement.Fail(words[i], fmt::format("{} a second time", words[i].key));
    if (!repeated) ParseWord(info, words[i], statement, in);
  }
  if (statement.errors() == before && in.opcode == Opcode::kCfg && in.cfg.count == 0) {
    statement.Fail("cfg writes no register");
  }
  if (statement.errors() != before) return std::nullopt;
  return in;
}

}  // namespace bw::isa
