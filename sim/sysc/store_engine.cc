#include "sim/sysc/store_engine.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "models/tensor/bitpack.h"

namespace bw::sysc {
namespace {

// Elements of a vector: what the bus takes in a cycle, in whole bytes of DRAM.
int BeatElements(const hwconfig::HwConfig& config, const isa::TransferDescriptor& t) {
  const int64_t bytes_unit = 8 / std::gcd(8, t.dram_bits);
  const int64_t most = std::min(timing::DmaBeatElements(config, t.dram_bits, t.container.bits),
                                config.dma_burst_bytes * 8 / t.dram_bits);
  return static_cast<int>(std::max(most / bytes_unit, int64_t{1}) * bytes_unit);
}

uint64_t UpToByte(uint64_t bit) { return (bit + 7) / 8 * 8; }

}  // namespace

StoreEngine::StoreEngine(const sc_core::sc_module_name& name, DramController& dram, Scratchpad& spm)
    : sc_module(name), dram_(dram), port_(spm.port(SpmPortId::kStore)) {}

void StoreEngine::Configure(MachineContext& context) {
  context_ = &context;
  front_.Configure(context);
  operations_.clear();
  reading_ = 0;
  open_ = finish_ = false;
}

// One vector: a part of a run of c0, or several runs where they follow one another in DRAM and
// fill whole bytes.
void StoreEngine::Read() {
  if (reading_ == operations_.size() || !port_.HasSpace()) return;
  if (port_.Stalled()) {
    stalled_ = true;
    return;
  }
  Operation& operation = operations_[reading_];
  const isa::TransferDescriptor& t = operation.transfer;
  TransferWalker& at = operation.read;
  SpmAccess& access = port_.Next();
  access.Begin(false, t.container.bits);
  const int64_t end_of_beat = at.dram_bit();
  int lanes = 0;
  while (!at.done() && lanes < operation.beat_elements) {
    const bool follows = at.dram_bit() == end_of_beat + int64_t{lanes} * t.dram_bits;
    if (lanes > 0 && (!follows || t.dram_bits % 8 != 0)) break;
    const auto count =
        static_cast<int>(std::min<int64_t>(operation.beat_elements - lanes, at.Stretch()));
    access.AddStrided(at.local_bit(), t.local_stride[0], count, lanes);
    at.Advance(count);
    lanes += count;
  }
  port_.Issue();
  if (at.done()) ++reading_;
}

bool StoreEngine::Continues(const Operation& operation, int elements) const {
  const auto begin = static_cast<uint64_t>(operation.packed.dram_bit());
  const uint64_t end =
      begin + static_cast<uint64_t>(elements) * static_cast<uint64_t>(operation.transfer.dram_bits);
  const bool follows = begin == (operation.packed.AtRunStart() ? UpToByte(end_bit_) : end_bit_);
  return follows &&
         (end + 7) / 8 - first_byte_ <= static_cast<uint64_t>(context_->config.dma_burst_bytes);
}

// Sends the open burst off.
bool StoreEngine::Flush(int64_t last_of) {
  Ring<WriteBurst>& writes = dram_.writes();
  if (!writes.CanPush()) {
    stalled_ |= writes.HasSpace();
    return false;
  }
  WriteBurst& burst = writes.Next();
  burst.address = first_byte_;
  burst.bytes = static_cast<uint32_t>((end_bit_ + 7) / 8 - first_byte_);
  burst.last_of = last_of;
  std::memcpy(burst.data.data(), data_.data(), burst.bytes);
  writes.Push();
  context_->recorder.AddDramWritten(operations_.front().instruction, burst.bytes);
  open_ = false;
  return true;
}

void StoreEngine::PackBeat(Operation& operation, const SpmAccess& access) {
  const isa::TransferDescriptor& t = operation.transfer;
  std::array<int64_t, timing::kMaxVector> value;
  access.Decode(t.container.is_signed, value.data());
  if (!open_) {
    open_ = true;
    first_byte_ = static_cast<uint64_t>(operation.packed.dram_bit()) / 8;
    std::fill_n(data_.begin(), context_->config.dma_burst_bytes, uint8_t{0});
  }
  for (int lane = 0; lane < access.elements;) {
    auto bit = static_cast<uint64_t>(operation.packed.dram_bit()) - first_byte_ * 8;
    const auto count =
        static_cast<int>(std::min<int64_t>(access.elements - lane, operation.packed.Stretch()));
    for (int i = 0; i < count; ++i, bit += static_cast<uint64_t>(t.dram_bits)) {
      tensor::WriteBits(data_.data(), bit, t.dram_bits, value[static_cast<size_t>(lane + i)]);
    }
    operation.packed.Advance(count);
    lane += count;
    end_bit_ = first_byte_ * 8 + bit;
  }
}

bool StoreEngine::Pack() {
  if (operations_.empty()) return false;
  if (finish_) {
    if (!Flush(operations_.front().instruction)) return false;
    finish_ = false;
    operations_.pop_front();
    --reading_;
    if (operations_.empty()) return false;
  }
  if (!port_.HasServed()) return false;
  if (port_.Stalled()) {
    stalled_ = true;
    return false;
  }
  Operation& operation = operations_.front();
  const SpmAccess& access = port_.Served();
  if (open_ && !Continues(operation, access.elements) && !Flush(kNoInstruction)) return false;
  PackBeat(operation, access);
  port_.Take();
  finish_ = operation.packed.done();
  return true;
}

void StoreEngine::Accept() {
  const QueuedInstruction* next = front_.Look();
  if (next == nullptr || operations_.size() >= timing::kOperationsUnderWay) return;
  auto transfer = isa::MakeTransfer(next->instruction, front_.registers(), context_->config);
  if (!transfer.ok()) {
    context_->Fail(next->index, transfer.errors());
    return;
  }
  Operation made;
  made.instruction = next->index;
  made.transfer = *transfer;
  made.read = made.packed = TransferWalker(made.transfer);
  made.beat_elements = BeatElements(context_->config, made.transfer);
  operations_.push_back(made);
  front_.Start();
}

Cause StoreEngine::WhyIdle() const {
  if (stalled_) return Cause::kRandomStall;
  if (!operations_.empty()) {
    if (port_.Conflicted()) return Cause::kBankConflict;
    return dram_.writes().HasSpace() ? Cause::kDmaPipeline : Cause::kDramBandwidth;
  }
  if (!context_->retirement.Empty(isa::Queue::kStore)) {
    const Cause waiting = dram_.Waiting(Requester::kStore);
    return waiting == Cause::kDramBandwidth ? waiting : Cause::kDmaPipeline;
  }
  return front_.cause();
}

void StoreEngine::Clock() {
  stalled_ = false;
  const bool busy = Pack();
  Read();
  Accept();
  context_->recorder.Account(Engine::kStore, busy ? Cause::kBusy : WhyIdle());
}

}  // namespace bw::sysc
