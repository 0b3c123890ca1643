#include "compiler/isa/interval.h"

#include <algorithm>
#include <cstdlib>

namespace bw::isa {
namespace {

// ceil(a / b), b > 0.
int64_t CeilDiv(int64_t a, int64_t b) { return a > 0 ? (a + b - 1) / b : -(-a / b); }

bool IsInside(int64_t x, int64_t limit) { return x >= 0 && x < limit; }

WindowAxes Swapped(const WindowAxes& w) { return {w.j, w.i, w.start, w.step_j, w.step_i, w.limit}; }

}  // namespace

IndexRange IndicesInside(int64_t start, int64_t step, int64_t count, int64_t limit) {
  IndexRange range{0, count};
  if (step == 0) {
    if (!IsInside(start, limit)) range.hi = 0;
  } else if (step > 0) {
    range = {CeilDiv(-start, step), CeilDiv(limit - start, step)};
  } else {
    // start - i * |step| <= limit - 1 and >= 0
    range = {CeilDiv(start - limit + 1, -step), CeilDiv(start + 1, -step)};
  }
  range.lo = std::clamp<int64_t>(range.lo, 0, count);
  range.hi = std::clamp<int64_t>(range.hi, range.lo, count);
  return range;
}

bool AllInside(const WindowAxes& w) {
  const Span x = SpanOf({w.i.count, w.step_i}) + SpanOf({w.j.count, w.step_j});
  return IsInside(w.start + x.lo, w.limit) && IsInside(w.start + x.hi, w.limit);
}

std::optional<Span> SpanInside(const WindowAxes& w) {
  if (AllInside(w)) return SpanOf(w.i) + SpanOf(w.j);
  if (w.j.count > w.i.count) return SpanInside(Swapped(w));
  std::optional<Span> span;
  for (int64_t j = 0; j < w.j.count; ++j) {
    const IndexRange i = IndicesInside(w.start + j * w.step_j, w.step_i, w.i.count, w.limit);
    if (i.empty()) continue;
    const int64_t first = j * w.j.stride + i.lo * w.i.stride;
    const int64_t last = j * w.j.stride + (i.hi - 1) * w.i.stride;
    if (!span) span = Span{first, first};
    span->lo = std::min({span->lo, first, last});
    span->hi = std::max({span->hi, first, last});
  }
  return span;
}

bool EveryWindowHoldsAPosition(const WindowAxes& w) {
  if (AllInside(w)) return true;
  for (int64_t i = 0; i < w.i.count; ++i) {
    if (IndicesInside(w.start + i * w.step_i, w.step_j, w.j.count, w.limit).empty()) return false;
  }
  return true;
}

bool IsWithoutOverlap(std::vector<Axis> axes, int64_t width) {
  axes.erase(std::remove_if(axes.begin(), axes.end(), [](const Axis& a) { return a.count <= 1; }),
             axes.end());
  std::sort(axes.begin(), axes.end(),
            [](const Axis& a, const Axis& b) { return std::abs(a.stride) < std::abs(b.stride); });
  int64_t covered = width;
  for (const Axis& axis : axes) {
    if (std::abs(axis.stride) < covered) return false;
    covered += (axis.count - 1) * std::abs(axis.stride);
  }
  return true;
}

}  // namespace bw::isa
