#include "sim/sysc/dispatcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sim/sysc/dram.h"

namespace bw::sysc {

Dispatcher::Dispatcher(const sc_core::sc_module_name& name, DramController& dram, Fronts fronts)
    : sc_module(name), dram_(dram), fronts_(fronts) {}

void Dispatcher::Configure(MachineContext& context) {
  context_ = &context;
  buffer_.clear();
  next_ = end_ = 0;
  requested_ = received_ = all_ = first_byte_ = 0;
  dispatched_ = 0;
  holding_ = false;
  finished_ = true;
}

void Dispatcher::BeginSegment(uint32_t first, uint32_t count) {
  buffer_.clear();
  next_ = first;
  end_ = first + count;
  first_byte_ = kCodeRegion + uint64_t{first} * timing::kInstructionBytes;
  requested_ = received_ = 0;
  all_ = uint64_t{count} * timing::kInstructionBytes;
  holding_ = false;
  finished_ = false;
  ++context_->segments_begun;
}

void Dispatcher::Receive() {
  Ring<BusBeat>& answers = dram_.answers(Requester::kFetch);
  if (!answers.CanPop()) return;
  const BusBeat& beat = answers.Front();
  buffer_.insert(buffer_.end(), beat.data.begin(), beat.data.begin() + beat.bytes);
  received_ += beat.bytes;
  answers.Pop();
}

void Dispatcher::Request() {
  if (requested_ == all_) return;
  const auto capacity = static_cast<uint64_t>(timing::FetchBufferInstructions(context_->config)) *
                        timing::kInstructionBytes;
  const uint64_t bytes =
      std::min(static_cast<uint64_t>(timing::FetchBurstBytes(context_->config)), all_ - requested_);
  if (requested_ - received_ + buffer_.size() + bytes > capacity) return;
  Ring<ReadBurst>& requests = dram_.requests(Requester::kFetch);
  if (!requests.CanPush()) return;
  requests.Next() = {first_byte_ + requested_, static_cast<uint32_t>(bytes)};
  requests.Push();
  requested_ += bytes;
  context_->recorder.AddFetched(bytes);
}

// The end of the segment: when all before it has retired, its own tokens included.
Cause Dispatcher::Halt(const isa::Instruction& halt) {
  if (context_->retirement.Retired() != dispatched_) return Cause::kEndOfSegment;
  const int missing = context_->tokens.Missing(halt.queue, halt.wait);
  if (missing >= 0) return static_cast<Cause>(static_cast<int>(Cause::kTokenWaitLoad) + missing);
  context_->tokens.Take(halt.queue, halt.wait);
  if (context_->events != nullptr) {
    context_->events->OnStart(halt.queue, next_, context_->clock.now);
  }
  context_->retirement.RetireAtOnce(halt.queue, next_, halt.post);
  finished_ = true;
  return Cause::kBusy;
}

Cause Dispatcher::Dispatch() {
  if (finished_) return Cause::kIdleDone;
  if (!holding_) {
    if (buffer_.size() < timing::kInstructionBytes) {
      const Cause waiting = dram_.Waiting(Requester::kFetch);
      return waiting == Cause::kDramBandwidth ? waiting : Cause::kDramLatency;
    }
    isa::Word word;
    std::array<uint8_t, sizeof word> bytes;
    std::copy_n(buffer_.begin(), bytes.size(), bytes.begin());
    std::memcpy(&word, bytes.data(), sizeof word);
    auto decoded = isa::Decode(word);
    if (!decoded.ok()) {
      context_->Fail(next_, decoded.errors());
      return Cause::kDispatchEmpty;
    }
    buffer_.erase(buffer_.begin(), buffer_.begin() + timing::kInstructionBytes);
    held_ = *decoded;
    holding_ = true;
    if (held_.opcode == isa::Opcode::kHalt) {
      context_->segments_dispatched.Add(context_->clock.now);
    }
  }
  if (held_.opcode == isa::Opcode::kHalt) return Halt(held_);
  Ring<QueuedInstruction>& queue = fronts_[static_cast<size_t>(held_.queue)]->queue();
  if (!queue.CanPush()) return queue.HasSpace() ? Cause::kRandomStall : Cause::kQueueFull;
  QueuedInstruction& entry = queue.Next();
  entry.instruction = held_;
  entry.index = next_++;
  queue.Push();
  ++dispatched_;
  holding_ = false;
  return Cause::kBusy;
}

void Dispatcher::AddWaiting(Errors& errors,
                            const std::function<Error(uint32_t, std::string)>& error) const {
  if (finished_ || !holding_) return;
  if (held_.opcode != isa::Opcode::kHalt) {
    errors.push_back(
        error(next_, fmt::format("{} waits for room in queue {}", isa::Mnemonic(held_.opcode),
                                 isa::QueueName(held_.queue))));
    return;
  }
  const int missing = context_->tokens.Missing(held_.queue, held_.wait);
  if (missing < 0) return;
  errors.push_back(error(next_, fmt::format("halt waits for a token from queue {} to queue {}",
                                            isa::QueueName(static_cast<isa::Queue>(missing)),
                                            isa::QueueName(held_.queue))));
}

void Dispatcher::Clock() {
  Receive();
  const Cause cause = Dispatch();
  Request();
  context_->recorder.Account(Engine::kDispatch, cause);
}

}  // namespace bw::sysc
