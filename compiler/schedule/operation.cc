#include "compiler/schedule/operation.h"

namespace bw::schedule {

bool Overlap(const Access& a, const Access& b) {
  if (a.memory != b.memory || a.begin >= b.end || b.begin >= a.end) return false;
  if (a.pitch == 0 || a.pitch != b.pitch) return true;
  // Rows of equal pitch: apart when each starts behind the other's width.
  const uint64_t from_a = (b.begin + a.pitch - a.begin % a.pitch) % a.pitch;
  const uint64_t from_b = (a.begin + a.pitch - b.begin % a.pitch) % a.pitch;
  return from_a < a.width || from_b < b.width;
}

namespace {

bool AnyOverlap(const std::vector<Access>& a, const std::vector<Access>& b) {
  for (const Access& x : a) {
    for (const Access& y : b) {
      if (Overlap(x, y)) return true;
    }
  }
  return false;
}

}  // namespace

bool Conflict(const Operation& a, const Operation& b) {
  return AnyOverlap(a.writes, b.writes) || AnyOverlap(a.writes, b.reads) ||
         AnyOverlap(a.reads, b.writes);
}

}  // namespace bw::schedule
