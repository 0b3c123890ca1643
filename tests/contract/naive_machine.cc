#include "tests/contract/naive_machine.h"

#include <algorithm>
#include <functional>
#include <map>

#include "compiler/isa/tables.h"

namespace bw::contract {
namespace {

using isa::Memory;
using isa::Opcode;
using oracle::Wide;

constexpr size_t kM = 0, kM2 = 1, kZp = 2, kLo = 3, kHi = 4, kS = 5, kS2 = 6;

// By the codes of NUMERICS.md section 1 as rounding.def numbers them.
oracle::Rule RuleOf(int mode) {
  constexpr oracle::Rule kRules[] = {oracle::Rule::kDown, oracle::Rule::kTowardZero,
                                     oracle::Rule::kTieUp, oracle::Rule::kTieAway,
                                     oracle::Rule::kTieEven};
  BW_CHECK(mode >= 0 && mode < 5, "mode {}", mode);
  return kRules[mode];
}

Wide Scale(Wide x, int64_t m, int64_t s, int mode) {
  if (s < 0) return x * m * oracle::PowerOfTwo(static_cast<int>(-s));
  return oracle::Round(x * m, oracle::PowerOfTwo(static_cast<int>(s)), RuleOf(mode));
}

// v modulo 2^bits, in the signed range.
int64_t Wrap(Wide v, int bits) {
  const Wide size = oracle::PowerOfTwo(bits);
  Wide rest = v % size;
  if (rest < 0) rest += size;
  return static_cast<int64_t>(rest >= size / 2 ? rest - size : rest);
}

using Index = std::array<int64_t, 6>;

void ForEach(const Index& count, const std::function<void(const Index&)>& visit) {
  Index c{};
  for (c[5] = 0; c[5] < count[5]; ++c[5])
    for (c[4] = 0; c[4] < count[4]; ++c[4])
      for (c[3] = 0; c[3] < count[3]; ++c[3])
        for (c[2] = 0; c[2] < count[2]; ++c[2])
          for (c[1] = 0; c[1] < count[1]; ++c[1])
            for (c[0] = 0; c[0] < count[0]; ++c[0]) visit(c);
}

bool Inside(int64_t v, int64_t limit) { return v >= 0 && v < limit; }

}  // namespace

NaiveMachine::NaiveMachine(const isa::Program& program, std::vector<uint8_t> dram)
    : program_(program),
      dram_(std::move(dram)),
      spm_(static_cast<size_t>(program.config.spm_bytes)),
      spm_written_(spm_.size()),
      acc_(static_cast<size_t>(program.config.acc_entries)),
      param_(static_cast<size_t>(program.config.ppu_param_entries)),
      lut_(static_cast<size_t>(program.config.lut_tables * (program.config.lut_segments + 1))) {}

int64_t NaiveMachine::R(const std::string& name, int number) const {
  const std::string full = number < 0 ? name : name + std::to_string(number);
  static std::map<std::pair<isa::Queue, std::string>, int> known;
  const auto [at, fresh] = known.emplace(std::make_pair(queue_, full), 0);
  if (fresh) at->second = isa::FindRegisterIndex(queue_, full);
  const int index = at->second;
  BW_CHECK(index >= 0, "register {}", full);
  return registers_[static_cast<size_t>(queue_)][static_cast<size_t>(index)];
}

int64_t NaiveMachine::Read(const Operand& operand, int64_t offset) {
  if (operand.memory == Memory::kAcc) return ReadAcc(operand.base + offset);
  return ReadSpm(operand.base + offset, operand.bits, operand.is_signed);
}

void NaiveMachine::Run() {
  for (isa::Registers& file : registers_) file.fill(0);
  for (const isa::Segment& segment : program_.segments) {
    for (uint32_t i = segment.first; i < segment.first + segment.count; ++i) {
      current_ = i;
      Step(isa::Decode(program_.code[i]).value());
    }
    for (const isa::HostOp& op : segment.host_ops) RunHost(op);
  }
}

void NaiveMachine::Step(const isa::Instruction& in) {
  queue_ = in.queue;
  switch (in.opcode) {
    case Opcode::kHalt:
    case Opcode::kFence:
      return;
    case Opcode::kCfg:
      for (int i = 0; i < in.cfg.count; ++i) {
        registers_[static_cast<size_t>(queue_)][static_cast<size_t>(in.cfg.first + i)] =
            in.cfg.v[static_cast<size_t>(i)];
      }
      return;
    case Opcode::kLd:
      return Load(in);
    case Opcode::kLdp:
      return LoadParameters(in);
    case Opcode::kLdt:
      return LoadTable(in);
    case Opcode::kSt:
      return Store(in);
    case Opcode::kMm:
    case Opcode::kDw:
      return Multiply(in);
    case Opcode::kRq:
    case Opcode::kEadd:
    case Opcode::kEmul:
    case Opcode::kPmax:
    case Opcode::kPsum:
    case Opcode::kLut:
      return PostProcess(in);
  }
}

std::array<int64_t, 6> NaiveMachine::Six(const std::string& name) const {
  std::array<int64_t, 6> values{};
  for (int i = 0; i < 6; ++i) values[static_cast<size_t>(i)] = R(name, i);
  return values;
}

void NaiveMachine::Load(const isa::Instruction& in) {
  const Index dstr = Six("dstr"), mstr = Six("mstr"), lo = Six("lo"), hi = Six("hi");
  const auto dram_bits = static_cast<int>(R("dbits")), bits = static_cast<int>(R("mbits"));
  const bool is_signed = R("sgn") == 1;
  const int64_t fill = R("fill");
  ForEach(Six("cnt"), [&](const Index& c) {
    auto dram = static_cast<int64_t>(in.ld.dram) * 8 + in.ld.dram_bit;
    int64_t local = int64_t{in.ld.local} * 8;
    bool inside = true;
    for (size_t i = 0; i < 6; ++i) {
      dram += c[i] * dstr[i];
      local += c[i] * mstr[i];
      inside = inside && c[i] >= lo[i] && c[i] < hi[i];
    }
    WriteSpm(local, bits, inside ? ReadDram(dram, dram_bits, is_signed) : fill);
  });
}

void NaiveMachine::Store(const isa::Instruction& in) {
  const Index count = Six("cnt"), dstr = Six("dstr"), mstr = Six("mstr");
  const auto bits = static_cast<int>(R("dbits")), container = static_cast<int>(R("mbits"));
  ForEach(count, [&](const Index& c) {
    auto dram = static_cast<int64_t>(in.st.dram) * 8 + c[0] * bits;
    int64_t local = int64_t{in.st.local} * 8 + c[0] * mstr[0];
    for (size_t i = 1; i < 6; ++i) {
      dram += c[i] * dstr[i];
      local += c[i] * mstr[i];
    }
    WriteDram(dram, bits, ReadSpm(local, container, false));
    if (c[0] + 1 < count[0]) return;
    for (int64_t spare = dram + bits; spare % 8 != 0; ++spare) WriteDram(spare, 1, 0);
  });
}

void NaiveMachine::LoadParameters(const isa::Instruction& in) {
  for (uint32_t i = 0; i < in.ldp.count; ++i) {
    const auto at = static_cast<int64_t>(in.ldp.dram + uint64_t{i} * 24) * 8;
    ReadDram(at + 176, 16, false);  // the spare bytes
    param_.at(in.ldp.entry + i) = {ReadDram(at, 32, false),      ReadDram(at + 32, 32, false),
                                   ReadDram(at + 64, 32, true),  ReadDram(at + 96, 32, true),
                                   ReadDram(at + 128, 32, true), ReadDram(at + 160, 8, true),
                                   ReadDram(at + 168, 8, true)};
    NoteWrite(Memory::kParam, in.ldp.entry + i);
  }
}

void NaiveMachine::LoadTable(const isa::Instruction& in) {
  for (uint32_t i = 0; i < in.ldp.count; ++i) {
    lut_.at(in.ldp.entry + i) =
        ReadDram(static_cast<int64_t>(in.ldp.dram + uint64_t{i} * 4) * 8, 32, true);
    NoteWrite(Memory::kLut, in.ldp.entry + i);
  }
}

void NaiveMachine::Multiply(const isa::Instruction& in) {
  const bool depthwise = in.opcode == Opcode::kDw;
  const auto a_bits = static_cast<int>(R("abits")), b_bits = static_cast<int>(R("bbits"));
  const bool a_signed = R("asgn") == 1, b_signed = R("bsgn") == 1;
  const Index am = {R("am0"), R("am1"), depthwise ? R("an") : 0, R("ak0"), R("ak1"), R("ak2")};
  const Index b_step = {0, 0, R("bn"), R("bk0"), R("bk1"), R("bk2")};
  const std::array<int64_t, 4> x = {R("x0"), R("xm"), R("xk"), R("xlim")};
  const std::array<int64_t, 4> y = {R("y0"), R("ym"), R("yk"), R("ylim")};
  const int64_t azp = R("azp"), k0 = R("k0"), k1 = R("k1"), k2 = R("k2");
  ForEach({R("m0"), R("m1"), R("n"), 1, 1, 1}, [&](const Index& m) {
    const int64_t b_zero = R("bzpv") == 1 ? Word(R("bzpa") + 4 * m[2]) : R("bzp");
    const int64_t entry = in.mac.acc_base + m[0] * R("cm0") + m[1] * R("cm1") + m[2];
    Wide sum = 0;
    if (in.mac.init == isa::AccInit::kBias) sum = Word(in.mac.bias_base + 4 * m[2]);
    if (in.mac.init == isa::AccInit::kKeep) sum = ReadAcc(entry);
    ForEach({k0, k1, k2, 1, 1, 1}, [&](const Index& k) {
      if (!Inside(x[0] + m[0] * x[1] + k[1] * x[2], x[3])) return;
      if (!Inside(y[0] + m[1] * y[1] + k[2] * y[2], y[3])) return;
      int64_t a = int64_t{in.mac.a_base} * 8, b = int64_t{in.mac.b_base} * 8;
      for (size_t i = 0; i < 3; ++i) {
        a += m[i] * am[i] + k[i] * am[i + 3];
        b += m[i] * b_step[i] + k[i] * b_step[i + 3];
      }
      sum += Wide{ReadSpm(a, a_bits, a_signed) - azp} * (ReadSpm(b, b_bits, b_signed) - b_zero);
    });
    WriteAcc(entry, Wrap(sum, static_cast<int>(program_.config.acc_bits)));
  });
}

Wide NaiveMachine::Window(const isa::Instruction& in, const Operand& a, int64_t at,
                          const std::array<int64_t, 4>& c) {
  Wide result = 0;
  bool first = true;
  for (int64_t r1 = 0; r1 < R("r1"); ++r1) {
    for (int64_t r0 = 0; r0 < R("r0"); ++r0) {
      const int64_t x = R("x0") + c[1] * R("xm") + r0 * R("xr");
      const int64_t y = R("y0") + c[2] * R("ym") + r1 * R("yr");
      if (!Inside(x, R("xlim")) || !Inside(y, R("ylim"))) continue;
      const int64_t value = Read(a, at + r0 * R("as4") + r1 * R("as5"));
      if (in.opcode == Opcode::kPsum) {
        result += value - R("azp");
      } else if (first || value > result) {
        result = value;
      }
      first = false;
    }
  }
  return result;
}

Wide NaiveMachine::Aligned(const std::string& prefix, int64_t q, int mode) const {
  const Wide x =
      Wide{q - R(prefix + "zp")} * oracle::PowerOfTwo(static_cast<int>(R(prefix + "lsh")));
  if (R(prefix + "mul") == 0) return x;
  return Scale(x, R(prefix + "m"), R(prefix + "shift"), mode);
}

Wide NaiveMachine::Requantise(const isa::Instruction& in, Wide x, int64_t entry) {
  const auto& p = param_.at(static_cast<size_t>(entry));
  NoteRead(Memory::kParam, entry);
  const bool second = in.ppu.neg && x < 0;
  const Wide rounded = Scale(x, p[second ? kM2 : kM], p[second ? kS2 : kS], in.ppu.mode);
  return oracle::Clip(rounded + p[kZp], p[kLo], p[kHi]);
}

int64_t NaiveMachine::Lookup(const isa::Instruction& in, int64_t x) {
  const auto table = static_cast<size_t>(in.ppu.table * (program_.config.lut_segments + 1));
  const int64_t i = static_cast<int64_t>(oracle::Clip(x, R("tlow"), R("thigh"))) - R("tlow");
  const int64_t step = static_cast<int64_t>(oracle::PowerOfTwo(static_cast<int>(R("tk"))));
  if (R("tinterp") == 0) {
    const Wide nearest = oracle::Round(i, step, oracle::Rule::kTieUp);
    NoteRead(Memory::kLut, static_cast<int64_t>(table + static_cast<size_t>(nearest)));
    return lut_.at(table + static_cast<size_t>(nearest));
  }
  const int64_t n = std::min(i / step, R("tseg") - 1);
  NoteRead(Memory::kLut, static_cast<int64_t>(table) + n);
  NoteRead(Memory::kLut, static_cast<int64_t>(table) + n + 1);
  const int64_t low = lut_.at(table + static_cast<size_t>(n));
  const int64_t high = lut_.at(table + static_cast<size_t>(n) + 1);
  return static_cast<int64_t>(
      low + oracle::Round(Wide{high - low} * (i - n * step), step, oracle::Rule::kTieUp));
}

Wide NaiveMachine::ValueOf(const isa::Instruction& in, const std::array<int64_t, 4>& c) {
  const auto operand = [&](Memory memory, uint32_t base, const std::string& prefix) {
    return Operand{memory, memory == Memory::kAcc ? int64_t{base} : int64_t{base} * 8,
                   static_cast<int>(R(prefix + "bits")), R(prefix + "sgn") == 1};
  };
  int64_t a_at = 0, b_at = 0;
  for (int i = 0; i < 4; ++i) {
    a_at += c[static_cast<size_t>(i)] * R("as", i);
    b_at += c[static_cast<size_t>(i)] * R("bs", i);
  }
  const Operand a = operand(in.ppu.a_mem, in.ppu.a_base, "a");
  const Operand b = operand(in.ppu.b_mem, in.ppu.b_base, "b");
  const int64_t entry = in.ppu.param + c[0] * R("pstr");
  const int mode = in.ppu.mode;
  switch (in.opcode) {
    case Opcode::kRq:
      return Requantise(in, Read(a, a_at) - R("azp"), entry);
    case Opcode::kEadd: {
      const Wide one = Aligned("a", Read(a, a_at), mode), two = Aligned("b", Read(b, b_at), mode);
      Wide sum = in.ppu.sub ? one - two : one + two;
      if (R("s1bits") != 0) {
        const Wide limit = oracle::PowerOfTwo(static_cast<int>(R("s1bits")) - 1) - 1;
        const Wide size = oracle::PowerOfTwo(static_cast<int>(R("s1shift")));
        sum = oracle::Clip(oracle::Round(sum, size, RuleOf(mode)), -limit, limit);
      }
      return Requantise(in, sum, entry);
    }
    case Opcode::kEmul:
      return Requantise(in, Wide{Read(a, a_at) - R("azp")} * (Read(b, b_at) - R("bzp")), entry);
    case Opcode::kPmax:
      return Window(in, a, a_at, c);
    case Opcode::kPsum:
      return Requantise(in, Window(in, a, a_at, c), entry);
    default:
      return Lookup(in, Read(a, a_at));
  }
}

void NaiveMachine::PostProcess(const isa::Instruction& in) {
  ForEach({R("c0"), R("c1"), R("c2"), R("c3"), 1, 1}, [&](const Index& i) {
    const std::array<int64_t, 4> c = {i[0], i[1], i[2], i[3]};
    int64_t at = int64_t{in.ppu.d_base} * 8;
    for (int k = 0; k < 4; ++k) at += c[static_cast<size_t>(k)] * R("ds", k);
    const auto bits = static_cast<int>(R("dbits"));
    WriteSpm(at, bits, Wrap(ValueOf(in, c), bits));
  });
}

}  // namespace bw::contract
