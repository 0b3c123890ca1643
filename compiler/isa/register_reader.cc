#include "compiler/isa/register_reader.h"

#include <fmt/format.h>

namespace bw::isa {
namespace {

// floor(bits / 8), for messages about addresses in front of the memory too.
int64_t FloorByte(int64_t bits) { return bits >> 3; }

}  // namespace

std::string_view MemoryName(Memory memory) {
  switch (memory) {
    case Memory::kSpm:
      return "scratchpad";
    case Memory::kAcc:
      return "accumulators";
    case Memory::kParam:
      return "parameter memory";
    case Memory::kLut:
      return "lookup tables";
    case Memory::kDram:
      return "DRAM";
  }
  return "no memory";
}

void RegisterReader::Fail(std::string_view place, std::string message) {
  Error error;
  error.place = std::string(place);
  error.message = std::move(message);
  errors_.push_back(std::move(error));
}

int64_t RegisterReader::Limited(int index, int64_t min, int64_t max) {
  const int64_t value = registers_[static_cast<size_t>(index)];
  if (value >= min && value <= max) return value;
  Fail(RegisterName(queue_, index), fmt::format("{} is outside {}..{}", value, min, max));
  return min;
}

int RegisterReader::ContainerBits(int index, int widest) {
  const int32_t bits = registers_[static_cast<size_t>(index)];
  if ((bits == 4 || bits == 8 || bits == 16 || bits == 32) && bits <= widest) return bits;
  Fail(RegisterName(queue_, index), fmt::format("{} is no container here, which have 4, 8{} bits",
                                                bits, widest == 32 ? ", 16 or 32" : " or 16"));
  return 8;
}

void RegisterReader::NotAMultiple(int index, int64_t value, int unit) {
  Fail(RegisterName(queue_, index),
       fmt::format("{} bits is not a multiple of {}, where containers start", value, unit));
}

void RegisterReader::CheckBits(std::string_view field, Memory memory, uint64_t base,
                               const Span& span, int width, int64_t bytes) {
  const auto first = static_cast<int64_t>(base) + span.lo;
  const auto last = static_cast<int64_t>(base) + span.hi + width - 1;
  if (first >= 0 && last < bytes * 8) return;
  Fail(field, fmt::format("{} reaches bytes {}..{} of the {}, which has 0..{}", base / 8,
                          FloorByte(first), FloorByte(last), MemoryName(memory), bytes - 1));
}

void RegisterReader::CheckEntries(std::string_view field, Memory memory, uint64_t base,
                                  const Span& span, int64_t entries) {
  const auto first = static_cast<int64_t>(base) + span.lo;
  const auto last = static_cast<int64_t>(base) + span.hi;
  if (first >= 0 && last < entries) return;
  Fail(field, fmt::format("{} reaches entries {}..{} of the {}, which has 0..{}", base, first, last,
                          MemoryName(memory), entries - 1));
}

}  // namespace bw::isa
