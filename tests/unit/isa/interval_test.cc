#include "compiler/isa/interval.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

namespace bw::isa {
namespace {

constexpr uint64_t kSeed = 77;

TEST(Interval, IndicesInsideAgreesWithCounting) {
  for (int64_t start = -9; start <= 9; ++start) {
    for (int64_t step = -4; step <= 4; ++step) {
      for (int64_t limit = -1; limit <= 7; ++limit) {
        const IndexRange range = IndicesInside(start, step, 5, limit);
        for (int64_t i = 0; i < 5; ++i) {
          const int64_t x = start + i * step;
          ASSERT_EQ(i >= range.lo && i < range.hi, x >= 0 && x < limit)
              << start << " " << step << " " << limit << " " << i;
        }
      }
    }
  }
}

TEST(Interval, SpanInsideIsTheExactSpan) {
  std::mt19937_64 random(kSeed);
  const auto in = [&](int64_t lo, int64_t hi) {
    return std::uniform_int_distribution<int64_t>(lo, hi)(random);
  };
  int empty = 0;
  for (int round = 0; round < 20000; ++round) {
    const WindowAxes w{
        {in(1, 6), in(-9, 9)}, {in(1, 4), in(-9, 9)}, in(-6, 6), in(-3, 3), in(-2, 2), in(0, 8)};
    int64_t lo = std::numeric_limits<int64_t>::max(), hi = std::numeric_limits<int64_t>::min();
    for (int64_t i = 0; i < w.i.count; ++i) {
      for (int64_t j = 0; j < w.j.count; ++j) {
        const int64_t x = w.start + i * w.step_i + j * w.step_j;
        if (x < 0 || x >= w.limit) continue;
        lo = std::min(lo, i * w.i.stride + j * w.j.stride);
        hi = std::max(hi, i * w.i.stride + j * w.j.stride);
      }
    }
    const std::optional<Span> span = SpanInside(w);
    ASSERT_EQ(span.has_value(), lo <= hi);
    empty += !span;
    if (span) {
      ASSERT_TRUE(span->lo == lo && span->hi == hi);
    }
  }
  EXPECT_GT(empty, 100);
}

TEST(Interval, FindsElementsThatCoincide) {
  EXPECT_TRUE(IsWithoutOverlap({{4, 8}, {3, 32}}, 8));
  EXPECT_TRUE(IsWithoutOverlap({{3, -32}, {4, 8}}, 8));
  EXPECT_FALSE(IsWithoutOverlap({{4, 8}, {3, 24}}, 8));
  EXPECT_FALSE(IsWithoutOverlap({{2, 0}}, 8));
  EXPECT_TRUE(IsWithoutOverlap({{1, 0}}, 8));
}

}  // namespace
}  // namespace bw::isa
