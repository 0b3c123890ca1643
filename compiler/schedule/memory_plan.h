// Gives buffers their places in a memory, reusing the space of those that are dead.
#ifndef COMPILER_SCHEDULE_MEMORY_PLAN_H_
#define COMPILER_SCHEDULE_MEMORY_PLAN_H_

#include <cstdint>
#include <optional>
#include <vector>

namespace bw::schedule {

// Lives from the start of step `first` to the end of step `last`.
struct Buffer {
  int64_t first = 0, last = 0;
  uint64_t bytes = 0;
  uint64_t headroom = 0;  // least offset: the address of padding in front of it must not be below 0
  uint64_t align = 1;
};

inline constexpr uint64_t kUnplaced = ~uint64_t{0};

struct MemoryPlan {
  std::vector<uint64_t> offsets;  // one a buffer; kUnplaced when there was no room
  uint64_t peak = 0;              // end of the highest buffer
  bool complete = true;           // every buffer has a place
};

// Greedy by size: the largest first, each as low as those already placed and alive at the same time
// allow. Deterministic.
MemoryPlan PlanMemory(const std::vector<Buffer>& buffers, uint64_t capacity);

struct Gap {
  uint64_t begin = 0, end = 0;
};

// What is free at `step`, in rising order.
std::vector<Gap> FreeGaps(const std::vector<Buffer>& buffers, const MemoryPlan& plan, int64_t step,
                          uint64_t capacity);

// Hands out parts of the gaps in turn, from `cursor` upwards and then from the bottom again: what
// is handed out for neighbouring layers lies apart, so that one can load while the other computes.
class GapAllocator {
 public:
  GapAllocator(std::vector<Gap> gaps, uint64_t cursor) : gaps_(std::move(gaps)), cursor_(cursor) {}
  // A multiple of `align`, at least `headroom`; nothing when no gap is large enough.
  std::optional<uint64_t> Take(uint64_t bytes, uint64_t headroom, uint64_t align);
  uint64_t FreeBytes() const;
  uint64_t cursor() const { return cursor_; }
  void Rewind() { cursor_ = 0; }

 private:
  std::optional<uint64_t> TakeFrom(uint64_t least, uint64_t bytes, uint64_t align);

  std::vector<Gap> gaps_;
  uint64_t cursor_;
};

}  // namespace bw::schedule

#endif  // COMPILER_SCHEDULE_MEMORY_PLAN_H_
