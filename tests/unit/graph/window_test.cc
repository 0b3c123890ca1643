#include "compiler/graph/window.h"

#include <gtest/gtest.h>

namespace bw::graph {
namespace {

// Counts by walking: windows that start on the begin padding or the input and, unless ceil_mode,
// end inside the padding.
int64_t CountByWalking(int64_t extent, const Window& w, bool ceil_mode) {
  const int64_t reach = w.dilation * (w.kernel - 1) + 1;
  const int64_t end = extent + w.pad_begin + w.pad_end;
  if (reach > end) return 0;
  int64_t count = 0;
  for (int64_t start = 0;; start += w.stride) {
    const bool whole = start + reach <= end;
    // With ceil_mode a last window may hang over the end if it starts before the end padding and
    // the windows before it did not reach the end.
    const bool hangs = ceil_mode && start < extent + w.pad_begin && start - w.stride + reach < end;
    if (!whole && !hangs) return count;
    ++count;
  }
}

TEST(WindowCount, EqualsWalkingForAllSmallWindows) {
  int compared = 0;
  for (int64_t extent = 1; extent <= 9; ++extent) {
    for (int64_t kernel = 1; kernel <= 4; ++kernel) {
      for (int64_t stride = 1; stride <= 4; ++stride) {
        for (int64_t dilation = 1; dilation <= 3; ++dilation) {
          for (int64_t begin = 0; begin <= 2; ++begin) {
            for (int64_t end = 0; end <= 2; ++end) {
              for (const bool ceil_mode : {false, true}) {
                const Window window{kernel, stride, dilation, begin, end};
                EXPECT_EQ(WindowCount(extent, window, ceil_mode).value_or(0),
                          CountByWalking(extent, window, ceil_mode))
                    << extent << " " << kernel << " " << stride << " " << dilation << " " << begin
                    << " " << end << " " << ceil_mode;
                ++compared;
              }
            }
          }
        }
      }
    }
  }
  EXPECT_EQ(compared, 9 * 4 * 4 * 3 * 3 * 3 * 2);
}

TEST(WindowCount, RefusesWhatIsOutOfRange) {
  EXPECT_EQ(WindowCount(0, {}, false), std::nullopt);
  EXPECT_EQ(WindowCount(4, {0, 1, 1, 0, 0}, false), std::nullopt);
  EXPECT_EQ(WindowCount(4, {1, 0, 1, 0, 0}, false), std::nullopt);
  EXPECT_EQ(WindowCount(4, {1, 1, 0, 0, 0}, false), std::nullopt);
  EXPECT_EQ(WindowCount(4, {1, 1, 1, -1, 0}, false), std::nullopt);
  EXPECT_EQ(WindowCount(4, {5, 1, 1, 0, 0}, false), std::nullopt);
  EXPECT_EQ(WindowCount(4, {int64_t{1} << 40, 1, int64_t{1} << 40, 0, 0}, false), std::nullopt);
}

TEST(ValidElements, LeavesOutPaddingOnBothSides) {
  const Window window{3, 2, 1, 1, 1};  // over 4 elements: -1..1, 1..3
  EXPECT_EQ(ValidElements(4, window, 0), 2);
  EXPECT_EQ(ValidElements(4, window, 1), 3);
  EXPECT_EQ(ValidElements(2, {3, 1, 2, 2, 2}, 0), 1);  // taps -2, 0, 2
}

}  // namespace
}  // namespace bw::graph
