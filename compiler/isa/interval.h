// Which addresses an affine loop nest touches. Counts are at most 2^24 and strides 32 bits wide, so
// that every sum here fits int64 (six counters: below 2^58).
#ifndef COMPILER_ISA_INTERVAL_H_
#define COMPILER_ISA_INTERVAL_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace bw::isa {

inline constexpr int64_t kMaxCount = int64_t{1} << 24;

// Indices [lo, hi); empty when lo >= hi.
struct IndexRange {
  int64_t lo = 0, hi = 0;
  bool empty() const { return lo >= hi; }
};

// The i of 0..count-1 with 0 <= start + i * step < limit. They are always neighbours.
IndexRange IndicesInside(int64_t start, int64_t step, int64_t count, int64_t limit);

// Offsets lo..hi, both included.
struct Span {
  int64_t lo = 0, hi = 0;
};

// A counter of a nest.
struct Axis {
  int64_t count = 1, stride = 0;
};

inline Span SpanOf(const Axis& axis) {
  const int64_t last = (axis.count - 1) * axis.stride;
  return last < 0 ? Span{last, 0} : Span{0, last};
}
inline Span operator+(const Span& a, const Span& b) { return {a.lo + b.lo, a.hi + b.hi}; }

// Two counters i and j that move an address by stride_i and stride_j, and a position
// start + i * step_i + j * step_j that must lie in [0, limit) for the address to be touched.
struct WindowAxes {
  Axis i, j;
  int64_t start = 0, step_i = 0, step_j = 0, limit = 0;
};

bool AllInside(const WindowAxes& window);
// Span of i * stride_i + j * stride_j over the positions inside; nothing when there is none.
std::optional<Span> SpanInside(const WindowAxes& window);
// Whether for every i some j is inside.
bool EveryWindowHoldsAPosition(const WindowAxes& window);

// Whether no two elements of `width` units coincide, for nests in which every stride steps over all
// that the smaller strides cover (as in every box of a tensor).
bool IsWithoutOverlap(std::vector<Axis> axes, int64_t width);

}  // namespace bw::isa

#endif  // COMPILER_ISA_INTERVAL_H_
