#include "compiler/schedule/pipeline.h"

#include <array>
#include <cstdint>
#include <utility>

namespace bw::schedule {
namespace {

class Pipeliner {
 public:
  Pipeliner(std::vector<Operation>& operations, const PipelineOptions& options)
      : operations_(operations), options_(options), done_(operations.size(), false) {
    for (size_t i = 0; i < operations.size(); ++i) {
      queues_[static_cast<size_t>(operations[i].queue())].push_back(i);
    }
  }

  std::vector<size_t> Order() {
    for (size_t i = 0; i < operations_.size(); ++i) {
      if (done_[i]) continue;
      first_undone_ = i;
      // A MAC that went ahead may have been all that a load waited for.
      do {
        HoistLoads(i);
      } while (HoistMac(i));
      Emit(i);
    }
    return std::move(order_);
  }

 private:
  void Emit(size_t i) {
    done_[i] = true;
    order_.push_back(i);
    ++next_[static_cast<size_t>(operations_[i].queue())];
  }

  bool HasNext(isa::Queue queue) const {
    const auto q = static_cast<size_t>(queue);
    return next_[q] < queues_[q].size();
  }
  size_t Next(isa::Queue queue) const {
    const auto q = static_cast<size_t>(queue);
    return queues_[q][next_[q]];
  }

  // Instructions of `queue` that stand in front of operation `at` though they belong after it.
  int Ahead(isa::Queue queue, size_t at) const {
    const auto q = static_cast<size_t>(queue);
    int slots = 0;
    for (size_t n = next_[q]; n > 0 && queues_[q][n - 1] > at; --n) {
      slots += 1 + static_cast<int>(operations_[queues_[q][n - 1]].cfg.size());
    }
    return slots;
  }

  // Whether operation `candidate` may pass everything before it that is not out yet.
  bool MayPass(size_t candidate) const {
    for (size_t i = first_undone_; i < candidate; ++i) {
      if (!done_[i] && Conflict(operations_[i], operations_[candidate])) return false;
    }
    return true;
  }

  bool HoistOne(isa::Queue queue, size_t at) {
    const size_t candidate = Next(queue);
    if (candidate <= at) return false;
    const int slots = 1 + static_cast<int>(operations_[candidate].cfg.size());
    if (Ahead(queue, at) + slots > options_.queue_depth) return false;
    if (!MayPass(candidate)) return false;
    Emit(candidate);
    return true;
  }

  void HoistLoads(size_t at) {
    if (operations_[at].queue() == isa::Queue::kLoad) return;
    while (HasNext(isa::Queue::kLoad) && HoistOne(isa::Queue::kLoad, at)) {
    }
  }

  bool HoistMac(size_t at) {
    const isa::Queue queue = operations_[at].queue();
    if (queue == isa::Queue::kLoad || queue == isa::Queue::kMac) return false;
    if (!HasNext(isa::Queue::kMac)) return false;
    const uint32_t step = operations_[Next(isa::Queue::kMac)].step;
    const auto ahead = static_cast<uint32_t>(options_.mac_steps_ahead);
    return step <= operations_[at].step + ahead && HoistOne(isa::Queue::kMac, at);
  }

  std::vector<Operation>& operations_;
  PipelineOptions options_;
  std::vector<bool> done_;
  std::vector<size_t> order_;
  std::array<std::vector<size_t>, isa::kQueues> queues_;  // positions, by queue
  std::array<size_t, isa::kQueues> next_{};               // first of each queue that is not out
  size_t first_undone_ = 0;
};

}  // namespace

std::vector<Operation> SoftwarePipeline(std::vector<Operation> operations,
                                        const PipelineOptions& options) {
  const std::vector<size_t> order = Pipeliner(operations, options).Order();
  std::vector<Operation> moved;
  moved.reserve(operations.size());
  for (const size_t i : order) moved.push_back(std::move(operations[i]));
  return moved;
}

}  // namespace bw::schedule
