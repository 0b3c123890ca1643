// Synthetic operation lists for the tests of the scheduling passes.
#ifndef TESTS_UNIT_SCHEDULE_RANDOM_OPERATIONS_H_
#define TESTS_UNIT_SCHEDULE_RANDOM_OPERATIONS_H_

#include <cstdint>
#include <random>
#include <vector>

#include "compiler/schedule/operation.h"

namespace bw::schedule {

// `count` operations over few, narrow memories, so that conflicts are frequent.
inline std::vector<Operation> RandomOperations(uint32_t seed, size_t count, uint64_t memory_size) {
  std::mt19937 rng(seed);
  const auto below = [&](uint64_t n) { return static_cast<uint64_t>(rng() % n); };
  const auto access = [&] {
    Access made;
    made.memory = static_cast<isa::Memory>(below(3));
    made.begin = below(memory_size);
    made.end = made.begin + 1 + below(memory_size / 4);
    if (below(3) == 0) made.pitch = 8, made.width = 1 + below(7);
    return made;
  };
  std::vector<Operation> made(count);
  for (size_t i = 0; i < count; ++i) {
    made[i].instruction.queue = static_cast<isa::Queue>(below(isa::kQueues));
    made[i].id = static_cast<uint32_t>(i);
    made[i].cycles = static_cast<uint32_t>(1 + below(50));
    made[i].latency = static_cast<uint32_t>(below(20));
    for (uint64_t n = below(3); n > 0; --n) made[i].reads.push_back(access());
    made[i].writes.push_back(access());
  }
  return made;
}

}  // namespace bw::schedule

#endif  // TESTS_UNIT_SCHEDULE_RANDOM_OPERATIONS_H_
