// Reads and checks registers and the address ranges that they span; collects what is wrong.
#ifndef COMPILER_ISA_REGISTER_READER_H_
#define COMPILER_ISA_REGISTER_READER_H_

#include <cstdint>
#include <string_view>
#include <utility>

#include "compiler/isa/descriptor.h"
#include "compiler/isa/interval.h"

namespace bw::isa {

class RegisterReader {
 public:
  RegisterReader(Queue queue, const Registers& registers) : queue_(queue), registers_(registers) {}

  template <typename Reg>
  int64_t Get(Reg reg, int offset = 0) const {
    return registers_[static_cast<size_t>(reg) + static_cast<size_t>(offset)];
  }
  // The value, or `min` and an error when it is outside min..max.
  template <typename Reg>
  int64_t InRange(Reg reg, int64_t min, int64_t max, int offset = 0) {
    return Limited(static_cast<int>(reg) + offset, min, max);
  }
  template <typename Reg>
  int64_t Count(Reg reg, int offset = 0) {
    return InRange(reg, 1, kMaxCount, offset);
  }
  template <typename Reg>
  bool Flag(Reg reg) {
    return InRange(reg, 0, 1) != 0;
  }
  // Step of a counter; without effect, and so 0, when it counts to 1.
  template <typename Reg>
  int64_t Step(Reg reg, int64_t count, int offset = 0) const {
    return count > 1 ? Get(reg, offset) : 0;
  }
  // The same in bits of the scratchpad: containers start on nibbles (4 bits) or bytes (the others).
  template <typename Reg>
  int64_t SpmStep(Reg reg, int64_t count, const Container& container, int offset = 0) {
    const int64_t step = Step(reg, count, offset);
    const int unit = container.bits < 8 ? container.bits : 8;
    if (step % unit != 0) NotAMultiple(static_cast<int>(reg) + offset, step, unit);
    return step;
  }
  template <typename Reg>
  Container ReadContainer(Reg bits, Reg sign, int widest) {
    return {ReadBits(bits, widest), Flag(sign)};
  }
  template <typename Reg>
  int ReadBits(Reg bits, int widest) {
    return ContainerBits(static_cast<int>(bits), widest);
  }
  // Zero points are values that the container can hold, signed or not.
  template <typename Reg>
  int64_t ZeroPoint(Reg reg, const Container& container) {
    return InRange(reg, -(int64_t{1} << (container.bits - 1)), (int64_t{1} << container.bits) - 1);
  }

  // Elements of `width` bits at base + span of a memory of `bytes` bytes.
  void CheckBits(std::string_view field, Memory memory, uint64_t base, const Span& span, int width,
                 int64_t bytes);
  // The same in entries of one unit.
  void CheckEntries(std::string_view field, Memory memory, uint64_t base, const Span& span,
                    int64_t entries);
  void Fail(std::string_view place, std::string message);
  // place: the register's name.
  template <typename Reg>
  void FailRegister(Reg reg, std::string message, int offset = 0) {
    Fail(RegisterName(queue_, static_cast<int>(reg) + offset), std::move(message));
  }

  bool ok() const { return errors_.empty(); }
  Errors TakeErrors() { return std::move(errors_); }

 private:
  int64_t Limited(int index, int64_t min, int64_t max);
  int ContainerBits(int index, int widest);
  void NotAMultiple(int index, int64_t value, int unit);

  Queue queue_;
  const Registers& registers_;
  Errors errors_;
};

// "scratchpad", "accumulator memory", ...
std::string_view MemoryName(Memory memory);

}  // namespace bw::isa

#endif  // COMPILER_ISA_REGISTER_READER_H_
