#include "sim/cosim/inject.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace bw::cosim {
namespace {

struct Name {
  Fault fault;
  const char* text;
};
constexpr Name kNames[] = {{Fault::kDropToken, "drop-token"},
                           {Fault::kDmaOffByOne, "dma-off-by-one"},
                           {Fault::kMultiplierBit, "multiplier-bit"}};

Error InjectError(std::string message) {
  return Error{"",
               0,
               0,
               "--inject",
               std::move(message),
               "one of drop-token:INSTRUCTION, dma-off-by-one:BEAT, multiplier-bit:BIT"};
}

// The lowest queue whose bit is set.
int FirstQueue(uint8_t mask) {
  int queue = 0;
  while (((mask >> queue) & 1) == 0) ++queue;
  return queue;
}

}  // namespace

Result<Injection> ParseInjection(const std::string& text) {
  if (text.empty()) return Injection{};
  const size_t colon = std::min(text.find(':'), text.size());
  const std::string name = text.substr(0, colon);
  for (const Name& known : kNames) {
    if (name != known.text) continue;
    Injection injection{known.fault, 0};
    const char* first = text.data() + std::min(colon + 1, text.size());
    const char* last = text.data() + text.size();
    const auto [end, code] = std::from_chars(first, last, injection.at);
    if (code != std::errc{} || end != last) {
      return InjectError(fmt::format("'{}' has no number behind the colon", text));
    }
    if (injection.fault == Fault::kMultiplierBit && injection.at > 30) {
      return InjectError(fmt::format("bit {}; multipliers have bits 0..30", injection.at));
    }
    return injection;
  }
  return InjectError(fmt::format("unknown fault '{}'", name));
}

Status CheckInjection(const Injection& injection, const std::vector<std::string>& executors) {
  std::vector<std::string> able;
  switch (injection.fault) {
    case Fault::kNone:
      return OkStatus();
    case Fault::kDropToken:
      able = {"iss", "sysc", "rtl"};
      break;
    case Fault::kDmaOffByOne:
      able = {"sysc", "rtl"};
      break;
    case Fault::kMultiplierBit:
      able = {"rtl"};
      break;
  }
  for (const std::string& name : able) {
    if (std::count(executors.begin(), executors.end(), name) != 0) return OkStatus();
  }
  return Error{"",
               0,
               0,
               "--inject",
               fmt::format("{} acts on none of the executors chosen", ToString(injection)),
               fmt::format("add {} to --executors", fmt::join(able, " or "))};
}

std::string ToString(const Injection& injection) {
  for (const Name& known : kNames) {
    if (known.fault == injection.fault) return fmt::format("{}:{}", known.text, injection.at);
  }
  return "";
}

Status DropToken(isa::Program& program, uint32_t from) {
  uint32_t at = from;
  isa::Instruction waiter;
  for (; at < program.code.size(); ++at) {
    BW_ASSIGN_OR_RETURN(waiter, isa::Decode(program.code[at]));
    if (waiter.wait != 0) break;
  }
  if (at >= program.code.size()) {
    return InjectError(fmt::format("no instruction from {} on waits for a token; there are {}",
                                   from, program.code.size()));
  }
  const int giver = FirstQueue(waiter.wait);
  const auto waits = static_cast<uint8_t>(1 << giver);
  const auto posts = static_cast<uint8_t>(1 << static_cast<int>(waiter.queue));
  // Tokens of a queue pair are counted: the n-th wait takes the n-th post.
  int64_t number = 0;
  for (uint32_t i = 0; i < at; ++i) {
    BW_ASSIGN_OR_RETURN(const isa::Instruction other, isa::Decode(program.code[i]));
    number += other.queue == waiter.queue && (other.wait & waits) != 0;
  }
  for (uint32_t i = 0; i < at; ++i) {
    BW_ASSIGN_OR_RETURN(isa::Instruction poster, isa::Decode(program.code[i]));
    if (static_cast<int>(poster.queue) != giver || (poster.post & posts) == 0) continue;
    if (number-- > 0) continue;
    poster.post = static_cast<uint8_t>(poster.post & ~posts);
    program.code[i] = isa::Encode(poster);
    waiter.wait = static_cast<uint8_t>(waiter.wait & ~waits);
    program.code[at] = isa::Encode(waiter);
    return OkStatus();
  }
  return InjectError(fmt::format("the token of instruction {} has no post before it", at));
}

}  // namespace bw::cosim
