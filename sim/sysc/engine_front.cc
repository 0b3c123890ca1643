#include "sim/sysc/engine_front.h"

namespace bw::sysc {

void EngineFront::Configure(MachineContext& context) {
  context_ = &context;
  const auto point = static_cast<uint64_t>(StallPoint::kQueueLoad) + static_cast<uint64_t>(queue_);
  ring_.Configure(context.clock, static_cast<size_t>(context.config.queue_depth),
                  RandomStall(context.stall_seed, point));
  registers_.fill(0);
  cause_ = Cause::kDispatchEmpty;
}

const QueuedInstruction* EngineFront::Look() {
  if (!ring_.HasEntry()) {
    cause_ = context_->AllDispatched() ? Cause::kIdleDone : Cause::kDispatchEmpty;
    return nullptr;
  }
  if (ring_.Stalled()) {
    cause_ = Cause::kRandomStall;
    return nullptr;
  }
  const QueuedInstruction& head = ring_.Front();
  const int missing = context_->tokens.Missing(queue_, head.instruction.wait);
  if (missing >= 0) {
    cause_ = static_cast<Cause>(static_cast<int>(Cause::kTokenWaitLoad) + missing);
    return nullptr;
  }
  cause_ = Cause::kConfigure;
  const isa::Opcode opcode = head.instruction.opcode;
  if (opcode != isa::Opcode::kCfg && opcode != isa::Opcode::kFence) return &head;
  if (opcode == isa::Opcode::kCfg) isa::ApplyCfg(head.instruction, registers_);
  const uint32_t index = head.index;
  Start();
  context_->retirement.Landed(queue_, index);
  return nullptr;
}

void EngineFront::Start() {
  const QueuedInstruction& head = ring_.Front();
  context_->tokens.Take(queue_, head.instruction.wait);
  context_->retirement.Start(queue_, head.index, head.instruction.post);
  if (context_->events != nullptr) {
    context_->events->OnStart(queue_, head.index, context_->clock.now);
  }
  ring_.Pop();
}

}  // namespace bw::sysc
