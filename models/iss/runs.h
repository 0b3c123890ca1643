// Nests of elements as contiguous runs, for the access observer.
#ifndef MODELS_ISS_RUNS_H_
#define MODELS_ISS_RUNS_H_

#include <cstdint>
#include <utility>
#include <vector>

namespace bw::iss {

struct Loop {
  int64_t count = 1;
  int64_t stride = 0;
};

// Calls visit(begin, end) for runs that together cover the `width`-wide elements at base + sum
// i*stride, loops outermost first. Innermost loops without gaps become one run; a loop of stride 0
// counts once.
template <typename Visit>
void ForEachRun(int64_t base, std::vector<Loop> loops, int64_t width, Visit visit) {
  while (!loops.empty()) {
    const Loop& inner = loops.back();
    if (inner.count != 1 && inner.stride != 0 && inner.stride != width) break;
    if (inner.count > 1 && inner.stride == width) width *= inner.count;
    loops.pop_back();
  }
  std::vector<Loop> outer;
  for (const Loop& loop : loops) {
    if (loop.count > 1 && loop.stride != 0) outer.push_back(loop);
  }
  std::vector<int64_t> at(outer.size(), 0);
  while (true) {
    visit(base, base + width);
    size_t axis = outer.size();
    while (axis > 0) {
      --axis;
      base += outer[axis].stride;
      if (++at[axis] < outer[axis].count) break;
      base -= outer[axis].stride * outer[axis].count;
      at[axis] = 0;
      if (axis == 0) return;
    }
    if (outer.empty()) return;
  }
}

// Bits to the bytes that hold them.
inline std::pair<uint64_t, uint64_t> Bytes(int64_t begin_bit, int64_t end_bit) {
  return {static_cast<uint64_t>(begin_bit) / 8, (static_cast<uint64_t>(end_bit) + 7) / 8};
}

}  // namespace bw::iss

#endif  // MODELS_ISS_RUNS_H_
