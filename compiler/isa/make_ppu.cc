#include <fmt/format.h>

#include <optional>

#include "compiler/isa/descriptor.h"
#include "compiler/isa/register_reader.h"

namespace bw::isa {
namespace {

constexpr int kWidest = 62;  // bits of a value in front of the last multiplier

bool IsWindow(Opcode op) { return op == Opcode::kPmax || op == Opcode::kPsum; }
bool Requantises(Opcode op) { return op != Opcode::kPmax && op != Opcode::kLut; }

// Least n with |v| < 2^n.
int MagnitudeBits(int64_t v) {
  int bits = 0;
  for (uint64_t u = v < 0 ? 0 - static_cast<uint64_t>(v) : static_cast<uint64_t>(v); u != 0;
       u >>= 1) {
    ++bits;
  }
  return bits;
}

// Bits of an operand as a signed number, its zero point subtracted.
int OperandBits(Memory memory, const Container& container, int64_t zero_point,
                const hwconfig::HwConfig& config) {
  const int stored = memory == Memory::kAcc ? static_cast<int>(config.acc_bits)
                                            : container.bits + (container.is_signed ? 0 : 1);
  return zero_point == 0 ? stored : 1 + std::max(stored, MagnitudeBits(zero_point) + 1);
}

// The registers of one operand. Those without effect are left at their defaults.
class OperandReader {
 public:
  OperandReader(RegisterReader& reader, Memory memory) : reader_(reader), memory_(memory) {}

  Container ReadContainer(PpuReg bits, PpuReg sign) {
    return memory_ == Memory::kAcc ? Container{32, true} : reader_.ReadContainer(bits, sign, 32);
  }
  int64_t Step(PpuReg reg, int64_t count, const Container& container, int offset) {
    return memory_ == Memory::kAcc ? reader_.Step(reg, count, offset)
                                   : reader_.SpmStep(reg, count, container, offset);
  }
  int64_t ZeroPoint(PpuReg reg, const Container& container, const hwconfig::HwConfig& config) {
    const int64_t value =
        memory_ == Memory::kAcc ? reader_.Get(reg) : reader_.ZeroPoint(reg, container);
    if (value != 0 && !config.ppu_zero_point) {
      reader_.FailRegister(reg, fmt::format("{}, but this hardware has no zero points "
                                            "(ppu.zero_point: false)",
                                            value));
    }
    return value;
  }
  uint64_t Base(uint32_t base) const { return memory_ == Memory::kAcc ? base : uint64_t{base} * 8; }
  void Check(std::string_view field, uint64_t base, const Span& span, const Container& container,
             const hwconfig::HwConfig& config) {
    if (memory_ == Memory::kAcc) {
      reader_.CheckEntries(field, memory_, base, span, config.acc_entries);
    } else {
      reader_.CheckBits(field, memory_, base, span, container.bits, config.spm_bytes);
    }
  }

 private:
  RegisterReader& reader_;
  Memory memory_;
};

void ReadCounts(RegisterReader& reader, PpuDescriptor& d) {
  for (int i = 0; i < kCounters; ++i) {
    const bool used = i < 4 || IsWindow(d.op);
    d.count[static_cast<size_t>(i)] = used ? reader.Count(PpuReg::kc0, i) : 1;
  }
  if (d.count[4] * d.count[5] > kMaxCount) {
    reader.Fail("ppu.r0, ppu.r1", fmt::format("a window of {} x {} positions; at most {}",
                                              d.count[4], d.count[5], kMaxCount));
  }
}

void ReadOperands(RegisterReader& reader, const Instruction& in, PpuDescriptor& d,
                  const hwconfig::HwConfig& config) {
  OperandReader a(reader, d.a_mem);
  d.a = a.ReadContainer(PpuReg::kabits, PpuReg::kasgn);
  d.a_base = a.Base(in.ppu.a_base);
  for (int i = 0; i < kCounters; ++i) {
    const auto k = static_cast<size_t>(i);
    d.a_stride[k] = a.Step(PpuReg::kas0, d.count[k], d.a, i);
  }
  if (Requantises(d.op)) d.a_zero_point = a.ZeroPoint(PpuReg::kazp, d.a, config);
  if (!d.HasB()) return;
  OperandReader b(reader, d.b_mem);
  d.b = b.ReadContainer(PpuReg::kbbits, PpuReg::kbsgn);
  d.b_base = b.Base(in.ppu.b_base);
  for (int i = 0; i < 4; ++i) {
    const auto k = static_cast<size_t>(i);
    d.b_stride[k] = b.Step(PpuReg::kbs0, d.count[k], d.b, i);
  }
  d.b_zero_point = b.ZeroPoint(PpuReg::kbzp, d.b, config);
}

void ReadResult(RegisterReader& reader, const Instruction& in, PpuDescriptor& d) {
  d.d_bits = reader.ReadBits(PpuReg::kdbits, 32);
  d.d_bit = uint64_t{in.ppu.d_base} * 8;
  for (int i = 0; i < 4; ++i) {
    const auto k = static_cast<size_t>(i);
    d.d_stride[k] = reader.SpmStep(PpuReg::kds0, d.count[k], {d.d_bits, true}, i);
  }
}

void ReadWindow(RegisterReader& reader, PpuDescriptor& d) {
  if (!IsWindow(d.op)) return;
  d.x0 = reader.Get(PpuReg::kx0);
  d.xm = reader.Step(PpuReg::kxm, d.count[1]);
  d.xr = reader.Step(PpuReg::kxr, d.count[4]);
  d.xlim = reader.Get(PpuReg::kxlim);
  d.y0 = reader.Get(PpuReg::ky0);
  d.ym = reader.Step(PpuReg::kym, d.count[2]);
  d.yr = reader.Step(PpuReg::kyr, d.count[5]);
  d.ylim = reader.Get(PpuReg::kylim);
}

void ReadParams(RegisterReader& reader, const Instruction& in, PpuDescriptor& d,
                const hwconfig::HwConfig& config) {
  if (!Requantises(d.op)) return;
  d.negative_set = in.ppu.neg;
  d.param = in.ppu.param;
  d.param_stride = reader.Flag(PpuReg::kpstr) ? 1 : 0;
  reader.CheckEntries("param", Memory::kParam, d.param, SpanOf({d.count[0], d.param_stride}),
                      config.ppu_param_entries);
  d.rounding = static_cast<arith::Rounding>(in.ppu.mode);
  if (!config.HasMode(d.rounding)) {
    reader.Fail("mode", fmt::format("{} is not among ppu.modes of this hardware",
                                    arith::ToString(d.rounding)));
  }
}

struct AlignRegisters {
  PpuReg left, multiply, m, shift;
};

// One operand of an elementwise add; `bits` is its width, and then the width once aligned.
arith::AlignOperand ReadAlign(RegisterReader& reader, const AlignRegisters& regs,
                              int64_t zero_point, const hwconfig::HwConfig& config, int& bits) {
  arith::AlignOperand made;
  made.zp = zero_point;
  made.left_shift = static_cast<int>(reader.InRange(regs.left, 0, 31));
  made.multiply = reader.Flag(regs.multiply);
  bits += made.left_shift;
  if (bits > kWidest) {
    reader.FailRegister(regs.left, fmt::format("{} makes the operand {} bits wide, more than {}",
                                               made.left_shift, bits, kWidest));
  }
  if (!made.multiply) return made;
  made.m = reader.InRange(regs.m, 0, std::numeric_limits<int32_t>::max());
  made.s = static_cast<int>(
      reader.InRange(regs.shift, -config.ppu_left_shift_max, config.ppu_shift_max));
  bits = std::max(1, bits + MagnitudeBits(made.m) - made.s) + 1;  // + 1: rounding
  if (bits > kWidest) {
    reader.FailRegister(regs.shift, fmt::format("{} makes the operand {} bits wide, more than {}",
                                                made.s, bits, kWidest));
  }
  return made;
}

void ReadAdd(RegisterReader& reader, const Instruction& in, PpuDescriptor& d,
             const hwconfig::HwConfig& config) {
  int a_bits = OperandBits(d.a_mem, d.a, d.a_zero_point, config);
  int b_bits = OperandBits(d.b_mem, d.b, d.b_zero_point, config);
  d.add.a = ReadAlign(reader, {PpuReg::kalsh, PpuReg::kamul, PpuReg::kam, PpuReg::kashift},
                      d.a_zero_point, config, a_bits);
  d.add.b = ReadAlign(reader, {PpuReg::kblsh, PpuReg::kbmul, PpuReg::kbm, PpuReg::kbshift},
                      d.b_zero_point, config, b_bits);
  d.add.subtract = in.ppu.sub;
  const int64_t stage1_bits = reader.Get(PpuReg::ks1bits);
  if (stage1_bits == 0) return;
  d.add.stage1_bits = static_cast<int>(reader.InRange(PpuReg::ks1bits, 2, 32));
  d.add.stage1_shift = static_cast<int>(reader.InRange(PpuReg::ks1shift, 0, kWidest));
}

void ReadLookup(RegisterReader& reader, const Instruction& in, PpuDescriptor& d,
                const hwconfig::HwConfig& config) {
  d.table = in.ppu.table;
  d.lut.low = reader.Get(PpuReg::ktlow);
  d.lut.high = reader.Get(PpuReg::kthigh);
  d.lut.k = static_cast<int>(reader.InRange(PpuReg::ktk, 0, 30));
  d.lut.segments = static_cast<int>(reader.InRange(PpuReg::ktseg, 1, config.lut_segments));
  d.lut.interpolate = reader.Flag(PpuReg::ktinterp);
  reader.CheckEntries("table", Memory::kLut, d.table, {}, config.lut_tables);
  if (!reader.ok()) return;
  if (d.lut.interpolate && config.lut_mode != hwconfig::LutMode::kInterpolate) {
    reader.FailRegister(PpuReg::ktinterp, fmt::format("1, but lut.mode of this hardware is {}",
                                                      hwconfig::ToString(config.lut_mode)));
  }
  if (!arith::IsValid(d.lut) || arith::LutEntries(d.lut) > config.lut_segments + 1) {
    reader.FailRegister(PpuReg::kthigh,
                        fmt::format("keys {}..{} in steps of 2^{} need more than {} segments",
                                    d.lut.low, d.lut.high, d.lut.k, d.lut.segments));
  }
}

void CheckOperands(RegisterReader& reader, const PpuDescriptor& d,
                   const hwconfig::HwConfig& config) {
  const auto axis = [](const auto& strides, const PpuDescriptor& of, size_t i) {
    return Axis{of.count[i], strides[i]};
  };
  const WindowAxes x{axis(d.a_stride, d, 1), axis(d.a_stride, d, 4), d.x0, d.xm, d.xr, d.xlim};
  const WindowAxes y{axis(d.a_stride, d, 2), axis(d.a_stride, d, 5), d.y0, d.ym, d.yr, d.ylim};
  const std::optional<Span> x_span = SpanInside(x);
  const std::optional<Span> y_span = SpanInside(y);
  if (x_span && y_span) {
    OperandReader(reader, d.a_mem)
        .Check("a_base", d.a_base,
               *x_span + *y_span + SpanOf(axis(d.a_stride, d, 0)) + SpanOf(axis(d.a_stride, d, 3)),
               d.a, config);
  }
  if (d.op == Opcode::kPmax && !(EveryWindowHoldsAPosition(x) && EveryWindowHoldsAPosition(y))) {
    reader.Fail("ppu.xlim, ppu.ylim", "a window lies outside as a whole and has no maximum");
  }
  if (!d.HasB()) return;
  Span b;
  for (size_t i = 0; i < 4; ++i) b = b + SpanOf(axis(d.b_stride, d, i));
  OperandReader(reader, d.b_mem).Check("b_base", d.b_base, b, d.b, config);
}

void CheckResult(RegisterReader& reader, const PpuDescriptor& d, const hwconfig::HwConfig& config) {
  std::vector<Axis> axes;
  Span span;
  for (size_t i = 0; i < 4; ++i) {
    axes.push_back({d.count[i], d.d_stride[i]});
    span = span + SpanOf(axes.back());
  }
  reader.CheckBits("d_base", Memory::kSpm, d.d_bit, span, d.d_bits, config.spm_bytes);
  if (!IsWithoutOverlap(axes, d.d_bits)) {
    reader.Fail("ppu.ds0..3", "two results would be written to the same place");
  }
}

// Sums and products must stay within what the arithmetic takes.
void CheckWidths(RegisterReader& reader, const PpuDescriptor& d, const hwconfig::HwConfig& config) {
  const int a_bits = OperandBits(d.a_mem, d.a, d.a_zero_point, config);
  if (d.op == Opcode::kEmul) {
    const int b_bits = OperandBits(d.b_mem, d.b, d.b_zero_point, config);
    if (a_bits + b_bits > 64) {
      reader.Fail(
          "ppu.abits, ppu.bbits",
          fmt::format("operands of {} and {} bits; their product has 64 at most", a_bits, b_bits));
    }
  }
  if (d.op == Opcode::kPsum) {
    const int sum_bits = a_bits + MagnitudeBits(d.count[4]) + MagnitudeBits(d.count[5]);
    if (sum_bits > kWidest) {
      reader.Fail("ppu.r0, ppu.r1", fmt::format("the sum of {} x {} values is up to {} bits wide, "
                                                "more than {}",
                                                d.count[4], d.count[5], sum_bits, kWidest));
    }
  }
}

}  // namespace

Result<PpuDescriptor> MakePpu(const Instruction& instruction, const Registers& registers,
                              const hwconfig::HwConfig& config) {
  BW_CHECK(instruction.queue == Queue::kPpu, "queue {}", static_cast<int>(instruction.queue));
  RegisterReader reader(Queue::kPpu, registers);
  PpuDescriptor d;
  d.op = instruction.opcode;
  d.a_mem = instruction.ppu.a_mem;
  d.b_mem = d.HasB() ? instruction.ppu.b_mem : Memory::kSpm;
  ReadCounts(reader, d);
  ReadOperands(reader, instruction, d, config);
  ReadResult(reader, instruction, d);
  ReadWindow(reader, d);
  if (!reader.ok()) return reader.TakeErrors();
  ReadParams(reader, instruction, d, config);
  if (d.op == Opcode::kEadd) ReadAdd(reader, instruction, d, config);
  if (d.op == Opcode::kLut) ReadLookup(reader, instruction, d, config);
  CheckOperands(reader, d, config);
  CheckResult(reader, d, config);
  CheckWidths(reader, d, config);
  if (!reader.ok()) return reader.TakeErrors();
  return d;
}

}  // namespace bw::isa
