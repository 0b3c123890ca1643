#include "sim/sysc/ppu_engine.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "models/arith/lut.h"
#include "models/tensor/bitpack.h"

namespace bw::sysc {
namespace {

constexpr size_t kA = 0, kB = 1;

ppu::CoreConfig MakeCoreConfig(const isa::PpuDescriptor& d) {
  ppu::CoreConfig made;
  made.rounding = d.rounding;
  made.negative_set = d.negative_set;
  switch (d.op) {
    case isa::Opcode::kEadd:
      made.op = ppu::CoreOp::kAdd;
      made.add = d.add;
      break;
    case isa::Opcode::kEmul:
      made.op = ppu::CoreOp::kMultiply;
      made.a_zero_point = d.a_zero_point;
      made.b_zero_point = d.b_zero_point;
      break;
    case isa::Opcode::kPmax:
    case isa::Opcode::kLut:
      made.op = ppu::CoreOp::kPass;
      break;
    case isa::Opcode::kPsum:  // the window subtracts the zero point
      made.op = ppu::CoreOp::kRequantise;
      break;
    default:
      made.op = ppu::CoreOp::kRequantise;
      made.a_zero_point = d.a_zero_point;
      break;
  }
  return made;
}

}  // namespace

PpuEngine::PpuEngine(const sc_core::sc_module_name& name, Scratchpad& spm, AccSram& acc)
    : sc_module(name),
      spm_port_{&spm.port(SpmPortId::kPpuA), &spm.port(SpmPortId::kPpuB)},
      d_port_(spm.port(SpmPortId::kPpuD)),
      acc_(acc) {}

void PpuEngine::Configure(MachineContext& context, std::unique_ptr<ppu::PpuCore> core) {
  context_ = &context;
  front_.Configure(context);
  core_ = std::move(core);
  core_->Reset();
  tables_.Configure(context.clock, timing::kTableBeatDepth,
                    context.StallPoint(static_cast<uint64_t>(StallPoint::kTables)));
  const hwconfig::HwConfig& config = context.config;
  params_.assign(static_cast<size_t>(config.ppu_param_entries), isa::PpuParam());
  lookup_.assign(static_cast<size_t>(config.lut_tables * (config.lut_segments + 1)), 0);
  active_ = false;
  beat_valid_ = false;
  beat_ = ppu::CoreBeat();
  saturations_seen_ = 0;
}

void PpuEngine::WriteParameters(const TableBeat& beat) {
  for (uint32_t i = 0; i < beat.count; ++i) {
    const isa::PpuParam param =
        isa::ReadPpuParam(beat.bytes.data() + size_t{i} * isa::kPpuParamBytes);
    if (!isa::IsValid(param)) {
      Error error;
      error.message = fmt::format(
          "parameter entry {} is not valid: m {}, m2 {}, s {}, s2 {}, "
          "lo {}, hi {}",
          beat.entry + i, param.m, param.m2, param.s, param.s2, param.lo, param.hi);
      context_->Fail(beat.instruction, {error});
      return;
    }
    params_[beat.entry + i] = param;
  }
}

void PpuEngine::WriteLookup(const TableBeat& beat) {
  for (uint32_t i = 0; i < beat.count; ++i) {
    lookup_[beat.entry + i] =
        static_cast<int32_t>(tensor::ReadBits(beat.bytes.data(), uint64_t{i} * 32, 32, true));
  }
}

void PpuEngine::WriteTables() {
  if (!tables_.CanPop()) return;
  const TableBeat& beat = tables_.Front();
  if (beat.memory == isa::Memory::kParam) {
    WriteParameters(beat);
  } else {
    WriteLookup(beat);
  }
  const bool last = beat.last;
  const uint32_t instruction = beat.instruction;
  tables_.Pop();
  if (last) context_->retirement.Landed(isa::Queue::kLoad, instruction);
}

void PpuEngine::WriteResult(const ppu::CoreResult& result) {
  SpmAccess& access = d_port_.Next();
  access.Begin(true, d_.d_bits);
  const int lanes = result_.lanes();
  BW_CHECK(lanes == result.lanes, "{} lanes out, {} in", result.lanes, lanes);
  if (d_.d_stride[0] == d_.d_bits || lanes == 1) {
    uint32_t bit = access.Add(static_cast<uint64_t>(result_.D()), lanes, 0);
    if (d_.d_bits == 8) {
      uint8_t* out = access.data.data() + bit / 8;
      for (size_t i = 0; i < static_cast<size_t>(lanes); ++i) {
        out[i] = static_cast<uint8_t>(result.y[i]);
      }
    } else {
      for (size_t i = 0; i < static_cast<size_t>(lanes); ++i) {
        tensor::WriteBits(access.data.data(), bit, d_.d_bits, result.y[i]);
        bit += static_cast<uint32_t>(d_.d_bits);
      }
    }
  } else {
    for (int i = 0; i < lanes; ++i) {
      const uint32_t bit =
          access.Add(static_cast<uint64_t>(result_.D() + i * d_.d_stride[0]), 1, i);
      tensor::WriteBits(access.data.data(), bit, d_.d_bits, result.y[static_cast<size_t>(i)]);
    }
  }
  result_.NextBeat();
  if (result_.done()) access.last_of = instruction_;
  d_port_.Issue();
}

void PpuEngine::ClockCore() {
  bool ready = d_port_.HasSpace();
  if (core_->OutValid() && ready && d_port_.Stalled()) {
    stalled_ = true;
    ready = false;
  }
  const bool leaves = core_->OutValid() && ready;
  if (leaves) WriteResult(core_->Out());
  const bool taken = core_->Clock(beat_valid_ ? &beat_ : nullptr, ready);
  refused_ = beat_valid_ && !taken;
  if (taken) beat_valid_ = false;
  if (!leaves || !result_.done()) return;
  const uint64_t saturations = core_->Saturations();
  context_->recorder.AddSaturations(instruction_, saturations - saturations_seen_);
  saturations_seen_ = saturations;
  active_ = false;
}

bool PpuEngine::OperandHasSpace(size_t operand, isa::Memory memory) {
  const auto may = [this](const auto& port) {
    if (!port.HasSpace()) return false;
    stalled_ |= port.Stalled();
    return !port.Stalled();
  };
  return memory == isa::Memory::kAcc ? may(acc_.port(operand)) : may(*spm_port_[operand]);
}

bool PpuEngine::OperandServed(size_t operand, isa::Memory memory) {
  const auto may = [this](const auto& port) {
    if (!port.HasServed()) return false;
    stalled_ |= port.Stalled();
    return !port.Stalled();
  };
  return memory == isa::Memory::kAcc ? may(acc_.port(operand)) : may(*spm_port_[operand]);
}

void PpuEngine::IssueOperand(size_t operand, isa::Memory memory, int64_t first, int64_t stride,
                             int bits, bool inside) {
  const int lanes = inside ? issue_.lanes() : 0;
  if (memory == isa::Memory::kAcc) {
    AccAccess& access = acc_.port(operand).Next();
    access.first = first;
    access.stride = stride;
    access.count = lanes;
    access.served = 0;
    acc_.port(operand).Issue();
    return;
  }
  SpmAccess& access = spm_port_[operand]->Next();
  access.Begin(false, bits);
  if (lanes > 0) access.AddStrided(first, stride, lanes, 0);
  spm_port_[operand]->Issue();
}

void PpuEngine::IssueReads() {
  if (!active_ || issue_.done()) return;
  if (!OperandHasSpace(kA, d_.a_mem)) return;
  if (d_.HasB() && !OperandHasSpace(kB, d_.b_mem)) return;
  IssueOperand(kA, d_.a_mem, issue_.A(), d_.a_stride[0], d_.a.bits, issue_.Inside());
  if (d_.HasB()) IssueOperand(kB, d_.b_mem, issue_.B(), d_.b_stride[0], d_.b.bits, true);
  issue_.NextPosition();
}

void PpuEngine::TakeOperand(size_t operand, isa::Memory memory, bool is_signed, Values& values) {
  if (memory == isa::Memory::kAcc) {
    const AccAccess& access = acc_.port(operand).Served();
    std::copy_n(access.value.begin(), access.count, values.begin());
    acc_.port(operand).Take();
    return;
  }
  spm_port_[operand]->Served().Decode(is_signed, values.data());
  spm_port_[operand]->Take();
}

void PpuEngine::FoldWindow(const Values& values, int lanes) {
  const bool maximum = d_.op == isa::Opcode::kPmax;
  if (assemble_.FirstOfWindow()) {
    std::fill_n(beat_.a.begin(), lanes,
                maximum ? int64_t{std::numeric_limits<int32_t>::min()} : int64_t{0});
  }
  if (!assemble_.Inside()) return;
  for (size_t i = 0; i < static_cast<size_t>(lanes); ++i) {
    if (maximum) {
      beat_.a[i] = std::max(beat_.a[i], values[i]);
    } else {
      beat_.a[i] += values[i] - d_.a_zero_point;
    }
  }
}

void PpuEngine::LookUp(int lanes) {
  const int32_t* table =
      lookup_.data() + static_cast<int64_t>(d_.table) * (context_->config.lut_segments + 1);
  for (size_t i = 0; i < static_cast<size_t>(lanes); ++i) {
    beat_.a[i] = arith::LutLookup(beat_.a[i], d_.lut, table);
  }
}

void PpuEngine::SetParameters(int lanes) {
  const isa::PpuParam* first =
      params_.data() + d_.param + static_cast<size_t>(assemble_.c0()) * d_.param_stride;
  if (d_.param_stride == 0) {
    std::fill_n(beat_.param.begin(), lanes, *first);
  } else {
    std::copy_n(first, lanes, beat_.param.begin());
  }
}

// Moves the operands of one window position, or of one beat, into the beat register. Returns
// whether there were any.
bool PpuEngine::Assemble() {
  if (!active_ || assemble_.done() || beat_valid_) return false;
  if (!OperandServed(kA, d_.a_mem)) return false;
  if (d_.HasB() && !OperandServed(kB, d_.b_mem)) return false;
  const int lanes = assemble_.lanes();
  const bool window = d_.op == isa::Opcode::kPmax || d_.op == isa::Opcode::kPsum;
  if (window) {
    Values values;
    TakeOperand(kA, d_.a_mem, d_.a.is_signed, values);
    FoldWindow(values, lanes);
  } else {
    TakeOperand(kA, d_.a_mem, d_.a.is_signed, beat_.a);
    if (d_.HasB()) TakeOperand(kB, d_.b_mem, d_.b.is_signed, beat_.b);
  }
  if (assemble_.LastOfWindow()) {
    if (d_.op == isa::Opcode::kLut) LookUp(lanes);
    if (core_config_.op != ppu::CoreOp::kPass) SetParameters(lanes);
    beat_.config = &core_config_;
    beat_.lanes = lanes;
    beat_valid_ = true;
  }
  assemble_.NextPosition();
  return true;
}

void PpuEngine::Accept() {
  const QueuedInstruction* next = front_.Look();
  if (next == nullptr || active_ || !context_->retirement.Empty(isa::Queue::kPpu)) return;
  auto made = isa::MakePpu(next->instruction, front_.registers(), context_->config);
  if (!made.ok()) {
    context_->Fail(next->index, made.errors());
    return;
  }
  d_ = *made;
  instruction_ = next->index;
  core_config_ = MakeCoreConfig(d_);
  const auto lanes = static_cast<int>(context_->config.ppu_lanes);
  issue_ = assemble_ = result_ = PpuNest(d_, lanes);
  active_ = true;
  front_.Start();
}

Cause PpuEngine::WhyIdle() {
  if (stalled_) return Cause::kRandomStall;
  if (refused_) {
    return d_port_.Conflicted() ? Cause::kBankConflict : Cause::kOutputBackpressure;
  }
  if (active_ && !assemble_.done()) {
    const auto conflict = [&](size_t operand, isa::Memory memory) {
      return memory == isa::Memory::kAcc ? acc_.port(operand).Conflicted()
                                         : spm_port_[operand]->Conflicted();
    };
    const bool waits = conflict(kA, d_.a_mem) || (d_.HasB() && conflict(kB, d_.b_mem));
    return waits ? Cause::kBankConflict : Cause::kPpuPipeline;
  }
  if (!context_->retirement.Empty(isa::Queue::kPpu)) {
    return d_port_.Conflicted() ? Cause::kBankConflict : Cause::kPpuPipeline;
  }
  return front_.cause();
}

void PpuEngine::Clock() {
  stalled_ = false;
  WriteTables();
  ClockCore();
  const bool busy = Assemble();
  IssueReads();
  Accept();
  context_->recorder.Account(Engine::kPpu, busy ? Cause::kBusy : WhyIdle());
}

}  // namespace bw::sysc
