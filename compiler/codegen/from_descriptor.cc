#include "compiler/codegen/from_descriptor.h"

#include <limits>

#include "models/status/check.h"

namespace bw::codegen {
namespace {

using isa::LoadReg;
using isa::MacReg;
using isa::PpuReg;
using isa::StoreReg;
using schedule::Operation;

template <typename Reg>
class RegisterList {
 public:
  explicit RegisterList(Operation& operation) : operation_(operation) {}
  void Set(Reg reg, int64_t value, int offset = 0) {
    BW_CHECK(value >= std::numeric_limits<int32_t>::min() &&
                 value <= std::numeric_limits<int32_t>::max(),
             "register {} = {}", static_cast<int>(reg) + offset, value);
    operation_.registers.push_back(
        {static_cast<uint8_t>(static_cast<int>(reg) + offset), static_cast<int32_t>(value)});
  }

 private:
  Operation& operation_;
};

uint32_t WholeBytes(uint64_t bits) {
  BW_CHECK(bits % 8 == 0, "bit address {} is not on a byte", bits);
  return static_cast<uint32_t>(bits / 8);
}

uint32_t Base(isa::Memory memory, uint64_t base) {
  return memory == isa::Memory::kSpm ? WholeBytes(base) : static_cast<uint32_t>(base);
}

}  // namespace

Operation FromTransfer(const isa::TransferDescriptor& t, bool store) {
  Operation operation;
  isa::Instruction& in = operation.instruction;
  in.opcode = store ? isa::Opcode::kSt : isa::Opcode::kLd;
  in.queue = store ? isa::Queue::kStore : isa::Queue::kLoad;
  // The two queues number their common registers alike.
  RegisterList<LoadReg> regs(operation);
  for (int i = 0; i < isa::kCounters; ++i) {
    const auto k = static_cast<size_t>(i);
    regs.Set(LoadReg::kcnt0, t.count[k], i);
    if (t.count[k] > 1 || (store && i == 0)) regs.Set(LoadReg::kdstr0, t.dram_stride[k], i);
    if (t.count[k] > 1) regs.Set(LoadReg::kmstr0, t.local_stride[k], i);
    if (!store) regs.Set(LoadReg::klo0, t.lo[k], i);
    // Windows are clipped to the counts: "everything" is a number that no count changes.
    constexpr int64_t kNoEnd = std::numeric_limits<int32_t>::max();
    if (!store) regs.Set(LoadReg::khi0, t.hi[k] == t.count[k] ? kNoEnd : t.hi[k], i);
  }
  if (!store) regs.Set(LoadReg::kfill, t.fill);
  regs.Set(LoadReg::kdbits, t.dram_bits);
  regs.Set(LoadReg::kmbits, t.container.bits);
  regs.Set(LoadReg::ksgn, t.container.is_signed);
  static_assert(static_cast<int>(StoreReg::ksgn) == static_cast<int>(LoadReg::ksgn) &&
                static_cast<int>(StoreReg::kdstr0) == static_cast<int>(LoadReg::kdstr0) &&
                static_cast<int>(StoreReg::kmstr0) == static_cast<int>(LoadReg::kmstr0));
  if (store) {
    BW_CHECK(t.dram_bit % 8 == 0, "store to bit {}", t.dram_bit);
    in.st.dram = t.dram_bit / 8;
    in.st.local = WholeBytes(t.local_bit);
  } else {
    in.ld.dram = t.dram_bit / 8;
    in.ld.dram_bit = static_cast<uint8_t>(t.dram_bit % 8);
    in.ld.local = WholeBytes(t.local_bit);
  }
  return operation;
}

Operation FromTable(const isa::TableDescriptor& t, isa::Opcode opcode) {
  Operation operation;
  operation.instruction.opcode = opcode;
  operation.instruction.queue = isa::Queue::kLoad;
  operation.instruction.ldp = {t.dram_byte, t.entry, t.count};
  return operation;
}

Operation FromMac(const isa::MacDescriptor& d) {
  Operation operation;
  isa::Instruction& in = operation.instruction;
  in.opcode = d.depthwise ? isa::Opcode::kDw : isa::Opcode::kMm;
  in.queue = isa::Queue::kMac;
  in.mac = {WholeBytes(d.a_bit), WholeBytes(d.b_bit), d.acc, d.bias_byte, d.init, d.pack};
  RegisterList<MacReg> regs(operation);
  regs.Set(MacReg::km0, d.m0);
  regs.Set(MacReg::km1, d.m1);
  regs.Set(MacReg::kn, d.n);
  regs.Set(MacReg::kk0, d.k0);
  regs.Set(MacReg::kk1, d.k1);
  regs.Set(MacReg::kk2, d.k2);
  const auto stride = [&](MacReg reg, int64_t count, int64_t value) {
    if (count > 1) regs.Set(reg, value);
  };
  stride(MacReg::kam0, d.m0, d.am0);
  stride(MacReg::kam1, d.m1, d.am1);
  stride(MacReg::kak0, d.k0, d.ak0);
  stride(MacReg::kak1, d.k1, d.ak1);
  stride(MacReg::kak2, d.k2, d.ak2);
  if (d.depthwise) stride(MacReg::kan, d.n, d.an);
  stride(MacReg::kbk0, d.k0, d.bk0);
  stride(MacReg::kbk1, d.k1, d.bk1);
  stride(MacReg::kbk2, d.k2, d.bk2);
  stride(MacReg::kbn, d.n, d.bn);
  stride(MacReg::kcm0, d.m0, d.cm0);
  stride(MacReg::kcm1, d.m1, d.cm1);
  regs.Set(MacReg::kx0, d.x0);
  stride(MacReg::kxm, d.m0, d.xm);
  stride(MacReg::kxk, d.k1, d.xk);
  regs.Set(MacReg::kxlim, d.xlim);
  regs.Set(MacReg::ky0, d.y0);
  stride(MacReg::kym, d.m1, d.ym);
  stride(MacReg::kyk, d.k2, d.yk);
  regs.Set(MacReg::kylim, d.ylim);
  regs.Set(MacReg::kabits, d.a.bits);
  regs.Set(MacReg::kasgn, d.a.is_signed);
  regs.Set(MacReg::kazp, d.a_zero_point);
  regs.Set(MacReg::kbbits, d.b.bits);
  regs.Set(MacReg::kbsgn, d.b.is_signed);
  regs.Set(MacReg::kbzp, d.b_zero_point);
  regs.Set(MacReg::kbzpv, d.b_zero_point_vector);
  if (d.b_zero_point_vector) regs.Set(MacReg::kbzpa, d.b_zero_point_byte);
  return operation;
}

namespace {

void SetAlign(RegisterList<PpuReg>& regs, const arith::AlignOperand& align, PpuReg first) {
  regs.Set(first, align.left_shift);
  regs.Set(first, align.multiply, 1);
  if (!align.multiply) return;
  regs.Set(first, align.m, 2);
  regs.Set(first, align.s, 3);
}

void SetWindow(RegisterList<PpuReg>& regs, const isa::PpuDescriptor& d) {
  regs.Set(PpuReg::kx0, d.x0);
  if (d.count[1] > 1) regs.Set(PpuReg::kxm, d.xm);
  if (d.count[4] > 1) regs.Set(PpuReg::kxr, d.xr);
  regs.Set(PpuReg::kxlim, d.xlim);
  regs.Set(PpuReg::ky0, d.y0);
  if (d.count[2] > 1) regs.Set(PpuReg::kym, d.ym);
  if (d.count[5] > 1) regs.Set(PpuReg::kyr, d.yr);
  regs.Set(PpuReg::kylim, d.ylim);
}

void SetOperation(RegisterList<PpuReg>& regs, const isa::PpuDescriptor& d) {
  if (d.op == isa::Opcode::kEadd) {
    SetAlign(regs, d.add.a, PpuReg::kalsh);
    SetAlign(regs, d.add.b, PpuReg::kblsh);
    regs.Set(PpuReg::ks1shift, d.add.stage1_shift);
    regs.Set(PpuReg::ks1bits, d.add.stage1_bits);
  }
  if (d.op == isa::Opcode::kLut) {
    regs.Set(PpuReg::ktlow, d.lut.low);
    regs.Set(PpuReg::kthigh, d.lut.high);
    regs.Set(PpuReg::ktk, d.lut.k);
    regs.Set(PpuReg::ktseg, d.lut.segments);
    regs.Set(PpuReg::ktinterp, d.lut.interpolate);
  }
}

}  // namespace

Operation FromPpu(const isa::PpuDescriptor& d) {
  Operation operation;
  isa::Instruction& in = operation.instruction;
  in.opcode = d.op;
  in.queue = isa::Queue::kPpu;
  in.ppu.a_base = Base(d.a_mem, d.a_base);
  in.ppu.b_base = Base(d.b_mem, d.b_base);
  in.ppu.d_base = WholeBytes(d.d_bit);
  in.ppu.param = static_cast<uint16_t>(d.param);
  in.ppu.a_mem = d.a_mem;
  in.ppu.b_mem = d.b_mem;
  in.ppu.mode = static_cast<uint8_t>(d.rounding);
  in.ppu.table = static_cast<uint8_t>(d.table);
  in.ppu.sub = d.add.subtract;
  in.ppu.neg = d.negative_set;
  RegisterList<PpuReg> regs(operation);
  const bool window = d.op == isa::Opcode::kPmax || d.op == isa::Opcode::kPsum;
  const bool requantises = d.op != isa::Opcode::kPmax && d.op != isa::Opcode::kLut;
  for (int i = 0; i < (window ? isa::kCounters : 4); ++i) {
    const auto k = static_cast<size_t>(i);
    regs.Set(PpuReg::kc0, d.count[k], i);
    if (d.count[k] == 1) continue;
    regs.Set(PpuReg::kas0, d.a_stride[k], i);
    if (i < 4 && d.HasB()) regs.Set(PpuReg::kbs0, d.b_stride[k], i);
    if (i < 4) regs.Set(PpuReg::kds0, d.d_stride[k], i);
  }
  if (window) SetWindow(regs, d);
  if (d.a_mem == isa::Memory::kSpm) {
    regs.Set(PpuReg::kabits, d.a.bits);
    regs.Set(PpuReg::kasgn, d.a.is_signed);
  }
  if (requantises) {
    regs.Set(PpuReg::kazp, d.a_zero_point);
    regs.Set(PpuReg::kpstr, d.param_stride);
  }
  if (d.HasB()) {
    regs.Set(PpuReg::kbbits, d.b.bits);
    regs.Set(PpuReg::kbsgn, d.b.is_signed);
    regs.Set(PpuReg::kbzp, d.b_zero_point);
  }
  regs.Set(PpuReg::kdbits, d.d_bits);
  SetOperation(regs, d);
  return operation;
}

}  // namespace bw::codegen
