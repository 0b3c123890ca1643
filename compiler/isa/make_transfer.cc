#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "compiler/isa/descriptor.h"
#include "compiler/isa/register_reader.h"
#include "models/tensor/bitpack.h"

namespace bw::isa {
namespace {

// Loads and stores number the registers that both have alike.
#define BW_SAME_INDEX(name)                                                          \
  static_assert(static_cast<int>(LoadReg::name) == static_cast<int>(StoreReg::name), \
                "load and store registers differ")
BW_SAME_INDEX(kcnt0);
BW_SAME_INDEX(kdstr0);
BW_SAME_INDEX(kmstr0);
BW_SAME_INDEX(kdbits);
BW_SAME_INDEX(kmbits);
BW_SAME_INDEX(ksgn);
#undef BW_SAME_INDEX

using Axes = std::vector<Axis>;

Axes AxesOf(const TransferDescriptor& t, const std::array<int64_t, kCounters>& strides) {
  Axes axes;
  for (size_t i = 0; i < kCounters; ++i) axes.push_back({t.count[i], strides[i]});
  return axes;
}

Span Sum(const Axes& axes) {
  Span span;
  for (const Axis& axis : axes) span = span + SpanOf(axis);
  return span;
}

void ReadNest(RegisterReader& reader, TransferDescriptor& t) {
  for (int i = 0; i < kCounters; ++i) {
    const auto k = static_cast<size_t>(i);
    t.count[k] = reader.Count(LoadReg::kcnt0, i);
    t.dram_stride[k] = reader.Step(LoadReg::kdstr0, t.count[k], i);
    t.local_stride[k] = reader.SpmStep(LoadReg::kmstr0, t.count[k], t.container, i);
    t.lo[k] = 0;
    t.hi[k] = t.count[k];
  }
}

void ReadWidths(RegisterReader& reader, TransferDescriptor& t) {
  t.container = reader.ReadContainer(LoadReg::kmbits, LoadReg::ksgn, 32);
  const int64_t bits = reader.Get(LoadReg::kdbits);
  if (!((bits >= 2 && bits <= 16) || bits == 32)) {
    reader.FailRegister(LoadReg::kdbits, fmt::format("{} is none of 2..16 or 32 bits", bits));
  } else if (bits > t.container.bits) {
    reader.FailRegister(LoadReg::kdbits, fmt::format("{} bits do not fit a container of {}", bits,
                                                     t.container.bits));
  }
  t.dram_bits = static_cast<int>(std::clamp<int64_t>(bits, 2, 32));
}

// Counters that leave their window make `fill` appear.
void ReadWindow(RegisterReader& reader, TransferDescriptor& t) {
  bool all = true;
  for (int i = 0; i < kCounters; ++i) {
    const auto k = static_cast<size_t>(i);
    t.lo[k] = std::clamp<int64_t>(reader.Get(LoadReg::klo0, i), 0, t.count[k]);
    t.hi[k] = std::clamp<int64_t>(reader.Get(LoadReg::khi0, i), t.lo[k], t.count[k]);
    all = all && t.lo[k] == 0 && t.hi[k] == t.count[k];
  }
  if (all) return;
  const int bits = t.container.bits;
  t.fill = reader.InRange(
      LoadReg::kfill, -(int64_t{1} << (bits - 1)),
      std::min<int64_t>((int64_t{1} << bits) - 1, std::numeric_limits<int32_t>::max()));
}

// What the counters inside their windows touch; nothing when a window is empty.
std::optional<Span> DramSpan(const TransferDescriptor& t) {
  Span span;
  for (size_t i = 0; i < kCounters; ++i) {
    if (t.lo[i] >= t.hi[i]) return std::nullopt;
    const int64_t first = t.lo[i] * t.dram_stride[i];
    const int64_t last = (t.hi[i] - 1) * t.dram_stride[i];
    span = span + Span{std::min(first, last), std::max(first, last)};
  }
  return span;
}

void CheckLoad(RegisterReader& reader, const TransferDescriptor& t,
               const hwconfig::HwConfig& config) {
  if (const std::optional<Span> span = DramSpan(t)) {
    reader.CheckBits("dram", Memory::kDram, t.dram_bit, *span, t.dram_bits, config.dram_bytes);
  }
  const Axes local = AxesOf(t, t.local_stride);
  reader.CheckBits("local", Memory::kSpm, t.local_bit, Sum(local), t.container.bits,
                   config.spm_bytes);
  if (!IsWithoutOverlap(local, t.container.bits)) {
    reader.Fail("load.mstr0..5", "two elements would be written to the same place");
  }
}

// A run of c0 takes whole bytes and the other counters move by whole bytes.
void CheckStore(RegisterReader& reader, const TransferDescriptor& t,
                const hwconfig::HwConfig& config) {
  if (t.count[0] > 1 && t.dram_stride[0] != t.dram_bits) {
    reader.FailRegister(StoreReg::kdstr0,
                        fmt::format("{} is not dbits, {}", t.dram_stride[0], t.dram_bits));
    return;
  }
  for (int i = 1; i < kCounters; ++i) {
    const int64_t stride = t.dram_stride[static_cast<size_t>(i)];
    if (stride % 8 == 0) continue;
    reader.FailRegister(
        StoreReg::kdstr0,
        fmt::format("{} bits is not a multiple of 8, where runs of c0 start", stride), i);
  }
  Axes runs = AxesOf(t, t.dram_stride);
  runs.erase(runs.begin());
  const auto run_bits =
      static_cast<int64_t>(8 * tensor::PackedBytes(static_cast<uint64_t>(t.count[0]), t.dram_bits));
  reader.CheckBits("dram", Memory::kDram, t.dram_bit, Sum(runs), static_cast<int>(run_bits),
                   config.dram_bytes);
  reader.CheckBits("local", Memory::kSpm, t.local_bit, Sum(AxesOf(t, t.local_stride)),
                   t.container.bits, config.spm_bytes);
  if (!IsWithoutOverlap(runs, run_bits)) {
    reader.Fail("store.dstr1..5", "two runs of c0 would be written to the same place");
  }
}

}  // namespace

int64_t TransferDescriptor::Elements() const {
  int64_t elements = 1;
  for (const int64_t n : count) elements *= n;
  return elements;
}

Result<TransferDescriptor> MakeTransfer(const Instruction& instruction, const Registers& registers,
                                        const hwconfig::HwConfig& config) {
  const bool store = instruction.opcode == Opcode::kSt;
  BW_CHECK(store || instruction.opcode == Opcode::kLd, "opcode {}",
           static_cast<int>(instruction.opcode));
  RegisterReader reader(store ? Queue::kStore : Queue::kLoad, registers);
  TransferDescriptor made;
  ReadWidths(reader, made);
  ReadNest(reader, made);
  if (store) {
    made.dram_bit = instruction.st.dram * 8;
    made.local_bit = uint64_t{instruction.st.local} * 8;
  } else {
    made.dram_bit = instruction.ld.dram * 8 + instruction.ld.dram_bit;
    made.local_bit = uint64_t{instruction.ld.local} * 8;
    ReadWindow(reader, made);
  }
  if (reader.ok()) {
    if (store) {
      CheckStore(reader, made, config);
    } else {
      CheckLoad(reader, made, config);
    }
  }
  if (!reader.ok()) return reader.TakeErrors();
  return made;
}

Result<TableDescriptor> MakeTable(const Instruction& instruction,
                                  const hwconfig::HwConfig& config) {
  const bool params = instruction.opcode == Opcode::kLdp;
  BW_CHECK(params || instruction.opcode == Opcode::kLdt, "opcode {}",
           static_cast<int>(instruction.opcode));
  const auto& in = instruction.ldp;
  const Registers none{};
  RegisterReader reader(Queue::kLoad, none);
  const int64_t entries =
      params ? config.ppu_param_entries : config.lut_tables * (config.lut_segments + 1);
  const int64_t entry_bits = 8 * (params ? kPpuParamBytes : int64_t{4});
  if (in.count == 0) {
    reader.Fail("count", "0 entries; at least one is loaded");
  } else {
    reader.CheckEntries("entry", params ? Memory::kParam : Memory::kLut, in.entry,
                        SpanOf({in.count, 1}), entries);
    reader.CheckBits("dram", Memory::kDram, in.dram * 8, SpanOf({in.count, entry_bits}),
                     static_cast<int>(entry_bits), config.dram_bytes);
  }
  if (!reader.ok()) return reader.TakeErrors();
  return TableDescriptor{in.dram, in.entry, in.count};
}

}  // namespace bw::isa
