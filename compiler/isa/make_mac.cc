#include <fmt/format.h>

#include <optional>

#include "compiler/isa/descriptor.h"
#include "compiler/isa/register_reader.h"

namespace bw::isa {
namespace {

void ReadCounts(RegisterReader& reader, MacDescriptor& d) {
  d.m0 = reader.Count(MacReg::km0);
  d.m1 = reader.Count(MacReg::km1);
  d.n = reader.Count(MacReg::kn);
  d.k0 = reader.Count(MacReg::kk0);
  d.k1 = reader.Count(MacReg::kk1);
  d.k2 = reader.Count(MacReg::kk2);
  if (d.depthwise && d.k0 != 1) {
    reader.FailRegister(MacReg::kk0, fmt::format("{} input channels, but dw takes 1", d.k0));
  }
}

// B is read as a whole; more elements than the scratchpad has nibbles would only repeat some.
void CheckWork(RegisterReader& reader, const MacDescriptor& d, const hwconfig::HwConfig& config) {
  const auto elements = arith::Int128{d.n} * d.k0 * d.k1 * d.k2;
  if (elements <= 2 * config.spm_bytes) return;
  reader.Fail("mac.n, mac.k0, mac.k1, mac.k2",
              fmt::format("{} x {} x {} x {} elements of B; at most {} fit the scratchpad", d.n,
                          d.k0, d.k1, d.k2, 2 * config.spm_bytes));
}

void ReadStrides(RegisterReader& reader, MacDescriptor& d) {
  d.am0 = reader.SpmStep(MacReg::kam0, d.m0, d.a);
  d.am1 = reader.SpmStep(MacReg::kam1, d.m1, d.a);
  d.ak0 = reader.SpmStep(MacReg::kak0, d.k0, d.a);
  d.ak1 = reader.SpmStep(MacReg::kak1, d.k1, d.a);
  d.ak2 = reader.SpmStep(MacReg::kak2, d.k2, d.a);
  d.an = d.depthwise ? reader.SpmStep(MacReg::kan, d.n, d.a) : 0;
  d.bk0 = reader.SpmStep(MacReg::kbk0, d.k0, d.b);
  d.bk1 = reader.SpmStep(MacReg::kbk1, d.k1, d.b);
  d.bk2 = reader.SpmStep(MacReg::kbk2, d.k2, d.b);
  d.bn = reader.SpmStep(MacReg::kbn, d.n, d.b);
  d.cm0 = reader.Step(MacReg::kcm0, d.m0);
  d.cm1 = reader.Step(MacReg::kcm1, d.m1);
}

void ReadWindow(RegisterReader& reader, MacDescriptor& d) {
  d.x0 = reader.Get(MacReg::kx0);
  d.xm = reader.Step(MacReg::kxm, d.m0);
  d.xk = reader.Step(MacReg::kxk, d.k1);
  d.xlim = reader.Get(MacReg::kxlim);
  d.y0 = reader.Get(MacReg::ky0);
  d.ym = reader.Step(MacReg::kym, d.m1);
  d.yk = reader.Step(MacReg::kyk, d.k2);
  d.ylim = reader.Get(MacReg::kylim);
}

void ReadZeroPoints(RegisterReader& reader, MacDescriptor& d) {
  d.a_zero_point = reader.ZeroPoint(MacReg::kazp, d.a);
  d.b_zero_point_vector = reader.Flag(MacReg::kbzpv);
  if (!d.b_zero_point_vector) {
    d.b_zero_point = reader.ZeroPoint(MacReg::kbzp, d.b);
    return;
  }
  d.b_zero_point_byte =
      static_cast<uint32_t>(reader.InRange(MacReg::kbzpa, 0, std::numeric_limits<int32_t>::max()));
}

// Operand A is touched only where x and y are inside.
void CheckA(RegisterReader& reader, const MacDescriptor& d, int64_t spm_bytes) {
  const std::optional<Span> x =
      SpanInside({{d.m0, d.am0}, {d.k1, d.ak1}, d.x0, d.xm, d.xk, d.xlim});
  const std::optional<Span> y =
      SpanInside({{d.m1, d.am1}, {d.k2, d.ak2}, d.y0, d.ym, d.yk, d.ylim});
  if (!x || !y) return;
  reader.CheckBits("a_base", Memory::kSpm, d.a_bit,
                   *x + *y + SpanOf({d.k0, d.ak0}) + SpanOf({d.n, d.an}), d.a.bits, spm_bytes);
}

void CheckVector(RegisterReader& reader, std::string_view place, uint64_t byte, int64_t n,
                 int64_t spm_bytes) {
  reader.CheckBits(place, Memory::kSpm, byte * 8, SpanOf({n, 32}), 32, spm_bytes);
}

void CheckAddresses(RegisterReader& reader, const MacDescriptor& d,
                    const hwconfig::HwConfig& config) {
  CheckA(reader, d, config.spm_bytes);
  reader.CheckBits(
      "b_base", Memory::kSpm, d.b_bit,
      SpanOf({d.k0, d.bk0}) + SpanOf({d.k1, d.bk1}) + SpanOf({d.k2, d.bk2}) + SpanOf({d.n, d.bn}),
      d.b.bits, config.spm_bytes);
  if (d.init == AccInit::kBias) {
    CheckVector(reader, "bias_base", d.bias_byte, d.n, config.spm_bytes);
  }
  if (d.b_zero_point_vector) {
    CheckVector(reader, RegisterName(Queue::kMac, static_cast<int>(MacReg::kbzpa)),
                d.b_zero_point_byte, d.n, config.spm_bytes);
  }
  reader.CheckEntries("acc_base", Memory::kAcc, d.acc,
                      SpanOf({d.m0, d.cm0}) + SpanOf({d.m1, d.cm1}) + SpanOf({d.n, 1}),
                      config.acc_entries);
  if (!IsWithoutOverlap({{d.m0, d.cm0}, {d.m1, d.cm1}, {d.n, 1}}, 1)) {
    reader.Fail("mac.cm0, mac.cm1",
                fmt::format("with {} and {} two outputs of {} channels share accumulators", d.cm0,
                            d.cm1, d.n));
  }
}

}  // namespace

Result<MacDescriptor> MakeMac(const Instruction& instruction, const Registers& registers,
                              const hwconfig::HwConfig& config) {
  BW_CHECK(instruction.queue == Queue::kMac, "queue {}", static_cast<int>(instruction.queue));
  RegisterReader reader(Queue::kMac, registers);
  MacDescriptor d;
  d.depthwise = instruction.opcode == Opcode::kDw;
  d.pack = instruction.mac.pack;
  d.init = instruction.mac.init;
  d.a_bit = uint64_t{instruction.mac.a_base} * 8;
  d.b_bit = uint64_t{instruction.mac.b_base} * 8;
  d.acc = instruction.mac.acc_base;
  d.bias_byte = instruction.mac.bias_base;
  d.a = reader.ReadContainer(MacReg::kabits, MacReg::kasgn, 16);
  d.b = reader.ReadContainer(MacReg::kbbits, MacReg::kbsgn, 16);
  ReadCounts(reader, d);
  CheckWork(reader, d, config);
  ReadStrides(reader, d);
  ReadWindow(reader, d);
  ReadZeroPoints(reader, d);
  if (reader.ok()) CheckAddresses(reader, d, config);
  if (!reader.ok()) return reader.TakeErrors();
  return d;
}

}  // namespace bw::isa
