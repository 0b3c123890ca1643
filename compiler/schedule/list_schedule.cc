#include "compiler/schedule/list_schedule.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "models/status/check.h"

namespace bw::schedule {
namespace {

// Operations that were emitted this far apart keep their order.
constexpr size_t kWindow = 256;

// Instructions of a load: itself and, for a nest, the registers that it usually changes.
int LoadSlots(const Operation& load) { return load.instruction.opcode == isa::Opcode::kLd ? 3 : 1; }

class Scheduler {
 public:
  Scheduler(const std::vector<Operation>& operations, const ListScheduleOptions& options)
      : operations_(operations),
        options_(options),
        successors_(operations.size()),
        waits_for_(operations.size(), 0),
        ready_(operations.size(), 0),
        done_(operations.size(), false) {
    FindDependences();
    for (size_t i = 0; i < operations.size(); ++i) {
      pending_[static_cast<size_t>(operations[i].queue())].push_back(i);
    }
  }

  std::vector<size_t> Order() {
    std::vector<size_t> order;
    while (order.size() < operations_.size()) {
      while (done_[first_]) ++first_;
      loads_out_.erase(std::remove_if(loads_out_.begin(), loads_out_.end(),
                                      [this](size_t i) { return i < first_; }),
                       loads_out_.end());
      const size_t next = Choose();
      Start(next);
      order.push_back(next);
    }
    return order;
  }

 private:
  void FindDependences() {
    for (size_t i = 0; i < operations_.size(); ++i) {
      for (size_t j = i > kWindow ? i - kWindow : 0; j < i; ++j) {
        if (!Conflict(operations_[j], operations_[i])) continue;
        successors_[j].push_back(i);
        ++waits_for_[i];
      }
    }
  }

  // The operation that can start first; of those, the one emitted first.
  size_t Choose() const {
    size_t best = operations_.size();
    uint64_t best_start = 0;
    const int ahead = LoadsAhead();
    for (size_t q = 0; q < pending_.size(); ++q) {
      for (const size_t i : pending_[q]) {
        if (i >= first_ + kWindow) break;
        if (waits_for_[i] > 0 || !FitsQueue(i, ahead)) continue;
        const uint64_t start = StartOf(i);
        if (best == operations_.size() || start < best_start || (start == best_start && i < best)) {
          best = i;
          best_start = start;
        }
      }
    }
    BW_CHECK(best < operations_.size(), "nothing can start, operation {} is next", first_);
    return best;
  }

  uint64_t StartOf(size_t i) const {
    return std::max({ready_[i], free_[static_cast<size_t>(operations_[i].queue())], now_});
  }

  void Start(size_t i) {
    const Operation& operation = operations_[i];
    const auto q = static_cast<size_t>(operation.queue());
    const uint64_t start = StartOf(i);
    now_ = start;
    free_[q] = start + operation.cycles;
    const uint64_t finish = free_[q] + operation.latency;
    for (const size_t later : successors_[i]) {
      --waits_for_[later];
      ready_[later] = std::max(ready_[later], finish);
    }
    done_[i] = true;
    std::vector<size_t>& pending = pending_[q];
    pending.erase(std::find(pending.begin(), pending.end(), i));
    if (operation.queue() == isa::Queue::kLoad && i > first_) loads_out_.push_back(i);
  }

  // Loads that are out though an operation emitted before them is not. They alone are limited: how
  // far they run ahead rests on estimates, while the other queues wait for one another.
  int LoadsAhead() const {
    int slots = 0;
    for (const size_t i : loads_out_) slots += LoadSlots(operations_[i]);
    return slots;
  }
  bool FitsQueue(size_t i, int ahead) const {
    if (operations_[i].queue() != isa::Queue::kLoad || i == first_) return true;
    return ahead == 0 || ahead + LoadSlots(operations_[i]) <= options_.queue_depth;
  }

  const std::vector<Operation>& operations_;
  const ListScheduleOptions options_;
  std::vector<std::vector<size_t>> successors_;
  std::vector<int> waits_for_;   // predecessors that have not started
  std::vector<uint64_t> ready_;  // when those that have started will have finished
  std::vector<bool> done_;
  std::array<std::vector<size_t>, isa::kQueues> pending_;  // in the order of emission
  std::vector<size_t> loads_out_;                          // those that passed something
  std::array<uint64_t, isa::kQueues> free_{};
  uint64_t now_ = 0;  // start of the last one that has started
  size_t first_ = 0;  // the first that has not
};

}  // namespace

std::vector<Operation> ListSchedule(std::vector<Operation> operations,
                                    const ListScheduleOptions& options) {
  const std::vector<size_t> order = Scheduler(operations, options).Order();
  std::vector<Operation> moved;
  moved.reserve(operations.size());
  for (const size_t i : order) moved.push_back(std::move(operations[i]));
  return moved;
}

}  // namespace bw::schedule
