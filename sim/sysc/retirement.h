// Instructions under way, by queue: they retire in the order of their queue, in the very cycle in
// which the last write of the oldest one lands, and then post their tokens.
#ifndef SIM_SYSC_RETIREMENT_H_
#define SIM_SYSC_RETIREMENT_H_

#include <array>
#include <cstdint>
#include <deque>

#include "compiler/isa/instruction.h"
#include "sim/sysc/hooks.h"
#include "sim/sysc/registered.h"
#include "sim/sysc/tokens.h"

namespace bw::sysc {

class RetireListener {
 public:
  virtual ~RetireListener() = default;
  virtual void OnRetire(isa::Queue queue, uint32_t instruction) = 0;
};

class Retirement : public LandingSink {
 public:
  void Configure(const CycleClock& clock, Tokens& tokens, RetireListener& listener) {
    clock_ = &clock;
    tokens_ = &tokens;
    listener_ = &listener;
    for (Lane& lane : lanes_) {
      lane.under_way.clear();
      lane.started.Reset();
      lane.retired.Reset();
    }
  }

  void Start(isa::Queue queue, uint32_t instruction, uint8_t post) {
    Lane& lane = Of(queue);
    lane.started.Add(clock_->now);
    lane.under_way.push_back({instruction, post, false});
  }
  // Also for what writes nothing (cfg, fence): then by its own engine.
  void Landed(isa::Queue queue, uint32_t instruction) override {
    Lane& lane = Of(queue);
    for (Entry& entry : lane.under_way) {
      if (entry.instruction == instruction) entry.landed = true;
    }
    while (!lane.under_way.empty() && lane.under_way.front().landed) {
      const Entry entry = lane.under_way.front();
      lane.under_way.pop_front();
      lane.retired.Add(clock_->now);
      tokens_->Post(queue, entry.post);
      listener_->OnRetire(queue, entry.instruction);
    }
  }

  // For halt, which dispatch executes by itself when nothing is under way.
  void RetireAtOnce(isa::Queue queue, uint32_t instruction, uint8_t post) {
    tokens_->Post(queue, post);
    listener_->OnRetire(queue, instruction);
  }

  // Whether nothing of the queue is under way, as its engine sees it (it is the one that starts).
  bool Empty(isa::Queue queue) const {
    const Lane& lane = lanes_[static_cast<size_t>(queue)];
    return lane.started.Total() == lane.retired.Before(clock_->now);
  }
  // All that retired before this cycle, in all queues.
  uint64_t Retired() const {
    uint64_t sum = 0;
    for (const Lane& lane : lanes_) sum += lane.retired.Before(clock_->now);
    return sum;
  }

 private:
  struct Entry {
    uint32_t instruction = 0;
    uint8_t post = 0;
    bool landed = false;
  };
  struct Lane {
    std::deque<Entry> under_way;
    RegisteredCounter started, retired;
  };
  Lane& Of(isa::Queue queue) { return lanes_[static_cast<size_t>(queue)]; }

  const CycleClock* clock_ = nullptr;
  Tokens* tokens_ = nullptr;
  RetireListener* listener_ = nullptr;
  std::array<Lane, isa::kQueues> lanes_;
};

}  // namespace bw::sysc

#endif  // SIM_SYSC_RETIREMENT_H_
