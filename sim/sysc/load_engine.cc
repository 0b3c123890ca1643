#include "sim/sysc/load_engine.h"

#include <algorithm>
#include <cstring>

#include "models/status/check.h"
#include "models/tensor/bitpack.h"

namespace bw::sysc {
namespace {

// A table as a transfer: one run of `count` entries.
isa::TransferDescriptor AsTransfer(const isa::TableDescriptor& table, int entry_bytes) {
  isa::TransferDescriptor made;
  made.count.fill(1);
  made.hi.fill(1);
  made.dram_bit = table.dram_byte * 8;
  made.dram_bits = entry_bytes * 8;
  made.count[0] = made.hi[0] = table.count;
  made.dram_stride[0] = made.dram_bits;
  return made;
}

}  // namespace

LoadEngine::LoadEngine(const sc_core::sc_module_name& name, DramController& dram, Scratchpad& spm,
                       Ring<TableBeat>& tables)
    : sc_module(name), dram_(dram), port_(spm.port(SpmPortId::kLoad)), tables_(tables) {}

void LoadEngine::Configure(MachineContext& context) {
  context_ = &context;
  front_.Configure(context);
  operations_.clear();
  requesting_ = 0;
  bursts_.resize(static_cast<size_t>(context.config.dma_outstanding));
  burst_made_ = burst_filled_ = burst_used_ = 0;
  write_beats_ = 0;
}

void LoadEngine::Receive() {
  Ring<BusBeat>& answers = dram_.answers(Requester::kLoad);
  if (!answers.CanPop()) {
    stalled_ |= answers.HasEntry();
    return;
  }
  Burst& burst = bursts_[burst_filled_ % bursts_.size()];
  const BusBeat& beat = answers.Front();
  std::memcpy(burst.data.data() + burst.received, beat.data.data(), beat.bytes);
  burst.received += beat.bytes;
  if (burst.received == burst.bytes) ++burst_filled_;
  answers.Pop();
}

// The next burst of an operation: whole elements, up to dma.burst_bytes, going on as long as the
// next one starts in the last bus beat or right behind it. No bytes when nothing is left.
ReadBurst LoadEngine::Gather(Operation& operation, int64_t& elements) const {
  TransferWalker& at = operation.requested;
  const isa::TransferDescriptor& t = operation.transfer;
  const int64_t bus_bits = context_->config.dram_bytes_per_cycle * 8;
  int64_t begin = 0, limit = 0, end = 0;  // bits
  elements = 0;
  while (!at.done()) {
    if (!at.Inside()) {
      at.Advance(at.Stretch());
      continue;
    }
    const int64_t first = at.dram_bit();
    if (elements == 0) {
      begin = first / 8 * 8;
      limit = begin + context_->config.dma_burst_bytes * 8;
    } else if (first < begin || first > (end + bus_bits - 1) / bus_bits * bus_bits) {
      break;
    }
    int64_t count = (limit - first) / t.dram_bits;
    if (elements == 0) count = std::max<int64_t>(count, 1);
    count = std::min(count, t.dram_stride[0] == t.dram_bits ? at.Stretch() : 1);
    if (count <= 0) break;
    end = std::max(end, first + count * t.dram_bits);
    elements += count;
    at.Advance(count);
  }
  if (elements == 0) return {};
  return {static_cast<uint64_t>(begin / 8), static_cast<uint32_t>((end - begin + 7) / 8)};
}

void LoadEngine::Request() {
  if (requesting_ == operations_.size()) return;
  if (burst_made_ - burst_used_ == bursts_.size()) return;
  Ring<ReadBurst>& requests = dram_.requests(Requester::kLoad);
  if (!requests.CanPush()) {
    stalled_ |= requests.HasSpace();
    return;
  }
  Operation& operation = operations_[requesting_];
  int64_t elements = 0;
  const ReadBurst read = Gather(operation, elements);
  if (operation.requested.done()) ++requesting_;
  if (elements == 0) return;
  Burst& burst = bursts_[burst_made_++ % bursts_.size()];
  burst.first_byte = read.address;
  burst.bytes = read.bytes;
  burst.received = 0;
  burst.elements = elements;
  requests.Next() = read;
  requests.Push();
  context_->recorder.AddDramRead(operation.instruction, read.bytes);
}

// How many of the next `most` elements inside are in the burst buffer in use.
int64_t LoadEngine::Available(const Operation& operation, int64_t most) const {
  if (burst_used_ == burst_made_) return 0;
  const Burst& burst = bursts_[burst_used_ % bursts_.size()];
  const int bits = operation.transfer.dram_bits;
  const int64_t at = operation.unpacked.dram_bit() - static_cast<int64_t>(burst.first_byte) * 8;
  most = std::min(most, burst.elements);
  if (operation.transfer.dram_stride[0] != bits) most = std::min<int64_t>(most, 1);
  return std::clamp<int64_t>((static_cast<int64_t>(burst.received) * 8 - at) / bits, 0, most);
}

void LoadEngine::Consume(int64_t elements) {
  Burst& burst = bursts_[burst_used_ % bursts_.size()];
  burst.elements -= elements;
  if (burst.elements == 0) ++burst_used_;
}

// Elements from the nest's place, all inside or all outside, into lanes `lane`..; returns how many.
int LoadEngine::CopyStretch(Operation& operation, SpmAccess& access, int lane, int64_t most) {
  TransferWalker& at = operation.unpacked;
  const isa::TransferDescriptor& t = operation.transfer;
  const bool inside = at.Inside();
  int64_t count = std::min(most, at.Stretch());
  if (inside) count = Available(operation, count);
  if (count == 0) return 0;
  const int bits = t.container.bits;
  const bool gapless = t.local_stride[0] == bits || count == 1;
  const Burst& burst = bursts_[burst_used_ % bursts_.size()];
  auto source = static_cast<uint64_t>(at.dram_bit()) - burst.first_byte * 8;
  uint32_t data_bit = 0;
  if (gapless) {
    data_bit = access.Add(static_cast<uint64_t>(at.local_bit()), static_cast<int>(count), lane);
  }
  if (gapless && inside && bits == t.dram_bits && bits >= 8 && source % 8 == 0) {
    std::memcpy(access.data.data() + data_bit / 8, burst.data.data() + source / 8,
                static_cast<size_t>(count * bits / 8));
  } else {
    for (int i = 0; i < count; ++i) {
      if (!gapless) {
        data_bit =
            access.Add(static_cast<uint64_t>(at.local_bit() + i * t.local_stride[0]), 1, lane + i);
      }
      const int64_t value =
          inside ? tensor::ReadBits(burst.data.data(), source, t.dram_bits, t.container.is_signed)
                 : t.fill;
      tensor::WriteBits(access.data.data(), data_bit, bits, value);
      data_bit += static_cast<uint32_t>(bits);
      source += static_cast<uint64_t>(t.dram_bits);
    }
  }
  at.Advance(count);
  if (inside) Consume(count);
  return static_cast<int>(count);
}

int LoadEngine::FillBeat(Operation& operation, SpmAccess& access, int most) {
  int lanes = 0;
  while (lanes < most && !operation.unpacked.done()) {
    const int made = CopyStretch(operation, access, lanes, most - lanes);
    if (made == 0) break;
    lanes += made;
  }
  return lanes;
}

void LoadEngine::InjectFault(SpmAccess& access) {
  if (context_->faults.load_beat_off_by_one != write_beats_++) return;
  if (context_->faults.on_fault) context_->faults.on_fault();
  for (int r = 0; r < access.runs; ++r) {
    access.run[static_cast<size_t>(r)].bit += static_cast<uint32_t>(access.bits);
  }
}

bool LoadEngine::UnpackToSpm(Operation& operation) {
  if (!port_.HasSpace()) return false;
  if (port_.Stalled()) {
    stalled_ = true;
    return false;
  }
  const isa::TransferDescriptor& t = operation.transfer;
  SpmAccess& access = port_.Next();
  access.Begin(true, t.container.bits);
  const auto most =
      static_cast<int>(timing::DmaBeatElements(context_->config, t.dram_bits, t.container.bits));
  if (FillBeat(operation, access, most) == 0) return false;
  InjectFault(access);
  if (operation.unpacked.done()) access.last_of = operation.instruction;
  port_.Issue();
  return true;
}

bool LoadEngine::UnpackToTable(Operation& operation) {
  if (!tables_.CanPush()) {
    stalled_ |= tables_.HasSpace();
    return false;
  }
  const int entry_bytes = operation.transfer.dram_bits / 8;
  const int64_t most = timing::TableBeatEntries(context_->config, entry_bytes);
  const int64_t count = Available(operation, std::min(most, operation.unpacked.Stretch()));
  if (count == 0) return false;
  const Burst& burst = bursts_[burst_used_ % bursts_.size()];
  const auto source = static_cast<size_t>(operation.unpacked.dram_bit()) / 8 - burst.first_byte;
  TableBeat& beat = tables_.Next();
  beat.memory = operation.memory;
  beat.entry = operation.next_entry;
  beat.count = static_cast<uint32_t>(count);
  beat.instruction = operation.instruction;
  std::memcpy(beat.bytes.data(), burst.data.data() + source,
              static_cast<size_t>(count * entry_bytes));
  operation.next_entry += beat.count;
  operation.unpacked.Advance(count);
  Consume(count);
  beat.last = operation.unpacked.done();
  tables_.Push();
  return true;
}

bool LoadEngine::Unpack() {
  if (operations_.empty()) return false;
  Operation& operation = operations_.front();
  const bool moved =
      operation.memory == isa::Memory::kSpm ? UnpackToSpm(operation) : UnpackToTable(operation);
  if (operation.unpacked.done()) {
    // Outside stretches at its end may not have been looked at by the generator.
    if (requesting_ > 0) --requesting_;
    operations_.pop_front();
  }
  return moved;
}

bool LoadEngine::MakeOperation(const QueuedInstruction& next, Operation& made) {
  made.instruction = next.index;
  if (next.instruction.opcode == isa::Opcode::kLd) {
    auto transfer = isa::MakeTransfer(next.instruction, front_.registers(), context_->config);
    if (!transfer.ok()) {
      context_->Fail(next.index, transfer.errors());
      return false;
    }
    made.transfer = *transfer;
  } else {
    const bool params = next.instruction.opcode == isa::Opcode::kLdp;
    auto table = isa::MakeTable(next.instruction, context_->config);
    if (!table.ok()) {
      context_->Fail(next.index, table.errors());
      return false;
    }
    made.memory = params ? isa::Memory::kParam : isa::Memory::kLut;
    made.next_entry = table->entry;
    made.transfer = AsTransfer(*table, params ? isa::kPpuParamBytes : 4);
  }
  made.requested = made.unpacked = TransferWalker(made.transfer);
  return true;
}

void LoadEngine::Accept() {
  const QueuedInstruction* next = front_.Look();
  if (next == nullptr || operations_.size() >= timing::kOperationsUnderWay) return;
  Operation made;
  if (!MakeOperation(*next, made)) return;
  operations_.push_back(made);
  front_.Start();
}

Cause LoadEngine::WhyIdle() const {
  if (stalled_) return Cause::kRandomStall;
  if (!operations_.empty()) {
    const Operation& operation = operations_.front();
    const bool to_spm = operation.memory == isa::Memory::kSpm;
    if (to_spm && !port_.HasSpace()) return Cause::kBankConflict;
    if (!to_spm && !tables_.HasSpace()) return Cause::kOutputBackpressure;
    const Cause waiting = dram_.Waiting(Requester::kLoad);
    return waiting == Cause::kDramBandwidth ? waiting : Cause::kDramLatency;
  }
  if (!context_->retirement.Empty(isa::Queue::kLoad)) {
    return port_.Conflicted() ? Cause::kBankConflict : Cause::kDmaPipeline;
  }
  return front_.cause();
}

void LoadEngine::Clock() {
  stalled_ = false;
  Receive();
  const bool busy = Unpack();
  Request();
  Accept();
  context_->recorder.Account(Engine::kLoad, busy ? Cause::kBusy : WhyIdle());
}

}  // namespace bw::sysc
