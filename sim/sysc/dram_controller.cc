#include "sim/sysc/dram_controller.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "models/status/check.h"
#include "sim/sysc/dram.h"

namespace bw::sysc {

DramController::DramController(const sc_core::sc_module_name& name)
    : sc_module(name), socket("socket") {}

void DramController::Configure(MachineContext& context) {
  context_ = &context;
  const auto stall = [&context](StallPoint point) {
    return context.StallPoint(static_cast<uint64_t>(point));
  };
  constexpr StallPoint kRequest[] = {StallPoint::kFetchRequest, StallPoint::kLoadRequest};
  constexpr StallPoint kAnswer[] = {StallPoint::kFetchAnswer, StallPoint::kLoadAnswer};
  for (size_t i = 0; i < read_.size(); ++i) {
    read_[i].request.Configure(context.clock, timing::kReadRequestDepth, stall(kRequest[i]));
    read_[i].answer.Configure(context.clock, timing::kBusBeatDepth, stall(kAnswer[i]));
    read_[i].pending.clear();
  }
  writes_.Configure(context.clock, static_cast<size_t>(context.config.dma_outstanding),
                    stall(StallPoint::kStoreRequest));
  for (auto& waiting : waiting_) waiting.Reset();
  active_ = false;
  store_first_ = false;
  accept_first_ = 0;
}

// One read burst a cycle, in turns; writes wait in their ring.
void DramController::Accept() {
  for (size_t i = 0; i < read_.size(); ++i) {
    ReadChannel& channel = read_[(accept_first_ + i) % read_.size()];
    if (!channel.request.HasEntry()) continue;
    const auto latency = static_cast<uint64_t>(timing::DramReadLatency(context_->config));
    channel.pending.push_back({channel.request.Front(), context_->clock.now + latency});
    channel.request.Pop();
    accept_first_ = (accept_first_ + i + 1) % read_.size();
    return;
  }
}

bool DramController::Ready(Requester of) const {
  if (of == Requester::kStore) return writes_.HasEntry();
  const ReadChannel& channel = read_[Index(of)];
  return !channel.pending.empty() && channel.pending.front().ready <= context_->clock.now;
}

int64_t DramController::Transport(bool write, uint64_t address, uint8_t* data, uint32_t bytes) {
  tlm::tlm_generic_payload burst;
  burst.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  burst.set_address(address);
  burst.set_data_ptr(data);
  burst.set_data_length(bytes);
  burst.set_streaming_width(bytes);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  socket->b_transport(burst, delay);
  BW_CHECK(burst.is_response_ok(), "{} of {} bytes at {}: {}", write ? "write" : "read", bytes,
           address, burst.get_response_string());
  return std::lround(delay / CyclePeriod());
}

void DramController::StartRead(ReadChannel& channel) {
  const ReadBurst burst = channel.pending.front().burst;
  channel.pending.pop_front();
  beats_left_ = Transport(false, burst.address, data_.data(), burst.bytes);
  address_ = burst.address;
  bytes_left_ = burst.bytes;
  offset_ = 0;
}

void DramController::Grant() {
  const Requester second = store_first_ ? Requester::kStore : Requester::kLoad;
  const Requester third = store_first_ ? Requester::kLoad : Requester::kStore;
  for (const Requester of : {Requester::kFetch, second, third}) {
    if (!Ready(of)) continue;
    active_ = true;
    owner_ = of;
    if (of == Requester::kStore) {
      const WriteBurst& burst = writes_.Front();
      beats_left_ = timing::DramBeats(context_->config, burst.address, burst.bytes);
    } else {
      StartRead(read_[Index(of)]);
    }
    if (of != Requester::kFetch) store_first_ = of == Requester::kLoad;
    return;
  }
}

void DramController::MoveReadBeat() {
  Ring<BusBeat>& answer = read_[Index(owner_)].answer;
  if (!answer.HasSpace()) return;
  const auto width = static_cast<uint64_t>(context_->config.dram_bytes_per_cycle);
  BusBeat& beat = answer.Next();
  beat.bytes = static_cast<uint32_t>(std::min<uint64_t>(width - address_ % width, bytes_left_));
  std::memcpy(beat.data.data(), data_.data() + offset_, beat.bytes);
  answer.Push();
  offset_ += beat.bytes;
  address_ += beat.bytes;
  bytes_left_ -= beat.bytes;
  --beats_left_;
}

void DramController::MoveBeat() {
  if (owner_ != Requester::kStore) {
    MoveReadBeat();
  } else if (--beats_left_ == 0) {
    WriteBurst& burst = writes_.Front();
    Transport(true, burst.address, burst.data.data(), burst.bytes);
    const int64_t last_of = burst.last_of;
    writes_.Pop();
    if (last_of >= 0) {
      context_->retirement.Landed(isa::Queue::kStore, static_cast<uint32_t>(last_of));
    }
  }
  if (beats_left_ == 0) active_ = false;
}

void DramController::NoteWaiting(bool moved) {
  for (const Requester of : {Requester::kFetch, Requester::kLoad, Requester::kStore}) {
    Cause cause = Cause::kDramLatency;
    if (moved && owner_ == of) {
      cause = Cause::kBusy;
    } else if (Ready(of)) {
      cause = Cause::kDramBandwidth;
    }
    waiting_[Index(of)].Set(context_->clock.now, cause);
  }
}

void DramController::Clock() {
  Accept();
  if (!active_) Grant();
  const bool moved = active_;
  if (active_) MoveBeat();
  NoteWaiting(moved);
}

}  // namespace bw::sysc
