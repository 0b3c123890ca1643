#include "compiler/schedule/operation.h"

namespace bw::schedule {
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
